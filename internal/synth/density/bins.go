package density

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Bins hold noisy numbers of rows for parts of the intervals of a column. A part is a single number or a range of numbers.
type Bins struct {
	Ranges   [][2]int64 // the first and last number of each bin, in increasing order; each interval is a union of bins
	Rows     []float64  // the noisy number of rows of each bin
	Variance float64    // of the noise
}

// Limits from which rows are clearly more than noise, in standard deviations of the noise: clearSingle for a bin with
// one number, and clear for the sum of adjacent bins. With 256 bins of one number, noise alone exceeds clearSingle in
// one of a thousand columns.
const (
	clear       = 4
	clearSingle = 4.5
)

// tailShare is a share of all rows. If the first or last interval of a column is divided, its outermost part has at
// least this share of the rows, because a tail cannot be estimated from fewer.
const tailShare = 0.1

// within returns the bins in the given groups of intervals, to which a tail is fitted. The groups, and the returned
// bins, are ordered from the inner part of the column to its outer end. The intervals of a group are ordered from the
// outer end inwards. If last is true, the outer end is the end of the last interval of the column; otherwise it is
// the beginning of the first interval.
//
// A bin that divide would select has no information about the tail. So its number of rows is replaced by the mean
// number of rows per number of its interval.
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

// selects reports whether bin k has a single number, with clearly more rows than the parameter even, the mean number
// of rows per number of its interval.
func (b *Bins) selects(k int, even float64) bool {
	return b.Ranges[k][0] == b.Ranges[k][1] && b.Rows[k]-even > clearSingle*math.Sqrt(b.Variance)
}

// A division divides an interval into shorter ones, and selects numbers of it that have many rows.
type division struct {
	ranges [][2]int64 // the shorter intervals, in increasing order
	rows   []float64  // the estimated number of rows of each, without those of the selected numbers
	single []int64    // the selected numbers, in increasing order
	own    []float64  // the estimated number of rows of each selected number
}

// divide divides the interval r, which has the given estimated number of rows, into selected numbers and shorter
// intervals. The parameter outer is -1 for the first interval of a column, 1 for the last one, and otherwise 0. For
// the first and the last interval, the outermost shorter interval has at least the given number of rows (least),
// unless it is all that remains.
//
// A bin with a single number is selected if it has clearly more rows than the numbers of the interval have on
// average. The other bins are joined to shorter intervals, from the least number on, until each shorter interval has
// clearly more rows than noise. The rows of the interval are divided as follows: the selected numbers get their noisy
// rows, and the shorter intervals share the rest in proportion to their noisy rows.
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

// join selects numbers of the interval r, and joins its other bins to shorter intervals (see divide). It returns the
// selected numbers with their noisy rows (own), and the shorter intervals with the noisy rows of their bins (sums),
// which are raised to at least 1.
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

// combined returns the density of the interval, given the densities of the shorter intervals. It returns nil, for numbers
// with equal probabilities, if this is the density of an interval that is not divided.
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
