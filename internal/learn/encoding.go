package learn

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// An encoding replaces categories by numbers, as input for logistic regression. It divides the
// categories of each attribute into groups. The number for a group is an estimate of the log-odds
// of label 1 in the group, minus the log-odds of label 1 in the table. An attribute with at most
// mostGroups categories has one group for each category. An encoding is computed from noisy counts
// and public numbers only.
type encoding struct {
	groups [][]int         // by attribute and category: the group of the category
	prior  float64         // log-odds of label 1 over the table
	odds   [][]float64     // by attribute and group; the mean over the rows is about 0
	rows   [][]float64     // estimated number of rows, by attribute and group
	errors []*matrix.Dense // by attribute: the posterior covariance of the log-odds of its groups
	total  float64         // estimated number of rows of the table
}

const (
	mostOdds        = 4 // maximum absolute log-odds of a category, before centring
	encodingNewtons = 6 // Gauss-Newton iterations of one attribute
)

// amplitudes are the candidates for the prior variance of the log-odds of a category. The method
// encode averages over these candidates.
var amplitudes = [...]float64{0, .003, .01, .03, .1, .3, 1, 3, 9}

// encode estimates an encoding by empirical Bayes. The parameter answers holds the noisy counts of
// both labels in each category, in rows or persons (perPerson), and variances the variance of the
// noise of a count for each attribute. The parameter ordered reports for each attribute whether its
// categories are in a meaningful order, along which log-odds may be smooth.
//
// The log-odds of an attribute have a Gaussian prior. The candidates for its covariance combine a
// fixed list of correlations (kernels) with a fixed list of variances (amplitudes). The covariance
// is the mean of the candidates, weighted by the marginal likelihood of the counts under each
// candidate. The estimate of the log-odds is the mode of the posterior, computed by Gauss-Newton
// iterations. Log-odds whose counts are indistinguishable from noise are estimated as nearly 0.
//
// If an attribute has more than mostGroups categories, their log-odds are estimated first, and then
// the categories are merged into groups.
func (m *marginals) encode(answers []float64, variances []float64, ordered []bool) *encoding {
	deviation := math.Sqrt(slices.Min(variances))
	without, no, _ := m.consistent(answers, variances, false)
	with, yes, after := m.consistent(answers, variances, true)
	no, yes = no+1+deviation, yes+1+deviation
	e := &encoding{prior: math.Log(yes / no), total: max(yes+no-2*(1+deviation), 1)}
	for j, n := range m.sizes {
		c := &cells{ordered: ordered[j]}
		for k := range n {
			c.add(without[j][k], with[j][k], yes/(no+yes), after[j])
		}
		groups, c, odds, prior := c.estimated()
		errors := c.at(odds).posterior(prior)
		mean, rows := 0.0, 1.0
		for k := range odds {
			odds[k] = min(max(odds[k], -mostOdds), mostOdds)
			mean += odds[k] * c.rows[k]
			rows += c.rows[k]
		}
		for k := range odds {
			odds[k] -= mean / rows
		}
		e.groups, e.odds, e.rows, e.errors = append(e.groups, groups), append(e.odds, odds), append(e.rows, c.rows), append(e.errors, errors)
	}
	return e
}

// estimated divides the categories of an attribute into groups. It returns the group of each
// category, and for the groups the noisy counts, the estimated log-odds and their prior covariance.
// If there are at most mostGroups categories, each is a group of its own.
func (c *cells) estimated() (groups []int, of *cells, odds []float64, prior *matrix.Dense) {
	if n := len(c.noisy); n <= mostGroups {
		prior = c.prior()
		return indices(n), c, c.smooth(prior), prior
	}
	groups, of, odds = c.grouped(c.ofMany())
	return groups, of, odds, of.prior()
}

// A cells holds the noisy counts of the categories of one attribute, or of groups of them. Its
// methods estimate log-odds relative to the field shares: log-odds of 0 mean that category k has
// the share shares[k] of rows with label 1.
type cells struct {
	ordered   bool
	shares    []float64 // by category: the share of rows with label 1 if the log-odds are 0, that of the table unless stated otherwise
	variances []float64 // by category: the variance of the noise of one count
	noisy     []float64 // by category: the noisy number of rows
	rows      []float64 // by category: the estimated number of rows, positive
	deviation []float64 // by category: the noisy number of rows with label 1, minus the category's share times its noisy number of rows
}

// add appends a category to c. The parameters no and yes are its noisy counts of label 0 and of
// label 1, variance is the variance of the noise of each count, and share is the share of rows with
// label 1 to which log-odds of 0 correspond.
func (c *cells) add(no, yes, share, variance float64) {
	c.shares, c.variances = append(c.shares, share), append(c.variances, variance)
	c.noisy, c.rows = append(c.noisy, no+yes), append(c.rows, nonNegative(no+yes, 2*variance))
	c.deviation = append(c.deviation, yes-share*(no+yes))
}

