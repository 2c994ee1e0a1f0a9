package table

import (
	"cmp"
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/parallel"
)

// Conjunctions are counted together, on bit sets of blocks of records: one for each term, and
// one for each binary digit of the records' counts. Sorted by terms, each conjunction shares
// with the one before the sets of the terms that they begin with.

const blockWords = 1 << 9 // of a bit set of a block of records

// Supports returns how many units satisfy all terms of each conjunction. It fails only with the
// context's error.
func (t *Table) Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error) {
	order := make([]int, len(of))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.CompareFunc(of[a], of[b], compareTerms) })
	terms := number(of)
	places := places(terms, axes)
	counts := make([]int64, len(of))
	var lock sync.Mutex
	const records = 64 * blockWords
	blocks := (t.Len() + records - 1) / records
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), blocks, func() func(int) {
		b := supporter{table: t, axes: axes, terms: terms, places: places, sets: make([][]uint64, len(terms))}
		for i := range b.sets {
			b.sets[i] = make([]uint64, blockWords)
		}
		own := make([]int64, len(of))
		return func(block int) {
			clear(own)
			b.load(block*records, min((block+1)*records, t.Len()))
			b.count(of, order, own)
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

// number numbers the distinct terms.
func number(of [][]Term) map[Term]int {
	terms := map[Term]int{}
	for _, c := range of {
		for _, t := range c {
			if _, known := terms[t]; !known {
				terms[t] = len(terms)
			}
		}
	}
	return terms
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
	terms  map[Term]int
	places [][]int
	sets   [][]uint64 // of each term, the records that satisfy it
	digits [][]uint64 // of each binary digit of counts, the records that have it
	path   [][]uint64 // of the terms so far, the records that satisfy all
	cells  []uint16   // of the block's records on an axis
}

// load reads the records from..to-1.
func (b *supporter) load(from, to int) {
	for _, s := range b.sets {
		clear(s)
	}
	for _, s := range b.digits {
		clear(s)
	}
	for i := range to - from {
		word, bit := i/64, uint64(1)<<(i%64)
		n := uint64(b.table.Count(from + i))
		for len(b.digits) < bits.Len64(n) {
			b.digits = append(b.digits, make([]uint64, blockWords))
		}
		for ; n > 0; n &= n - 1 {
			b.digits[bits.TrailingZeros64(n)][word] |= bit
		}
	}
	b.cells = slices.Grow(b.cells[:0], to-from)[:to-from]
	for k, places := range b.places {
		b.table.cells(b.axes[k], from, b.cells)
		for i, cell := range b.cells {
			if at := places[cell]; at >= 0 {
				b.sets[at][i/64] |= 1 << (i % 64)
			}
		}
	}
}

// count adds the units of the block to the counts.
func (b *supporter) count(of [][]Term, order []int, counts []int64) {
	var before []Term
	for _, at := range order {
		terms := of[at]
		same := 0
		for same < min(len(before), len(terms)) && before[same] == terms[same] {
			same++
		}
		for k := same; k < len(terms); k++ {
			for len(b.path) <= k {
				b.path = append(b.path, make([]uint64, blockWords))
			}
			set := b.sets[b.terms[terms[k]]]
			if k == 0 {
				copy(b.path[0], set)
				continue
			}
			for w, s := range set {
				b.path[k][w] = b.path[k-1][w] & s
			}
		}
		before = terms
		rows := b.path[len(terms)-1]
		for d, digit := range b.digits {
			n := 0
			for w, s := range digit {
				n += bits.OnesCount64(s & rows[w])
			}
			counts[at] += int64(n) << d
		}
	}
}
