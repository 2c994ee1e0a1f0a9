package learn

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A row's cost is exactly the squared error of the level's risk, shifted so that the least is 0 and
// scaled so that the greatest is one misclassification.
func TestGradedLoss(t *testing.T) {
	risks := []*big.Rat{big.NewRat(1, 10), big.NewRat(7, 20), big.NewRat(13, 20), big.NewRat(9, 10)}
	square := func(level int) *big.Rat { return new(big.Rat).Mul(risks[level], risks[level]) } // for label 0
	spread := new(big.Rat).Sub(square(GradedLevels-1), square(0))
	for level, cost := range Graded().costs[0] {
		want := new(big.Rat).Sub(square(level), square(0))
		want.Quo(want, spread).Mul(want, big.NewRat(gradedUnit, 1))
		if want.Cmp(big.NewRat(cost, 1)) != 0 {
			t.Errorf("level %d costs %d, want %v", level, cost, want)
		}
		if above := risks[level].Cmp(big.NewRat(1, 2)) > 0; above != (GradedOutcome(level) == 1) {
			t.Errorf("level %d has the outcome %d", level, GradedOutcome(level))
		}
		if opposite := new(big.Rat).Sub(big.NewRat(1, 1), risks[GradedLevels-1-level]); opposite.Cmp(risks[level]) != 0 {
			t.Errorf("level %d is not as sure as level %d", level, GradedLevels-1-level)
		}
	}
}

// The cost depends on the kind of error for two classes, and is 1 for each misclassification for
// more. A cost matrix is only accepted for its own number of classes.
func TestCostMatrix(t *testing.T) {
	loss := Loss{FalsePositive: 3, FalseNegative: 5}
	for outcomes := 2; outcomes <= 5; outcomes++ {
		for _, c := range []CostMatrix{loss.CostMatrix(outcomes), ByError(outcomes)} {
			byKind := c.loss == loss
			if byKind && outcomes > 2 || c.unit != 1 || len(c.costs) != outcomes {
				t.Fatalf("%d outcomes: %+v", outcomes, c)
			}
			for y, own := range c.costs {
				for predicted, cost := range own {
					want := int64(1)
					switch {
					case predicted == y:
						want = 0
					case byKind && y == 0:
						want = loss.FalsePositive
					case byKind:
						want = loss.FalseNegative
					}
					if cost != want {
						t.Errorf("of %d outcomes, predicting %d for %d costs %d, want %d", outcomes, predicted, y, cost, want)
					}
				}
				if len(own) != outcomes {
					t.Errorf("%d predictions of %d outcomes", len(own), outcomes)
				}
			}
			for predicts := range 7 {
				if err := c.predicts(predicts); (err == nil) != (predicts == outcomes) {
					t.Errorf("a cost matrix for %d outcomes, %d are predicted: %v", outcomes, predicts, err)
				}
			}
		}
	}
	if c := loss.CostMatrix(2); c.loss != loss {
		t.Errorf("two outcomes have the costs %+v", c)
	}
	if c := Graded(); c.loss != (Loss{gradedUnit, gradedUnit}) || c.unit != gradedUnit || gradedUnit != c.costs[0][GradedLevels-1] {
		t.Errorf("levels have the costs %+v", c)
	}
}

// With many rows, the level next to the observed risk is sampled. The rate is that for
// misclassifications.
func TestGradedLevels(t *testing.T) {
	c, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, GradedLevels)
	if err != nil {
		t.Fatal(err)
	}
	epsilon := privacytest.Decimal(t, "2")
	m, err := NewGibbs(class.Tractable[[]uint16, *dectree.Tree](c), epsilon, privacy.ReplaceOne, Graded())
	if err != nil {
		t.Fatal(err)
	}
	if m.Rate().Cmp(big.NewRat(1, 64)) != 0 {
		t.Fatalf("the rate is %v", m.Rate())
	}
	h, err := m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Label: true, Count: 20000}, {X: []uint16{1}, Count: 20000}}, noise.Crypto())
	if err != nil || h.Leaf() || c.Predict(h, []uint16{0}) != GradedLevels-1 || c.Predict(h, []uint16{1}) != 0 { // any other result has a probability below e^-1000
		t.Errorf("%v, %v", h, err)
	}
	h, err = m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Label: true, Count: 13000}, {X: []uint16{0}, Count: 7000}}, noise.Crypto())
	if err != nil || c.Predict(h, []uint16{0}) != 2 {
		t.Errorf("of a risk of 65 %%: %v, %v", h, err)
	}
	if _, err := m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Count: MostRows}, {X: []uint16{1}, Count: 1}}, noise.Crypto()); err != ErrRows {
		t.Error(err)
	}
	if _, err := NewGibbs(class.Tractable[[]uint16, *dectree.Tree](two(t)), epsilon, privacy.ReplaceOne, Graded()); err == nil {
		t.Error("of two outcomes")
	}
	errors, err := NewGibbs(class.Tractable[[]uint16, *dectree.Tree](two(t)), epsilon, privacy.ReplaceOne, ByError(2))
	if err != nil {
		t.Fatal(err)
	}
	if own, of := m.Excess(1000), errors.Excess(1000); own.Mean < of.Mean || own.Mean > 2*of.Mean {
		t.Errorf("an excess of %v, of errors %v", own, of)
	}
	if few := m.Excess(3); few.Mean != 3 || few.Most != 3 {
		t.Errorf("of three rows an excess of %v errors", few)
	}
}

func two(t *testing.T) *dectree.Class {
	t.Helper()
	c, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
