package loss_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/loss"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	labelled   = loss.Labelled[[]uint16]
	card       = scorecard.Card
	enumerable = class.Enumerable[labelled, card]
	testCase   = classtest.Case[labelled, card]
)

func lossesOf(c scorecardtest.Case) testCase {
	out := testCase{Class: loss.New(c.Class).(enumerable)}
	for _, x := range c.Domain {
		out.Domain = append(out.Domain, labelled{x, false}, labelled{x, true})
	}
	return out
}

func TestWeird(t *testing.T) {
	for name, c := range scorecardtest.Fixed() {
		t.Run(name, func(t *testing.T) {
			l := lossesOf(c)
			if name == "signs" || name == "penalty" { // the trees are those of scorecards
				classtest.Weird(t, l)
			}
			for h := range c.Class.All() {
				for _, x := range l.Domain {
					if l.Class.Predict(h, x) != (c.Class.Predict(h, x.X) != x.Label) {
						t.Fatalf("the loss query of %v has the wrong value on %v", h, x)
					}
				}
			}
		})
	}
}

func TestRandom(t *testing.T) {
	for seed := range heavy.Pick(10, 100) {
		draw := classtest.FromSeed(seed)
		c := lossesOf(scorecardtest.Random(draw, 300))
		classtest.Tree(t, c, c.Random(draw), draw)
		if seed < heavy.Pick(2, 20) {
			searchtest.Certificates(t, c, c.Random(draw))
		}
	}
}

func TestOracles(t *testing.T) {
	oracletest.Own(t, classtest.Suite[labelled, card]{Fixed: map[string]testCase{"signs": lossesOf(scorecardtest.Fixed()["signs"])}})
}

// Let U be a separator set of a class. The records of U, each with label 0, are a separator set of the class of
// loss queries (Neel, Roth and Wu, 2018, Claim 1).
func TestNeelRothWuClaim1(t *testing.T) {
	for name, c := range scorecardtest.Fixed() {
		l := lossesOf(c)
		for h := range c.Class.All() {
			for _, u := range c.Domain {
				if l.Class.Predict(h, labelled{u, false}) != c.Class.Predict(h, u) {
					t.Fatalf("%s: the loss of %v on %v with label 0 is not its prediction", name, h, u)
				}
			}
		}
	}
}

// rosy is a wrong class that treats every prediction of 1 as a misclassification.
type rosy struct{ enumerable }

func (r rosy) Predict(h card, x labelled) bool { return r.enumerable.Predict(h, labelled{x.X, false}) }

func TestSuiteRefusesLossesWithoutLabels(t *testing.T) {
	c := lossesOf(scorecardtest.Fixed()["signs"])
	c.Class = rosy{c.Class}
	p := class.Problem[labelled]{Points: []class.Point[labelled]{{X: c.Domain[1], Cost: [2]int64{0, 3}}}}
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Tree(r, c, p, classtest.FromSeed(1)) }))
}
