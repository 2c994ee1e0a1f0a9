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

// OPDisc is objective perturbation over a discrete class (Neel, Roth, Vietri and Wu 2020, Algorithm 1). It releases a
// hypothesis q that minimizes the noisy cost g·c(q) + ⟨k, ψ(q)⟩. Here c(q) is the cost of q, and g is the grid. The
// embedding ψ maps the class to integer points of squared norm R (class.EmbeddingOf). The noise k is an integer vector
// whose probability depends only on its Euclidean norm.
//
// Guarantee: pure ε-DP if δ is 0, and (ε, δ)-DP otherwise. It assumes that the oracle returns true minimizers, with
// ties broken in any way (docs/explanation/proofs/opdisc.md). The privacy proof shifts the noise by t·ψ(q), whose norm
// is t√R. Let h be the gap of the embedding and C the largest loss of a row. Then t = ⌈(2gC+1)/h⌉ under replace-one,
// and t = ⌈(gC+1)/h⌉ under add-remove.
//
// The printed theorem is wrong in two ways: on the paper's sphere, its shift is half of the required shift, and its σ
// is too small in high dimensions.
type OPDisc[X, H any] struct {
	oracle    oracle.Minimizer[X, H]
	embedding class.Embedding[H]
	objective learn.Objective[X, H]
	grid      int64
	guarantee privacy.Guarantee
	epsilon   privacy.Decimal
	sigma2    *big.Int // σ², in units of 1/g²; nil for pure noise
	vector    vector
}

// NewOPDisc returns the mechanism for the class of the oracle o and the loss l. If δ is 0, the noise is noise.Ball;
// otherwise it is independent discrete Gaussian noise. If grid is 0, NewOPDisc uses DefaultGrid. It returns an error if
// neighbours under the relation r differ in all rows of a person.
func NewOPDisc[X, H any](o oracle.Minimizer[X, H], epsilon, delta privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*OPDisc[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := learn.OfRows(r, "OPDisc"); err != nil {
		return nil, err
	}
	m := &OPDisc[X, H]{oracle: o, embedding: class.EmbeddingOf(o.Class()), objective: learn.Objective[X, H]{Class: o.Class(), Relation: r, Loss: l}, epsilon: epsilon}
	if m.embedding == nil {
		return nil, fmt.Errorf("perturb: the class of %v is not supported: the noise is a cost for each coordinate of a vector, so the class must assign vectors to its hypotheses (class.Embedded or class.Separated)", o.Class())
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

// approximate returns the guarantee of (ε, δ)-DP under the neighbour relation r with the given assumptions. It
// returns an error if ε is not positive.
func approximate(r privacy.Relation, epsilon, delta privacy.Decimal, assumes []privacy.Assumption) (privacy.Guarantee, error) {
	if epsilon.IsZero() {
		return nil, fmt.Errorf("%w: ε must be positive", privacy.ErrParameter)
	}
	return privacy.NewApproximate(r, epsilon, delta, assumes...)
}

// Guarantee returns the privacy guarantee, with its assumptions about the oracle.
func (m *OPDisc[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class from which OPDisc selects a hypothesis.
func (m *OPDisc[X, H]) Class() class.Class[X, H] { return m.objective.Class }

// Loss returns the loss, a public parameter.
func (m *OPDisc[X, H]) Loss() learn.Loss { return m.objective.Loss }

// Grid returns the grid g, a public parameter: costs are multiplied by g, so that integer noise is a multiple of 1/g
// units of cost.
func (m *OPDisc[X, H]) Grid() int64 { return m.grid }

// Sphere returns the parameters of the sphere into which the embedding maps the class. They are public.
func (m *OPDisc[X, H]) Sphere() class.Sphere { return m.embedding.Sphere() }

// Shift returns the factor t by which the privacy proof moves the noise, by t times an embedded point, in units of
// 1/g, where g is the grid. It is a public parameter.
func (m *OPDisc[X, H]) Shift() int64 {
	return Shift(m.objective.Relation, m.objective.Loss, m.grid, int(m.embedding.Sphere().Gap))
}

// Rate returns the rate of the pure noise, a public parameter. It is ε/⌈t√R⌉, where t√R is the distance by which the
// privacy proof moves the noise. For a class of one hypothesis, Rate returns ε.
func (m *OPDisc[X, H]) Rate() *big.Rat {
	c := shiftSquare(m.embedding.Sphere(), m.Shift())
	if c.Sign() > 0 {
		c.Sub(c, big.NewInt(1)).Sqrt(c)
	}
	c.Add(c, big.NewInt(1)) // ⌈√c⌉ for c ≥ 1
	rate := new(big.Rat).SetInt(c)
	return rate.Quo(m.epsilon.Rat(), rate)
}

// Sigma2 returns the parameter σ² of the Gaussian noise in units of 1/g², where g is the grid. It is a public
// parameter. For pure noise it returns nil.
func (m *OPDisc[X, H]) Sigma2() *big.Int {
	if m.sigma2 == nil {
		return nil
	}
	return new(big.Int).Set(m.sigma2)
}

// Release returns a minimizer of the noisy costs. Its errors are those of RSPM.Release.
func (m *OPDisc[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	p, err := m.objective.Problem(d, m.grid)
	if err != nil {
		var none H
		return none, err
	}
	return minimizePerturbed(ctx, m.oracle, p, m.embedding.Linear(m.vector.Sample(coins)))
}
