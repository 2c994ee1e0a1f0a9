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

// PRSMA runs RSPM on many disjoint parts of the rows. Its guarantee holds even if calls of the oracle fail. It may
// release no model.
type PRSMA struct {
	Perturbing
	Noise string // a perturb.Noise: laplace or cube
	Calls int64  // the maximum number of oracle calls
	Nodes int64  // the number of search nodes after which a call fails
}

const prsmaName = "prsma"

var prsmaKind = mechanism.Kind{
	Name: prsmaName, What: "runs rspm on many parts of the data; the guarantee holds even if a search does not find the minimum noisy cost; may release nothing",
	For: mechanism.SearchedOnly, New: func() mechanism.Mechanism { return NewPRSMA() },
	Record: func() any { return &prsmaJSON{} }, Recreate: recreatePRSMA,
}

// NewPRSMA returns a PRSMA with its default parameters.
func NewPRSMA() *PRSMA {
	return &PRSMA{defaultPerturbing, perturb.Laplace.String(), 4000, 1_000_000}
}

// Parameters defines the parameters oracle, grid, noise, calls and node-budget as flags.
func (m *PRSMA) Parameters(f *flag.FlagSet) {
	m.Perturbing.parameters(f)
	f.StringVar(&m.Noise, "noise", m.Noise, "the `distribution` of the noise, which is a vector of integers; the probability of a vector decreases exponentially with the sum of the absolute entries (laplace) or with the maximum absolute entry (cube)")
	f.Int64Var(&m.Calls, "calls", m.Calls, "the maximum number `N` of calls of the oracle; a smaller --delta requires more calls, such as 48,000 at ε = 1 and δ = 1e-5")
	f.Int64Var(&m.Nodes, "node-budget", m.Nodes, "the maximum number `N` of nodes that the search of one oracle call visits; a call that needs more nodes fails, and the guarantee holds nevertheless")
}

// Partitioned is the mechanism robust.PRSMA for the rows of a table.
type Partitioned = robust.PRSMA[table.Record, any]

// PartitionedOf returns the mechanism of the learner l if it is PRSMA, and nil otherwise.
func PartitionedOf(l mechanism.Learner) *Partitioned {
	of, ok := l.(mechanism.Releasing[mechanism.Examples, robust.Answer[any]])
	if !ok {
		return nil
	}
	m, _ := of.Mechanism.(*Partitioned)
	return m
}

// PartitionedIn recreates the PRSMA that released the model m from the mechanism's record in m, with the oracle that
// this record names. It also returns the space of the model's class.
func PartitionedIn(m *model.Model) (*Partitioned, model.Space, error) {
	if m.Mechanism.Name != prsmaName {
		return nil, nil, fmt.Errorf("the model was released by the mechanism %s, which does not divide the data into parts; name a model released by prsma", quote.Word(m.Mechanism.Name))
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
	NodeBudget int64    `json:"node_budget"` // the number of search nodes after which an oracle call fails
	Plan       planJSON `json:"plan"`
}

// planJSON is the JSON form of a robust.PRSMAPlan.
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
		return nil, parameter.Errorf("{noise} %s is not supported by {mechanism} prsma: it must be laplace or cube", quote.Word(m.Noise))
	}
	if k, err := oracleNamed(m.Oracle); err == nil && k.unverified() {
		return nil, parameter.Errorf("{mechanism} prsma does not support {oracle} %s, because the answers of this solver are not verified; %s", m.Oracle, useSearch)
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

// check returns an error if the limit on oracle calls (Calls) or on search nodes (Nodes) is not positive.
func (m *PRSMA) check() error {
	switch {
	case m.Nodes < 1:
		return parameter.Errorf("{node-budget} %d must be at least 1", m.Nodes)
	case m.Calls < 1:
		return parameter.Errorf("{calls} %d must be at least 1", m.Calls)
	}
	return nil
}

// refusal is the maximum probability that PRSMA releases no model although no oracle call fails.
const refusal = 0.05

// plan returns the best plan for the setting's number of rows and for at most m.Calls calls of the oracle.
func (m *PRSMA) plan(s *mechanism.Setting) (robust.PRSMAPlan, error) {
	if err := s.Divided("{mechanism} prsma"); err != nil {
		return robust.PRSMAPlan{}, err
	}
	p, err := robust.PlanPRSMA(robust.PRSMAGoal{Rows: s.Rows, Epsilon: s.Epsilon, Delta: s.Delta, Refusal: refusal, MostCalls: m.Calls})
	if err != nil {
		return p, parameter.Errorf("{mechanism} prsma: %w; use more rows, more {calls} or a larger {delta}", noPlan{err})
	}
	return p, nil
}

// noPlan wraps an error of the planner, and removes the package name from the beginning of its text.
type noPlan struct{ error }

func (n noPlan) Error() string { return model.Reason(n.error) }
func (n noPlan) Unwrap() error { return n.error }

// on returns PRSMA with the oracle o and the given plan.
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
		Learner: mechanism.Releasing[mechanism.Examples, robust.Answer[any]]{Mechanism: p, As: hypothesisOf}, Record: record,
		Observe: func(c mechanism.Curator) { observe(p, c) },
	}, nil
}

