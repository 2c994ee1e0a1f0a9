package learn

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// A law holds the parameters that all exponential mechanisms over classes have: the loss, the rate
// λ, and the guarantee that follows from them.
type law struct {
	loss      Loss
	guarantee privacy.BoundedRange
	lambda    *big.Rat
}

func newLaw(epsilon privacy.Decimal, r privacy.Relation, l Loss) (law, error) {
	if err := l.Validate(); err != nil {
		return law{}, err
	}
	g, err := privacy.NewBoundedRange(r, epsilon)
	return law{l, g, Rate(epsilon, r, l)}, err
}

// Rate returns the rate λ of the exponential mechanism for a guarantee of epsilon under the
// neighbour relation r. The rate is for costs whose unit is a loss of 1 for one row or, if
// neighbouring tables differ in a person, for one person.
func Rate(epsilon privacy.Decimal, r privacy.Relation, l Loss) *big.Rat {
	c := l.Range()
	if r.Replaces() {
		c *= 2
	}
	return new(big.Rat).Quo(epsilon.Rat(), new(big.Rat).SetInt64(c))
}

// Guarantee returns the privacy guarantee, which holds for every release.
func (w law) Guarantee() privacy.Guarantee { return w.guarantee }

// Loss returns the costs of misclassifications, a public parameter of the mechanism.
func (w law) Loss() Loss { return w.loss }

// Rate returns the rate λ of the exponential mechanism. It is a public parameter.
func (w law) Rate() *big.Rat { return new(big.Rat).Set(w.lambda) }

// perUnit returns the rate λ for costs that are weighted by Example.Count: w.lambda divided by
// Units.
func (w law) perUnit() *big.Rat { return perUnit(w.lambda, w.guarantee.Relation()) }

// sample samples a hypothesis from the search tree t by the exponential mechanism with the rate
// lambda. If observe is not nil, it is called with the work of the search.
func sample[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, observe func(search.Effort), coins noise.Coins) (H, error) {
	h, effort, err := search.SampleEffort(ctx, t, lambda, coins)
	if observe != nil {
		observe(effort)
	}
	return h, err
}

// drawn returns the bounds on the excess of a hypothesis that the exponential mechanism samples
// with the rate λ = lambda. Let p be the minimum prior of a hypothesis. The mean excess is at most
// ln(1/p)/λ. The excess is t or more with probability at most e^{-λt}/p
// (docs/explanation/proofs/dectree.md).
//
// The parameter log is ln(1/p), or an upper bound on it. The parameter top is the maximum
// difference of two costs, which also bounds the excess.
func drawn(log, lambda, top float64) Excess {
	return Excess{min(log/lambda, top), min((log-math.Log(1-Confidence))/lambda, top)}
}
