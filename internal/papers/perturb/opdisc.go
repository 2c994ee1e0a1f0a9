package perturb

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OPDisc is objective perturbation over a discrete class (Neel, Roth, Vietri and Wu 2020,
// Algorithm 1). It returns a minimiser of g·c(q) + ⟨k, ψ(q)⟩, where ψ maps the class to integer
// points of squared norm R (class.EmbeddingOf), and the probability of the integer noise k depends
// only on its Euclidean norm.
//
// Guarantee, if the oracle returns true minimisers, with ties broken in any way: pure ε-DP if δ is
// 0, and (ε, δ)-DP otherwise (docs/explanation/proofs/opdisc.md). The privacy proof shifts the
// noise by t·ψ(q), whose norm is t√R, with t = ⌈(2gC+1)/h⌉ under replace-one and ⌈(gC+1)/h⌉ under
// add-remove, where h is the gap of the embedding. The shift of the printed theorem is half of the
// required one on the paper's sphere, and its σ is too small in high dimensions.
type OPDisc[X, H any] struct {
	oracle    oracle.Minimizer[X, H]
	embedding class.Embedding[H]
	objective learn.Objective[X, H]
	grid      int64
	guarantee privacy.Guarantee
	epsilon   privacy.Decimal
	sigma2    *big.Int // in squared steps of the grid; nil for pure noise
	vector    vector
}

// NewOPDisc returns the mechanism over the oracle's class, with noise.Ball if δ is 0 and
// independent discrete Gaussian noise otherwise. It rejects relations whose neighbours differ in a person. A grid of 0 uses
// DefaultGrid.
func NewOPDisc[X, H any](o oracle.Minimizer[X, H], epsilon, delta privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*OPDisc[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := learn.OfRows(r, "OPDisc"); err != nil {
		return nil, err
	}
	m := &OPDisc[X, H]{oracle: o, embedding: class.EmbeddingOf(o.Class()), objective: learn.Objective[X, H]{Class: o.Class(), Relation: r, Loss: l}, epsilon: epsilon}
	if m.embedding == nil {
		return nil, fmt.Errorf("perturb: %v has neither an embedding nor a separator, and perturbation needs one (class.Embedded, class.Separated)", o.Class())
	}
	var err error
	if delta.IsZero() {
		m.guarantee, err = privacy.NewPure(r, epsilon, assumptions(o)...)
	} else {
		m.guarantee, err = approximate(r, epsilon, delta, assumptions(o))
	}
	if err != nil {
		return nil, err
	}
	s := m.embedding.Sphere()
	if m.grid = grid; grid == 0 {
		m.grid = DefaultGrid(s.Dim, int(s.Gap), epsilon)
	}
	if m.grid < 1 || m.grid > learn.MostGrid {
		return nil, fmt.Errorf("perturb: grid %d must be 1..%d, or 0 for the default", grid, learn.MostGrid)
	}
	switch {
	case s.Dim == 0: // the class has one hypothesis
		m.vector = iid{}
	case delta.IsZero():
		m.vector = noise.Ball{Dim: s.Dim, A: m.Rate()}
	default:
		m.sigma2 = OPDiscSigma2(s, m.Shift(), epsilon, delta)
		m.vector = iid{s.Dim, noise.Gaussian{Sigma2: new(big.Rat).SetInt(m.sigma2)}}
	}
	return m, nil
}

// approximate returns the guarantee of (ε, δ)-DP. It fails if ε is not positive.
func approximate(r privacy.Relation, epsilon, delta privacy.Decimal, assumes []privacy.Assumption) (privacy.Guarantee, error) {
	if epsilon.IsZero() {
		return nil, fmt.Errorf("%w: ε must be positive", privacy.ErrParameter)
	}
	return privacy.NewApproximate(r, epsilon, delta, assumes...)
}

// Guarantee returns the guarantee, which lists the assumptions about the oracle.
func (m *OPDisc[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class of hypotheses.
func (m *OPDisc[X, H]) Class() class.Class[X, H] { return m.objective.Class }

// Loss returns the loss, a public parameter.
func (m *OPDisc[X, H]) Loss() learn.Loss { return m.objective.Loss }

// Grid returns g, a public parameter.
func (m *OPDisc[X, H]) Grid() int64 { return m.grid }

// Sphere returns the sphere that the embedding maps the class to, a public parameter.
func (m *OPDisc[X, H]) Sphere() class.Sphere { return m.embedding.Sphere() }

// Shift returns t in steps of 1/g, a public parameter.
func (m *OPDisc[X, H]) Shift() int64 {
	return Shift(m.objective.Relation, m.objective.Loss, m.grid, int(m.embedding.Sphere().Gap))
}

// Rate returns ε/⌈t√R⌉, the rate of the pure noise, a public parameter. For a class of one
// hypothesis it returns ε.
func (m *OPDisc[X, H]) Rate() *big.Rat {
	c := shiftSquare(m.embedding.Sphere(), m.Shift())
	if c.Sign() > 0 {
		c.Sub(c, big.NewInt(1)).Sqrt(c)
	}
	c.Add(c, big.NewInt(1)) // ⌈√c⌉ for c ≥ 1
	rate := new(big.Rat).SetInt(c)
	return rate.Quo(m.epsilon.Rat(), rate)
}

// Sigma2 returns σ² of the Gaussian noise in squared steps of 1/g, a public parameter, or nil for
// pure noise.
func (m *OPDisc[X, H]) Sigma2() *big.Int {
	if m.sigma2 == nil {
		return nil
	}
	return new(big.Int).Set(m.sigma2)
}

// Release returns a minimiser of the noisy costs. It fails as RSPM.Release does.
func (m *OPDisc[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	p, err := m.objective.Problem(d, m.grid)
	if err != nil {
		var none H
		return none, err
	}
	return minimizePerturbed(ctx, m.oracle, p, m.embedding.Linear(m.vector.Sample(coins)))
}
