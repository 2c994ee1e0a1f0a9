package learn

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A row costs the squared error of the risk that a level stands for, less the least of them,
// where the greatest is one error: exactly.
func TestGradedLoss(t *testing.T) {
	risks := []*big.Rat{big.NewRat(1, 10), big.NewRat(7, 20), big.NewRat(13, 20), big.NewRat(9, 10)}
	square := func(level int) *big.Rat { return new(big.Rat).Mul(risks[level], risks[level]) } // of label 0
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

// With many rows the level next to the risk is drawn, at the rate for errors.
func TestGradedLevels(t *testing.T) {
	c, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, GradedLevels)
	if err != nil {
		t.Fatal(err)
	}
	epsilon, err := privacy.ParseDecimal("2")
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewGibbs(class.Summed[[]uint16, *dectree.Tree](c), epsilon, privacy.ReplaceOne, Graded())
	if err != nil {
		t.Fatal(err)
	}
	if m.Rate().Cmp(big.NewRat(1, 64)) != 0 {
		t.Fatalf("the rate is %v", m.Rate())
	}
	h, err := m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Label: true, Count: 20000}, {X: []uint16{1}, Count: 20000}}, noise.Crypto())
	if err != nil || h.Leaf() || c.Predict(h, []uint16{0}) != GradedLevels-1 || c.Predict(h, []uint16{1}) != 0 { // all else has a chance below e^-1000
		t.Errorf("%v, %v", h, err)
	}
	h, err = m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Label: true, Count: 13000}, {X: []uint16{0}, Count: 7000}}, noise.Crypto())
	if err != nil || c.Predict(h, []uint16{0}) != 2 {
		t.Errorf("of a risk of 65 %%: %v, %v", h, err)
	}
	if _, err := m.Release(t.Context(), Listed[[]uint16]{{X: []uint16{0}, Count: MostRows}, {X: []uint16{1}, Count: 1}}, noise.Crypto()); err != ErrRows {
		t.Error(err)
	}
	if _, err := NewGibbs(class.Summed[[]uint16, *dectree.Tree](two(t)), epsilon, privacy.ReplaceOne, Graded()); err == nil {
		t.Error("of two outcomes")
	}
	errors, err := NewGibbs(class.Summed[[]uint16, *dectree.Tree](two(t)), epsilon, privacy.ReplaceOne, ByError(2))
	if err != nil {
		t.Fatal(err)
	}
	if own, of := m.Excess(1000), errors.Excess(1000); own.Mean < of.Mean || own.Mean > 2*of.Mean {
		t.Errorf("an excess of %v, of errors %v", own, of)
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
