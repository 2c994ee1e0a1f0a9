package perturb_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Mechanisms with a proof only for rows reject relations whose neighbours differ in a person.
func TestPersonsRefusedByGaussianNoise(t *testing.T) {
	cards, err := scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	o, one, tiny := oracle.Search(cards), privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.000001")
	for _, kind := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, r := range []privacy.Relation{kind.OfPersons(1), kind.OfPersons(3)} {
			_, opdisc := perturb.NewOPDisc(o, one, tiny, r, learn.ZeroOne, 0)
			_, gaussian := perturb.NewGaussianRSPM(o, one, tiny, r, learn.ZeroOne, 0)
			for name, err := range map[string]error{"opdisc": opdisc, "gaussian": gaussian} {
				if err == nil || !strings.Contains(err.Error(), "row") {
					t.Errorf("%v: %s: %v", r, name, err)
				}
			}
		}
	}
}

// The shift for persons exceeds the change of costs by one person, and no smaller shift does.
func TestPersonsShift(t *testing.T) {
	l := learn.Loss{FalsePositive: 3, FalseNegative: 5}
	for most := 1; most <= privacy.MostOfPerson; most++ {
		for distance := 1; distance <= 4; distance++ {
			for r, moved := range map[privacy.Relation]int64{privacy.AddRemove: 7 * 5, privacy.ReplaceOne: 2 * 7 * 5} {
				moved *= table.Weight(most)
				shift := perturb.Shift(r.OfPersons(most), l, 7, distance)
				if h := int64(distance); h*shift <= moved || h*(shift-1) > moved {
					t.Errorf("%v, at most %d rows per person, distance %d: wrong shift %d", r, most, distance, shift)
				}
			}
		}
	}
}

// The limit on the grid is divided by learn.Units of the relation, so that costs fit 62 bits.
func TestPersonsGrid(t *testing.T) {
	cards, err := scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := privacy.ReplaceOne.OfPersons(3)
	if _, err := perturb.NewRSPM(oracle.Search(cards), perturb.Laplace, privacytest.Decimal(t, "1"), r, learn.ZeroOne, learn.MostGrid/6); err != nil {
		t.Error(err)
	}
	if _, err := perturb.NewRSPM(oracle.Search(cards), perturb.Laplace, privacytest.Decimal(t, "1"), r, learn.ZeroOne, learn.MostGrid/6+1); err == nil {
		t.Error("a grid that is too fine for persons was accepted")
	}
	m, err := perturb.NewRSPM(oracle.Search(cards), perturb.Laplace, privacytest.Decimal(t, "1000000"), r, learn.ZeroOne, 0)
	if err != nil || m.Grid() > learn.MostGrid/6 {
		t.Errorf("%v", err)
	}
}
