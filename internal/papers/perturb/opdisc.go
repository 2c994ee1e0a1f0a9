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

// OPDisc is objective perturbation over a discrete class (Neel, Roth, Vietri and
// Wu 2020, Algorithm 1): it returns a minimiser of g·c(q) + ⟨k, ψ(q)⟩, where ψ
// maps the class into a sphere (class.EmbeddingOf) and k is integer noise of
// spherical shape.
//
// Guarantee, if the oracle returns true minimisers, ties broken in any way:
// pure ε-DP with a δ of 0, and else (ε, δ)-DP (docs/explanation/proofs/opdisc.md). The shift
// is t·ψ, t = ⌈(2gC+1)/h⌉ under replace-one and ⌈(gC+1)/h⌉ under add-remove, where
// h is the gap of the embedding; its norm is t√R. The printed theorem moves the
// noise by half of what it takes, on the paper's sphere, and its σ fails as the
// dimension grows.
type OPDisc[X, H any] struct {
	oracle    oracle.Minimizer[X, H]
	embedding class.Embedding[H]
	objective learn.Objective[X, H]
	grid      int64
	guarantee privacy.Guarantee
	epsilon   privacy.Decimal
	sigma2    *big.Int // nil for the pure law
	vector    vector
}

// NewOPDisc returns the mechanism over the oracle's class: with the law
// noise.Ball for a δ of 0, else with independent discrete Gaussian noise. A grid
// of 0 takes DefaultGrid.
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
		return nil, fmt.Errorf("perturb: a grid of %d is outside 1..%d", grid, learn.MostGrid)
	}
	switch {
	case s.Dim == 0: // of one hypothesis
		m.vector = iid{}
	case delta.IsZero():
		m.vector = noise.Ball{Dim: s.Dim, A: m.Rate()}
	default:
		m.sigma2 = OPDiscSigma2(s, m.Shift(), epsilon, delta)
		m.vector = iid{s.Dim, noise.Gaussian{Sigma2: new(big.Rat).SetInt(m.sigma2)}}
	}
	return m, nil
}

// approximate states (ε, δ)-DP for a positive ε.
func approximate(r privacy.Relation, epsilon, delta privacy.Decimal, assumes []privacy.Assumption) (privacy.Guarantee, error) {
	if epsilon.IsZero() {
		return nil, fmt.Errorf("%w: ε must be positive", privacy.ErrParameter)
	}
	return privacy.NewApproximate(r, epsilon, delta, assumes...)
}

// Guarantee returns the guarantee, with what it assumes of the oracle.
func (m *OPDisc[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class chosen from.
func (m *OPDisc[X, H]) Class() class.Class[X, H] { return m.objective.Class }

// Loss returns what is counted, a public parameter.
func (m *OPDisc[X, H]) Loss() learn.Loss { return m.objective.Loss }

// Grid returns g, a public parameter.
func (m *OPDisc[X, H]) Grid() int64 { return m.grid }

// Sphere returns where the class is mapped to, public parameters.
func (m *OPDisc[X, H]) Sphere() class.Sphere { return m.embedding.Sphere() }

// Shift returns t in steps of 1/g, a public parameter.
func (m *OPDisc[X, H]) Shift() int64 {
	return Shift(m.objective.Relation, m.objective.Loss, m.grid, int(m.embedding.Sphere().Gap))
}

// Rate returns ε/⌈t√R⌉, the rate of the pure law, a public parameter; ε for a
// class of one hypothesis.
func (m *OPDisc[X, H]) Rate() *big.Rat {
	c := shiftSquare(m.embedding.Sphere(), m.Shift())
	if c.Sign() > 0 {
		c.Sub(c, big.NewInt(1)).Sqrt(c)
	}
	c.Add(c, big.NewInt(1)) // ⌈√c⌉ for c ≥ 1
	rate := new(big.Rat).SetInt(c)
	return rate.Quo(m.epsilon.Rat(), rate)
}

// Sigma2 returns σ² of the Gaussian law in steps of 1/g squared, a public
// parameter, or nil for the pure law.
func (m *OPDisc[X, H]) Sigma2() *big.Int {
	if m.sigma2 == nil {
		return nil
	}
	return new(big.Int).Set(m.sigma2)
}

// Release returns a minimiser of the perturbed costs. It fails with the
// context's error, with ErrRows before any draw, or with what an oracle returns
// that breaks its promise.
func (m *OPDisc[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	p, err := m.objective.Problem(d, m.grid)
	if err != nil {
		var none H
		return none, err
	}
	return minimizePerturbed(ctx, m.oracle, p, m.embedding.Linear(m.vector.Sample(coins)))
}
