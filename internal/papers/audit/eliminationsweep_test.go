package audit_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// On tables of every shape, elimination accepts exactly the categories whose noisy count of rows with
// label 1 exceeds the public threshold. The privacy loss of the noisy counts is at most the budget, ε or ρ,
// and attains it.
func TestEliminationSweep(t *testing.T) {
	rho, epsilon, shapes := big.NewRat(1, 20), privacytest.Decimal(t, "0.9"), audittest.TwoLabels(audit.Shapes(9))
	for _, r := range audittest.Relations[:2] { // it is for rows
		release := func(g privacy.Guarantee) func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error) {
			return func(s audit.Shape, d *table.Table, c noise.Coins) (audit.Release, error) {
				m, err := statquery.NewElimination(s.Sizes, g)
				if err != nil {
					return audit.Release{}, err
				}
				var positive []int64
				for i, n := range audittest.CountsOf(d) {
					if i%2 == 1 {
						positive = append(positive, n)
					}
				}
				var accepted statquery.Accepted
				out, err := audittest.OfCounts(positive, c, func(c noise.Coins) (any, error) {
					accepted, err = m.Release(context.Background(), learn.Examples(d), c)
					return accepted, err
				})
				at := 0
				for j, of := range accepted {
					for category, is := range of {
						if noisy := out.Numbers[at]; is != (noisy.Cmp(big.NewInt(int64(m.Threshold()))) > 0) {
							t.Errorf("%s: category %d of column %d, of which %v rows are counted: %v", s.Name, category, j+1, noisy, is)
						}
						at++
					}
				}
				return out, err
			}
		}
		audittest.CoupleBudgets(t, shapes, r, epsilon, rho, release)
	}
}
