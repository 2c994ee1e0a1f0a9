package perturb

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// GaussianRSPM is RSPM with independent discrete Gaussian noise on the bits of the separator (Neel, Roth and Wu 2018,
// Theorems 7 and 19). It exists for comparisons with the papers: RSPM with Cube noise has less noise and a pure
// guarantee.
//
// Guarantee: (ε, δ)-DP if the oracle returns true minimizers, with ties broken in any way
// (docs/explanation/proofs/gaussian-rspm.md). The standard deviation σ of the noise grows in proportion to m, the
// number of separator bits. The paper prints a σ that grows as √m; the class of parities shows that this is too small.
type GaussianRSPM[X, H any] struct {
	oracle    oracle.Minimizer[X, H]
	objective learn.Objective[X, H]
	grid      int64
	guarantee privacy.Guarantee
	sigma2    *big.Int // σ², in units of 1/g²
}

// NewGaussianRSPM returns the mechanism for the class of the oracle o and the loss l. If grid is 0, it uses
// DefaultGrid. It returns an error if neighbours under the relation r differ in all rows of a person.
func NewGaussianRSPM[X, H any](o oracle.Minimizer[X, H], epsilon, delta privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*GaussianRSPM[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := learn.OfRows(r, "Gaussian RSPM"); err != nil {
		return nil, err
	}
	g, err := approximate(r, epsilon, delta, assumptions(o))
	if err != nil {
		return nil, err
	}
	c := o.Class()
	bits, err := separatorBits(c)
	if err != nil {
		return nil, err
	}
	if grid == 0 {
		grid = DefaultGrid(bits, class.Distance(c), epsilon)
	}
	if grid < 1 || grid > learn.MostGrid {
		return nil, fmt.Errorf("perturb: grid %d must be 1..%d, or 0 for the default", grid, learn.MostGrid)
	}
	m := &GaussianRSPM[X, H]{oracle: o, objective: learn.Objective[X, H]{Class: c, Relation: r, Loss: l}, grid: grid, guarantee: g}
	m.sigma2 = GaussianRSPMSigma2(bits, m.Shift(), epsilon, delta)
	return m, nil
}

// GaussianRSPMSigma2 returns an integer σ² for which independent discrete Gaussian noise with the parameter σ² on m
// bits gives (ε, δ)-DP. The parameter t is the shift: the privacy proof moves the noise of each bit by at most t. σ²
// is computed in floating point and rounded towards more noise.
func GaussianRSPMSigma2(m int, t int64, epsilon, delta privacy.Decimal) *big.Int {
	eps, del, n, shift := below(epsilon), below(delta)*(1-slack), float64(m), float64(t)
	top := n*math.Sqrt(2/math.Pi) + math.Sqrt(-2*n*math.Log(del))
	sigma := (shift*top + math.Sqrt(shift*shift*top*top+2*eps*n*shift*(shift+1))) / (2 * eps)
	// If σ is at least fine, the difference between discrete and continuous Gaussian variables adds
	// far less to δ than the factor 1-slack above leaves.
	fine := math.Sqrt((math.Log(n+1) - math.Log(del) + 40) / 19)
	return squareUp(max(sigma, fine) * (1 + slack))
}

// Guarantee returns the privacy guarantee, with its assumptions about the oracle.
func (m *GaussianRSPM[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class from which the mechanism selects a hypothesis.
func (m *GaussianRSPM[X, H]) Class() class.Class[X, H] { return m.objective.Class }

// Loss returns the loss, a public parameter.
func (m *GaussianRSPM[X, H]) Loss() learn.Loss { return m.objective.Loss }

// Grid returns the grid g, a public parameter: costs are multiplied by g, so that integer noise is a multiple of 1/g
// units of cost.
func (m *GaussianRSPM[X, H]) Grid() int64 { return m.grid }

// Shift returns the distance t by which the privacy proof moves the noise of a bit, in units of 1/g, where g is the
// grid. It is a public parameter.
func (m *GaussianRSPM[X, H]) Shift() int64 {
	return Shift(m.objective.Relation, m.objective.Loss, m.grid, class.Distance(m.objective.Class))
}

// Sigma2 returns the parameter σ² of the noise in units of 1/g², where g is the grid. It is a public parameter.
func (m *GaussianRSPM[X, H]) Sigma2() *big.Int { return new(big.Int).Set(m.sigma2) }

// Release returns a minimizer of the noisy costs. Its errors are those of RSPM.Release.
func (m *GaussianRSPM[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	p, err := m.objective.Problem(d, m.grid)
	if err != nil {
		var none H
		return none, err
	}
	law := iid{class.SeparatorBits(m.Class()), noise.Gaussian{Sigma2: new(big.Rat).SetInt(m.sigma2)}}
	return minimizePerturbed(ctx, m.oracle, p, law.Sample(coins))
}

// Excess bounds the excess cost of the released hypothesis for a table with the given number of rows. As for
// RSPM.Excess, the excess is at most the sum of the positive parts of m noise terms. Two facts bound this sum
// (docs/explanation/proofs/gaussian-rspm.md, section 3):
//
//   - The positive part of a discrete Gaussian variable is stochastically at most the positive part of a continuous
//     Gaussian variable plus ½.
//   - As a function of the noise, the sum has the Lipschitz constant √m.
func (m *GaussianRSPM[X, H]) Excess(rows int64) learn.Excess {
	bits, g := float64(class.SeparatorBits(m.Class())), float64(m.grid)
	square, _ := new(big.Float).SetInt(m.sigma2).Float64()
	sigma := math.Sqrt(square)
	mean := bits * (sigma/math.Sqrt(2*math.Pi) + 0.5)
	most := mean + sigma*math.Sqrt(-2*bits*math.Log(1-learn.Confidence))
	return m.objective.Within(learn.Excess{Mean: mean / g, Most: most / g}, rows)
}
