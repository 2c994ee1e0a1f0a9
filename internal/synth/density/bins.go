package density

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Bins holds noisy numbers of rows in bins. The bins are single numbers or ranges of numbers that subdivide the
// intervals of a numeric column.
type Bins struct {
	Ranges   [][2]int64 // the first and last number of each bin, in increasing order; each interval is a union of bins
	Rows     []float64  // the noisy number of rows of each bin
	Variance float64    // variance of the noise of Rows
}

// These constants say how much larger than expected a count must be to be clearly more than noise, in standard
// deviations of the noise: clearSingle applies to a bin with one number, and clear to the sum of adjacent bins. If a
// column has 256 bins of one number, noise alone exceeds clearSingle in one of a thousand columns.
const (
	clear       = 4
	clearSingle = 4.5
)

// tailShare is the minimum fraction of all rows in the outermost part of a divided first or last interval. A tail
// cannot be estimated from fewer rows.
const tailShare = 0.1

// within returns the bins in the given groups of intervals, from which the tail of a column is estimated. The groups,
// and the returned bins, are ordered from the middle of the column to its outer end. The intervals of a group are
// ordered from the outer end inwards. The outer end is the end of the column's last interval if last is true, and
// otherwise the beginning of its first interval.
//
// A single number that divide would select is exceptional, so its count says nothing about the tail. within replaces
// this count by the mean number of rows per number in the interval.
func (b *Bins) within(groups [][]interval, last bool) (of []groupBin) {
	end := 0.0
	for i, group := range groups {
		for _, v := range slices.Backward(group) {
			first := len(of)
			var widths []float64
			for k, r := range b.Ranges {
				if v.first <= r[0] && r[1] <= v.last {
					rows := b.Rows[k]
					if b.selects(k, v.mean()) {
						rows = v.mean()
					}
					widths, of = append(widths, float64(r[1]-r[0])+1), append(of, groupBin{i, 0, rows})
				}
			}
			if !last {
				slices.Reverse(widths)
				slices.Reverse(of[first:])
			}
			for k, w := range widths {
				end += w
				of[first+k].end = end
			}
		}
	}
	return of
}

// selects reports whether bin k is a single number with clearly more rows than even, the mean number of rows per
// number in its interval.
func (b *Bins) selects(k int, even float64) bool {
	return b.Ranges[k][0] == b.Ranges[k][1] && b.Rows[k]-even > clearSingle*math.Sqrt(b.Variance)
}

// A division of an interval consists of shorter intervals and of selected numbers, each of which has many rows.
type division struct {
	ranges [][2]int64 // the shorter intervals, in increasing order
	rows   []float64  // the estimated number of rows of each, without those of the selected numbers
	single []int64    // the selected numbers, in increasing order
	own    []float64  // the estimated number of rows of each selected number
}

// divide divides the interval r, which has the given estimated number of rows, into selected numbers and shorter
// intervals. The parameter outer is -1 for the first interval of a column, 1 for the last interval, and otherwise 0.
// In the first and the last interval, the outermost shorter interval has at least as many rows as the parameter
// least, unless no rows remain beside it.
//
// A bin with a single number is selected if it has clearly more rows than the numbers of the interval have on
// average. divide joins the other bins to shorter intervals, from the least number on, until each shorter interval
// has clearly more rows than noise. Each selected number gets its noisy number of rows, and the shorter intervals
// share the remaining rows in proportion to their noisy numbers of rows.
func (b *Bins) divide(r [2]int64, rows float64, outer int, least float64) (d division) {
	d.single, d.own, d.ranges, d.rows = b.join(r, rows)
	selected, joined := 0.0, 0.0
	for _, n := range d.own {
		selected += n
	}
	for _, n := range d.rows {
		joined += n
	}
	if selected > rows { // the shorter intervals have no rows
		for k := range d.own {
			d.own[k] *= rows / selected
		}
		selected = rows
	}
	for k := range d.rows {
		d.rows[k] *= (rows - selected) / joined
	}
	for n := len(d.rows) - 1; n > 0 && outer > 0 && d.rows[n] < least; n-- {
		d.rows[n-1] += d.rows[n]
		d.ranges[n-1][1] = r[1]
		d.ranges, d.rows = d.ranges[:n], d.rows[:n]
	}
	for len(d.rows) > 1 && outer < 0 && d.rows[0] < least {
		d.rows[1] += d.rows[0]
		d.ranges[1][0] = r[0]
		d.ranges, d.rows = d.ranges[1:], d.rows[1:]
	}
	return d
}

// join selects numbers of the interval r and joins its other bins to shorter intervals (see divide). It returns the
// selected numbers with their noisy numbers of rows (own), and the shorter intervals with theirs (sums), which are
// raised to at least 1. The parameter rows is the estimated number of rows of the interval.
func (b *Bins) join(r [2]int64, rows float64) (single []int64, own []float64, ranges [][2]int64, sums []float64) {
	even := rows / (float64(r[1]-r[0]) + 1)
	start, sum, bins := r[0], 0.0, 0.0
	for k, of := range b.Ranges {
		switch {
		case of[0] < r[0] || of[1] > r[1]:
			continue
		case b.selects(k, even):
			single, own = append(single, of[0]), append(own, b.Rows[k])
		default:
			sum += b.Rows[k]
			bins++
		}
		if sum > clear*math.Sqrt(b.Variance*bins) {
			ranges, sums = append(ranges, [2]int64{start, of[1]}), append(sums, max(1, sum))
			start, sum, bins = of[1]+1, 0, 0
		}
	}
	if len(ranges) == 0 {
		return single, own, [][2]int64{r}, []float64{1}
	}
	last := len(ranges) - 1
	ranges[last][1], sums[last] = r[1], max(1, sums[last]+sum)
	return single, own, ranges, sums
}

// combined returns the density of the whole interval, given the densities of its shorter intervals. It returns nil,
// which means equal probabilities, if the interval was not divided and its density is nil.
func (d division) combined(within []*table.Density) *table.Density {
	if len(d.ranges) == 1 && len(d.single) == 0 {
		return within[0]
	}
	least := d.ranges[0][0]
	ends := make([]int64, 0, pieces*len(d.ranges)+2*len(d.single))
	for i, r := range d.ranges {
		if ends = append(ends, r[1]); within[i] != nil {
			ends = append(ends, within[i].Ends()...)
		}
	}
	for _, x := range d.single {
		if ends = append(ends, x); x > least {
			ends = append(ends, x-1)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	weights := make([]float64, len(ends))
	start, i, sum := least, 0, 0.0
	for k, end := range ends {
		for start > d.ranges[i][1] {
			i++
		}
		share := (float64(end-start) + 1) / (float64(d.ranges[i][1]-d.ranges[i][0]) + 1)
		if within[i] != nil {
			share = within[i].Between(start, end)
		}
		weights[k] = float64(d.rows[i] * share)
		if at, found := slices.BinarySearch(d.single, end); found && start == end {
			weights[k] += d.own[at]
		}
		sum += weights[k]
		start = end + 1
	}
	if sum <= 0 {
		return nil
	}
	return table.NewDensity(least, ends, weights)
}
