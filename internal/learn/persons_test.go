package learn_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
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
				if err == nil || !strings.Contains(err.Error(), "row") && !strings.Contains(err.Error(), "relation of the sampling is") {
					t.Errorf("%v: %s: %v", r, name, err)
				}
			}
		}
	}
}

// unitCoins are coins with pseudorandom noise, which depends only on the position, multiplied by the weight of a person.
type unitCoins struct {
	noise.Coins
	random *rand.Rand
	units  int64
}

func (c unitCoins) Draw(noise.Sampler) *big.Int {
	return big.NewInt(c.units * (c.random.Int64N(41) - 20))
}

// If each person has one row, and noise is multiplied by the weight of a person, the results are those for rows. So
// estimates from noisy sums do not depend on the unit in which persons are counted.
func TestPersonsLearnAsRows(t *testing.T) {
	sizes, ordered := []int{2, 70, 5}, []bool{false, true, true}
	var rows examples
	for i := range uint16(300) {
		x := record{i % 2, i * i % 70, i / 7 % 5}
		rows = append(rows, learn.Example[record]{X: x, Label: x[0] == 1 != (x[1] > 40), Count: 1 + int64(i%4)})
	}
	of := func(t *testing.T, r privacy.Relation, name string) any {
		shares := learn.NewtonShares{
			Counts: privacytest.Decimal(t, "1"), Start: privacytest.Decimal(t, "0.5"), Gradient: privacytest.Decimal(t, "2"),
			Hessian: privacytest.Decimal(t, "4"), Residuals: privacytest.Decimal(t, "0.5"), Final: privacytest.Decimal(t, "0.25"),
		}
		budget := privacytest.Pure(t, "9", r)
		if name == "newton, Gaussian" {
			budget = learntest.Must(privacy.NewZCDP(r, big.NewRat(9, 1)))
		}
		d := slices.Clone(rows)
		for i := range d {
			d[i].Count *= learn.Units(r)
		}
		b := table.NewBuilder(sizes)
		for _, e := range d {
			if err := b.Add(e.X, e.Label, e.Count); err != nil {
				t.Fatal(err)
			}
		}
		coins := unitCoins{noise.Insecure(3), rand.New(rand.NewPCG(1, 2)), learn.Units(r)}
		var h any
		var err error
		switch name {
		case "naive Bayes":
			h, err = learntest.Must(learn.NewNaiveBayes(sizes, budget, 100)).Release(t.Context(), b.Table(), coins)
		case "weighted":
			m := learntest.Must(learn.NewWeightedNaiveBayes(sizes, ordered, privacytest.Decimal(t, "3"), privacytest.Decimal(t, "1"), r, 4, 9))
			h, err = m.Release(t.Context(), learn.Listed[record](d), coins)
		default:
			h, err = learntest.Must(learn.NewNewton(sizes, ordered, budget, shares, 100)).Release(t.Context(), b.Table(), coins)
		}
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, name := range []string{"naive Bayes", "weighted", "newton", "newton, Gaussian"} {
		for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
			if got, want := of(t, r.OfPersons(3), name), of(t, r, name); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v: %v for persons, %v for rows", name, r, got, want)
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
				shares := learn.NewtonShares{Counts: privacytest.Decimal(t, "0.00005"), Start: privacytest.Decimal(t, "0.01")}
				return learntest.Must(learn.NewNaiveBayes([]int{2, 3}, p, 1)).CountWidth(), learntest.Must(learn.NewNewton([]int{2, 3}, []bool{false, false}, z, shares, 10)).CountWidth()
			}
			ofRows, alsoRows := width(kind)
			pure, concentrated := width(kind.OfPersons(most))
			if math.Abs(pure/ofRows-1) > 0.01 || math.Abs(concentrated/alsoRows-1) > 0.01 {
				t.Errorf("%v: within %v and %v persons, of rows %v and %v", kind.OfPersons(most), pure, concentrated, ofRows, alsoRows)
			}
		}
	}
}
