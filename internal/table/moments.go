package table

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Steps is a step function on the integers. Its value at n is Values[i], where i is the number of elements of From
// that are at most n. From must not decrease, and has one element less than Values.
type Steps struct {
	From, Values []int64
}

// At returns the value at n.
func (s Steps) At(n int64) int64 {
	i, _ := slices.BinarySearch(s.From, n+1) // all n are far below the maximum
	return s.Values[i]
}

// Moments is a query for weighted sums over records. The summands are coordinates, and products of two coordinates.
//
// Points[j] has the points of each code of attribute j. The total of a record is the sum of the points of its codes.
// Its norm is the sum of their absolute values, or of their squares if Squares is true. Coordinate j is the points of
// the record's code of attribute j, multiplied by Factor(norm). There is one more coordinate, the last one, which is
// always 1.
//
// First[y] is the weight of records with outcome y in the sums of coordinates, and Second is the weight in the sums
// of products. Both are functions of the total. All weighted products, and their sums over all units, must fit into
// int64.
type Moments struct {
	Points  [][]int64
	Squares bool
	Factor  Steps
	First   []Steps
	Second  Steps
}

// Norm returns what a code with the given points contributes to the norm of a record.
func (m *Moments) Norm(points int64) int64 {
	if m.Squares {
		return points * points
	}
	return max(points, -points)
}

// triangle returns the number of pairs k ≤ j of n coordinates.
func triangle(n int) int { return n * (n + 1) / 2 }

// Moments implements Counts. Its only error is the context's.
func (t *Table) Moments(ctx context.Context, m Moments) (first, second []int64, err error) {
	n := len(m.Points) + 1
	first, second = make([]int64, n), make([]int64, triangle(n))
	var lock sync.Mutex
	err = parallel.Do(ctx, runtime.GOMAXPROCS(0), t.parts(), func() func(int) {
		s := newSummer(t, &m)
		return func(part int) {
			clear(s.first)
			clear(s.second)
			for from, end := part*partRecords, min((part+1)*partRecords, t.Len()); from < end; from += blockRecords {
				s.add(from, min(from+blockRecords, end))
			}
			lock.Lock()
			defer lock.Unlock()
			for i, v := range s.first {
				first[i] += v
			}
			for i, v := range s.second {
				second[i] += v
			}
		}
	})
	return first, second, err
}

// A summer computes the moments of blocks of records. It stores coordinates by column.
type summer struct {
	*Moments
	table          *Table
	first, second  []int64
	coordinates    [][]int64 // by column, the coordinate of each record of the block
	totals, norms  []int64
	single, double []int64 // by record of the block, its count times the weight First or Second
	weighted       []int64 // a coordinate times double
	codes          []uint16
}

func newSummer(t *Table, m *Moments) *summer {
	n := len(m.Points) + 1
	block := func() []int64 { return make([]int64, blockRecords) }
	s := &summer{
		Moments: m, table: t, first: make([]int64, n), second: make([]int64, triangle(n)), coordinates: make([][]int64, n),
		totals: block(), norms: block(), single: block(), double: block(), weighted: block(), codes: make([]uint16, blockRecords),
	}
	for j := range s.coordinates {
		s.coordinates[j] = block()
	}
	for i := range blockRecords {
		s.coordinates[n-1][i] = 1
	}
	return s
}

// add adds the records from..to-1, at most blockRecords.
func (s *summer) add(from, to int) {
	n := to - from
	totals, norms, codes := s.totals[:n], s.norms[:n], s.codes[:n]
	clear(totals)
	clear(norms)
	attributes := s.coordinates[:len(s.Points)]
	for j, points := range s.Points {
		s.table.Codes(j, from, codes)
		for i, code := range codes {
			p := points[code]
			attributes[j][i] = p
			totals[i] += p
			norms[i] += s.Norm(p)
		}
	}
	s.table.Codes(len(s.Points), from, codes)
	s.table.units(from, s.single[:n])
	for i, units := range s.single[:n] {
		s.double[i] = units * s.Second.At(totals[i])
		s.single[i] = units * s.First[codes[i]].At(totals[i])
		norms[i] = s.Factor.At(norms[i])
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
