package loglinear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// pairsOf makes the factors of marginals of two columns of which so many rows have each
// value. Of the counts only the contrasts are read: what is left when lines are centred. The
// targets are the tables as estimated from all: as variance they have the share of the noise that
// lies in the directions that were kept of each. It fails with the context's error.
func (f *Fit) pairsOf(ctx context.Context, of []*Marginal, ones [][]float64) ([]*factor, error) {
	factors, rests, expected := make([]*factor, len(of)), make([]*rest, len(of)), make([][]float64, len(of))
	for n, m := range of {
		a, b := lines(m, ones)
		noise := max(m.noise(), 1)
		expected[n] = outer(a, b, f.total)
		rests[n] = &rest{m.Axes, minus(m.Counts, expected[n]), noise}
		centre(rests[n].rest, len(a), len(b))
		factors[n] = newFactor(m.Axes)
		factors[n].prior = direct * interaction(rests[n].rest, expected[n], rests[n].ofCell())
	}
	estimates, ranks, err := together(ctx, f.options.Threads, f.sizes, rests, f.generator(0, denoising))
	if err != nil {
		return nil, err
	}
	err = parallel.Do(ctx, max(1, f.options.Threads), len(factors), func() func(int) {
		return func(n int) {
			g := factors[n]
			a, b := lines(of[n], ones)
			g.target, g.variance = filled(estimates[n], expected[n], a, b), rests[n].variance
			copy(g.mean, g.target)
			if r, c := float64(len(a)-1), float64(len(b)-1); float64(r*c) > 0 {
				// A table of this rank has rank·(r + c - rank) free numbers; half a direction more
				// stands for those too weak to be kept.
				q := min(float64(ranks[n])+.5, r, c)
				g.variance *= float64(q*(r+c-q)) / float64(r*c)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	hush(factors, rests, estimates, ranks, f.total)
	return factors, nil
}

const denoising = -2 // the part of a step that draws for estimates

// lines are how many rows the cells of the axes of a pair have.
func lines(m *Marginal, ones [][]float64) (a, b []float64) {
	return sums(m.Axes[0], ones[m.Axes[0].Column]), sums(m.Axes[1], ones[m.Axes[1].Column])
}

// hush makes factors silent: of pairs that by themselves told nothing those that hardly move a
// row, and the faintest ones where all have more cells than particles there may be.
func hush(factors []*factor, rests []*rest, estimates [][]float64, ranks []int, total float64) {
	loudness, order := make([]float64, len(factors)), make([]int, len(factors))
	for n, x := range estimates {
		loudness[n], order[n] = dot(x, x)/rests[n].variance, n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loudness[b], loudness[a]) })
	cells := 0
	for _, n := range order {
		moved := 0.0
		for _, x := range estimates[n] {
			moved += math.Abs(x)
		}
		cells += max(len(estimates[n]), pairCells)
		factors[n].silent = ranks[n] == 0 && (moved <= float64(faint*total) || cells > manyParticles)
	}
}

const (
	faint     = .002 // of the rows
	pairCells = 64   // that a pair costs as much time as, at least
)

// outer is the table of two independent columns.
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

// interaction estimates the mean square of what noisy counts add to the logs of expected
// ones: that of rest/expected, where rest is what they are beyond these, each weighed by about
// the inverse of its noise.
func interaction(rest, expected []float64, variance float64) float64 {
	sum, weight := 0.0, 0.0
	for k, e := range expected {
		w := 1 / (e + float64(2*math.Sqrt(variance)))
		sum += float64(w * (float64(rest[k]*rest[k]) - variance))
		weight += float64(w * float64(e*e))
	}
	if weight <= 0 {
		return leastPrior
	}
	return min(max(sum/weight, leastPrior), mostPrior)
}

const (
	leastPrior = 1e-4
	mostPrior  = 9
	direct     = 6 // how much larger log-interactions are, given all columns, than in the pair alone
)
