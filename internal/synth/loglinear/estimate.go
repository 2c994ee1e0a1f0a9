package loglinear

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// pairsOf returns one factor of the model for each of the given two-way marginals: a table of log-interactions with
// the target counts to which it will be fitted. The slices ones hold the estimated counts of all columns. If the
// context ends, pairsOf returns the context's error.
//
// The targets of a factor are a denoised contingency table. pairsOf estimates it from the contrasts of all marginals
// together (a contrast is a count after row and column means are subtracted). Its row and column totals are those of
// ones, and it is 0 in each cell in which rules of the two columns forbid all combinations.
//
// The estimate keeps only some singular vectors of the contrasts, so the variance of a target is that of the part of
// the noise that lies in these singular vectors.
func (f *Fit) pairsOf(ctx context.Context, of []*Marginal, ones, scores [][]float64, ordered []int) ([]*factor, error) {
	factors, pairs, expected := make([]*factor, len(of)), make([]*residuals, len(of)), make([][]float64, len(of))
	scales := noiseScales
	if f.options.First {
		scales = noiseScales[:1]
	}
	for n, m := range of {
		a, b := totals(m, ones)
		noise := max(m.noise(), 1)
		expected[n] = f.expected(m, ones, a, b)
		pairs[n] = &residuals{axes: m.Axes, values: minus(m.Counts, expected[n]), variance: noise}
		for i, axis := range m.Axes {
			if c := axis.Column; scores[c] != nil && !f.options.First {
				pairs[n].polynomials[i] = polynomials(axis, ones[c], scores[c], ordered[c])
			}
		}
		centre(pairs[n].values, len(a), len(b))
		factors[n] = newFactor(m.Axes)
		mean, deviation := meanSquare(pairs[n].values, expected[n], pairs[n].ofCell())
		factors[n].prior = direct * min(max(mean, leastPrior), mostPrior)
		factors[n].clear = mean > clearDeviations*deviation
	}
	estimates, err := shrinkJointly(ctx, f.options.Threads, f.sizes, pairs, f.generator(0, denoising))
	if err != nil {
		return nil, err
	}
	tables := make([]pairTable, len(factors))
	for n, g := range factors {
		a, b := totals(of[n], ones)
		g.variance = pairs[n].variance
		if r, c := float64(len(a)-1), float64(len(b)-1); float64(r*c) > 0 {
			// A table of rank q has q·(r + c - q) degrees of freedom. An additional rank of one
			// half accounts for singular vectors that are too weak to be kept.
			q := min(float64(estimates.ranks[n])+.5, r, c)
			g.variance *= float64(q*(r+c-q)) / float64(r*c)
		}
		both := scores[g.axes[0].Column] != nil && scores[g.axes[1].Column] != nil
		tables[n] = pairTable{expected[n], a, b, float64(g.variance * pairs[n].free()), pairs[n].variance, both}
	}
	targets, err := tablesOf(ctx, f.options.Threads, tables, estimates, scales)
	if err != nil {
		return nil, err
	}
	for n, g := range factors {
		g.target = targets[n]
		copy(g.mean, g.target)
	}
	dropWeak(factors, pairs, estimates.values, estimates.ranks, f.total)
	return factors, nil
}

const denoising = -2 // argument part of generator for the estimates of pairs

// totals returns the row totals a and the column totals b of the contingency table of the marginal m, computed from
// the estimated counts of all columns (ones).
func totals(m *Marginal, ones [][]float64) (a, b []float64) {
	return sums(m.Axes[0], ones[m.Axes[0].Column]), sums(m.Axes[1], ones[m.Axes[1].Column])
}

