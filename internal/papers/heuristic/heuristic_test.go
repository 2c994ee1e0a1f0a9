package heuristic_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/heuristic"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	record    = []uint16
	minimizer = oracle.Minimizer[record, scorecard.Card]
)

func logistic(c class.Enumerable[record, scorecard.Card]) (minimizer, error) {
	return heuristic.Logistic(c.(*scorecard.Class)), nil
}

func incumbent(c class.Enumerable[record, any]) (oracle.Minimizer[record, any], error) {
	return heuristic.Incumbent(c), nil
}

func TestIncumbent(t *testing.T) {
	for of, c := range everytest.Fixed() {
		t.Run(of, func(t *testing.T) { oracletest.Run(t, c, incumbent) })
	}
}

func TestLogistic(t *testing.T) {
	for of, c := range scorecardtest.Fixed() {
		t.Run(of, func(t *testing.T) { oracletest.Run(t, c, logistic) })
	}
}

func TestLogisticRandom(t *testing.T) {
	best, all := 0, 0
	for seed := range heavy.Pick(200, 500) {
		draw := classtest.FromSeed(seed)
		c := scorecardtest.Random(draw, 500)
		p := c.Random(draw)
		oracletest.Problem(t, c, p, logistic, "random")
		o, _ := logistic(c.Class)
		found, err := o.Minimize(context.Background(), p, oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := o.Minimize(context.Background(), p, oracle.Budget{})
		if err != nil || !reflect.DeepEqual(found, again) {
			t.Fatalf("seed %d: the first call returned %v, the second %v (error %v)", seed, found, again, err)
		}
		sure, err := oracle.Search(c.Class).Minimize(context.Background(), p, oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if all++; found.Cost == sure.Cost {
			best++
		}
	}
	t.Logf("%d of %d are minimisers", best, all)
	if best == all || best < all/2 {
		t.Errorf("%d of %d results are minimizers; want at least half, but not all", best, all)
	}
}

// The guarantee of RSPM with a heuristic oracle assumes that the oracle's answers are minimizers.
func TestGuaranteeOnAHeuristic(t *testing.T) {
	c := scorecardtest.Fixed()["signs"].Class.(*scorecard.Class)
	epsilon := privacytest.Decimal(t, "1")
	for _, o := range []minimizer{heuristic.Logistic(c), heuristic.Incumbent(c)} {
		m, err := perturb.NewRSPM(o, perturb.Laplace, epsilon, privacy.ReplaceOne, learn.ZeroOne, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Guarantee().Assumes(); !reflect.DeepEqual(got, []privacy.Assumption{privacy.ExactOracle}) {
			t.Errorf("%T: wrong assumptions %v", o, got)
		}
	}
}
