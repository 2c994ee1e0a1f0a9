package risk_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// For any noise, stated numbers of rows are not negative and at most the number of rows if that is
// public, for two classes and more.
func TestRowsArePossible(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	cut := 0
	check := func(what string, n, rows *big.Int, sum int64) {
		if n.Sign() < 0 || rows != nil && n.Cmp(rows) > 0 {
			t.Errorf("%s: %v rows, of %v", what, n, rows)
		}
		if n.Cmp(big.NewInt(sum)) != 0 {
			cut++
		}
	}
	for i := range 300 {
		relation := []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne}[i%2]
		var rows *big.Int
		if relation.Replaces() {
			rows = big.NewInt(random.Int64N(60))
		}
		for outcomes := 2; outcomes <= 3; outcomes++ {
			const leaves = 4
			cells := make([]int64, outcomes*leaves+1)
			for j := range cells {
				cells[j] = int64(20 * random.NormFloat64())
			}
			scale := leavesOf(t, outcomes, 0, 1, 0, outcomes-1)
			c, err := risk.Noisy(scale, bigs(cells...), privacytest.Decimal(t, "0.1"), relation)
			if err != nil {
				t.Fatal(err)
			}
			c.Rows, c.Adjusted = rows, i%4 < 2
			of := func(leaf int) (sum int64) {
				for o := range outcomes {
					sum += c.Cells[o][leaf].Int64()
				}
				return sum
			}
			if outcomes > 2 {
				for leaf, r := range c.Assess(risk.Rows, nil).Risks {
					check("a leaf of three outcomes", r.Rows, rows, of(leaf))
				}
				continue
			}
			a := c.Assess(risk.Rows, nil)
			for leaf, r := range a.Calibration(a) {
				if leaf < leaves {
					check("a leaf", a.Risks[leaf].Rows, rows, of(leaf))
				}
				check("of a calibration", r.Rows, rows, r.Rows.Int64())
			}
		}
	}
	if cut == 0 {
		t.Error("all noisy numbers were possible")
	}
}

// If there are no rows, no share is stated, also for a model with a constant prediction, whose
// sensitivity is known as soon as there is a row.
func TestSharesOfNoRows(t *testing.T) {
	for _, predicted := range [][]int{{0, 0}, {1, 1}, {0, 1}} {
		scale := leavesOf(t, 2, predicted...)
		c, err := risk.Exact(scale, []int64{0, 0, 0, 0, 200})
		if err != nil {
			t.Fatal(err)
		}
		a := c.Assess(risk.Rows, nil)
		for name, s := range map[string]risk.Share{"accuracy": a.Accuracy, "sensitivity": a.Sensitivity[1], "specificity": a.Sensitivity[0], "prevalence": a.Prevalence, "area": *a.AUC} {
			if s.Value != nil || s.Least != 0 || s.Most != 1 {
				t.Errorf("leaves that predict %v: %s %v, %v to %v", predicted, name, *s.Value, s.Least, s.Most)
			}
		}
	}
	c, err := risk.Exact(leavesOf(t, 3, 1, 1), []int64{0, 0, 0, 5, 0, 0, 200})
	if err != nil {
		t.Fatal(err)
	}
	for o, s := range c.Assess(risk.Rows, nil).Sensitivity {
		if (s.Value != nil) != (c.Cells[o][0].Sign()+c.Cells[o][1].Sign() > 0) {
			t.Errorf("the sensitivity of outcome %d is %+v", o, s)
		}
	}
}
