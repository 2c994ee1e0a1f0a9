package experiment

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// printedGrid is the number of noise steps per unit of cost in OPDiscPrinted: the noise is rounded to multiples of
// 1/printedGrid.
const printedGrid = 16

// OPDiscPrinted returns the method OPDisc with the σ that is printed in Theorem 2 of the paper. This σ is too small
// for (ε, δ)-DP (docs/explanation/proofs/opdisc.md, section 5).
//
// In the paper's notation, σ = 7√(ln 1/δ)·GD²/(τε). A hypothesis whose m separator bits are φ has the weights w =
// 2φ-1, which are signs, so their norm is D = √m and their separation is τ = 2. The loss is the number of
// misclassifications, so G = 1/2. The noise η changes the cost of a hypothesis by ⟨η, w⟩/D.
func OPDiscPrinted(name string) Method {
	return Method{Name: name, Promise: "NOT PRIVATE", Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		c, err := cardsOf(in, -1, 1)
		if err != nil {
			return nil, err
		}
		delta, err := in.delta()
		if err != nil {
			return nil, err
		}
		p, err := learn.Problem(learn.ZeroOne, in.Examples, printedGrid)
		if err != nil {
			return nil, err
		}
		m := float64(class.SeparatorBits(c))
		sigma := 7 * math.Sqrt(-math.Log(float(delta))) * m / 4 / float(epsilon) / math.Sqrt(m) * printedGrid
		law := noise.Gaussian{Sigma2: new(big.Rat).SetFloat64(math.Round(sigma * sigma))}
		o := oracle.Search(c)
		return func(ctx context.Context) (Predictor, error) {
			perturbed, coins := p, noise.Crypto()
			perturbed.Terms = make([]int64, class.SeparatorBits(c))
			for i := range perturbed.Terms {
				perturbed.Terms[i] = 2 * coins.Draw(law).Int64()
			}
			s, err := o.Minimize(ctx, perturbed, oracle.Budget{})
			return func(r []uint16) bool { return c.Predict(s.Hypothesis, r) }, err
		}, nil
	}}
}
