package game

import (
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/noise"
)

// A Query is a hypothesis of a class or its negation. Hypotheses are in member 0 of a union of classes, and negations
// in member union.Negated.
type Query[H any] = union.Choice[H]

// A Record holds a record X and its count: the number of rows or samples that are equal to X.
type Record struct {
	X     []uint16
	Count int64
}

// merged returns the distinct records among the samples, with their counts, in ascending order. It sorts samples in
// place.
func merged(samples [][]uint16) []Record {
	slices.SortFunc(samples, slices.Compare)
	var out []Record
	for _, x := range samples {
		if n := len(out); n > 0 && slices.Equal(out[n-1].X, x) {
			out[n-1].Count++
		} else {
			out = append(out, Record{x, 1})
		}
	}
	return out
}

// added merges two lists of records. It returns the distinct records in ascending order, with the sum of their counts
// in both lists.
func added(a, b []Record) []Record {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(p, q Record) int { return slices.Compare(p.X, q.X) })
	var out []Record
	for _, r := range all {
		if n := len(out); n > 0 && slices.Equal(out[n-1].X, r.X) {
			out[n-1].Count += r.Count
		} else {
			out = append(out, r)
		}
	}
	return out
}

// A domain is the set of all possible records, given by the number of categories of each attribute. Records are
// numbered from 0 in lexicographic order.
type domain []int

// contains reports whether x is a record of the domain.
func (d domain) contains(x []uint16) bool {
	if len(x) != len(d) {
		return false
	}
	for j, c := range x {
		if int(c) >= d[j] {
			return false
		}
	}
	return true
}

// record returns the record of the domain with number i, in lexicographic order.
func (d domain) record(i int) []uint16 {
	x := make([]uint16, len(d))
	for j := len(d) - 1; j >= 0; j-- {
		x[j] = uint16(i % d[j])
		i /= d[j]
	}
	return x
}

// digits returns m₂, the total number of binary digits that represent the categories of a record.
func digits(sizes []int) (m int) {
	for _, n := range sizes {
		m += bits.Len(uint(n - 1))
	}
	return m
}

// uniform samples a uniformly random record of the domain.
func (d domain) uniform(coins noise.Coins) []uint16 {
	x := make([]uint16, len(d))
	for j, n := range d {
		x[j] = uint16(coins.Uint64n(uint64(n)))
	}
	return x
}
