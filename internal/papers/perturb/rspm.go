package perturb

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// RSPM is Report Separator-Perturbed Min (Neel, Roth and Wu 2018, Theorem 6). It samples an integer noise term k_i for
// each bit i of the separator. It releases a hypothesis q that minimizes g·c(q) plus the sum of k_i over the bits i
// that are 1 for q, where c(q) is the cost of q and g is the grid.
//
// Guarantee: pure ε-DP if the oracle returns true minimizers, with ties broken in any way
// (docs/explanation/proofs/rspm.md). The scale of the noise is that of the corrected theorem; the printed Lap(m/ε)
// gives only 2ε-DP under replace-one. The privacy proof shifts noise terms by an integer t, which is ⌈(2gC+1)/h⌉ under
// replace-one and ⌈(gC+1)/h⌉ under add-remove. Here C is the largest loss of a row, and h is the distance of the class
// (class.Coded), or 1 if the class has no code.
type RSPM[X, H any] struct {
	oracle    oracle.Minimizer[X, H]
	objective learn.Objective[X, H]
	grid      int64
	vector    vector
	kind      Noise
	guarantee privacy.Pure
}

// A Noise is a distribution of the noise vector k, which has one integer for each separator bit.
type Noise uint8

const (
	// Laplace noise has a probability ∝ e^{-ε‖k‖₁/(mt)}. Its coordinates are independent.
	Laplace Noise = iota
	// Cube noise has a probability ∝ e^{-ε‖k‖∞/t}. Its standard deviation is about 0.4 times that
	// of Laplace noise.
	Cube
)

// String returns the name of the distribution, as it is written in commands and model files.
func (n Noise) String() string {
	if n == Cube {
		return "cube"
	}
	return "laplace"
}

// ParseNoise returns the distribution with the given name, the inverse of String.
func ParseNoise(name string) (Noise, error) {
	for _, n := range []Noise{Laplace, Cube} {
		if name == n.String() {
			return n, nil
		}
	}
	return 0, fmt.Errorf("perturb: the noise %.40q is unknown; it must be laplace or cube", name)
}

// A vector is a probability distribution of integer vectors, such as the noise for the separator bits.
type vector interface {
	Sample(c noise.Coins) []*big.Int
}

// iid is the distribution of a vector of m independent samples from s.
type iid struct {
	m int
	s noise.Sampler
}

func (v iid) Sample(c noise.Coins) []*big.Int {
	k := make([]*big.Int, v.m)
	for i := range k {
		k[i] = c.Draw(v.s)
	}
	return k
}

