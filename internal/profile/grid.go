package profile

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The grid of a number column follows from its public range. If the range has few numbers, each one is a cell.
// Otherwise the edges are
//
//   - the multiples of a round step, at most evenEdges of them,
//   - all numbers of at most three significant digits,
//   - edges that give a cell of their own to 0 and to the usual codes of missing values: ±9, ±99, ±999, …
//
// A column without a range has the second and the third of these from -10¹² to 10¹², in steps of at least 0.001.

// evenEdges is the maximum number of multiples of the step. A range with so many numbers has a cell for each one.
const evenEdges = 4096

const (
	openPlaces = 3
	openMost   = 1_000_000_000_000_000 // 10¹² in units of 10^-openPlaces
)

// mostScaled bounds the absolute values of edges, in units of the last digit.
const mostScaled = 1_000_000_000_000_000_000

// Grid returns the edges of the grid of an attribute of kind number that has no cuts, in increasing order. Every
// edge exceeds the least number of the attribute's range, if it has one, and is at most the greatest. Grid returns nil
// if the range has fewer than two numbers. Columns without a range share their grid, which callers must not change.
func Grid(a *table.Attribute) []table.Decimal {
	if a.Draw == "" {
		return openGrid()
	}
	places := a.Places
	if a.Draw == "integer" {
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

// openGrid returns the grid of a column without a range.
var openGrid = sync.OnceValue(func() []table.Decimal {
	return decimals(roundEdges(-openMost, openMost, openPlaces), openPlaces)
})

// decimals returns the distinct edges times 10^-places, in increasing order.
func decimals(edges []int64, places int) []table.Decimal {
	slices.Sort(edges)
	var all []table.Decimal
	for _, x := range slices.Compact(edges) {
		all = append(all, decimal(x, places))
	}
	return all
}

// evenly returns the multiples of a step in (least, most]. The step is 1, 2 or 5 times a power of ten, and the
// smallest one with at most evenEdges multiples.
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

// roundEdges returns the edges in (least, most] with at most three significant digits, and those around 0 and the
// usual codes of missing values.
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

// decimal returns x·10^-places.
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
