package density

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// pieces is the maximum number of pieces of constant density that approximate the density of an interval (see
// between).
const pieces = 32

// least is the minimum number of rows that a fit assumes in an interval. A released count of 0 does not mean that the
// interval contains no row of the table.
const least = 0.5

// An interval is a range of integers, from first to last. Each integer represents one number of the column.
type interval struct {
	at          int // index among all intervals
	first, last int64
	rows        float64
}

func (v interval) single() bool  { return v.first == v.last }
func (v interval) several() bool { return v.first < v.last }

func (v interval) width() float64 { return float64(v.last-v.first) + 1 }

// mean returns the mean number of rows per integer in the interval.
func (v interval) mean() float64 { return v.rows / v.width() }

// Fit estimates the distribution of the numbers within each interval of a column, and returns one density for each
// interval. The slice ranges has the first and last number of each interval, in increasing order. The slice rows has
// the estimated number of rows in each interval, and variance is the variance of the noise of these estimates.
//
// If bins is not nil, Fit first divides each interval into shorter intervals and single numbers with many rows (see
// Bins.divide), fits the shorter intervals, and combines the results.
func Fit(ranges [][2]int64, rows []float64, variance float64, bins *Bins) []*table.Density {
	if bins == nil {
		return fit(ranges, rows, variance, nil)
	}
	divided := make([]division, len(ranges))
	var shorter [][2]int64
	var ofShorter []float64
	tail := 0.0
	for _, n := range rows {
		tail += float64(tailShare * n)
	}
	for i, r := range ranges {
		outer := 0
		switch i {
		case len(ranges) - 1:
			outer = 1
		case 0:
			outer = -1
		}
		divided[i] = bins.divide(r, rows[i], outer, tail)
		shorter, ofShorter = append(shorter, divided[i].ranges...), append(ofShorter, divided[i].rows...)
	}
	within := fit(shorter, ofShorter, variance, bins)
	of := make([]*table.Density, len(ranges))
	for i := range of {
		n := len(divided[i].ranges)
		of[i] = divided[i].combined(within[:n])
		within = within[n:]
	}
	return of
}

// fit returns the densities of intervals that are already divided (see Fit). It uses the bins only to fit tails.
//
// An interval is a spike if its numbers are much more frequent than those of both adjacent intervals. A nil density
// means that all numbers of the interval have equal probabilities. Spikes and intervals with one number get the
// density nil, and all other intervals are fitted as if there were no spikes:
//
//   - The inner intervals follow the monotone cubic interpolation of the cumulative distribution by Fritsch and
//     Butland (1984).
//   - The first and the last interval follow a tail distribution if their numbers are rarer than those of the adjacent
//     interval. Otherwise they follow the interpolation.
//
// If there are no rows, or fewer than two intervals that are not spikes, all densities are nil.
func fit(ranges [][2]int64, rows []float64, variance float64, bins *Bins) []*table.Density {
	of := make([]*table.Density, len(ranges))
	var all []interval
	sum := 0.0
	for i, r := range ranges {
		sum += rows[i]
		all = append(all, interval{i, r[0], r[1], max(rows[i], least)})
	}
	all = withoutSpikes(withoutSpikes(all, spikeOfOne, interval.single), spike, interval.several)
	if len(all) < 2 || sum <= 0 {
		return of
	}
	for k := 1; k+1 < len(all); k++ {
		if v := all[k]; v.several() {
			of[v.at] = between(v, edge(all[k-1], v), edge(v, all[k+1]))
		}
	}
	switch first, next := all[0], all[1]; {
	case first.single():
	case first.mean() < next.mean():
		of[first.at] = lower(first, ofTail(all, variance, first.at == 0, false, bins))
	default:
		of[first.at] = between(first, end(first, next), edge(first, next))
	}
	slices.Reverse(all)
	switch last, next := all[0], all[1]; {
	case last.single():
	case last.mean() < next.mean():
		of[last.at] = upper(last, ofTail(all, variance, last.at == len(ranges)-1, true, bins))
	default:
		of[last.at] = between(last, edge(next, last), end(last, next))
	}
	return of
}

// These constants define spikes: an interval is a spike if its numbers are more frequent, by this factor, than those
// of each adjacent interval. The factor is smaller for an interval with one number, because a number often has an
// interval of its own for being frequent.
const (
	spike      = 10 // of an interval with several numbers
	spikeOfOne = 2  // of an interval with one number
)

// withoutSpikes returns the intervals that are not spikes, or for which candidate returns false. An interval is a
// spike if its numbers are more frequent, by more than the factor ratio, than those of each adjacent interval.
func withoutSpikes(all []interval, ratio float64, candidate func(interval) bool) (others []interval) {
	for k, v := range all {
		if candidate(v) && len(all) > 1 && (k == 0 || v.mean() > ratio*all[k-1].mean()) && (k+1 == len(all) || v.mean() > ratio*all[k+1].mean()) {
			continue
		}
		others = append(others, v)
	}
	return others
}

// edge returns the density at the common edge of the adjacent intervals a and b, in rows per number.
func edge(a, b interval) float64 {
	u, v := float64(2*b.width())+a.width(), float64(2*a.width())+b.width()
	return (u + v) / (u/a.mean() + v/b.mean())
}

// end returns the density at the outer end of v, the first or last interval of a column, in rows per number. The
// parameter next is the interval adjacent to v, whose numbers must be at most as frequent as those of v.
func end(v, next interval) float64 {
	a, b := v.width(), next.width()
	return (float64((float64(2*a)+b)*v.mean()) - float64(a*next.mean())) / (a + b)
}

// between interpolates the density of an interval from the densities at its left and right edge, which are in rows
// per number.
func between(v interval, left, right float64) *table.Density {
	// The slopes of the cumulative distribution at the edges, for an interval of width and rows 1. It is
	// monotone if both are at most 3.
	a, b := min(3, left/v.mean()), min(3, right/v.mean())
	n := int64(pieces)
	if n > v.last-v.first+1 {
		n = v.last - v.first + 1
	}
	width := v.width()
	var ends []int64
	var weights []float64
	before, begin := 0.0, v.first-1
	for k := int64(1); k <= n; k++ {
		end := v.first - 1 + int64(width*float64(k)/float64(n))
		if k == n {
			end = v.last
		}
		t := float64(end-v.first+1) / width
		square := float64(t * t)
		cube := float64(square * t)
		now := float64(a*(cube-float64(2*square)+t)) + (float64(3*square) - float64(2*cube)) + float64(b*(cube-square))
		if end > begin {
			ends, weights = append(ends, end), append(weights, max(0, now-before))
		}
		before, begin = now, end
	}
	return table.NewDensity(v.first, ends, weights)
}
