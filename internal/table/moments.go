package table

import (
	"context"
	"slices"
)

// Steps is a step function on the integers: From lists the positions of the steps, and Values the values between
// them. At n, the function has the value Values[i], where i is the number of elements of From that are at most n.
// From must not decrease, and Values has one element more than From.
type Steps struct {
	From, Values []int64
}

// At returns the value of the step function at n.
func (s Steps) At(n int64) int64 {
	i, _ := slices.BinarySearch(s.From, n+1) // all n are far below the maximum
	return s.Values[i]
}

// A values is a step function that is restricted to an interval of integers and prepared for fast evaluation.
type values struct {
	steps Steps
	least int64
	list  []int64 // the values from least on; nil if the interval is too long for a list
}

// within returns the step function, restricted to the integers from least to most and prepared for fast evaluation.
func (s Steps) within(least, most int64) values {
	v := values{steps: s, least: least}
	if uint64(most)-uint64(least) >= mostDense {
		return v
	}
	v.list = make([]int64, 0, most-least+1)
	for n := least; n <= most; n++ {
		v.list = append(v.list, s.At(n))
	}
	return v
}

// at returns the value of the step function at n, which must lie in the interval to which the function is restricted.
func (v *values) at(n int64) int64 {
	if v.list != nil {
		return v.list[n-v.least]
	}
	return v.steps.At(n)
}

// Moments is a query for weighted sums over all records: the sum of each coordinate of a record, and the sum of the
// product of every two coordinates, including the square of each. For a record x with outcome y:
//   - Points[j][c] are the points of category c of attribute j. The total of x is the sum of the points of its
//     categories.
//   - The norm of x is the sum of the absolute values of these points, or of their squares if Squares is true.
//   - Coordinate j of x is the points of its category of attribute j, multiplied by Factor.At(norm). One more
//     coordinate, the last, is always 1.
//   - The weight of x is First[y].At(total) in the sums of coordinates, and Second.At(total) in the sums of products.
//
// All weighted products, and their sums over all units (see Counts), must fit into int64.
type Moments struct {
	Points  [][]int64
	Squares bool
	Factor  Steps
	First   []Steps
	Second  Steps
}

// Norm returns what a category with the given points adds to the norm of a record: the absolute value of the points
// or, if m.Squares is true, their square.
func (m *Moments) Norm(points int64) int64 {
	if m.Squares {
		return points * points
	}
	return max(points, -points)
}

// triangle returns the number of unordered pairs of n coordinates, counting the pair of each coordinate with itself.
func triangle(n int) int { return n * (n + 1) / 2 }

// Moments implements Counts: it returns the weighted sums of coordinates and of products that the query m describes.
// The only possible error is that of the context.
func (t *Table) Moments(ctx context.Context, m Moments) (first, second []int64, err error) {
	return moments(ctx, t.visit, &m)
}

// moments computes the weighted sums that the query m describes, by a pass over all records.
func moments(ctx context.Context, visit pass, m *Moments) (first, second []int64, err error) {
	n := len(m.Points) + 1
	first, second = make([]int64, n), make([]int64, triangle(n))
	all, err := gather(ctx, visit, func() *summer { return newSummer(m) })
	for _, s := range all {
		addTo(first, s.first)
		addTo(second, s.second)
	}
	return first, second, err
}

// A summer computes the weighted sums of a Moments query from blocks of records. For each block it stores the
// records' coordinates column by column.
type summer struct {
	*Moments
	factor, curve  values   // Factor by norm, and Second by total
	slope          []values // by outcome, First by total
	first, second  []int64
	coordinates    [][]int64 // by column, the coordinate of each record of the block
	totals, norms  []int64
	single, double []int64 // by record of the block, its count times the weight First or Second
	weighted       []int64 // a coordinate times double
	codes          []uint16
}

func newSummer(m *Moments) *summer {
	n := len(m.Points) + 1
	block := func() []int64 { return make([]int64, blockRecords) }
	s := &summer{
		Moments: m, first: make([]int64, n), second: make([]int64, triangle(n)), coordinates: make([][]int64, n),
		totals: block(), norms: block(), single: block(), double: block(), weighted: block(), codes: make([]uint16, blockRecords),
	}
	for j := range s.coordinates {
		s.coordinates[j] = block()
	}
	for i := range blockRecords {
		s.coordinates[n-1][i] = 1
	}
	least, most := Card{m.Points}.span()
	s.curve = m.Second.within(least, most)
	for _, steps := range m.First {
		s.slope = append(s.slope, steps.within(least, most))
	}
	longest := int64(0)
	for _, points := range m.Points {
		norm := int64(0)
		for _, p := range points {
			norm = max(norm, m.Norm(p))
		}
		longest += norm
	}
	s.factor = m.Factor.within(0, longest)
	return s
}

func (s *summer) add(r records, from, to int) {
	for ; from < to; from += blockRecords {
		s.block(r, from, min(from+blockRecords, to))
	}
}

// block adds the records whose indices are at least from and less than to. There must be at most blockRecords of
// them.
func (s *summer) block(r records, from, to int) {
	n := to - from
	totals, norms, codes := s.totals[:n], s.norms[:n], s.codes[:n]
	clear(totals)
	clear(norms)
	attributes := s.coordinates[:len(s.Points)]
	for j, points := range s.Points {
		r.Codes(j, from, codes)
		for i, code := range codes {
			p := points[code]
			attributes[j][i] = p
			totals[i] += p
			norms[i] += s.Norm(p)
		}
	}
	r.Codes(len(s.Points), from, codes)
	r.units(from, s.single[:n])
	for i, units := range s.single[:n] {
		s.double[i] = units * s.curve.at(totals[i])
		s.single[i] = units * s.slope[codes[i]].at(totals[i])
		norms[i] = s.factor.at(norms[i])
	}
	for _, column := range attributes {
		for i, factor := range norms {
			column[i] *= factor
		}
	}
	cell, weighted := 0, s.weighted[:n]
	for j, column := range s.coordinates {
		s.first[j] += dot(s.single[:n], column[:n])
		for i, w := range s.double[:n] {
			weighted[i] = w * column[i]
		}
		for _, other := range s.coordinates[:j+1] {
			s.second[cell] += dot(weighted, other[:n])
			cell++
		}
	}
}

// dot returns the scalar product of a and b, which have equal length.
func dot(a, b []int64) (sum int64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
