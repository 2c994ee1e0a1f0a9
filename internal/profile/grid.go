package profile

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The grid of a numeric column is a function of its public range. A date is the number of its day since 1970-01-01. If
// the range contains at most about evenEdges numbers, each number is a cell of its own. Otherwise the edges are
//
//   - the multiples of a step, at most evenEdges of them, where the step is 1, 2 or 5 times a power of ten,
//   - all numbers of at most three significant digits,
//   - edges on both sides of 0 and of each usual code of missing values (±9, ±99, ±999, …), so that each of these
//     numbers has its own cell.
//
// For a column without a range, the edges are those of the second and third kind from -10¹² to 10¹² that are multiples
// of 0.001, or integers if the attribute states that its numbers are integers.

// evenEdges is the maximum number of evenly spaced edges in a grid, where an edge is a boundary between cells. If a
// range needs at most this number of edges to separate all its numbers, each number is a cell of its own.
const evenEdges = 4096

const (
	openPlaces = 3
	openMost   = 1_000_000_000_000 // 10¹²
)

// mostScaled is the maximum absolute value of the integers that represent edges, in units of the last decimal place.
const mostScaled = 1_000_000_000_000_000_000

// Grid returns the edges of the grid of an attribute of numbers or dates without cuts, in increasing order. An edge is
// a boundary between two cells of the grid. Dates must have a range. If the attribute has a range, every edge is
// greater than the least number of the range and at most its greatest number. Grid returns nil if the range has fewer
// than two numbers. All columns without a range share one of two grids, so callers must not change the result.
func Grid(a *table.Attribute) []table.Decimal {
	if a.Least == "" && a.Draw == "integer" {
		return openIntegers()
	}
	if a.Least == "" {
		return openGrid()
	}
	places := a.Places
	if a.Draw == "integer" || a.IsDate() {
		places = 0
	} else if places == 0 {
		places = table.UsualPlaces
	}
	_, least, _ := a.Least.Scaled(places)
	most, _, _ := a.Most.Scaled(places)
	if most-least > evenEdges {
		return decimals(append(evenly(least, most), roundEdges(least, most, places)...), places)
	}
	var edges []int64
	for x := least + 1; x <= most; x++ {
		edges = append(edges, x)
	}
	return decimals(edges, places)
}

// openGrid and openIntegers return the two grids that all columns without a range share, one for numbers and one for
// integers. A grid is given by its edges.
var (
	openGrid     = sync.OnceValue(func() []table.Decimal { return openEdges(openPlaces) })
	openIntegers = sync.OnceValue(func() []table.Decimal { return openEdges(0) })
)

// openEdges returns the edges of the grid for columns without a range: the round numbers (see roundEdges) from -10¹²
// to 10¹² that are multiples of 10^-places.
func openEdges(places int) []table.Decimal {
	most := int64(openMost)
	for range places {
		most *= 10
	}
	return decimals(roundEdges(-most, most, places), places)
}

// decimals multiplies integers by 10^-places, and returns the distinct results in increasing order.
func decimals(edges []int64, places int) []table.Decimal {
	slices.Sort(edges)
	var all []table.Decimal
	for _, x := range slices.Compact(edges) {
		all = append(all, decimal(x, places))
	}
	return all
}

// evenly returns evenly spaced edges of a grid: the multiples of a step that are greater than the parameter least and
// at most the parameter most. The step is the smallest 1, 2 or 5 times a power of ten for which (most - least)/step is
// at most evenEdges.
func evenly(least, most int64) (edges []int64) {
	step := int64(1)
	for factor := 0; (most-least)/step > evenEdges; factor++ {
		step = step * []int64{2, 5, 2}[factor%3] / []int64{1, 2, 1}[factor%3]
	}
	first := least - least%step
	for first <= least {
		first += step
	}
	for x := first; x <= most; x += step {
		edges = append(edges, x)
	}
	return edges
}

// roundEdges returns the edges of a grid that are not evenly spaced: the numbers with at most three significant
// digits, and the edges on both sides of 0 and of each usual code for a missing value. Edges and parameters are
// integers, in units of 10^-places. Every edge is greater than the parameter least and at most the parameter most.
func roundEdges(least, most int64, places int) (edges []int64) {
	add := func(x int64) {
		if x > least && x <= most {
			edges = append(edges, x)
		}
	}
	add(0)
	for scale := int64(1); scale <= mostScaled/1000; scale *= 10 {
		for k := int64(1); k < 1000; k++ {
			if k >= 100 || scale == 1 {
				add(k * scale)
				add(-k * scale)
			}
		}
	}
	one := int64(1)
	for range places {
		one *= 10
	}
	for code := int64(9); code < mostScaled/one/10; code = 10*code + 9 {
		for _, x := range []int64{code * one, -code * one} {
			add(x)
			add(x + 1)
		}
	}
	return edges
}

// decimal returns the decimal number x·10^-places.
func decimal(x int64, places int) table.Decimal {
	sign, digits := "", fmt.Sprint(x)
	if x < 0 {
		sign, digits = "-", digits[1:]
	}
	if n := places + 1 - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	whole := len(digits) - places
	d, _ := table.ParseDecimal(sign + digits[:whole] + "." + digits[whole:])
	return d
}
