package opsamp

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Mechanism is Algorithm 2 of Neel, Roth, Vietri and Wu (2019) for a convex loss
// over a box: it adds a random linear term to the loss, minimises over the
// box, does so many times, and releases the mean of the minimisers plus Laplace
// noise, cut to the box.
//
// Guarantee: (ε, δ)-DP with the sensitivity of the corrected theorem
// (docs/explanation/proofs/opsamp.md). It assumes nothing of the search for the minimisers:
// what that returns is certified by a duality gap in exact arithmetic, and it is
// proved to end.
//
// It is here for what it shows, not for use: the noise is small beside the box
// only for millions of rows, few columns and millions of minimisers.
type Mechanism struct {
	features  *convex.Features
	o         Perturbation
	slack     *big.Rat
	term      noise.Geometric // in steps of 1/termGrid
	centre    int64           // of the term, in the same steps
	final     noise.Laplace   // on the sum of the minimisers, in steps of 1/weightGrid
	guarantee privacy.Approximate
}

// Perturbation are the public parameters of OPSamp.
type Perturbation struct {
	// Loss is what is minimised; the zero value is LogisticLoss.
	Loss convex.Loss
	// Bound is W: weights lie in [-W, W].
	Bound int64
	// Calls is how many minimisers are averaged, 1 to MostCalls.
	Calls int
	// Rate is η: the random term of each column is exponential of mean 1/η, less
	// that mean, in units of loss.
	Rate privacy.Decimal
	// Slack is by how much the total loss of what the search takes for a
	// minimiser may exceed the least, at least 1/64.
	Slack privacy.Decimal
}

const (
	// MostCalls is the greatest number of minimisers.
	MostCalls = 1 << 20

	// mostBox bounds W times the number of columns.
	mostBox = 1 << 12
)

// New returns the mechanism.
func New(f *convex.Features, o Perturbation, epsilon, delta privacy.Decimal, r privacy.Relation) (*Mechanism, error) {
	mean := new(big.Rat).SetInt64(termGrid)
	if err := learn.OfRows(r, "OPSamp"); err != nil {
		return nil, err
	}
	if _, err := o.Loss.MarshalText(); err != nil {
		return nil, fmt.Errorf("opsamp: %w", err)
	}
	switch {
	case o.Bound < 1 || o.Bound > mostBox/int64(f.Columns()):
		return nil, fmt.Errorf("opsamp: a box of ±%d on %d columns is outside 1..%d", o.Bound, f.Columns(), mostBox)
	case o.Calls < 1 || o.Calls > MostCalls:
		return nil, fmt.Errorf("opsamp: %d calls are outside 1..%d", o.Calls, MostCalls)
	case o.Slack.Rat().Cmp(big.NewRat(1, 64)) < 0:
		return nil, fmt.Errorf("opsamp: a slack of %v is less than 1/64", o.Slack)
	case o.Rate.IsZero() || mean.Quo(mean, o.Rate.Rat()).Cmp(big.NewRat(1<<40, 1)) > 0:
		return nil, fmt.Errorf("opsamp: a rate of %v is less than 2^-36", o.Rate)
	case epsilon.IsZero():
		return nil, fmt.Errorf("opsamp: ε must be positive")
	}
	g, err := privacy.NewApproximate(r, epsilon, delta)
	if err != nil {
		return nil, err
	}
	m := &Mechanism{features: f, o: o, slack: o.Slack.Rat(), guarantee: g}
	m.term.X = new(big.Rat).Quo(o.Rate.Rat(), big.NewRat(termGrid, 1))
	m.centre = new(big.Int).Quo(mean.Num(), mean.Denom()).Int64()
	scale := m.Rate()
	steps := new(big.Int).Lsh(big.NewInt(int64(o.Calls)), weightBits)
	m.final.Scale = scale.Quo(new(big.Rat).SetInt(steps), scale)
	return m, nil
}

// Guarantee returns (ε, δ)-DP.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// Perturbation returns the public parameters.
func (m *Mechanism) Perturbation() Perturbation { return m.o }

