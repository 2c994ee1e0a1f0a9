package table

import (
	"cmp"
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Conjunctions are counted together, on bit sets of blocks of records: one for each term, and
// one for each binary digit of the records' counts. Sorted by terms, each conjunction shares
// with the one before the sets of the terms that they begin with.

const blockWords = 1 << 9 // of a bit set of a block of records

// Supports returns how many units satisfy all terms of each conjunction. It fails only with the
// context's error.
func (t *Table) Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error) {
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
	var lock sync.Mutex
	const records = 64 * blockWords
	blocks := (t.Len() + records - 1) / records
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), blocks, func() func(int) {
		b := supporter{table: t, axes: axes, places: places, sets: make([][]uint64, len(terms))}
		for i := range b.sets {
			b.sets[i] = make([]uint64, blockWords)
		}
		own := make([]int64, len(of))
		return func(block int) {
			clear(own)
			b.load(block*records, min((block+1)*records, t.Len()))
			b.count(numbers, order, own)
			lock.Lock()
			defer lock.Unlock()
			for i, n := range own {
				counts[i] += n
			}
		}
	})
	return counts, err
}

func compareTerms(a, b Term) int {
	return cmp.Or(cmp.Compare(a.Axis, b.Axis), cmp.Compare(a.Cell, b.Cell))
}

// number numbers the distinct terms, and returns those of each conjunction.
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

// places returns, for each cell of each axis, the number of the term that its records satisfy,
// or -1.
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

// A supporter counts block after block.
type supporter struct {
	table  *Table
	axes   []Axis
	places [][]int
	sets   [][]uint64 // of each term, the records that satisfy it
	digits [][]word   // of each binary digit of counts, the records that have it
	path   [][]uint64 // of the terms so far, the records that satisfy all
	words  int        // of the block
	cells  []uint16   // of the block's records on an axis
}

// A word is one of a bit set that is not empty.
type word struct {
	at   int
	bits uint64
}

// load reads the records from..to-1.
func (b *supporter) load(from, to int) {
	for _, s := range b.sets {
		clear(s)
	}
	for d := range b.digits {
		b.digits[d] = b.digits[d][:0]
	}
	b.words = (to - from + 63) / 64
	for i := range to - from {
		at, bit := i/64, uint64(1)<<(i%64)
		n := uint64(b.table.Count(from + i))
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
	b.cells = slices.Grow(b.cells[:0], to-from)[:to-from]
	for k, places := range b.places {
		b.table.cells(b.axes[k], from, b.cells)
		for i, cell := range b.cells {
			if term := places[cell]; term >= 0 {
				b.sets[term][i/64] |= 1 << (i % 64)
			}
		}
	}
}

// count adds the units of the block to the counts of conjunctions of so numbered terms.
func (b *supporter) count(of [][]int, order []int, counts []int64) {
	var before []int
	for _, at := range order {
		terms := of[at]
		same := 0
		for same < min(len(before), len(terms)) && before[same] == terms[same] {
			same++
		}
		rows := b.sets[terms[0]]
		for k := 1; k < len(terms); k++ {
			for len(b.path) <= k {
				b.path = append(b.path, make([]uint64, blockWords))
			}
			if k >= same {
				set := b.sets[terms[k]]
				for w, s := range rows[:b.words] {
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
			counts[at] += int64(n) << d
		}
	}
}
