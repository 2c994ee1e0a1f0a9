package learn_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// worked are plans found by hand, with the (ε, δ) they are for.
func worked(t testing.TB) map[string]learn.PRSMAPlan {
	d := func(s string) privacy.Decimal { return decimal(t, s) }
	return map[string]learn.PRSMAPlan{
		"1e-5": {
			Rows: 15682, Parts: 59, Runs: 920, Threshold: 56, TestEpsilon: d("0.79"), BaseEpsilon: d("0.0326"),
			Floor: 39, LogRatio: d("2.3"), Failing: d("0.01"), Split: d("1e-6"), Tilt: d("0.5"),
		},
		"1e-3": {
			Rows: 15682, Parts: 40, Runs: 31, Threshold: 37, TestEpsilon: d("0.654"), BaseEpsilon: d("0.03"),
			Floor: 25, LogRatio: d("2.3"), Failing: d("0.12"), Split: d("1e-4"), Tilt: d("0.5"),
		},
	}
}

func TestTmp(t *testing.T) {
	for delta, p := range worked(t) {
		for _, s := range []string{"0.2", "0.3", "0.4", "0.5", "0.55", "0.6", "0.7", "0.9"} {
			p.Tilt = decimal(t, s)
			b, err := p.Check()
			t.Log(delta, s, b, err, p.Power(), p.Calls())
		}
		be, _ := learn.BaseEpsilon(p.LogRatio, p.PartRows(), p.Parts, p.Split)
		p.BaseEpsilon = be
		t.Log("ε′", be, p.Power())
		for _, g := range []learn.PRSMAGoal{{LeastPower: p.Power()}, {MostCalls: p.Calls()}} {
			g.Rows, g.Epsilon, g.Delta, g.Refusal = p.Rows, decimal(t, "1"), decimal(t, delta), 0.05
			q, err := learn.PlanPRSMA(g)
			t.Logf("%+v %v calls %d power %g", q, err, q.Calls(), q.Power())
		}
	}
}
