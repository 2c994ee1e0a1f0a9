package sibyl

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// ErrNothing reports that a mechanism released no hypothesis, which spends too. Only PRSMA
// does so.
var ErrNothing error = release.ErrNothing

// A Budget is what a release may spend: ε, and δ, which is 0 where the guarantee is to be
// pure.
type Budget struct{ epsilon, delta string }

// Epsilon is a pure budget, an exact decimal such as "0.5".
func Epsilon(epsilon string) Budget { return Budget{epsilon, "0"} }

// EpsilonDelta is an (ε, δ) budget, exact decimals such as "0.5" and "1e-9". Mechanisms
// whose guarantee is pure refuse it.
func EpsilonDelta(epsilon, delta string) Budget { return Budget{epsilon, delta} }

// An Option changes how a release is made.
type Option func(*options)

type options struct {
	request release.Request
	terms   release.Terms
	account string // where it is, empty for none
	choice  release.Choice
	target  string      // of synthetic data
	pairs   [][2]string // of synthetic data

	pairwise bool  // of synthetic data
	failed   error // of an option
}

// AddRemove protects whether a row is there at all. Unless it is given, neighbouring tables
// differ in one row that is replaced, and the number of rows is public. Where the schema has
// a Person, both are of persons.
func AddRemove() Option {
	return func(o *options) { o.request.Relation = privacy.AddRemove }
}

// NumberOfRows states how many rows the data has, null ones included, which is public:
// data with another number is refused. With AddRemove it is about how many.
func NumberOfRows(n int64) Option { return func(o *options) { o.request.Rows = n } }

// Costs are what a wrong positive and a wrong negative prediction cost, 1 each unless they
// are given. Only classes that are searched have them.
func Costs(falsePositive, falseNegative int64) Option {
	return func(o *options) {
		o.request.Costs = learn.Loss{FalsePositive: falsePositive, FalseNegative: falseNegative}
	}
}

// Risk spends a share of ε, an exact decimal below 1, on the risk of each total, or of
// each leaf or rule; "0" releases none. Scorecards and decision trees spend 0.2 unless it is
// given, and other classes nothing.
func Risk(share string) Option {
	return func(o *options) {
		if d, err := privacy.ParseDecimal(share); err != nil {
			o.failed = fmt.Errorf("--risk %w", err)
		} else {
			o.request.Risk = &d
		}
	}
}

// PadTo has the release come at a multiple of a duration after its beginning, so that the
// time taken tells less.
func PadTo(d time.Duration) Option { return func(o *options) { o.terms.Pad = d } }

// WithAccount charges the release to the account at a location, the path of a SQLite file
// or a database's URL, before the data is opened (package account). The program must link
// the driver.
func WithAccount(location string) Option { return func(o *options) { o.account = location } }

// InsecureSeed has the coins computed from a number, for tests. It voids the guarantee, and
// the model says so.
func InsecureSeed(seed uint64) Option { return func(o *options) { o.request.Seed = &seed } }

// request returns what is asked for.
func request(s *Schema, c Class, b Budget, more []Option) (*options, error) {
	o, err := asked(b, more)
	if err != nil {
		return nil, err
	}
	if o.target != "" || len(o.pairs) > 0 || o.pairwise {
		return nil, errors.New("Target, Pair and Pairwise are for synthetic data; leave them out")
	}
	o.request.Schema = s
	if c.isChosen() {
		o.choice, err = o.request.Choose()
		return o, err
	}
	return o, c.request(&o.request)
}

// asked returns what the budget and the options ask for.
func asked(b Budget, more []Option) (*options, error) {
	o := &options{}
	for _, set := range more {
		set(o)
	}
	if o.failed != nil {
		return nil, o.failed
	}
	var err error
	if o.request.Epsilon, err = privacy.ParseDecimal(b.epsilon); err != nil {
		return nil, err
	}
	o.request.Delta, err = privacy.ParseDecimal(b.delta)
	return o, err
}

