package mechanisms

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// PRSMA runs RSPM on many parts of the data; its guarantee holds however the oracle
// fails, and it may release nothing.
type PRSMA struct {
	Perturbing
	Noise string
	Calls int64 // of the oracle, at most
	Nodes int64 // after which a call fails
}

const prsmaName = "prsma"

var prsmaKind = mechanism.Kind{
	Name: prsmaName, What: "runs rspm on many parts of the data; its guarantee holds however the oracle fails, and it may release nothing",
	For: mechanism.SearchedOnly, Ask: func() mechanism.Mechanism { return NewPRSMA() },
	Record: func() any { return &prsmaJSON{} }, Again: prsmaAgain,
}

// NewPRSMA returns it with its defaults.
func NewPRSMA() *PRSMA {
	return &PRSMA{usualPerturbing, perturb.Laplace.String(), 4000, 1_000_000}
}

// Parameters defines the parameters.
func (m *PRSMA) Parameters(f *flag.FlagSet) {
	m.Perturbing.parameters(f)
	f.StringVar(&m.Noise, "noise", m.Noise, "laplace or cube; of rspm also gauss, which needs --delta")
	f.Int64Var(&m.Calls, "calls", m.Calls, "call the oracle at most `N` times; it takes some multiple of 1/δ")
	f.Int64Var(&m.Nodes, "node-budget", m.Nodes, "a call of the oracle fails after so many `nodes`")
}

// Partitioned is PRSMA over the records of a schema.
type Partitioned = robust.PRSMA[table.Record, any]

// PartitionedOf returns the mechanism behind a learner, nil where it is another.
func PartitionedOf(l mechanism.Learner) *Partitioned {
	of, ok := l.(mechanism.Releasing[mechanism.Examples, robust.Answer[any]])
	if !ok {
		return nil
	}
	m, _ := of.Mechanism.(*Partitioned)
	return m
}

// PartitionedIn makes the mechanism that a model's record tells of, with the oracle that it
// names, over the model's form.
func PartitionedIn(m *model.Model) (*Partitioned, model.Space, error) {
	if m.Mechanism.Name != prsmaName {
		return nil, nil, fmt.Errorf("the mechanism %s has no parts", quote.Word(m.Mechanism.Name))
	}
	var j prsmaJSON
	if err := mechanism.Decode(m.Mechanism.Parameters, &j); err != nil {
		return nil, nil, err
	}
	space, err := m.Over()
	if err != nil {
		return nil, nil, err
	}
	o, err := NewOracle(j.Oracle, space)
	if err != nil {
		return nil, nil, err
	}
	made, err := j.over(o, &mechanism.Setting{Schema: m.Schema, Form: m.Form, Space: space, Relation: privacy.ReplaceOne})
	if err != nil {
		return nil, nil, err
	}
	return PartitionedOf(made.Learner), space, nil
}

type prsmaJSON struct {
	rspmJSON
	NodeBudget int64    `json:"node_budget"` // of each call
	Plan       planJSON `json:"plan"`
}

// planJSON is a robust.PRSMAPlan.
type planJSON struct {
	Rows        int64           `json:"rows"`
	Parts       int             `json:"parts"`
	Runs        int64           `json:"runs"`
	Threshold   int             `json:"threshold"`
	TestEpsilon privacy.Decimal `json:"test_epsilon"`
	BaseEpsilon privacy.Decimal `json:"base_epsilon"`
	Floor       int             `json:"floor"`
	LogRatio    privacy.Decimal `json:"log_ratio"`
	Failing     privacy.Decimal `json:"failing"`
	Split       privacy.Decimal `json:"split"`
	Tilt        privacy.Decimal `json:"tilt"`
}

func (m *PRSMA) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	if err := s.Approximate(prsmaName); err != nil {
		return nil, err
	}
	if _, err := perturb.ParseNoise(m.Noise); err != nil {
		return nil, parameter.Errorf("{noise} %s of prsma is neither laplace nor cube", quote.Word(m.Noise))
	}
	if k, err := oracleNamed(m.Oracle); err == nil && k.onItsWord() {
		return nil, parameter.Errorf("{mechanism} prsma does not go with {oracle} %s: only the solver's word stands for its answers, and the guarantee could not say so", m.Oracle)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	plan, err := m.plan(s)
	if err != nil {
		return nil, err
	}
	o, err := m.minimizer(s)
	if err != nil {
		return nil, err
	}
	return m.on(o, plan, s)
}

// check reports numbers that are none.
func (m *PRSMA) check() error {
	switch {
	case m.Nodes < 1:
		return parameter.Errorf("{node-budget} %d must be a number of nodes", m.Nodes)
	case m.Calls < 1:
		return parameter.Errorf("{calls} %d must be a number of calls", m.Calls)
	}
	return nil
}

// refusal is how often prsma may release nothing although no call fails.
const refusal = 0.05

