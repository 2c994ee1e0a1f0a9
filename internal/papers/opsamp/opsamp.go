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

// Mechanism is Algorithm 2 of Neel, Roth, Vietri and Wu (2019) for a convex loss over a box of weights. It repeatedly
// perturbs the total loss by a random linear function, and finds an approximate minimizer over the box. It releases
// the mean of these minimizers plus Laplace noise, clipped to the box.
//
// Guarantee: (ε, δ)-DP with the sensitivity of the corrected theorem (docs/explanation/proofs/opsamp.md). The
// guarantee makes no assumptions about the search for minimizers: a duality gap in exact arithmetic certifies each
// minimizer, and the search provably ends.
//
// The mechanism exists for comparisons with the paper. Its noise is small relative to the box only with millions of
// rows, few columns and millions of minimizers.
type Mechanism struct {
	features  *convex.Features
	o         Perturbation
	slack     *big.Rat
	term      noise.Geometric // the distribution of each coefficient, in units of 1/termGrid
	centre    int64           // the constant subtracted from each coefficient, in units of 1/termGrid
	final     noise.Laplace   // the noise on the sum of the minimizers, in units of 1/weightGrid
	guarantee privacy.Approximate
}

// Perturbation holds the public parameters of the mechanism OPSamp, except ε and δ.
type Perturbation struct {
	// Loss is the loss of a row; the zero value is LogisticLoss.
	Loss convex.Loss
	// Bound is W: weights lie in [-W, W]. W times the number of columns is at most 4096.
	Bound int64
	// Calls is the number of minimizers that are averaged, 1 to MostCalls.
	Calls int
	// Rate is η. The coefficient of each column in the random linear function is an exponential
	// variable with mean 1/η, in units of loss, minus this mean.
	Rate privacy.Decimal
	// Slack bounds the excess of each minimizer: the minimizer's total perturbed loss minus the least
	// total perturbed loss is at most Slack. Slack is at least 1/64.
	Slack privacy.Decimal
}

const (
	// MostCalls is the maximum value of Perturbation.Calls.
	MostCalls = 1 << 20

	// mostBox is the maximum product of the bound on weights, W, and the number of columns.
	mostBox = 1 << 12
)

// New returns the mechanism over the columns of f. It returns an error if a field of o is outside its range, if ε or
// δ is 0, or if neighbours under the relation r differ in all rows of a person.
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
		return nil, fmt.Errorf("opsamp: the bound is %d, but must be 1 to %d, so that its product with the number of columns, %d, is at most %d", o.Bound, mostBox/int64(f.Columns()), f.Columns(), mostBox)
	case o.Calls < 1 || o.Calls > MostCalls:
		return nil, fmt.Errorf("opsamp: the number of minimisers is %d, but must be 1..%d", o.Calls, MostCalls)
	case o.Slack.Rat().Cmp(big.NewRat(1, 64)) < 0:
		return nil, fmt.Errorf("opsamp: the slack of the solver, Slack, is %v, but must be at least 1/64", o.Slack)
	case o.Rate.IsZero() || mean.Quo(mean, o.Rate.Rat()).Cmp(big.NewRat(1<<40, 1)) > 0:
		return nil, fmt.Errorf("opsamp: the rate of the random terms, Rate, is %v, but must be at least 2^-36", o.Rate)
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
	scale := m.NoiseRate()
	steps := new(big.Int).Lsh(big.NewInt(int64(o.Calls)), weightBits)
	m.final.Scale = scale.Quo(new(big.Rat).SetInt(steps), scale)
	return m, nil
}

// Guarantee returns the (ε, δ) guarantee of a release.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// Perturbation returns the public parameters of the mechanism.
func (m *Mechanism) Perturbation() Perturbation { return m.o }

// Sensitivity returns λ, the sensitivity of the mean of the minimizers. If neighbouring tables use the same random
// linear functions, their means differ by at most λ in the ℓ1 norm, except with probability δ:
//
//	λ = min(D, 8ηGdD + 3A/(2G) + D·√(ln(1/δ)/(2M))) under replace-one,
//	λ = min(D, 4ηGdD + 3A/G + D·√(ln(1/δ)/(2M))) under add-remove.
//
// Here
//
//	W  is the bound on weights
//	d  is the number of columns
//	D  is 2Wd, the sum of the widths of the box
//	η  is the rate of the linear functions
//	G  is the greatest absolute derivative of the loss
//	A  is the slack
//	M  is the number of minimizers
//
// λ is rounded up to 9 significant digits. So all machines compute the same λ, although the logarithm and the root are
// computed in floating point.
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

// NoiseRate returns the rate ε/λ of the final Laplace noise, where λ is the Sensitivity. It is a public parameter.
// The probability of a noise vector is proportional to e^{-NoiseRate·s}, where s is the ℓ1 norm of the vector.
func (m *Mechanism) NoiseRate() *big.Rat {
	lambda := m.Sensitivity()
	return lambda.Quo(m.guarantee.Epsilon().Rat(), lambda)
}

// steepness returns G, the Lipschitz constant of the loss of a row as a function of the weights in the
// ℓ1 norm.
func (m *Mechanism) steepness() int64 { return phi(m.o.Loss).lipschitz(m.reach()) }

// reach returns the maximum absolute score of a row if all weights are in the box.
func (m *Mechanism) reach() int64 { return m.o.Bound * int64(m.features.Most()) }

// Excess bounds the excess loss of the released weights for a table with the given number of rows: their total loss
// minus the least total loss over the box.
func (m *Mechanism) Excess(rows int64) learn.Excess {
	d, ones, calls := float64(m.features.Columns()), float64(m.features.Most()), float64(m.o.Calls)
	width := float64(2 * m.o.Bound)
	eta, _ := m.o.Rate.Rat().Float64()
	slack, _ := m.slack.Float64()
	scale, _ := m.final.Scale.Float64()
	scale /= calls * weightGrid
	steep := float64(rows) * float64(m.steepness())
	// term bounds the mean of the absolute value of a centred coefficient, and scale that of the final noise on a
	// weight. The variances of these absolute values are at most 1/η² and scale².
	term := 2/(math.E*eta) + 2.0/termGrid
	mean := slack + width*d*term + steep*ones*scale
	chebyshev := math.Sqrt(2 / (1 - learn.Confidence))
	most := mean + chebyshev*(math.Sqrt(d/calls)*width/eta+math.Sqrt(ones)*steep*scale)
	top := float64(rows) * phi(m.o.Loss).spread(float64(m.reach()))
	return learn.Excess{Mean: min(mean, top), Most: min(most, top)}
}

// Release samples weights from the distribution of the mechanism. If the table has too many rows, it returns
// learn.ErrRows before it samples anything. The only other possible error is that of the context.
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

// draw samples the coefficients of a random linear function, in units of 1/termGrid.
func (m *Mechanism) draw(coins noise.Coins) []*big.Int {
	term := make([]*big.Int, m.features.Columns())
	for j := range term {
		term[j] = coins.Draw(m.term)
		term[j].Sub(term[j], big.NewInt(m.centre))
	}
	return term
}
