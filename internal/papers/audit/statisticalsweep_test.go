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

// On tables of every shape, and for statistics that count a row in several cells, the privacy loss of an answer is
// at most its price in ε or ρ, and attains it.
func TestStatisticalSweep(t *testing.T) {
	price, shapes := big.NewRat(3, 5), audittest.TwoLabels(audit.Shapes(3)) // examples have two labels
	for _, r := range audittest.Relations {
		ask := func(budget privacy.Guarantee) func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error) {
			return func(s audit.Shape, d *table.Table, c noise.Coins) (audit.Release, error) {
				m, err := statquery.NewStatistical(budget, learn.Examples(d), c)
				if err != nil {
					return audit.Release{}, err
				}
				cells := 0
				for _, n := range s.Sizes {
					cells += n
				}
				return audittest.Numbers(m.Ask(context.Background(), statquery.Statistic[table.Record]{Cells: 2 * cells, Most: len(s.Sizes), In: func(x table.Record, label bool) (in []int) {
					from := 0
					for j, v := range x {
						at := 2 * (from + int(v))
						if label {
							at++
						}
						in, from = append(in, at), from+s.Sizes[j]
					}
					return in
				}}, price))
			}
		}
		audittest.CoupleBudgets(t, shapes, r, privacytest.Decimal(t, "0.6"), price, ask)
	}
}
