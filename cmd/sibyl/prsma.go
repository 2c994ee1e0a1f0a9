package main

import (
	"context"
	"fmt"
	"time"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// refusal is how often prsma may release nothing although no call fails.
const refusal = 0.05

// planPRSMA returns the best plan for so many rows and calls.
func planPRSMA(rows, calls int64, epsilon, delta privacy.Decimal) (learn.PRSMAPlan, error) {
	if calls < 1 {
		return learn.PRSMAPlan{}, fmt.Errorf("--calls %d must be a number of calls", calls)
	}
	p, err := learn.PlanPRSMA(learn.PRSMAGoal{Rows: rows, Epsilon: epsilon, Delta: delta, Refusal: refusal, MostCalls: calls})
	if err != nil {
		return p, noPlan{err}
	}
	return p, nil
}

// noPlan reports in flags why there is no plan.
type noPlan struct{ error }

func (n noPlan) Error() string {
	return fmt.Sprintf("--mechanism prsma: %s; more rows, more --calls or a greater --delta help", model.Reason(n.error))
}

func (n noPlan) Unwrap() error { return n.error }

// planPRSMA returns the plan for the rows and calls that the flags state.
func (f *mechanismFlags) planPRSMA(epsilon, delta privacy.Decimal, r privacy.Relation) (learn.PRSMAPlan, error) {
	if err := f.checkRows("--mechanism prsma", r); err != nil {
		return learn.PRSMAPlan{}, err
	}
	if f.nodes < 1 {
		return learn.PRSMAPlan{}, fmt.Errorf("--node-budget %d must be a number of nodes", f.nodes)
	}
	return planPRSMA(f.rows, f.calls, epsilon, delta)
}

func (f *mechanismFlags) prsma(o minimizer, plan learn.PRSMAPlan, l learn.Loss) (mechanism, error) {
	base, err := f.rspm(o, plan.BaseEpsilon, privacy.ReplaceOne, l)
	if err != nil {
		return mechanism{}, err
	}
	m, err := prsmaOver(base, f.nodes, plan)
	if err != nil {
		return mechanism{}, err
	}
	described := model.OfPRSMA(m, base, f.oracle, f.nodes)
	return mechanism{
		learner: answering{m}, class: o.Class(), described: described, rows: plan.Rows,
		observe: func(log *privateLog, b *bar) { watch(m, log, b) },
	}, nil
}

func prsmaOver(base *learn.RSPM[table.Record, any], nodes int64, plan learn.PRSMAPlan) (*learn.PRSMA[table.Record, any], error) {
	runs, err := base.Within(oracle.Budget{Nodes: nodes})
	if err != nil {
		return nil, err
	}
	return learn.NewPRSMA(runs, plan)
}

// watch has every part told to the log, and every batch of runs to the bar.
func watch(m *learn.PRSMA[table.Record, any], log *privateLog, b *bar) {
	start, told := time.Now(), 0
	m.Observe = func(p learn.PRSMAProgress) {
		if p.Parts > told {
			told = p.Parts
			log.tell("%d parts of %d done, %d passed, after %d calls", p.Parts, m.Plan().Parts, p.Passed, p.Calls)
		}
		left := time.Duration(float64(time.Since(start)) / float64(max(p.Calls, 1)) * float64(p.Left))
		b.tell("PRIVATE: part %d of %d, %d passed, about %v left", min(p.Parts+1, m.Plan().Parts), m.Plan().Parts, p.Passed, left.Round(time.Second))
	}
}

// errNoHypothesis stands for ⊥, a value that a mechanism releases.
var errNoHypothesis = withheld{"the mechanism released no hypothesis; this too spent its ε and δ"}

// An answering learner fails with errNoHypothesis where PRSMA answers ⊥.
type answering struct {
	*learn.PRSMA[table.Record, any]
}

func (a answering) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	answer, err := a.PRSMA.Release(ctx, d, coins)
	if err == nil && !answer.OK {
		err = errNoHypothesis
	}
	return answer.Hypothesis, err
}
