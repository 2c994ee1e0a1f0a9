package loglinear

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"
)

// A Term is a condition on a row: that the given column has the given value.
type Term struct {
	Column int
	Value  uint16
}

// A Conjunction is the condition that a row satisfies several terms. The terms have different columns, in increasing
// order.
type Conjunction struct {
	Terms    []Term
	Expected float64 // the model's number of rows that satisfy all terms
}

// Frequent returns the most frequent conjunctions of at least two terms, according to the model, in decreasing order
// of frequency. A conjunction is returned only if at least the given fraction (share) of the model's rows satisfies
// it. A conjunction has at most order terms, and at most limit conjunctions are returned.
//
// Frequent is a best-first search that extends conjunctions by one term at a time. An extended conjunction is at
// most as frequent as the original one, so the search finds conjunctions in decreasing order of frequency. It takes
// about limit·columns·particles steps, or limit·terms·particles/64 if this number is smaller.
func (f *Fit) Frequent(share float64, order, limit int) []Conjunction {
	least := max(1, int(share*float64(f.rows.n)))
	terms, sets := f.terms(least)
	q := &queue{}
	for i, s := range sets {
		heap.Push(q, found{terms: []int{i}, rows: size(s)})
	}
	var out []Conjunction
	scratch := make([]uint64, (f.rows.n+63)/64)
	for q.Len() > 0 && len(out) < limit {
		x := heap.Pop(q).(found)
		if len(x.terms) >= 2 {
			c := Conjunction{Expected: float64(x.rows) / float64(f.rows.n) * f.total}
			for _, i := range x.terms {
				c.Terms = append(c.Terms, terms[i])
			}
			out = append(out, c)
		}
		if len(x.terms) >= order {
			continue
		}
		copy(scratch, sets[x.terms[0]])
		for _, i := range x.terms[1:] {
			for w := range scratch {
				scratch[w] &= sets[i][w]
			}
		}
		last := x.terms[len(x.terms)-1]
		for i, n := range f.extend(terms, sets, scratch, x.rows, last) {
			if n >= least {
				heap.Push(q, found{terms: append(slices.Clone(x.terms), last+1+i), rows: n})
			}
		}
		least = max(least, q.keep(limit+len(terms)))
	}
	return out
}

// extend counts the particles that satisfy a conjunction and one more term, for each term with an index greater than
// last, the index of the conjunction's last term. The bit set set holds the particles that satisfy the conjunction,
// and rows is their number. The bit sets in sets hold the particles that satisfy each term. The count is 0 for terms
// of the same column as the conjunction's last term.
func (f *Fit) extend(terms []Term, sets [][]uint64, set []uint64, rows, last int) []int {
	many := make([]int, len(terms)-last-1)
	first := last + 1
	for first < len(terms) && terms[first].Column == terms[last].Column {
		first++
	}
	if first == len(terms) {
		return many
	}
	if columns := len(f.sizes) - terms[first].Column; rows*columns > (len(terms)-first)*len(set) {
		for i := first; i < len(terms); i++ {
			for w, y := range sets[i] {
				many[i-last-1] += bits.OnesCount64(y & set[w])
			}
		}
		return many
	}
	list := make([]int32, 0, rows)
	for w, y := range set {
		for ; y != 0; y &= y - 1 {
			list = append(list, int32(w*64+bits.TrailingZeros64(y)))
		}
	}
	for i := first; i < len(terms); {
		c := terms[i].Column
		values := make([]int, f.sizes[c])
		for _, r := range list {
			values[f.rows.column[c][r]]++
		}
		for ; i < len(terms) && terms[i].Column == c; i++ {
			many[i-last-1] = values[terms[i].Value]
		}
	}
	return many
}

// terms returns the terms that at least the given number of particles satisfy, in the order of columns, and for each
// of them the set of these particles, with one bit for each particle.
func (f *Fit) terms(least int) ([]Term, [][]uint64) {
	var terms []Term
	var sets [][]uint64
	for c, k := range f.sizes {
		of := make([][]uint64, k)
		for v := range of {
			of[v] = make([]uint64, (f.rows.n+63)/64)
		}
		for i, v := range f.rows.column[c] {
			of[v][i/64] |= 1 << (i % 64)
		}
		for v, s := range of {
			if size(s) >= least {
				terms, sets = append(terms, Term{Column: c, Value: uint16(v)}), append(sets, s)
			}
		}
	}
	return terms, sets
}

func size(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// found is a conjunction that the search has reached: the indexes of its terms, and the number of particles that
// satisfy it (rows).
type found struct {
	terms []int
	rows  int
}

// queue is a heap of conjunctions, ordered by decreasing frequency.
type queue []found

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return before(q[i], q[j]) < 0 }

func before(x, y found) int {
	return cmp.Or(cmp.Compare(y.rows, x.rows), slices.Compare(x.terms, y.terms))
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(found)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// keep shortens the queue to its most frequent conjunctions, if it has at least 2·most of them. The search takes
// conjunctions in decreasing order of frequency, so it never needs the others. keep returns the number of particles
// of the last conjunction that remains, below which a conjunction need not be added; it returns 0 if it does not
// shorten the queue.
func (q *queue) keep(most int) int {
	if len(*q) < 2*most {
		return 0
	}
	slices.SortFunc(*q, before) // a sorted slice is a heap
	clear((*q)[most:])
	*q = (*q)[:most]
	return (*q)[most-1].rows
}

// Expected returns the number of the model's rows that satisfy all terms.
func (f *Fit) Expected(terms []Term) float64 {
	n := 0
rows:
	for i := range f.rows.n {
		for _, t := range terms {
			if f.rows.column[t.Column][i] != t.Value {
				continue rows
			}
		}
		n++
	}
	return float64(n) / float64(max(1, f.rows.n)) * f.total
}
