package scorecard_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

func TestPredictPartial(t *testing.T) {
	for name, c := range scorecardtest.Fixed() {
		if c.Class.Size().Int64() <= 1000 {
			t.Run(name, func(t *testing.T) { classtest.Partial(t, c) })
		}
	}
	for seed := range 60 {
		classtest.Partial(t, scorecardtest.Random(classtest.FromSeed(seed), 256))
	}
}

// hasty treats unknown attributes as if they had category 0.
type hasty struct{ *scorecard.Class }

func (c hasty) PredictPartial(h scorecard.Card, x []uint16, known []bool) (bool, bool) {
	total := 0
	for j, k := range known {
		if k {
			total += h.Points[j][x[j]]
		} else {
			total += h.Points[j][0]
		}
	}
	return total >= c.Options().Threshold, true
}

// mute predicts nothing even if all attributes are known.
type mute struct{ *scorecard.Class }

func (c mute) PredictPartial(scorecard.Card, []uint16, []bool) (bool, bool) { return false, false }

func TestPartialSuiteFails(t *testing.T) {
	good := scorecardtest.Fixed()["signs"]
	c := good.Class.(*scorecard.Class)
	for name, broken := range map[string]scorecardtest.Case{
		"hasty": {Class: hasty{c}, Domain: good.Domain},
		"mute":  {Class: mute{c}, Domain: good.Domain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Partial(r, broken) }))
		})
	}
}