// plan returns the best plan for the rows and calls.
func (m *PRSMA) plan(s *mechanism.Setting) (robust.PRSMAPlan, error) {
	if err := s.Divided("{mechanism} prsma"); err != nil {
		return robust.PRSMAPlan{}, err
	}
	p, err := robust.PlanPRSMA(robust.PRSMAGoal{Rows: s.Rows, Epsilon: s.Epsilon, Delta: s.Delta, Refusal: refusal, MostCalls: m.Calls})
	if err != nil {
		return p, parameter.Errorf("{mechanism} prsma: %w; more rows, more {calls} or a greater {delta} help", noPlan{err})
	}
	return p, nil
}

// noPlan reports why there is no plan.
type noPlan struct{ error }

func (n noPlan) Error() string { return model.Reason(n.error) }
func (n noPlan) Unwrap() error { return n.error }

// on returns the mechanism with that plan.
func (m *PRSMA) on(o Minimizer, plan robust.PRSMAPlan, s *mechanism.Setting) (*mechanism.Made, error) {
	base, err := rspm(o, m.Noise, plan.BaseEpsilon, s.Relation, s.Costs, m.Grid)
	if err != nil {
		return nil, err
	}
	runs, err := base.Within(oracle.Budget{Nodes: m.Nodes})
	if err != nil {
		return nil, err
	}
	p, err := robust.NewPRSMA(runs, plan)
	if err != nil {
		return nil, err
	}
	p.Grouping = robust.RecordGroups(plan)
	record := prsmaJSON{rspmRecord(base, m.Oracle), m.Nodes, planJSON(plan)}
	record.Name = prsmaName
	return &mechanism.Made{
		Learner: mechanism.Releasing[mechanism.Examples, robust.Answer[any]]{Mechanism: p, As: answered}, Record: record,
		Observe: func(c mechanism.Curator) { observe(p, c) },
	}, nil
}

// answered has ErrNoHypothesis stand for ⊥.
func answered(a robust.Answer[any]) (any, error) {
	if !a.OK {
		return nil, mechanism.ErrNoHypothesis
	}
	return a.Hypothesis, nil
}

// observe has the curator told of every part and of every batch of runs.
func observe(m *robust.PRSMA[table.Record, any], c mechanism.Curator) {
	start, told := time.Now(), 0
	m.Observe = func(p robust.PRSMAProgress) {
		if p.Parts > told {
			told = p.Parts
			c.Tell("%d parts of %d done, %d passed, after %d calls", p.Parts, m.Plan().Parts, p.Passed, p.Calls)
		}
		if c.Watch != nil {
			left := time.Duration(float64(time.Since(start)) / float64(max(p.Calls, 1)) * float64(p.Left))
			c.Watch(fmt.Sprintf("PRIVATE: part %d of %d, %d passed, about %v left", min(p.Parts+1, m.Plan().Parts), m.Plan().Parts, p.Passed, left.Round(time.Second)))
		}
	}
}

func (m *PRSMA) Bounds(s *mechanism.Setting) ([]mechanism.Bound, error) {
	if s.Delta.IsZero() || !s.Relation.Replaces() {
		return nil, nil
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	plan, err := m.plan(s)
	if errors.Is(err, robust.ErrNoPlan) {
		return []mechanism.Bound{}, nil
	}
	if err != nil {
		return nil, err
	}
	promise, err := plan.Check()
	if err != nil {
		return nil, err
	}
	var bounds []mechanism.Bound
	for _, noise := range []perturb.Noise{perturb.Laplace, perturb.Cube} {
		one, err := (&PRSMA{Noise: noise.String(), Nodes: 1}).on(searching(s), plan, s)
		if err != nil {
			return nil, err
		}
		bound := s.Bound(prsmaName, noise.String(), PartitionedOf(one.Learner))
		bound.Approximate = true
		bound.Parts = &mechanism.Parts{
			Parts: plan.Parts, PartRows: plan.PartRows(), Runs: plan.Runs, Calls: plan.Calls(), BaseEpsilon: plan.BaseEpsilon.String(),
			Refusal: promise.Refusal, Epsilon: promise.Epsilon.String(), Delta: promise.Delta.String(),
		}
		bounds = append(bounds, bound)
	}
	return bounds, nil
}

func prsmaAgain(said any, s *mechanism.Setting) (any, privacy.Guarantee, error) {
	j := said.(*prsmaJSON)
	o, err := standIn(j.Oracle, s)
	if err != nil {
		return nil, nil, err
	}
	if k, err := oracleNamed(j.Oracle); err != nil || k.onItsWord() {
		return nil, nil, fmt.Errorf("it cannot rest on the word of the oracle %q", j.Oracle)
	}
	made, err := j.over(o, s)
	if err != nil {
		return nil, nil, err
	}
	return made.Record, made.Guarantee(), nil
}

// Over makes the mechanism that the record tells of.
func (j *prsmaJSON) over(o Minimizer, s *mechanism.Setting) (*mechanism.Made, error) {
	s.Costs = learn.Loss(j.Loss)
	if j.NodeBudget < 1 {
		return nil, fmt.Errorf("its node budget is %d", j.NodeBudget)
	}
	m := &PRSMA{Perturbing: Perturbing{j.Oracle, j.Grid}, Noise: j.Noise, Nodes: j.NodeBudget}
	return m.on(o, robust.PRSMAPlan(j.Plan), s)
}