// charge opens the account that is asked for, if any; end closes it.
func (o *options) charge(ctx context.Context) (end func(), err error) {
	if o.account == "" {
		return func() {}, nil
	}
	a, err := account.Open(ctx, o.account)
	if err != nil {
		return nil, err
	}
	o.terms.Account = release.Charge(a)
	return func() { a.Close() }, nil
}

// Learn releases a model of the class from the data, spending the budget. Everything public
// is checked before the data is opened. An error after that is the refusal of an ill-formed
// table, ErrNothing, the context's, or a fixed sentence that tells nothing of the data.
func Learn(ctx context.Context, d Data, s *Schema, c Class, b Budget, more ...Option) (*Model, error) {
	o, err := request(s, c, b, more)
	if err != nil {
		return nil, err
	}
	p, err := o.request.Prepare()
	if err != nil {
		return nil, err
	}
	end, err := o.charge(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	m, err := p.Release(ctx, d, o.terms)
	if err != nil {
		return nil, err
	}
	return newModel(m)
}

// An Evaluation tells how good a model is on a table, by noisy counts of its rows at each
// grade. All of it may be told. Where the label has more than two outcomes, there are the
// guarantee and the counts alone, and Counts.Compare tells what follows from them.
type Evaluation struct {
	Guarantee  *privacy.Statement // of the counts; nil where nothing is promised
	Counts     *risk.Counts
	Rows       *risk.Assessment // with intervals for the rows of the table
	Population *risk.Assessment // for those whom they are a random sample of, if the model was not learned from them

	// Calibration compares the risks that the model states with those found; nil where it
	// states none.
	Calibration []risk.Calibration
}

// Evaluate tells privately how good a model is on a table, which is best another one than
// it was learned from: accuracy, sensitivity, specificity, area, errors at every threshold,
// and calibration, each with an interval. It spends the budget, which is pure. Neighbouring
// tables are those of the model's guarantee; AddRemove is for a model without one.
func Evaluate(ctx context.Context, m *Model, d Data, b Budget, more ...Option) (*Evaluation, error) {
	o, err := asked(b, more)
	if err != nil {
		return nil, err
	}
	r := o.request
	if r.Risk != nil || r.Costs != (learn.Loss{}) || !r.Delta.IsZero() {
		return nil, errors.New("an evaluation has no use for Risk, Costs or a δ; leave them out")
	}
	p, err := release.Evaluation{Model: m.model, Epsilon: r.Epsilon, Relation: r.Relation, Rows: r.Rows, Seed: r.Seed}.Prepare()
	if err != nil {
		return nil, err
	}
	end, err := o.charge(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	c, err := p.Release(ctx, d, o.terms)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Guarantee: p.Guarantee, Counts: c}
	if c.Scale.Outcomes > 2 {
		return e, nil
	}
	e.Rows, e.Population = c.Assess(risk.Rows, nil), c.Assess(risk.Population, nil)
	e.Calibration = m.model.Calibration(e.Rows)
	return e, nil
}

// A Plan says how far each mechanism may be off, whatever the data.
type Plan struct {
	Size   *big.Int          // hypotheses of the class; nil where none is searched
	Bounds []mechanism.Bound // one or more for each mechanism
	Choice string            // the mechanism whose bound is the least; empty where none is searched

	// Candidates are what Chosen weighs, one of which is taken; nil for a class that is named.
	Candidates release.Choice
}

// PlanFor plans a release of the class from so many rows of the schema, before any data is
// touched.
func PlanFor(s *Schema, c Class, rows int64, b Budget, more ...Option) (*Plan, error) {
	o, err := request(s, c, b, append(more, NumberOfRows(rows)))
	if err != nil {
		return nil, err
	}
	p, err := o.request.Plan(nil, false)
	if err != nil {
		return nil, err
	}
	choice, _ := p.Choice()
	return &Plan{p.Size, p.Bounds, choice, o.choice}, nil
}
