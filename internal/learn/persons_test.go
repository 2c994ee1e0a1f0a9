package learn_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// learn.Units agrees with table.Weight, and the maximum number of rows of a person with that of
// relations.
func TestPersonsUnits(t *testing.T) {
	if privacy.MostOfPerson != table.MostOfPerson {
		t.Errorf("a relation has up to %d rows of a person, a table %d", privacy.MostOfPerson, table.MostOfPerson)
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		if learn.Units(r) != 1 {
			t.Errorf("a row weighs %d under %v", learn.Units(r), r)
		}
		for most := 1; most <= privacy.MostOfPerson; most++ {
			if got, want := learn.Units(r.OfPersons(most)), table.Weight(most); got != want {
				t.Errorf("a person weighs %d under %v, and %d in a table", got, r.OfPersons(most), want)
			}
		}
	}
}

// Mechanisms that sample or divide rows, or are proved for rows only, refuse relations of persons.
func TestPersonsRefused(t *testing.T) {
	cards, err := scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	one := privacytest.Decimal(t, "1")
	for _, kind := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, r := range []privacy.Relation{kind.OfPersons(1), kind.OfPersons(3)} {
			base, err := learn.NewExponential(cards, one, r, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			_, fixed := learn.NewSubsample(base, 10, 5)
			_, poisson := learn.NewPoissonSubsample(base, privacytest.Decimal(t, "0.5"))
			_, leader := learn.NewLeader(base, 10)
			_, box := learn.NewBox(learn.BoxSpace{Dim: 1, Weight: 1, Feature: 1, Loss: learn.ConvexLoss{2, 1, 0, 1, 2}}, one, r)
			for name, err := range map[string]error{"subsample": fixed, "poisson": poisson, "leader": leader, "box": box} {
				if err == nil || !strings.Contains(err.Error(), "row") && !strings.Contains(err.Error(), "sampling has the relation") {
					t.Errorf("%v: %s: %v", r, name, err)
				}
			}
		}
	}
}

// If persons are counted, the noise of a count, converted to persons, equals the noise in rows if rows
// are counted.
func TestPersonsNoise(t *testing.T) {
	for _, kind := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for most := 1; most <= privacy.MostOfPerson; most++ {
			width := func(r privacy.Relation) (pure, concentrated float64) {
				p, err := privacy.NewPure(r, privacytest.Decimal(t, "0.01"))
				if err != nil {
					t.Fatal(err)
				}
				z, err := privacy.NewZCDP(r, big.NewRat(1, 10_000))
				if err != nil {
					t.Fatal(err)
				}
				if pure, err = learn.AnswerWidth(p, 10, 4); err != nil {
					t.Fatal(err)
				}
				if concentrated, err = learn.AnswerWidth(z, 10, 4); err != nil {
					t.Fatal(err)
				}
				return pure, concentrated
			}
			units := float64(table.Weight(most))
			ofRows, alsoRows := width(kind)
			pure, concentrated := width(kind.OfPersons(most))
			if math.Abs(pure/units/ofRows-1) > 0.01 || math.Abs(concentrated/units/alsoRows-1) > 0.01 {
				t.Errorf("%v: within %v and %v persons, of rows %v and %v", kind.OfPersons(most), pure/units, concentrated/units, ofRows, alsoRows)
			}
		}
	}
}
