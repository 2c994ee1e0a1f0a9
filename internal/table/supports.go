package table

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// All conjunctions are counted together, in blocks of records. A block has a bit set for each term, and a bit set for
// each binary digit of the records' counts. Conjunctions are sorted by their terms, so that each conjunction reuses
// the intersection for the first terms that it has in common with the previous one.

const (
	blockWords = 1 << 9 // the number of words of a bit set of a block
	blockBits  = 64 * blockWords
)

// Supports implements Counts: it returns, for each conjunction, the number of units (see Counts) of the records that
// satisfy all its terms. The only possible error is that of the context.
func (t *Table) Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error) {
	return supports(ctx, t.visit, axes, of)
}

// supports returns, for each conjunction, the number of units (see Counts) of the records that satisfy all its terms,
// by a pass over all records.
func supports(ctx context.Context, visit pass, axes []Axis, of [][]Term) ([]int64, error) {
	if len(of) == 0 {
		return nil, ctx.Err()
	}
	order := make([]int, len(of))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.CompareFunc(of[a], of[b], compareTerms) })
	terms, numbers := number(of)
	places := places(terms, axes)
	counts := make([]int64, len(of))
	all, err := gather(ctx, visit, func() *supporter {
		return &supporter{axes: axes, places: places, of: numbers, order: order, counts: make([]int64, len(of)), sets: make([][]uint64, len(terms))}
	})
	for _, b := range all {
		addTo(counts, b.counts)
	}
	return counts, err
}

func compareTerms(a, b Term) int {
	return cmp.Or(cmp.Compare(a.Axis, b.Axis), cmp.Compare(a.Cell, b.Cell))
}

// number assigns a number to each distinct term of the given conjunctions. It returns the number of each term, and
// the list of each conjunction's numbers.
func number(of [][]Term) (terms map[Term]int, numbers [][]int) {
	terms, numbers = make(map[Term]int), make([][]int, len(of))
	for i, c := range of {
		for _, t := range c {
			at, known := terms[t]
			if !known {
				at = len(terms)
				terms[t] = at
			}
			numbers[i] = append(numbers[i], at)
		}
	}
	return terms, numbers
}

// places returns, for each cell of each axis, the number of the term that requires this cell, or -1 if no conjunction
// contains this term.
func places(terms map[Term]int, axes []Axis) [][]int {
	places := make([][]int, len(axes))
	for k, a := range axes {
		for cell := range a.Size {
			at, wanted := terms[Term{k, uint16(cell)}]
			if !wanted {
				at = -1
			}
			places[k] = append(places[k], at)
		}
	}
	return places
}

// A supporter counts the units (see Counts) of the records that satisfy each conjunction. It processes records in
// blocks and represents the sets of records in a block as bit sets.
type supporter struct {
	axes   []Axis
	places [][]int
	of     [][]int    // the numbers of each conjunction's terms
	order  []int      // the indices of the conjunctions in the order in which they are visited
	counts []int64    // the units of each conjunction so far
	sets   [][]uint64 // by term, the set of the records that satisfy it
	digits [][]word   // by binary digit, the set of the records whose counts have a 1 in this digit
	path   [][]uint64 // path[k] is the set of the records that satisfy terms 0..k of the current conjunction
	words  int        // the number of words of the block
	cells  []uint16   // the cells of the block's records on an axis
	units  []int64    // the units of the block's records
}

// A word is a non-zero 64-bit word of a bit set, with its position in the set.
type word struct {
	at   int // the index of the word
	bits uint64
}

func (b *supporter) add(r records, from, to int) {
	for ; from < to; from += blockBits {
		b.load(r, from, min(from+blockBits, to))
		b.count()
	}
}

// load computes the bit sets for a block: the records whose indices are at least from and less than to. There must be
// at most blockBits of them.
func (b *supporter) load(r records, from, to int) {
	b.words = (to - from + 63) / 64
	for i, set := range b.sets {
		b.sets[i] = resized(set, b.words)
		clear(b.sets[i])
	}
	for d := range b.digits {
		b.digits[d] = b.digits[d][:0]
	}
	b.units = resized(b.units, to-from)
	r.units(from, b.units)
	for i, n := range b.units {
		at, bit, n := i/64, uint64(1)<<(i%64), uint64(n)
		for len(b.digits) < bits.Len64(n) {
			b.digits = append(b.digits, nil)
		}
		for ; n > 0; n &= n - 1 {
			d := &b.digits[bits.TrailingZeros64(n)]
			if last := len(*d) - 1; last < 0 || (*d)[last].at != at {
				*d = append(*d, word{at: at})
			}
			(*d)[len(*d)-1].bits |= bit
		}
	}
	b.cells = resized(b.cells, to-from)
	for k, places := range b.places {
		cells(r, b.axes[k], from, b.cells)
		for i, cell := range b.cells {
			if term := places[cell]; term >= 0 {
				b.sets[term][i/64] |= 1 << (i % 64)
			}
		}
	}
}

// resized returns a slice of n elements with arbitrary values. It reuses the memory of s if that is large enough.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// count adds the records of the current block to the count of each conjunction that they satisfy.
func (b *supporter) count() {
	var before []int
	for _, at := range b.order {
		terms := b.of[at]
		same := 0
		for same < min(len(before), len(terms)) && before[same] == terms[same] {
			same++
		}
		rows := b.sets[terms[0]]
		for k := 1; k < len(terms); k++ {
			for len(b.path) <= k {
				b.path = append(b.path, nil)
			}
			if k >= same {
				b.path[k] = resized(b.path[k], b.words)
				set := b.sets[terms[k]]
				for w, s := range rows {
					b.path[k][w] = s & set[w]
				}
			}
			rows = b.path[k]
		}
		before = terms
		for d, words := range b.digits {
			n := 0
			for _, w := range words {
				n += bits.OnesCount64(w.bits & rows[w.at])
			}
			b.counts[at] += int64(n) << d
		}
	}
}
