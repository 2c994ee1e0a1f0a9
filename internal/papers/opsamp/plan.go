package opsamp

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Plan returns the parameters o with the best rate η for a table with the given number of rows: the rate for which
// Mechanism.Excess returns the least bound on the mean excess loss, which is the total loss of the released weights
// minus the least total loss over the box. Plan tries the powers of 2 from 2^-36 to 1. The result does not depend on
// the data.
func Plan(f *convex.Features, o Perturbation, rows int64, epsilon, delta privacy.Decimal, r privacy.Relation) (Perturbation, error) {
	least, best := math.Inf(1), o
	for k := range uint(37) {
		var err error
		if o.Rate, err = privacy.RoundUp(big.NewRat(1, 1<<k), 6); err != nil {
			return best, err
		}
		m, err := New(f, o, epsilon, delta, r)
		if err != nil {
			return best, err
		}
		if mean := m.Excess(rows).Mean; mean < least {
			least, best = mean, o
		}
	}
	return best, nil
}
