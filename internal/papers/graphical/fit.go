package graphical

import (
	"context"
	"math"
	"slices"
)

// A Measurement is a marginal with noisy counts. Counts and Variances are in row-major order over Columns.
type Measurement struct {
	Columns   []int
	Counts    []float64
	Variances []float64 // the variance of the noise of each count, positive
}

// A Model is a probability distribution on rows, fitted to noisy marginals, with an estimate of the number of rows.
type Model struct {
	domain  domain
	total   float64
	tree    *tree
	beliefs []array // the distribution of the columns of each clique
	factors []*factor
}

// A factor represents a measured marginal, with one parameter θ of the model for each of its cells.
type factor struct {
	columns   []int // the columns of the factor, in ascending order
	counts    []float64
	variances []float64
	theta     []float64
}

// Fit fits a model to the measurements. The slice sizes has the number of values of each column. If start is not
// nil, the fit starts at the parameters of this earlier model. Fit estimates the number of rows from the sums of the
// measurements.
//
// The fit ends when further iterations reduce the loss (see the package comment) by less than accuracy for each
// measured cell. For comparison, the noise alone contributes about ½ for each cell to the loss. If the context ends,
// Fit returns its error.
func Fit(ctx context.Context, sizes []int, measurements []Measurement, start *Model, accuracy float64) (*Model, error) {
	m := &Model{domain: sizes, total: total(measurements), factors: merged(sizes, measurements)}
	all := make([][]int, len(sizes))
	for c := range sizes {
		all[c] = []int{c}
	}
	for _, f := range m.factors {
		all = append(all, f.columns)
	}
	m.tree = newTree(sizes, all)
	for _, f := range m.factors {
		f.theta = make([]float64, len(f.counts))
		if start == nil {
			continue
		}
		if at := slices.IndexFunc(start.factors, f.same); at >= 0 {
			copy(f.theta, start.factors[at].theta)
		}
	}
	return m, newDescent(m).minimize(ctx, accuracy)
}

// same reports whether two factors have the same columns.
func (f *factor) same(g *factor) bool { return slices.Equal(f.columns, g.columns) }

// merged returns one factor for each measured marginal. If a marginal was measured several times, it averages the
// measurements, weighted by the inverses of their variances.
func merged(d domain, measurements []Measurement) (all []*factor) {
	for _, m := range measurements {
		f := &factor{columns: d.sorted(m.Columns), counts: d.array(m.Counts, m.Columns).values, variances: d.array(m.Variances, m.Columns).values}
		at := slices.IndexFunc(all, f.same)
		if at < 0 {
			all = append(all, f)
			continue
		}
		g := all[at]
		for i, v := range f.variances {
			w := g.variances[i] / (g.variances[i] + v)
			g.counts[i] += w * (f.counts[i] - g.counts[i])
			g.variances[i] *= 1 - w
		}
	}
	return all
}

// total estimates the number of rows by the mean of the sums of all measurements, weighted by the inverses of the
// variances of these sums. The result is at least 1.
func total(measurements []Measurement) float64 {
	sum, weights := 0.0, 0.0
	for _, m := range measurements {
		n, variance := 0.0, 0.0
		for i, y := range m.Counts {
			n, variance = n+y, variance+m.Variances[i]
		}
		sum, weights = sum+n/variance, weights+1/variance
	}
	if weights == 0 {
		return 1
	}
	return max(1, sum/weights)
}

// A calibration computes the beliefs of a model, that is its marginals over the cliques, from the parameters of the
// factors.
type calibration struct {
	*Model
	home    []int       // the clique of each factor
	links   []link      // for each factor, the link from its clique to the factor
	weights [][]float64 // e^θ of each factor, divided by its maximum
	up      []link      // for each clique, the link to the columns that it shares with its parent
	down    []link      // for each clique, the link from its parent to these shared columns
	message [][]float64 // for each clique, its message to its parent, over the shared columns
	answer  [][]float64 // for each clique, the message from its parent, over the shared columns
}

func newCalibration(m *Model) *calibration {
	c := &calibration{Model: m}
	for _, f := range m.factors {
		home := m.tree.holding(f.columns)
		c.home, c.links = append(c.home, home), append(c.links, m.domain.link(m.tree.cliques[home], f.columns))
		c.weights = append(c.weights, make([]float64, len(f.theta)))
	}
	for k, columns := range m.tree.cliques {
		m.beliefs = append(m.beliefs, m.domain.filled(columns, 1))
		shared := m.tree.shared[k]
		n := m.domain.cells(shared)
		c.message, c.answer = append(c.message, make([]float64, n)), append(c.answer, make([]float64, n))
		c.up = append(c.up, m.domain.link(columns, shared))
		c.down = append(c.down, m.domain.link(m.tree.cliques[max(m.tree.parent[k], 0)], shared))
	}
	return c
}

// run computes the beliefs by passing messages in the junction tree, from the leaves to the root and back.
func (c *calibration) run() {
	for _, b := range c.beliefs {
		for i := range b.values {
			b.values[i] = 1
		}
	}
	for i, f := range c.factors {
		most := slices.Max(f.theta)
		for k, t := range f.theta {
			c.weights[i][k] = math.Exp(t - most)
		}
		c.links[i].multiply(c.beliefs[c.home[i]].values, c.weights[i])
	}
	for k := len(c.beliefs) - 1; k > 0; k-- {
		normalize(c.beliefs[k].values)
		c.up[k].sum(c.beliefs[k].values, c.message[k])
		c.down[k].multiply(c.beliefs[c.tree.parent[k]].values, c.message[k])
	}
	normalize(c.beliefs[0].values)
	for k := 1; k < len(c.beliefs); k++ {
		c.down[k].sum(c.beliefs[c.tree.parent[k]].values, c.answer[k])
		for i, sent := range c.message[k] {
			if sent > 0 {
				c.answer[k][i] /= sent
			}
		}
		c.up[k].multiply(c.beliefs[k].values, c.answer[k])
	}
}

// normalize divides the entries of the list a by their sum.
func normalize(a []float64) {
	sum := 0.0
	for _, x := range a {
		sum += x
	}
	for i := range a {
		a[i] /= sum
	}
}
