package sibyl

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Learn releases a model of the class, learned from the data with differential privacy. The guarantee is that of the
// mechanism, and Model.Guarantee returns it.
//
// Learn first checks all public inputs. For an invalid one, it returns a ParameterError or a DataError. Then it
// charges the account. If too little budget remains, it fails with ErrBudgetExhausted. Then it reads the data. From
// here on it returns only these errors: a DataError for a malformed table, ErrNothing, ErrFailed, or the error of the
// context.
func Learn(ctx context.Context, d Data, s *Schema, c Class, set Settings) (*Model, error) {
	r, _, err := set.request(s, c)
	if err != nil {
		return nil, parameterError("class", err)
	}
	p, err := r.Prepare()
	if err != nil {
		return nil, parameterError("class", err)
	}
	m, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, releaseError(err)
	}
	return newModel(m)
}

// An Evaluation estimates the quality of a model on a table, from noisy counts of the table's rows. All its contents
// may be published.
type Evaluation struct {
	Guarantee  *privacy.Statement // nil if the release has no guarantee (Settings.InsecureSeed)
	Rows       *Assessment        // estimates for the rows of the table
	Population *Assessment        // estimates for the population of which the rows are a random sample; not valid if the model was learned from these rows
	// Calibration compares the risks that the model states with the shares of positive rows in the table. It is nil
	// if the model states no risks.
	Calibration []Calibration
}

// Evaluate estimates with differential privacy how well a model predicts the labels of a table. The model should not
// have been learned from this table. Evaluate counts the rows for each label and each total, leaf or rule of the
// model, and adds noise to each count. The guarantee is pure, and Settings.Delta must be empty. Errors are as for
// Learn.
func Evaluate(ctx context.Context, m *Model, d Data, set Settings) (*Evaluation, error) {
	p, err := prepareEvaluation(m, &set)
	if err != nil {
		return nil, parameterError("model", err)
	}
	c, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, releaseError(err)
	}
	e := &Evaluation{Guarantee: p.Guarantee}
	rows := c.Assess(risk.Rows, nil)
	e.Rows, e.Population = newAssessment(rows, m.heading), newAssessment(c.Assess(risk.Population, nil), m.heading)
	for _, of := range m.model.Calibration(rows) {
		e.Calibration = append(e.Calibration, Calibration{of.Least, of.Most, number(of.Stated), interval(of.Shares[0])})
	}
	return e, nil
}

// prepareEvaluation checks the model and the settings, and prepares the release.
func prepareEvaluation(m *Model, set *Settings) (*release.PreparedEvaluation, error) {
	if m == nil || m.model == nil {
		return nil, errNoModel
	}
	if err := cmp.Or(set.refuseLearning("an evaluation"), set.refuseTotal("an evaluation")); err != nil {
		return nil, err
	}
	epsilon, delta, err := set.budget()
	if err != nil {
		return nil, err
	}
	if !delta.IsZero() {
		return nil, parameter.Errorf("{delta} is %s, but an evaluation has a pure guarantee; leave {delta} out", delta)
	}
	return release.Evaluation{Model: m.model, Epsilon: epsilon, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}.Prepare()
}

// A Plan bounds the error of each mechanism of a class. The bounds hold for all data.
type Plan struct {
	Hypotheses *big.Int    // the number of hypotheses in the class; nil if no class is searched or sampled
	Bounds     []Bound     // the bounds of each mechanism that the settings allow; there may be several
	Best       string      // the mechanism with the smallest bound; "" if no class is searched or sampled
	Candidates []Candidate // the classes that Chosen considered; nil for other classes
}

// String returns a readable list of the bounds, after the chosen class if the class was Chosen.
func (p Plan) String() string {
	var b strings.Builder
	for _, c := range p.Candidates {
		if c.Chosen {
			fmt.Fprintf(&b, "%s by %s, chosen since %s\n", strings.TrimPrefix(fmt.Sprintf("%T", c.Class), "sibyl."), c.Mechanism, c.Why)
		}
	}
	if p.Hypotheses != nil {
		fmt.Fprintf(&b, "%s hypotheses\n", new(big.Float).SetInt(p.Hypotheses).Text('g', 4))
	}
	for _, of := range p.Bounds {
		best := ""
		if of.Mechanism == p.Best {
			best = " (the smallest bound)"
		}
		if of.Text != "" {
			fmt.Fprintf(&b, "%s: %s\n", of.Mechanism, of.Text)
		} else {
			fmt.Fprintf(&b, "%s: excess cost at most %.1f on average, and %.1f with probability 0.95%s\n", of.Mechanism, of.Mean, of.Most, best)
		}
	}
	return b.String()
}

// A Bound bounds the excess cost of a mechanism: the cost of the released hypothesis on the data,
// minus the least cost in the class.
type Bound struct {
	Mechanism string  // the name, with the variant
	Mean      float64 // bounds the expected excess cost
	Most      float64 // an upper bound on the excess cost that holds with probability 0.95
	Pure      bool    // whether the guarantee has no δ; meaningful only if Text is empty
	Text      string  // sentences about a mechanism for which no such bounds are known; Mean and Most are then 0
}

// A Candidate is a class that Chosen considered.
type Candidate struct {
	Class     Class
	Mechanism string // the name of the mechanism
	Chosen    bool
	Why       string // the reason why it was chosen or not
}

// PlanFor computes the error bounds of a release from any table that has this schema and Settings.Rows rows. It reads
// no data and consumes no privacy budget. All its errors are ParameterErrors.
func PlanFor(s *Schema, c Class, set Settings) (*Plan, error) {
	r, candidates, err := set.request(s, c)
	if err != nil {
		return nil, parameterError("class", err)
	}
	mechanisms := map[string]mechanism.Mechanism{}
	if r.Mechanism != nil {
		mechanisms[mechanism.KindOf(r.Mechanism).Name] = r.Mechanism
	}
	p, err := r.Plan(mechanisms, false)
	if err != nil {
		return nil, parameterError("class", err)
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
	for _, of := range candidates {
		plan.Candidates = append(plan.Candidates, Candidate{classOf(of.Form), mechanism.KindOf(of.Mechanism).Name, of.Taken, of.Why})
	}
	return plan, nil
}
