package loglinear

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// Noise makes estimates of small counts negative. Raising these to 0 would add rows to cells with few rows, and take them
// from other cells. The functions of this file replace a small estimate by the mean of the posterior distribution of the
// count instead. Its prior, a distribution of nonnegative counts, is estimated from all cells with similar expected
// counts (Kiefer and Wolfowitz 1956). So the sum of the new estimates is about the sum of the old ones, and cells are
// nearly empty if most cells with such estimates are.

// A pairTable holds the data from which the contingency table of a pair of columns is estimated, except its
// residuals.
type pairTable struct {
	expected []float64 // counts of independent columns, see Fit.expected
	a, b     []float64 // row and column totals
	variance float64   // the variance of the noise in the estimate of a cell
	noise    float64   // the variance of the noise of a count
	ordered  bool      // whether both columns have orders
}

// tablesOf returns the estimated contingency tables of pairs, given estimates of their residuals. It needs the
// variance of the error of these estimates, which is known only approximately. So it tries several multiples of the
// approximate variance (scales), and takes the tables with the least unbiased estimate of the squared error. At the
// end, it tilts the tables of pairs whose columns are both ordered (see tilt).
func tablesOf(ctx context.Context, threads int, pairs []pairTable, of *estimated, scales []float64) ([][]float64, error) {
	var best [][]float64
	least := math.Inf(1)
	for _, scale := range scales {
		x, err := filledTables(ctx, threads, pairs, of.values, scale)
		if err != nil {
			return nil, err
		}
		x2, err := filledTables(ctx, threads, pairs, of.moved, scale)
		if err != nil {
			return nil, err
		}
		risk := 0.0
		for n, p := range pairs {
			risk += of.risk(n, minus(x[n], p.expected), minus(x2[n], p.expected))
		}
		if best == nil || risk < least {
			best, least = x, risk
		}
	}
	err := parallel.Do(ctx, max(1, threads), len(pairs), func() func(int) {
		return func(n int) {
			if p := &pairs[n]; p.ordered {
				p.tilt(best[n], of.values[n])
			}
		}
	})
	return best, err
}

// noiseScales are the multiples of the approximate variance that tablesOf tries. The multiple 0 leaves estimates of
// small counts unchanged.
var noiseScales = []float64{0, .1, .3, 1}

// filledTables returns the contingency tables of pairs, given estimates of their residuals. It assumes that the error
// of an estimate has the variance of the pairTable, multiplied by scale.
func filledTables(ctx context.Context, threads int, pairs []pairTable, residuals [][]float64, scale float64) ([][]float64, error) {
	var small [smallBins + 1]Deconvolution
	if scale > 0 {
		for n := range pairs {
			p := &pairs[n]
			p.each(residuals[n], scale, func(_ int, z float64, bin int) { small[bin].Add(z) })
		}
		for i := range small {
			small[i].Fit()
		}
	}
	tables := make([][]float64, len(pairs))
	err := parallel.Do(ctx, max(1, threads), len(pairs), func() func(int) {
		return func(n int) {
			p, x := &pairs[n], residuals[n]
			if scale > 0 {
				x = append([]float64(nil), x...)
				sd := math.Sqrt(float64(scale * p.variance))
				p.each(residuals[n], scale, func(k int, z float64, bin int) {
					x[k] += float64(sd * (small[bin].Mean(z) - z))
				})
			}
			tables[n] = filled(x, p.expected, p.a, p.b)
		}
	})
	return tables, err
}

// each calls f for each cell of a pair that the rules allow. The argument k is the index of the cell, and z is its
// estimated count divided by the standard deviation of the error of this estimate. The argument bin is the number of
// the range of expected counts that contains the cell's expected count.
func (p *pairTable) each(residuals []float64, scale float64, f func(k int, z float64, bin int)) {
	sd := math.Sqrt(float64(scale * p.variance))
	if sd <= 0 {
		return
	}
	for k, e := range p.expected {
		if e <= 0 {
			continue
		}
		bin := 0
		for least := .25; bin < smallBins && e > float64(least*sd); least *= 2 {
			bin++
		}
		f(k, (e+residuals[k])/sd, bin)
	}
}