// counts returns the noisy counts of label 0 and of label 1 of category k.
func (c *cells) counts(k int) (no, yes float64) {
	yes = c.deviation[k] + c.shares[k]*c.noisy[k]
	return c.noisy[k] - yes, yes
}

// union returns the noisy counts of label 0 and of label 1 in all given categories together, and
// the variance of the noise of each of the two counts.
func (c *cells) union(categories []int) (no, yes, variance float64) {
	for _, k := range categories {
		n, y := c.counts(k)
		no, yes, variance = no+n, yes+y, variance+c.variances[k]
	}
	return no, yes, variance
}

// nonNegative estimates a number that is known to be non-negative, from an observation with normal
// noise of the given variance. It returns the posterior mean for a flat prior.
func nonNegative(observed, variance float64) float64 {
	if variance == 0 {
		return max(observed, 0)
	}
	sigma := math.Sqrt(variance)
	z := observed / sigma
	if z < -8 {
		return sigma / -z // the tail of the normal density is nearly exponential there
	}
	density, above := math.Exp(-z*z/2)/math.Sqrt(2*math.Pi), math.Erfc(-z/math.Sqrt2)/2
	return observed + sigma*density/above
}

// noise returns the variance of the observed deviation of category k: its noisy number of rows with
// label 1 minus the expected one. The deviation varies because of the noise of the counts and
// because of the sampling of rows. The parameter p is the probability that a row of the category
// has label 1.
func (c *cells) noise(k int, p float64) float64 {
	return c.variances[k]*((1-c.shares[k])*(1-c.shares[k])+c.shares[k]*c.shares[k]) + c.rows[k]*p*(1-p)
}

// ofMany estimates the log-odds of the categories of an attribute with more than mostGroups
// categories. If the categories have an order, and the numbers of rows of adjacent categories do
// not differ too strongly (see rough), it smooths the estimates along the order.
func (c *cells) ofMany() []float64 {
	if c.ordered && !c.rough() {
		return c.inBlocks()
	}
	return c.separate()
}

// logit returns the log-odds of a probability.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// smoothed reports whether the log-odds of n categories or groups are smoothed along their order.
func smoothed(ordered bool, n int) bool { return ordered && n >= 3 }

// separate estimates the log-odds of each category relative to c.shares, without smoothing. It
// returns the mode of the posterior for a prior in which the log-odds are independent and have a
// common variance.
func (c *cells) separate() []float64 {
	variance := c.flat().variance(amplitudes[:])
	odds := make([]float64, len(c.rows))
	for k := range odds {
		for range encodingNewtons {
			slope, residual, v := c.linear(k, odds[k])
			odds[k] = clampOdds(variance * slope * residual / (variance*slope*slope + v))
		}
	}
	return odds
}

// flat returns linear observations of the log-odds of all categories, linearized at log-odds of 0
// (see the method linear).
func (c *cells) flat() *observations {
	o := &observations{values: c.deviation}
	for k, rows := range c.rows {
		o.slopes = append(o.slopes, rows*c.shares[k]*(1-c.shares[k]))
		o.variances = append(o.variances, c.noise(k, c.shares[k]))
	}
	return o
}

// linear returns a linear observation of the unknown log-odds of category k, relative to c.shares.
// The expected deviation of the category is a function of its log-odds. linear replaces this
// function by its tangent line at the log-odds l, and returns the slope of the line.
//
// The result residual is the observed deviation minus the value of the line at log-odds 0. It
// equals slope times the unknown log-odds, plus noise with the returned variance.
func (c *cells) linear(k int, l float64) (slope, residual, variance float64) {
	p := 1 / (1 + math.Exp(-logit(c.shares[k])-l))
	slope = c.rows[k] * p * (1 - p)
	return slope, slope*l + c.deviation[k] - c.rows[k]*(p-c.shares[k]), c.noise(k, p)
}

func clampOdds(l float64) float64 { return min(max(l, -1.5*mostOdds), 1.5*mostOdds) }

// at returns linear observations of the unknown log-odds of all categories, linearized at the given
// log-odds (see the method linear).
func (c *cells) at(odds []float64) *observations {
	n := len(odds)
	o := &observations{make([]float64, n), make([]float64, n), make([]float64, n)}
	for k, l := range odds {
		o.slopes[k], o.values[k], o.variances[k] = c.linear(k, l)
	}
	return o
}

// prior estimates, from the noisy counts, the prior covariance of the log-odds of the categories, relative to
// c.shares.
func (c *cells) prior() *matrix.Dense {
	n := len(c.rows)
	return c.flat().covariance(candidates(smoothed(c.ordered, n)), amplitudes[:], diagonal(n, 0))
}

// smooth estimates the log-odds of each category relative to c.shares. It returns the mode of the
// posterior for the given prior covariance.
func (c *cells) smooth(prior *matrix.Dense) []float64 {
	odds := make([]float64, len(c.rows))
	for range encodingNewtons {
		mean, ok := c.at(odds).mean(prior)
		if !ok {
			break
		}
		for k, l := range mean {
			odds[k] = clampOdds(l)
		}
	}
	return odds
}
