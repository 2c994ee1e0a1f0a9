package privacy

import (
	"fmt"
	"math/big"
	"slices"
)

// A Part is a guarantee that occurs in a composition, with the number of times that it occurs.
type Part struct {
	Guarantee Guarantee // a Pure, BoundedRange, ZCDP, GDP or Approximate, without assumptions
	Times     int64
}

// Parts returns the parts of the composition g, in a fixed order. The composition of all these parts has the same
// privacy curve as g, and a [Filter] charges the same amount for it.
//
// A composition records only sums over its parts of type GDP or Approximate. So all GDP parts that Parts returns have
// the mean ρ and the mean μ². The approximate parts lose their δ, and one further part has the guarantee (0, Σδ). If
// Compose does not accept g, Parts returns ErrCompose.
func Parts(g Guarantee) ([]Part, error) {
	if g == nil {
		return nil, fmt.Errorf("%w: the guarantee is nil", ErrCompose)
	}
	total := newAccount()
	if err := total.add(g); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCompose, err)
	}
	bare, err := newTerms(g.Relation(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCompose, err)
	}
	if a, ok := g.(Approximate); ok {
		return []Part{{Approximate{bare, a.epsilon, a.delta}, 1}}, nil
	}
	var losses []loss
	for l := range total.counts {
		if !l.epsilon.IsZero() {
			losses = append(losses, l)
		}
	}
	slices.SortFunc(losses, func(l, m loss) int {
		if l.ranged != m.ranged {
			return map[bool]int{false: -1, true: 1}[l.ranged]
		}
		return l.epsilon.Cmp(m.epsilon)
	})
	var parts []Part
	for _, l := range losses {
		var one Guarantee = Pure{bare, l.epsilon}
		if l.ranged {
			one = BoundedRange{bare, l.epsilon}
		}
		parts = append(parts, Part{one, total.counts[l]})
	}
	if total.rho.Sign() > 0 {
		parts = append(parts, Part{ZCDP{bare, new(big.Rat).Set(total.rho)}, 1})
	}
	if n := total.gaussians; n > 0 {
		mean := func(sum *big.Rat) *big.Rat { return new(big.Rat).Mul(sum, big.NewRat(1, n)) }
		parts = append(parts, Part{GDP{ZCDP{bare, mean(total.gaussianRho)}, mean(total.square)}, n})
	}
	if total.fail.Sign() > 0 {
		delta, err := exactly(total.fail)
		if err != nil || delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
			return nil, fmt.Errorf("%w: the sum of the δ of its approximate parts must be less than 1", ErrCompose)
		}
		parts = append(parts, Part{Approximate{bare, Decimal{}, delta}, 1})
	}
	return parts, nil
}
