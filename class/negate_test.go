package class_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	enumerable = class.Enumerable[record, scorecard.Card]
)

func negated(c scorecardtest.Case) scorecardtest.Case {
	c.Class = class.Negate(c.Class).(enumerable)
	return c
}

func TestNegateWeird(t *testing.T) {
	for name, c := range scorecardtest.Fixed() {
		t.Run(name, func(t *testing.T) {
			n := negated(c)
			if name == "signs" || name == "penalty" { // the tree of a negated class is that of its class, and two cases suffice
				classtest.Weird(t, n)
			}
			for h := range c.Class.All() {
				for _, x := range c.Domain {
					if n.Class.Predict(h, x) == c.Class.Predict(h, x) {
						t.Fatalf("%v and its negation agree on %v", h, x)
					}
				}
			}
		})
	}
}

func TestNegateRandom(t *testing.T) {
	for seed := range heavy.Pick(10, 100) {
		draw := classtest.FromSeed(seed)
		c := negated(scorecardtest.Random(draw, 300))
		classtest.Tree(t, c, c.Random(draw), draw)
		classtest.Partial(t, c)
		if seed < heavy.Pick(2, 20) {
			searchtest.Certificates(t, c, c.Random(draw))
		}
	}
}

// half is an incomplete negation: it neither exchanges the costs of the predictions nor negates the
// predictions for partially known records.
type half struct{ enumerable }

func (h half) Predict(q scorecard.Card, x record) bool { return !h.enumerable.Predict(q, x) }

func (h half) PredictPartial(q scorecard.Card, x []uint16, known []bool) (bool, bool) {
	return class.PredictPartial(h.enumerable, q, x, known)
}

func TestSuitesRefuseHalfANegation(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	c.Class = half{c.Class}
	p := problem{Points: []class.Point[record]{{X: c.Domain[0], Cost: [2]int64{0, 3}}}}
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Tree(r, c, p, classtest.FromSeed(1)) }))
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Partial(r, c) }))
}
