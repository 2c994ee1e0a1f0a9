package wcsp

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// A term is a variable and what its values add to a sum, at least 0.
type term struct {
	variable int
	values   []int
}

// newTerm returns the term shifted so that its least value is 0, and that
// value.
func newTerm(t network.Term) (shifted term, least int) {
	least = slices.Min(t.Values)
	shifted = term{t.Variable, slices.Clone(t.Values)}
	for i := range shifted.values {
		shifted.values[i] -= least
	}
	return shifted, least
}

func (t term) most() int { return slices.Max(t.values) }

// key names the term.
func (t term) key() string {
	key := binary.AppendUvarint(nil, uint64(t.variable))
	for _, v := range t.values {
		key = binary.AppendUvarint(key, uint64(v))
	}
	return string(key)
}

// A row is a threshold: do the terms, on distinct variables, sum to at least
// least, which is 1 or more?
type row struct {
	terms []term
	least int
}

func newRow(t network.Threshold) row {
	r := row{least: t.Least}
	for _, own := range t.Terms {
		shifted, least := newTerm(own)
		r.terms = append(r.terms, shifted)
		r.least -= least
	}
	return r
}

// widest is how many terms the table of a threshold has at most.
const widest = 3

// arrange sorts the terms of each row: those first in whose places the rows of
// the same length differ most. It does so in one order for all of these, so that
// they have sums of their last terms in common.
func arrange(rows []row) {
	distinct := map[int][]map[string]bool{}
	for _, r := range rows {
		k := len(r.terms)
		for len(distinct[k]) < k {
			distinct[k] = append(distinct[k], map[string]bool{})
		}
		for i, t := range r.terms {
			distinct[k][i][t.key()] = true
		}
	}
	orders := map[int][]int{}
	for k, at := range distinct {
		for i := range k {
			orders[k] = append(orders[k], i)
		}
		slices.SortStableFunc(orders[k], func(a, b int) int { return len(at[b]) - len(at[a]) })
	}
	for i, r := range rows {
		sorted := make([]term, 0, len(r.terms))
		for _, at := range orders[len(r.terms)] {
			sorted = append(sorted, r.terms[at])
		}
		rows[i].terms = sorted
	}
}

// A sum is a partial sum: a variable that the network does not have.
type sum struct {
	left, right, result term
	lo, hi              int // what is less counts as lo, what is more as hi
}

// value returns what left and right give.
func (s sum) value(l, r int) int {
	return min(max(s.left.values[l]+s.right.values[r], s.lo), s.hi)
}

// sums makes the partial sums that rows need, each once.
type sums struct {
	domains []int // of all variables, the network's first
	made    []sum
	index   map[string]int
}

// shorten sums the last terms of a row up until at most widest are left.
func (s *sums) shorten(r row) row {
	r.terms = slices.Clone(r.terms)
	for len(r.terms) > widest {
		last := len(r.terms) - 2
		rest := 0
		for _, t := range r.terms[:last] {
			rest += t.most()
		}
		// From r.least on the row is reached; with r.least-1-rest it cannot be.
		made := s.add(r.terms[last], r.terms[last+1], max(r.least-1-rest, 0), r.least)
		r.terms = append(r.terms[:last], made)
	}
	return r
}

// add returns the term that is the sum of two others.
func (s *sums) add(left, right term, lo, hi int) term {
	key := binary.AppendUvarint([]byte(left.key()+right.key()), uint64(lo))
	key = binary.AppendUvarint(key, uint64(hi))
	if i, ok := s.index[string(key)]; ok {
		return s.made[i].result
	}
	own := sum{left: left, right: right, lo: lo, hi: hi}
	reached := map[int]bool{}
	for l := range left.values {
		for r := range right.values {
			reached[own.value(l, r)] = true
		}
	}
	own.result = term{len(s.domains), slices.Sorted(maps.Keys(reached))}
	s.domains = append(s.domains, len(own.result.values))
	s.index[string(key)] = len(s.made)
	s.made = append(s.made, own)
	return own.result
}
