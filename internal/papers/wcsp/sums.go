package wcsp

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// A term is a summand of a threshold: it is a variable, with the contribution of each of its values to the sum.
// Contributions are at least 0.
type term struct {
	variable int
	values   []int
}

// newTerm returns the term t with all contributions reduced by the least one, so that the least becomes 0. It also
// returns the least contribution of t.
func newTerm(t network.Term) (shifted term, least int) {
	least = slices.Min(t.Values)
	shifted = term{t.Variable, slices.Clone(t.Values)}
	for i := range shifted.values {
		shifted.values[i] -= least
	}
	return shifted, least
}

func (t term) most() int { return slices.Max(t.values) }

// key returns a string that is equal for equal terms only.
func (t term) key() string {
	key := binary.AppendUvarint(nil, uint64(t.variable))
	for _, v := range t.values {
		key = binary.AppendUvarint(key, uint64(v))
	}
	return string(key)
}

// A row is a threshold on a sum of terms on distinct variables: it is reached if the sum is at least the number
// least, which is at least 1.
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

// widest is the maximum number of terms of a threshold that is written as a single cost table.
const widest = 3

// arrange reorders the terms of each row, so that many rows have equal last terms and can share the partial
// sums of these terms. It applies the same permutation to all rows with the same number of terms. The
// positions with the most distinct terms among these rows come first, so the terms at the end are often
// equal.
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

// A sum is the partial sum of two terms, clipped to lo..hi. The network has an additional variable for it, which is
// the variable of the term result.
type sum struct {
	left, right, result term
	lo, hi              int
}

// value returns the clipped sum if left's variable has the value with index l, and right's variable the value with
// index r.
func (s sum) value(l, r int) int {
	return min(max(s.left.values[l]+s.right.values[r], s.lo), s.hi)
}

// sums holds the partial sums that replace terms of rows. If several rows need the same partial sum, they share it.
type sums struct {
	domains []int // the number of values of each variable, the network's variables first
	made    []sum
	index   map[string]int // the index of a sum in made, by the key of its terms and of lo and hi
}

// shorten replaces the last two terms of the row r by their partial sum, until at most widest terms remain.
func (s *sums) shorten(r row) row {
	r.terms = slices.Clone(r.terms)
	for len(r.terms) > widest {
		last := len(r.terms) - 2
		rest := 0
		for _, t := range r.terms[:last] {
			rest += t.most()
		}
		// If the partial sum is at least r.least, the row is reached for any other terms. If it is
		// at most r.least-1-rest, the row cannot be reached.
		made := s.add(r.terms[last], r.terms[last+1], max(r.least-1-rest, 0), r.least)
		r.terms = append(r.terms[:last], made)
	}
	return r
}

// add returns a term for the sum of left and right, clipped to lo..hi. If there is no variable for this sum yet, add
// creates one.
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
