package density

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A tail is a generalized Pareto distribution of distances x ≥ 0 with the shape parameter 1/k, for an integer k other
// than 0. For k > 0, the probability of distances greater than x is (1 + x/(k·scale))^-k. For k < 0, it is (1 -
// x/(|k|·scale))^|k|, and 0 for distances greater than |k|·scale. For k = ±∞, the distribution would be exponential.
type tail struct {
	k     int
	scale float64
}

// powers lists the values of the parameter k of a tail that fitTail tries.
var powers = []int{2, 3, 4, 6, 8, 16, 64, -16, -8, -4, -2}

// shapes is the standard deviation of the prior distribution of the shape parameter 1/k, which is normal with mean 0.
const shapes = 0.33

// These constants control the fit of a tail. A tail is fitted to the numbers of rows in at most tailGroups groups of
// adjacent intervals. Each group has at least groupRows rows plus groupNoise standard deviations of the noise of a
// count, and at least the fraction groupShare of all rows.
const (
	tailGroups = 3
	groupRows  = 5
	groupNoise = 4
	groupShare = 0.02
)

// beyond returns the probability that a distance exceeds x.
func (t tail) beyond(x float64) float64 {
	z := 1 + x/(float64(t.k)*t.scale)
	if t.k > 0 {
		return 1 / power(z, t.k)
	}
	return power(max(0, z), -t.k)
}

// power returns x^n for a positive integer n.
func power(x float64, n int) float64 {
	out := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = float64(out * x)
		}
		x = float64(x * x)
	}
	return out
}

// counted holds the data to which a tail is fitted: the numbers of rows in groups of adjacent intervals, and in the
// bins of these intervals. Distances are measured from the inner end of the innermost group, which comes first.
type counted struct {
	ends, rows []float64 // by group, the distance of its outer end, and its number of rows
	variance   float64   // of the noise of rows
	bins       []groupBin
	ofBins     float64 // the variance of the noise of the rows of bins
}

// A groupBin is a bin of an interval that belongs to one of the groups of a counted.
type groupBin struct {
	group     int
	end, rows float64 // the distance of its outer end, and its number of rows
}

// misfit measures how badly the tail fits the numbers of rows: χ² plus a term for the prior distribution of the shape
// parameter. For a bin, it compares the bin's number of rows with the expected fraction of the rows of its group. If
// cut is true, the tail is truncated at the outer end of the last group. If cut is false, the rows of the last group
// include those beyond its end.
func (t tail) misfit(c *counted, cut bool) float64 {
	sum, all := 0.0, 1.0
	for _, r := range c.rows {
		sum += r
	}
	last := c.ends[len(c.ends)-1]
	if cut {
		all -= t.beyond(last)
	}
	beyond := func(x float64) float64 {
		if !cut && x == last {
			return 0
		}
		return t.beyond(x)
	}
	shape := 1 / (shapes * float64(t.k))
	out := float64(shape * shape)
	before := 1.0
	var expected [tailGroups]float64 // by group, the expected number of rows for each unit of probability
	for i, r := range c.rows {
		now := beyond(c.ends[i])
		d := r - float64(sum*((before-now)/all))
		out += float64(d*d) / (r + c.variance + 1)
		expected[i] = share(r, before-now)
		before = now
	}
	before = 1
	for _, b := range c.bins {
		now := beyond(b.end)
		want := float64(expected[b.group] * (before - now))
		d := b.rows - want
		out += float64(d*d) / (want + c.ofBins + 1)
		before = now
	}
	return out
}

// share returns n divided by of, or 0 if the divisor is not positive.
func share(n, of float64) float64 {
	if !(of > 0) {
		return 0
	}
	return n / of
}

// fitTail returns the tail with the least misfit (see misfit), among all values of k in powers and a grid of scales.
func fitTail(c *counted, cut bool) (best tail) {
	const octaves, coarse, fine = 15, 1.189207115002721, 1.0108892860517005 // 2^(1/4), 2^(1/64)
	least := math.Inf(1)
	try := func(t tail) {
		if m := t.misfit(c, cut); m < least {
			least, best = m, t
		}
	}
	for _, k := range powers {
		scale := 32 * c.ends[len(c.ends)-1]
		for range 4 * octaves {
			scale /= coarse
			try(tail{k, scale})
		}
	}
	around := best
	around.scale /= coarse
	for range 32 {
		around.scale = float64(around.scale * fine)
		try(around)
	}
	return best
}