// These constants are parameters of the estimates of small counts. In them, counts and estimates are in units of the
// standard deviation of an estimate's error.
const (
	smallBins  = 7  // bins of cells with expected counts below .25, .5, …, 16; one more bin has all others
	smallLeast = -6 // smaller estimates count as this number
	smallMost  = 8  // larger estimates do not affect the prior
	smallStep  = .1 // width of the bins of estimates
	smallKept  = 5  // larger estimates are not changed
	countMost  = 9  // the greatest count of the prior
	countStep  = .1 // distance of the counts of the prior up to countFine
	countFine  = 2
	countWide  = .25 // distance of larger counts
	fewSmall   = 20  // the least number of estimates for a prior
	priorSteps = 60  // steps of the EM algorithm
)

// A Deconvolution estimates the distribution of nonnegative exact counts from estimates of them, whose errors are
// normal with variance 1. The zero value is empty; add estimates by Add, and then call Fit.
type Deconvolution struct {
	many  []float64 // number of estimates by bin of width smallStep, from smallLeast to smallMost
	total float64
	means []float64 // the posterior mean of the count for an estimate at the centre of each bin; nil if unknown
}

// Add adds the estimate z of one count.
func (d *Deconvolution) Add(z float64) {
	if z >= smallMost {
		return
	}
	if d.many == nil {
		d.many = make([]float64, int(math.Round((smallMost-smallLeast)/smallStep)))
	}
	d.many[min(int(max(z-smallLeast, 0)/smallStep), len(d.many)-1)]++
	d.total++
}

// Fit computes the maximum-likelihood distribution of the exact counts by the EM algorithm. It returns false, and
// Mean then returns its argument, if there are fewer than fewSmall estimates.
func (d *Deconvolution) Fit() bool {
	if d.total < fewSmall {
		return false
	}
	var counts []float64
	for x := 0.0; x <= countMost; {
		counts = append(counts, x)
		if x < countFine-float64(countStep/2) {
			x += countStep
		} else {
			x += countWide
		}
	}
	likelihood := make([][]float64, len(d.many)) // by bin and count
	for i := range likelihood {
		z := smallLeast + float64((float64(i)+.5)*smallStep)
		for _, x := range counts {
			likelihood[i] = append(likelihood[i], portable.Exp(-float64((z-x)*(z-x))/2))
		}
	}
	prior, next := make([]float64, len(counts)), make([]float64, len(counts))
	for j := range prior {
		prior[j] = 1 / float64(len(prior))
	}
	for range priorSteps {
		clear(next)
		for i, many := range d.many {
			if many == 0 {
				continue
			}
			by := many / (d.total * dot(prior, likelihood[i]))
			for j, l := range likelihood[i] {
				next[j] += float64(float64(prior[j]*l) * by)
			}
		}
		prior, next = next, prior
	}
	d.means = make([]float64, len(d.many))
	for i, of := range likelihood {
		for j, l := range of {
			d.means[i] += float64(float64(prior[j]*l) * counts[j])
		}
		d.means[i] /= dot(prior, of)
	}
	return true
}

// Mean returns an improved estimate of a count whose estimate is z: the mean of its posterior distribution,
// interpolated between the centres of bins. For z between smallKept - 2 and smallKept it changes gradually to z, and
// larger estimates are returned unchanged.
func (d *Deconvolution) Mean(z float64) float64 {
	if d.means == nil || z >= smallKept {
		return z
	}
	at := max(float64((max(z, smallLeast)-smallLeast)/smallStep)-.5, 0)
	i := min(int(at), len(d.means)-2)
	part := at - float64(i)
	mean := d.means[i] + float64(part*(d.means[i+1]-d.means[i]))
	keep := max(0, float64((z-smallKept+2)/2))
	return mean + float64(keep*(z-mean))
}