// expected returns the contingency table that is expected if two columns depend on each other only through the rules
// (quasi-independence, Goodman 1968). The table has the axes of the marginal m and the row and column totals a and
// b. The slices ones hold the estimated counts of all columns.
func (f *Fit) expected(m *Marginal, ones [][]float64, a, b []float64) []float64 {
	e := outer(a, b, f.total)
	x, y := m.Axes[0], m.Axes[1]
	rules := slices.DeleteFunc(slices.Clone(f.rules), func(r barrier) bool { return !r.of(x.Column, y.Column) })
	if len(rules) == 0 {
		return e
	}
	clear(e)
	for u, p := range ones[x.Column] {
		for v, q := range ones[y.Column] {
			broken := slices.ContainsFunc(rules, func(r barrier) bool {
				return r.breaks(func(column int) uint16 {
					if column == x.Column {
						return uint16(u)
					}
					return uint16(v)
				})
			})
			if !broken {
				e[x.Cell(u)*y.Size+y.Cell(v)] += float64(p*q) / max(f.total, 1)
			}
		}
	}
	rake(e, a, b, rakes)
	return e
}

// dropWeak removes from the model the pairs of columns whose dependence is weak: it sets the field dropped of their
// factors. A factor is dropped if its estimate has no significant singular value and one of these conditions holds:
//
//   - The estimate differs from independence by at most the fraction weak of the rows.
//   - This factor and all factors with more significant estimates together have more than manyParticles cells.
func dropWeak(factors []*factor, pairs []*residuals, estimates [][]float64, ranks []int, total float64) {
	strength, order := make([]float64, len(factors)), make([]int, len(factors))
	for n, x := range estimates {
		strength[n], order[n] = dot(x, x)/pairs[n].variance, n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[b], strength[a]) })
	cells := 0
	for _, n := range order {
		moved := 0.0
		for _, x := range estimates[n] {
			moved += math.Abs(x)
		}
		cells += max(len(estimates[n]), pairCells)
		factors[n].dropped = ranks[n] == 0 && (moved <= float64(weak*total) || cells > manyParticles)
	}
}

const (
	weak      = .002 // fraction of the rows
	pairCells = 64   // a pair with fewer cells counts as one with this number, since it takes as much time
)

// outer returns the expected contingency table of two independent columns with the counts a and b, which sum to
// total.
func outer(a, b []float64, total float64) []float64 {
	e := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			e = append(e, float64(x*y)/max(total, 1))
		}
	}
	return e
}

func minus(x, y []float64) []float64 {
	d := make([]float64, len(x))
	for k := range x {
		d[k] = x[k] - y[k]
	}
	return d
}

// interaction returns the prior mean square of the log-interactions of a pair: the estimate of meanSquare, clamped
// to the range leastPrior..mostPrior.
func interaction(residual, expected []float64, variance float64) float64 {
	mean, _ := meanSquare(residual, expected, variance)
	return min(max(mean, leastPrior), mostPrior)
}

// meanSquare estimates the weighted mean square of the log-interactions of a contingency table. It also returns the
// standard deviation of this estimate if the counts contain only noise. The slice residual holds the noisy counts
// minus the expected counts, and variance is the variance of the noise of a count. If there are no expected counts,
// both results are 0.
//
// The log-interaction of a cell is approximated by the ratio residual/expected, with a smaller weight the noisier
// this ratio is. To correct for the noise, meanSquare subtracts the variance from each squared residual, so that
// noise alone gives about 0.
func meanSquare(residual, expected []float64, variance float64) (mean, deviation float64) {
	sum, noise, weight := 0.0, 0.0, 0.0
	for k, e := range expected {
		w := 1 / (e + float64(2*math.Sqrt(variance)))
		sum += float64(w * (float64(residual[k]*residual[k]) - variance))
		noise += float64(float64(w*w) * float64(2*float64(variance*variance)))
		weight += float64(w * float64(e*e))
	}
	if weight <= 0 {
		return 0, 0
	}
	return sum / weight, math.Sqrt(noise) / weight
}

const (
	leastPrior = 1e-4
	mostPrior  = 9
	direct     = 6 // ratio of squared log-interactions given all other columns to those of the pair alone

	clearDeviations = 10   // least mean square of the log-interactions of a clear factor, in standard deviations
	clearer         = 4    // factor by which the ratio direct is larger for clear factors
	treePrior       = 1000 // of clear factors in the tree of start: great enough to have nearly no effect
)
