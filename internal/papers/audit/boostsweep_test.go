package audit_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The test covers tables of up to 7 rows, with null rows, parts of one or several rows, and remaining rows.
// The output distribution of boosting equals the mean, over all partitions of the rows into parts, of the
// distribution that training on the parts and selecting a candidate has. The privacy loss between neighbours
// is at most the larger of the ε of training and the ε of selection, and nearly attains it.
func TestBoostSweep(t *testing.T) {
	constants := audittest.NewCorner(t, []int{1}, 0, nil)
	w := audittest.NewSweep(0)
	for _, c := range []struct {
		plan         boosting.BoostPlan
		base, choice string
		relation     privacy.Relation
	}{
		{boosting.BoostPlan{Rows: 2, Parts: 1}, "2", "1", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 4, Parts: 2, Validation: 1}, "1", "2", privacy.ReplaceOne}, // one row is left over
		{boosting.BoostPlan{Rows: 5, Parts: 2, Validation: 3}, "2", "3", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 5, Parts: 1, Validation: 3}, "1.5", "1.5", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 4, Parts: 3}, "2", "2", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 3, Parts: 2, Validation: 1}, "1", "3", privacy.AddRemove},
		{boosting.BoostPlan{Rows: 7, Parts: 2, Validation: 4}, "2", "1", privacy.AddRemove}, // and tables of fewer rows
	} {
		exponential, err := learn.NewExponential(constants, privacytest.Decimal(t, "1"), c.relation, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		m, err := boosting.NewBoost[[]uint16, scorecard.Card](lean{exponential, audittest.NewStep(t, c.base, c.relation, 3)}, c.plan, privacytest.Decimal(t, c.choice))
		if err != nil {
			t.Fatal(err)
		}
		base := audittest.Epsilon(t, audittest.NewStep(t, c.base, c.relation, 9).Guarantee())
		rate := audittest.Rate(audittest.Epsilon(t, audittest.NewStep(t, c.choice, c.relation, 9).Guarantee()), c.relation, 1)
		train := (c.plan.Rows - c.plan.Validation) / int64(c.plan.Parts)
		var places []int64
		for range c.plan.Parts {
			places = append(places, train)
		}
		places = append(places, c.plan.Rows-train*int64(c.plan.Parts))
		w.Follows(t, fmt.Sprintf("%+v", c), c.relation, audittest.Epsilon(t, m.Guarantee()), audittest.DividedTables(min(c.plan.Rows, 5), c.relation), func(d audittest.Examples, coins noise.Coins) (int, error) {
			card, err := m.Release(context.Background(), d, coins)
			return audittest.Bit(constants.Predict(card, []uint16{0})), err
		}, func(d audittest.Divided) (p float64) {
			d.Divisions(places, c.relation.Replaces(), func(parts []audittest.Divided, probability float64) {
				last := len(parts) - 1
				weight := [2]float64{math.Exp(-rate * float64(parts[last].Ones)), math.Exp(-rate * float64(parts[last].Zeros))} // of what predicts 0, and 1
				for candidates := range 1 << last {
					own, sum := probability, [2]float64{}
					for i := range last {
						one := math.Exp(base*float64(min(parts[i].Ones, 3))) / 1000
						x := candidates >> i & 1
						own *= map[int]float64{0: 1 - one, 1: one}[x]
						sum[x] += weight[x]
					}
					p += own * sum[1] / (sum[0] + sum[1])
				}
			})
			return p
		})
	}
	w.Report(t, 0.9)
}
