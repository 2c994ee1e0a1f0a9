package sibyl

import (
	"context"
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Learn releases a model of the class from the data. Everything public is checked first, and a
// ParameterError or a DataError says what is wrong. Then the account is charged, which may be
// ErrBudgetExhausted, and the data is read. After that the only errors are a DataError for an
// ill-formed table, ErrNothing, ErrFailed, and the context's.
func Learn(ctx context.Context, d Data, s *Schema, c Class, set Settings) (*Model, error) {
	r, _, err := set.request(s, c)
	if err != nil {
		return nil, wrong("class", err)
	}
	p, err := r.Prepare()
	if err != nil {
		return nil, wrong("class", err)
	}
	m, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, told(err)
	}
	return newModel(m)
}

// An Evaluation says how good a model is on a table, by noisy counts of its rows. All of it may
// be published.
type Evaluation struct {
	Guarantee  *privacy.Statement // nil where nothing is promised
	Rows       *Assessment        // of the rows of the table
	Population *Assessment        // of those whom the rows are a random sample of, if the model was not learned from them
	// Calibration compares the risks that the model states with those of the table; nil where it
	// states none.
	Calibration []Calibration
}

// Evaluate estimates privately how good a model is on a table, which is best another one than it
// was learned from. It consumes a pure budget. Errors are as of Learn.
func Evaluate(ctx context.Context, m *Model, d Data, set Settings) (*Evaluation, error) {
	p, err := evaluation(m, &set)
	if err != nil {
		return nil, wrong("model", err)
	}
	c, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, told(err)
	}
	e := &Evaluation{Guarantee: p.Guarantee}
	if c.Scale.Outcomes > 2 {
		e.Rows, e.Population = compared(c.Compare(risk.Rows), m.heading), compared(c.Compare(risk.Population), m.heading)
		return e, nil
	}
	rows := c.Assess(risk.Rows, nil)
	e.Rows, e.Population = assessed(rows), assessed(c.Assess(risk.Population, nil))
	for _, of := range m.model.Calibration(rows) {
		e.Calibration = append(e.Calibration, Calibration{of.Least, of.Most, number(of.Stated), interval(of.Risk.Risk)})
	}
	return e, nil
}

// evaluation returns the evaluation that is asked for.
func evaluation(m *Model, set *Settings) (*release.PreparedEvaluation, error) {
	if m == nil || m.model == nil {
		return nil, errors.New("there is no model")
	}
	if err := set.alone("an evaluation"); err != nil {
		return nil, err
	}
	epsilon, delta, err := set.budget()
	if err != nil {
		return nil, err
	}
	if !delta.IsZero() {
		return nil, parameter.Errorf("{delta} %s: an evaluation is pure; leave it out", delta)
	}
	return release.Evaluation{Model: m.model, Epsilon: epsilon, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}.Prepare()
}

// A Plan bounds the error of each mechanism of a class, whatever the data.
type Plan struct {
	Hypotheses *big.Int    // in the class; nil where no class is searched or sampled
	Bounds     []Bound     // at least one for each mechanism
	Best       string      // the mechanism with the least bound; "" where no class is searched or sampled
	Candidates []Candidate // what Chosen weighs; nil for other classes
}

// A Bound bounds how much the cost of the released hypothesis exceeds the least of the class.
type Bound struct {
	Mechanism string  // with its variant
	Mean      float64 // on average
	Most      float64 // in 95 of 100 runs
	Pure      bool    // the guarantee has no δ
	Text      string  // what else is known of a mechanism that chooses from no class, in sentences; then Mean and Most are 0
}

// A Candidate is a class that Chosen weighs.
type Candidate struct {
	Class     Class
	Mechanism string // its name
	Chosen    bool
	Why       string // it is chosen, or not
}

// PlanFor plans a release from Settings.Rows rows of the schema. It reads no data.
func PlanFor(s *Schema, c Class, set Settings) (*Plan, error) {
	r, weighed, err := set.request(s, c)
	if err != nil {
		return nil, wrong("class", err)
	}
	asked := map[string]mechanism.Mechanism{}
	if r.Mechanism != nil {
		asked[mechanism.KindOf(r.Mechanism).Name] = r.Mechanism
	}
	p, err := r.Plan(asked, false)
	if err != nil {
		return nil, wrong("class", err)
	}
	best, _ := p.Choice()
	plan := &Plan{Hypotheses: p.Size, Best: best}
	for _, b := range p.Bounds {
		bound := Bound{Mechanism: b.Name(), Pure: true, Text: b.Said}
		if e := b.Excess; e != nil {
			bound.Mean, bound.Most, bound.Pure = e.Mean, e.Most, !e.Approximate
		}
		plan.Bounds = append(plan.Bounds, bound)
	}
	for _, w := range weighed {
		plan.Candidates = append(plan.Candidates, Candidate{classOf(w.Form), mechanism.KindOf(w.Mechanism).Name, w.Taken, w.Why})
	}
	return plan, nil
}