// Sensitivity returns λ, rounded upward: the means of two neighbours, minimised
// under the same random terms, differ by at most λ in the sum of absolute
// differences of weights, except with probability δ. With D = 2Wd, the sum of
// the box's widths, the slack A, and G, the greatest slope of the loss in the box,
//
//	λ = 8ηGdD + 3A/(2G) + D·√(ln(1/δ)/(2m)) under replace-one,
//	λ = 4ηGdD + 3A/G + D·√(ln(1/δ)/(2m)) under add-remove,
//
// and never more than D. It has at most 9 significant digits, so that the logarithm and
// the root, found in floating point, come out alike everywhere.
func (m *Mechanism) Sensitivity() *big.Rat {
	d := int64(m.features.Columns())
	width := new(big.Rat).SetInt64(2 * m.o.Bound * d)
	steep := m.steepness()
	factor, ofSlack := big.NewRat(8*steep*d, 1), big.NewRat(3, 2*steep)
	if !m.guarantee.Relation().Replaces() {
		factor, ofSlack = big.NewRat(4*steep*d, 1), big.NewRat(3, steep)
	}
	delta, _ := m.guarantee.DeltaAtEpsilon().Rat().Float64()
	deviation := math.Sqrt(-math.Log(delta*(1-0x1p-40)) / float64(2*m.o.Calls))
	sum := factor.Mul(factor, m.o.Rate.Rat())
	sum.Add(sum, new(big.Rat).SetFloat64(deviation*(1+0x1p-40)))
	sum.Mul(sum, width)
	sum.Add(sum, ofSlack.Mul(ofSlack, m.slack))
	up, err := privacy.RoundUp(sum, 9)
	if err != nil || up.Rat().Cmp(width) > 0 {
		return width
	}
	return up.Rat()
}

// Rate returns ε/λ, what the sum of absolute values of the final noise, in
// weights, is multiplied by in its law: a public parameter.
func (m *Mechanism) Rate() *big.Rat {
	lambda := m.Sensitivity()
	return lambda.Quo(m.guarantee.Epsilon().Rat(), lambda)
}

// steepness returns G: losses of a row differ by at most G times the sum of
// absolute differences of weights.
func (m *Mechanism) steepness() int64 { return phi(m.o.Loss).lipschitz(m.reach()) }

// reach is the greatest absolute score.
func (m *Mechanism) reach() int64 { return m.o.Bound * int64(m.features.Most()) }

// Excess bounds by how much the total loss of what is released exceeds the least
// in the box, over a table of so many rows.
func (m *Mechanism) Excess(rows int64) learn.Excess {
	d, ones, calls := float64(m.features.Columns()), float64(m.features.Most()), float64(m.o.Calls)
	width := float64(2 * m.o.Bound)
	eta, _ := m.o.Rate.Rat().Float64()
	slack, _ := m.slack.Float64()
	scale, _ := m.final.Scale.Float64()
	scale /= calls * weightGrid
	steep := float64(rows) * float64(m.steepness())
	// The absolute values of the centred term and of the final noise have the
	// means below, and variances of at most 1/η² and scale².
	term := 2/(math.E*eta) + 2.0/termGrid
	mean := slack + width*d*term + steep*ones*scale
	chebyshev := math.Sqrt(2 / (1 - learn.Confidence))
	most := mean + chebyshev*(math.Sqrt(d/calls)*width/eta+math.Sqrt(ones)*steep*scale)
	top := float64(rows) * phi(m.o.Loss).spread(float64(m.reach()))
	return learn.Excess{Mean: min(mean, top), Most: min(most, top)}
}

// Release draws weights. It fails with the context's error, or with
// learn.ErrRows before any draw.
func (m *Mechanism) Release(ctx context.Context, d []learn.Example[[]uint16], coins noise.Coins) (convex.Linear, error) {
	data, err := m.features.Points(d)
	if err != nil {
		return convex.Linear{}, err
	}
	sum := make([]*big.Int, m.features.Columns())
	for j := range sum {
		sum[j] = new(big.Int)
	}
	for range m.o.Calls {
		p := perturbed{loss: phi(m.o.Loss), data: data, bound: m.o.Bound, slack: m.slack, term: m.draw(coins)}
		u, err := p.minimize(ctx)
		if err != nil {
			return convex.Linear{}, err
		}
		for j := range sum {
			sum[j].Add(sum[j], u[j])
		}
	}
	w := convex.Linear{Weights: make([]float64, len(sum))}
	bound := float64(m.o.Bound)
	for j := range sum {
		noisy, _ := sum[j].Add(sum[j], coins.Draw(m.final)).Float64()
		w.Weights[j] = min(max(noisy/(float64(m.o.Calls)*weightGrid), -bound), bound)
	}
	return w, nil
}

// draw returns the random linear term, in steps of 1/termGrid.
func (m *Mechanism) draw(coins noise.Coins) []*big.Int {
	term := make([]*big.Int, m.features.Columns())
	for j := range term {
		term[j] = coins.Draw(m.term)
		term[j].Sub(term[j], big.NewInt(m.centre))
	}
	return term
}