// NewRSPM returns RSPM for the class of the oracle o and the loss l, with noise of the given kind. If
// grid is 0, it uses DefaultGrid. Otherwise grid must be 1..learn.MostGrid/learn.Units(r).
func NewRSPM[X, H any](o oracle.Minimizer[X, H], kind Noise, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*RSPM[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	g, err := privacy.NewPure(r, epsilon, assumptions(o)...)
	if err != nil {
		return nil, err
	}
	m, err := separatorBits(o.Class())
	if err != nil {
		return nil, err
	}
	most := learn.MostGrid / learn.Units(r)
	if grid == 0 {
		grid = min(DefaultGrid(m, class.Distance(o.Class()), epsilon), most)
	}
	if grid < 1 || grid > most {
		return nil, fmt.Errorf("perturb: grid %d must be 1..%d, or 0 for the default", grid, most)
	}
	return &RSPM[X, H]{
		oracle: o, objective: learn.Objective[X, H]{Class: o.Class(), Relation: r, Loss: l}, grid: grid, kind: kind, guarantee: g,
		vector: noiseVector(kind, m, NoiseRate(kind, m, Shift(r, l, grid, class.Distance(o.Class())), epsilon)),
	}, nil
}

// separatorBits returns the number m of bits that the class's separator assigns to a hypothesis. It returns an error
// if the class has no separator.
func separatorBits[X, H any](c class.Class[X, H]) (int, error) {
	m := class.SeparatorBits(c)
	if m < 0 {
		return 0, fmt.Errorf("perturb: the class of %v is not supported: the noise is a cost for each bit, so the class must assign bits to its hypotheses (class.Separated)", c)
	}
	return m, nil
}

// assumptions returns the assumptions that guarantee that every answer of the oracle o is a true minimizer.
func assumptions[X, H any](o oracle.Minimizer[X, H]) (assumes []privacy.Assumption) {
	if o.Kind() != oracle.Exhaustive {
		assumes = append(assumes, privacy.ExactOracle)
	}
	if oracle.FloatBound(o) {
		assumes = append(assumes, privacy.FloatBound)
	}
	return assumes
}

// DefaultGrid returns the grid distance·max(16, ⌈mε⌉), but at most learn.MostGrid, where m is the number of separator
// bits. With it, the rejection sampler of Cube noise accepts often, and rounding the shift t up to an integer
// increases the noise by only a few per cent.
func DefaultGrid(m, distance int, epsilon privacy.Decimal) int64 {
	e := epsilon.Rat()
	g := new(big.Int).Mul(e.Num(), big.NewInt(int64(m)))
	g.Add(g, e.Denom()).Sub(g, big.NewInt(1)).Quo(g, e.Denom())
	if g.Cmp(big.NewInt(16)) < 0 {
		g.SetInt64(16)
	}
	if g.Mul(g, big.NewInt(int64(distance))); !g.IsInt64() {
		return learn.MostGrid
	}
	return min(g.Int64(), learn.MostGrid)
}

// Shift returns the shift t of the noise in the privacy proof, in grid steps. The parameter grid is the number of steps
// per unit of cost (learn.Units).
//
// The proof moves the noise on each separator bit by t in favour of a hypothesis q. Every other hypothesis differs from
// q in at least h bits, where h is the parameter distance. So its noisy cost increases, relative to that of q, by at
// least one step more than a change of one record can compensate. Hence q is the only minimizer on the neighbouring
// table, and ties may be broken in any way.
func Shift(r privacy.Relation, l learn.Loss, grid int64, distance int) int64 {
	most := grid * learn.Units(r) * l.Range()
	need := most + 1
	if r.Replaces() {
		need += most
	}
	h := int64(distance)
	return (need + h - 1) / h
}

// NoiseRate returns the rate a of the noise on m separator bits: the probability of a noise vector is proportional to
// e^{-a·s}. For Cube noise, s is the maximum norm of the vector, and a = ε/t, where t is the shift. For Laplace
// noise, s is the sum of absolute values, and a = ε/(mt).
func NoiseRate(kind Noise, m int, t int64, epsilon privacy.Decimal) *big.Rat {
	over := new(big.Rat).SetInt64(t)
	if kind == Laplace {
		over.Mul(over, new(big.Rat).SetInt64(int64(max(m, 1))))
	}
	return over.Quo(epsilon.Rat(), over)
}

// noiseVector returns the distribution of a noise vector of the given kind for m separator bits, with the given
// NoiseRate. If m is 0, as for a class of one hypothesis, the vector is empty.
func noiseVector(kind Noise, m int, rate *big.Rat) vector {
	if kind == Cube && m > 0 {
		return noise.Cube{Dim: m, A: rate}
	}
	return iid{m, noise.Laplace{Scale: new(big.Rat).Inv(rate)}}
}

// Guarantee returns the privacy guarantee, with its assumptions about the oracle.
func (m *RSPM[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class from which RSPM selects a hypothesis.
func (m *RSPM[X, H]) Class() class.Class[X, H] { return m.objective.Class }

// Loss returns the loss, a public parameter.
func (m *RSPM[X, H]) Loss() learn.Loss { return m.objective.Loss }

// Rate returns the rate of the mechanism's noise, a public parameter (see NoiseRate).
func (m *RSPM[X, H]) Rate() *big.Rat {
	return NoiseRate(m.kind, class.SeparatorBits(m.Class()), m.Shift(), m.guarantee.Epsilon())
}

// Shift returns the distance t by which the privacy proof moves the noise of a bit, in units of 1/g, where g is the
// grid. It is a public parameter.
func (m *RSPM[X, H]) Shift() int64 {
	return Shift(m.objective.Relation, m.objective.Loss, m.grid, class.Distance(m.objective.Class))
}

// Grid returns the grid g, a public parameter: costs are multiplied by g, so that integer noise is a multiple of 1/g
// units of cost.
func (m *RSPM[X, H]) Grid() int64 { return m.grid }

// Noise returns the distribution of the mechanism's noise, a public parameter.
func (m *RSPM[X, H]) Noise() Noise { return m.kind }

// Drift returns ε·rows, an upper bound on the change of the logarithm of the probability of any output if the given
// number of rows is added to the table.
func (m *RSPM[X, H]) Drift(rows int64) float64 {
	epsilon, _ := m.guarantee.Epsilon().Rat().Float64()
	return epsilon * float64(rows)
}

// Release returns a minimizer of the noisy costs. If the table has too many rows, it returns learn.ErrRows before it
// samples anything. If the context is cancelled or the oracle fails, it returns the error of the context or of the
// oracle.
func (m *RSPM[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	p, err := m.objective.Problem(d, m.grid)
	if err != nil {
		var none H
		return none, err
	}
	return minimizePerturbed(ctx, m.oracle, p, m.vector.Sample(coins))
}

// minimizePerturbed returns a hypothesis that minimizes the noisy cost: its cost on p plus the sum of k_i over those
// of its separator bits i that are 1. It calls the oracle o, or minimizeWide if noisy costs exceed 62 bits.
func minimizePerturbed[X, H any](ctx context.Context, o oracle.Minimizer[X, H], p class.Problem[X], k []*big.Int) (H, error) {
	terms, fits := int64s(k)
	if fits {
		p.Terms = terms
		s, err := o.Minimize(ctx, p, oracle.Budget{})
		if !errors.Is(err, class.ErrRange) {
			return s.Hypothesis, err
		}
	}
	return minimizeWide(ctx, o.Class(), p, k)
}

// int64s converts the numbers k to int64, and reports whether all of them fit.
func int64s(k []*big.Int) ([]int64, bool) {
	out := make([]int64, len(k))
	for i, v := range k {
		if !v.IsInt64() {
			return nil, false
		}
		out[i] = v.Int64()
	}
	return out, true
}