// mostAtLimit applies to an outermost interval that ends at the limit to which values were clipped. There, a tail
// that continues beyond the limit puts the clipped rows on the limit itself. If these rows exceed the fraction
// mostAtLimit of the rows of the interval, the limit is assumed to be the natural end of the values, and a truncated
// tail is fitted instead.
const mostAtLimit = 0.2

// A piece of a tail is a range of distances with constant density: from the end of the previous piece, exclusive, to
// the field end, inclusive. The field weight is proportional to its probability.
type piece struct {
	end    int64
	weight float64
}

// groups forms the groups of adjacent intervals to which a tail is fitted. The given intervals are ordered from the
// outer end of the column inwards, and variance is the variance of the noise of a number of rows. groups returns the
// numbers of rows of the groups, and the intervals of each group.
func groups(intervals []interval, variance float64) (c counted, of [][]interval) {
	all := 0.0
	for _, v := range intervals {
		all += v.rows
	}
	need := max(groupRows+float64(groupNoise*math.Sqrt(variance)), float64(groupShare*all))
	first, sum := 0, 0.0
	for i, v := range intervals {
		if sum += v.rows; sum >= need {
			of = append(of, intervals[first:i+1])
			first, sum = i+1, 0
		}
		if len(of) == tailGroups {
			break
		}
	}
	if len(of) < 2 { // too few rows: all intervals, without groups
		of = nil
		for i := range intervals[:min(len(intervals), tailGroups)] {
			of = append(of, intervals[i:i+1])
		}
	}
	slices.Reverse(of)
	c.variance = variance
	end := 0.0
	for _, group := range of {
		rows := 0.0
		for _, v := range group {
			end += v.width()
			rows += v.rows
		}
		c.ends, c.rows = append(c.ends, end), append(c.rows, rows)
	}
	return c, of
}

// ofTail fits a tail to the outermost intervals of a column, and returns the pieces into which this tail divides the
// outermost interval, intervals[0]. The intervals are ordered from the outside inwards. The distances of the pieces
// are measured from the inner edge of intervals[0], so the number nearest to this edge has distance 1. The parameters
// are:
//
//   - variance is the variance of the noise of the number of rows of an interval.
//   - limited says whether values beyond intervals[0] were clipped to its outermost number.
//   - last says whether intervals[0] is the last interval of the column; otherwise it is the first.
//   - bins is nil if no bins were measured.
func ofTail(intervals []interval, variance float64, limited, last bool, bins *Bins) []piece {
	c, of := groups(intervals, variance)
	if bins != nil {
		c.bins, c.ofBins = bins.within(of, last), bins.Variance
	}
	ends := c.ends
	end := ends[len(ends)-1]
	v := intervals[0]
	from := end - v.width()
	t := fitTail(&c, !limited)
	if limited && t.beyond(end) > mostAtLimit*t.beyond(from) {
		limited = false
		t = fitTail(&c, true)
	}
	var all []piece
	before := t.beyond(from)
	long := v.last - v.first + 1
	for end := int64(0); end < long; {
		end = min(long, end+1+end/8)
		now := t.beyond(from + float64(end))
		all = append(all, piece{end, max(0, before-now)})
		before = now
	}
	if limited {
		all = atLimit(all, before)
	}
	if !slices.ContainsFunc(all, func(p piece) bool { return p.weight > 0 }) {
		all[0].weight = 1
	}
	return all
}

// atLimit adds weight to the outermost number of a tail. If the last piece contains more than this number, atLimit
// first splits the number off as its own piece.
func atLimit(all []piece, weight float64) []piece {
	last := len(all) - 1
	begin := int64(0)
	if last > 0 {
		begin = all[last-1].end
	}
	if all[last].end-begin == 1 {
		all[last].weight += weight
		return all
	}
	all[last].end--
	return append(all, piece{all[last].end + 1, weight})
}

// upper returns the density of the last interval v of a column, given the pieces that ofTail returned for v.
func upper(v interval, all []piece) *table.Density {
	var ends []int64
	var weights []float64
	for _, p := range all {
		ends, weights = append(ends, v.first-1+p.end), append(weights, p.weight)
	}
	return table.NewDensity(v.first, ends, weights)
}

// lower returns the density of the first interval v of a column, given the pieces that ofTail returned for v.
func lower(v interval, all []piece) *table.Density {
	var ends []int64
	var weights []float64
	for i, p := range slices.Backward(all) {
		begin := int64(0)
		if i > 0 {
			begin = all[i-1].end
		}
		ends, weights = append(ends, v.last-begin), append(weights, p.weight)
	}
	return table.NewDensity(v.first, ends, weights)
}
