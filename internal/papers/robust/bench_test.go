package robust_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// BenchmarkPRSMA releases a scorecard over 22 categories from 100,000 generated records, with a node
// budget for the search. It reports the number of actual calls, the number of planned calls, and the
// number of answers other than ⊥.
func BenchmarkPRSMA(b *testing.B) {
	const rows = 100_000
	sizes := []int{3, 3, 3, 3, 4, 3, 3}
	d := madeUp(sizes, rows)
	c := learntest.Signs(b, sizes, 1)
	plan, err := robust.PlanPRSMA(robust.PRSMAGoal{
		Rows: rows, Epsilon: privacytest.Decimal(b, "1"), Delta: privacytest.Decimal(b, "1e-3"), Refusal: 0.05, MostCalls: 1240})
	if err != nil {
		b.Fatal(err)
	}
	for _, nodes := range []int64{0, 500, 300, 20} {
		b.Run(fmt.Sprintf("nodes%d", nodes), func(b *testing.B) {
			m := prsmaOn(b, oracle.Search(class.Class[record, card](c)), plan, oracle.Budget{Nodes: nodes})
			var last robust.PRSMAProgress
			m.Observe = func(p robust.PRSMAProgress) { last = p }
			wrong, passed, calls, answers, n := int64(0), 0, int64(0), 0, 0
			for b.Loop() {
				a, err := m.Release(context.Background(), d, noise.Crypto())
				if err != nil {
					b.Fatal(err)
				}
				if a.OK {
					answers++
					wrong += learntest.Errors(c, d, a.Hypothesis)
				}
				calls += last.Calls
				passed += last.Passed
				n++
			}
			b.ReportMetric(float64(calls)/float64(n), "calls/op")
			b.ReportMetric(float64(plan.Calls()), "planned-calls")
			b.ReportMetric(float64(passed)/float64(n)/float64(plan.Parts), "passed")
			b.ReportMetric(float64(answers)/float64(n), "answered")
			if answers > 0 {
				b.ReportMetric(1-float64(wrong)/float64(answers)/rows, "accuracy")
			}
		})
	}
}

// prsmaOn returns PRSMA whose base mechanism is RSPM with cube noise.
func prsmaOn(t testing.TB, o oracle.Minimizer[record, card], plan robust.PRSMAPlan, budget oracle.Budget) *robust.PRSMA[record, card] {
	t.Helper()
	base, err := perturb.NewRSPM(o, perturb.Cube, plan.BaseEpsilon, privacy.ReplaceOne, learn.ZeroOne, 0)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := base.Within(budget)
	if err != nil {
		t.Fatal(err)
	}
	m, err := robust.NewPRSMA(trial, plan)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// madeUp generates rows with random labels: each label equals the prediction of a fixed scorecard with probability 0.9.
func madeUp(sizes []int, rows int) examples {
	r := rand.New(rand.NewPCG(1, 2))
	at := map[string]int{}
	var d examples
	for range rows {
		x, total := make(record, len(sizes)), 0
		for j, n := range sizes {
			x[j] = uint16(r.IntN(n))
			total += (int(x[j])+j)%3 - 1
		}
		label := (total >= 1) != (r.IntN(10) == 0)
		key := fmt.Sprint(x, label)
		if _, ok := at[key]; !ok {
			at[key] = len(d)
			d = append(d, learn.Example[record]{X: x, Label: label})
		}
		d[at[key]].Count++
	}
	return d
}