// hypothesisOf returns the released hypothesis, or mechanism.ErrNoHypothesis if the output is ⊥.
func hypothesisOf(a robust.Answer[any]) (any, error) {
	if !a.OK {
		return nil, mechanism.ErrNoHypothesis
	}
	return a.Hypothesis, nil
}

// observe makes m report its progress to the curator: a line in the log for each completed part, and after each batch
// of runs a progress line with an estimate of the remaining time.
func observe(m *robust.PRSMA[table.Record, any], c mechanism.Curator) {
	start, logged := time.Now(), 0
	m.Observe = func(p robust.PRSMAProgress) {
		if p.Parts > logged {
			logged = p.Parts
			c.Tell("finished %d of %d parts after %d oracle calls; in %d of them no call failed", p.Parts, m.Plan().Parts, p.Calls, p.Passed)
		}
		if c.Watch != nil {
			left := time.Duration(float64(time.Since(start)) / float64(max(p.Calls, 1)) * float64(p.Left))
			c.Watch(fmt.Sprintf("PRIVATE: part %d of %d, %d finished without a failed call, about %v left", min(p.Parts+1, m.Plan().Parts), m.Plan().Parts, p.Passed, left.Round(time.Second)))
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
		one, err := (&PRSMA{Noise: noise.String(), Nodes: 1}).on(searchOracle(s), plan, s)
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

func recreatePRSMA(stored any, s *mechanism.Setting) (*mechanism.Recreated, error) {
	j := stored.(*prsmaJSON)
	o, err := substitute(j.Oracle, s)
	if err != nil {
		return nil, err
	}
	if k, err := oracleNamed(j.Oracle); err != nil || k.unverified() {
		return nil, fmt.Errorf("prsma does not support the oracle %q, whose answers are not verified", j.Oracle)
	}
	made, err := j.over(o, s)
	if err != nil {
		return nil, err
	}
	return &mechanism.Recreated{Record: made.Record, Guarantee: made.Guarantee()}, nil
}

// over recreates the mechanism that the record j in a model file describes, with the oracle o.
func (j *prsmaJSON) over(o Minimizer, s *mechanism.Setting) (*mechanism.Made, error) {
	s.Costs = learn.Loss(j.Loss)
	if j.NodeBudget < 1 {
		return nil, fmt.Errorf("the node budget %d must be at least 1", j.NodeBudget)
	}
	m := &PRSMA{Perturbing: Perturbing{j.Oracle, j.Grid}, Noise: j.Noise, Nodes: j.NodeBudget}
	return m.on(o, robust.PRSMAPlan(j.Plan), s)
}
