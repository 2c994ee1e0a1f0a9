package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Request holds the parameters of the release of a model. All of them are public: none may be derived from the
// private data.
type Request struct {
	Schema *table.Schema // the schema, which must have a label
	Form   model.Form    // the class of hypotheses

	// Balanced adds a penalty for its size to each class of a union, so that the prior of the exponential mechanism
	// gives every class about the same probability. Unions with decision trees are always balanced.
	Balanced bool

	// Costs are the costs of wrong predictions. They apply to forms whose mechanism uses them. The zero value stands
	// for learn.ZeroOne.
	Costs learn.Loss

	Mechanism mechanism.Mechanism // nil: the default of the form

	Epsilon, Delta privacy.Decimal  // the privacy budget
	Total          bool             // whether Epsilon and Delta are for the profiles of the schema and the release together
	Relation       privacy.Relation // zero: privacy.ReplaceOne

	// Risk is the share of ε for risks, below 1. If it is 0, no risks are released. Nil stands for a default:
	// UsualRisk for scorecards and decision trees, UsualEitherRisk for the union of a card and a tree, and 0 for
	// other forms.
	Risk *privacy.Decimal

	// Rows is the number of rows of the data, null records included, or the number of persons if the schema has a
	// Person; 0 if it is not stated. Under replace-one, Rows is public, and data with a different number is refused.
	// Under add-remove, it is approximate.
	Rows int64

	// Seed makes the randomness a function of this number, for tests. There is no guarantee then.
	Seed *uint64
}

// coins returns the random source of a release: that of the operating system or, if seed is not nil, a pseudorandom
// one with this seed.
func coins(seed *uint64) noise.Coins {
	if seed != nil {
		return noise.Insecure(*seed)
	}
	return noise.Crypto()
}

// setting returns the setting for the request's mechanism. It returns an error if the class is too large, or if a
// parameter that does not belong to the mechanism is invalid.
func (r *Request) setting() (*mechanism.Setting, error) {
	s := &mechanism.Setting{
		Schema: r.Schema, Form: r.Form, Costs: r.Costs,
		Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows,
	}
	if s.Costs == (learn.Loss{}) {
		s.Costs = learn.ZeroOne
	}
	switch {
	case r.Form == nil:
		return nil, errors.New("the request has no class; set its Form")
	case !mechanism.KindOfForm(r.Form).Chosen() && s.Costs != learn.ZeroOne:
		return nil, parameter.Errorf("{class} %s does not support {false-positive} and {false-negative}; leave them out, or choose {class} %s", r.Form.Name(), strings.Join(mechanism.NamesOf(model.Kind.Chosen), ", "))
	case r.Schema == nil || r.Schema.Label == nil:
		return nil, errUnlabelled
	case mechanism.CheckLoss(r.Schema.Outcomes(), s.Costs) != nil:
		return nil, parameter.Errorf("%w; leave {false-positive} and {false-negative} out", mechanism.CheckLoss(r.Schema.Outcomes(), s.Costs))
	case CheckCosts(s.Costs) != nil:
		return nil, CheckCosts(s.Costs)
	}
	return s, s.Promised()
}

// CheckCosts returns an error if one of the costs is outside the range that learn.Loss requires.
func CheckCosts(costs learn.Loss) error {
	if v := costs.FalsePositive; v < 1 || v > learn.MostLoss {
		return parameter.Errorf("{false-positive} %d must be an integer within 1..%d", v, learn.MostLoss)
	}
	if v := costs.FalseNegative; v < 1 || v > learn.MostLoss {
		return parameter.Errorf("{false-negative} %d must be an integer within 1..%d", v, learn.MostLoss)
	}
	return nil
}

// Prepared is a Request whose public parameters have been checked, ready to be released.
type Prepared struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if it is not
	Effort    *mechanism.Effort  // nil if the mechanism builds no tree
	Risks     privacy.Decimal    // the part of the guarantee's ε for risks; 0 for none

	promise privacy.Guarantee
	request *Request
	setting *mechanism.Setting
	made    *mechanism.Made
	most    int64 // the largest number of rows or persons for which the class always fits into memory

	// coarse is nil, or the same release with the schema of the request, if this release has finer cuts than
	// that schema. It is used for data that is already coded by the schema of the request.
	coarse *Prepared
}

// Prepare checks the public parameters of the request and computes its privacy guarantee. No error depends on private
// data.
func (r Request) Prepare() (*Prepared, error) {
	if r.Total {
		return r.prepareTotal()
	}
	s, err := r.setting()
	if err != nil {
		return nil, err
	}
	m := r.Mechanism
	if m == nil {
		k, err := mechanism.Usual(mechanism.KindOfForm(r.Form))
		if err != nil {
			return nil, err
		}
		m = k.New()
	}
	fine := *s
	p, err := r.over(s, m)
	if err != nil || mechanism.KindOf(m).Name != mechanism.NewtonName {
		return p, err
	}
	if budget, err := fine.Budget(); err != nil || !learn.FineCutsHelp(len(r.Schema.Attributes), r.Rows, budget) {
		return p, err
	}
	if fine.Schema = r.Schema.Refined(); fine.Schema == r.Schema {
		return p, nil
	}
	r.Schema = fine.Schema
	refined, err := r.over(&fine, m)
	if err != nil { // the class does not support so many categories
		return p, nil
	}
	refined.coarse = p
	return refined, nil
}

// over prepares the release with the mechanism m, and sets the fields of the setting s that depend on m.
func (r Request) over(s *mechanism.Setting, m mechanism.Mechanism) (*Prepared, error) {
	if err := s.ForPersons(mechanism.KindOf(m)); err != nil {
		return nil, err
	}
	risks, err := s.Risks(r.Risk)
	if err != nil {
		return nil, err
	}
	if err := s.LayOut(r.Balanced, m); err != nil {
		return nil, err
	}
	if err := s.Separated(m); err != nil {
		return nil, err
	}
	p := &Prepared{Risks: risks, request: &r, setting: s, most: mechanism.MostUnits(s.Schema)}
	if p.made, err = m.Over(s); err != nil {
		return nil, err
	}
	p.Effort = p.made.Effort
	if p.promise, err = mechanism.With(p.made.Charged(), risks); err != nil {
		return nil, err
	}
	space, err := s.DrawnFrom(m)
	if err != nil {
		return nil, err
	}
	if c := mechanism.LaidOut(space); c != nil {
		if p.most, err = mechanism.MostRows(c, s.Schema, s.Rows); err != nil {
			return nil, err
		}
	}
	switch {
	case mechanism.ChosenFrom(space) != nil:
		e := mechanism.EffortOf(s.Form, space, s.Schema, s.Rows, p.most)
		p.Effort = &e
	case p.Effort != nil:
		p.Effort.MostRows = p.most
	}
	if r.Seed != nil {
		p.Void = model.InsecureSeed
		return p, nil
	}
	stated, err := mechanism.With(p.made.Guarantee(), risks)
	if err != nil {
		return nil, err
	}
	if p.Guarantee, err = privacy.State(stated); err != nil {
		return nil, err
	}
	return p, p.Guarantee.Refine(p.promise)
}

// prepareTotal prepares the release with the parts of Epsilon and Delta that remain after the profiles of the schema.
func (r Request) prepareTotal() (*Prepared, error) {
	if r.Schema == nil {
		return nil, errUnlabelled
	}
	whole := mechanism.Setting{Schema: r.Schema, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows}
	return prepareRest(whole, func(epsilon, delta privacy.Decimal) (*Prepared, error) {
		r.Epsilon, r.Delta, r.Total = epsilon, delta, false
		return r.Prepare()
	})
}

// model returns the model of the release with the hypothesis h, which is nil if it has not been sampled yet.
func (p *Prepared) model(h any) *model.Model {
	s := p.setting
	return &model.Model{
		Schema: s.Schema, Form: s.Form, Space: s.Space, Hypothesis: h,
		Mechanism: model.NewMechanism(p.made.Record), Guarantee: p.Guarantee, Void: p.Void,
	}
}

// Release opens the data and releases a model by the mechanism of the request.
func (p *Prepared) Release(ctx context.Context, d Data, t Terms) (*model.Model, error) {
	p = fitting(ctx, d, p, p.coarse, p.setting.Schema, p.Queries())
	if p.made.Observe != nil {
		p.made.Observe(mechanism.Curator{Tell: t.Log.tell, Watch: t.Watch})
	}
	if p.made.Counted != nil {
		return releaseModel(ctx, p, d, t, opensCounts(d, p.setting.Schema, p.Queries()), p.ofCounts)
	}
	return releaseModel(ctx, p, d, t, opensTable(d, p.setting.Schema), p.ofTable)
}

// stating adds the stated number of rows to the queries q if the neighbour relation r makes it public. A source that
// knows its number of rows before it reads any, such as a Parquet file, can then refuse another number before the
// ledger is charged. This reveals nothing, because neighbouring tables have the same number of rows.
func stating(q table.Queries, r privacy.Relation, rows int64) table.Queries {
	if r.Replaces() {
		q.Stated = rows
	}
	return q
}

// fitting returns the release fine if the data d, with the schema s, can answer its queries q. Otherwise it returns
// coarse, unless that is nil. For example, a table that is already coded by coarser categories than those of s needs
// the release coarse.
func fitting[R comparable](ctx context.Context, d Data, fine, coarse R, s *table.Schema, q table.Queries) R {
	if none := *new(R); coarse != none && d != nil && d.Ready(ctx, s, q) != nil {
		return coarse
	}
	return fine
}

// releaseModel releases a model from data that the function open opens. The function draw samples the model with the
// given random source.
func releaseModel[D Extent](ctx context.Context, p *Prepared, d Data, t Terms, open func(context.Context) (D, func(), error), draw func(context.Context, D, noise.Coins) (*model.Model, error)) (*model.Model, error) {
	return takeModel(ctx, p, d, t, open, func(ctx context.Context, data D) (*model.Model, error) {
		return draw(ctx, data, coins(p.request.Seed))
	})
}

// takeModel executes the pipeline of a release of a model.
func takeModel[D Extent](ctx context.Context, p *Prepared, d any, t Terms, open func(context.Context) (D, func(), error), draw func(context.Context, D) (*model.Model, error)) (*model.Model, error) {
	return take(ctx, t, pipeline[D, *model.Model]{
		promise: p.promise, void: p.Void, data: d, schema: p.setting.Schema, queries: stating(p.Queries(), p.setting.Relation, p.setting.Rows),
		describe: p.describe,
		open:     open,
		admit:    func(data D) error { return p.admit(data, t.Log) },
		draw: func(ctx context.Context, data D) (*model.Model, [][]byte, error) {
			m, err := draw(ctx, data)
			if err != nil {
				return nil, nil, err
			}
			text, err := m.Text()
			return m, [][]byte{text}, err
		},
	})
}

// describe returns the description of the release, which the ledger stores.
func (p *Prepared) describe() (json.RawMessage, error) { return p.model(nil).Describe(p.Risks) }

// Queries returns the queries that the release sends to the data.
func (p *Prepared) Queries() table.Queries {
	if p.made.Counted == nil {
		return table.Queries{Records: true}
	}
	queries := p.made.Queries
	if !p.Risks.IsZero() {
		// Risks are counted for a card that may have points on all attributes.
		var all []int
		for j := range len(p.setting.Schema.Attributes) + 1 {
			all = append(all, j)
		}
		queries.Columns = append(slices.Clip(queries.Columns), all)
		queries.Fallback = "{risk} 0"
	}
	return queries
}

// ofTable samples the model of the release from a table.
func (p *Prepared) ofTable(ctx context.Context, t *table.Table, random noise.Coins) (*model.Model, error) {
	if p.made.Table != nil {
		return sampleModel(ctx, p, p.made.Table, t, random)
	}
	return sampleModel(ctx, p, learn.OnTable[any]{Mechanism: p.made.Learner}, t, random)
}

// ofCounts samples the model of the release from data that answers queries for counts.
func (p *Prepared) ofCounts(ctx context.Context, d table.Counts, random noise.Coins) (*model.Model, error) {
	return sampleModel(ctx, p, p.made.Counted, d, random)
}

// sampleModel samples the hypothesis by the mechanism m, and then its risks if they were requested.
func sampleModel[D table.Counts](ctx context.Context, p *Prepared, m privacy.Mechanism[D, any], d D, random noise.Coins) (*model.Model, error) {
	if p.Risks.IsZero() {
		h, err := m.Release(ctx, d, random)
		return p.model(h), err
	}
	mechanism, err := risk.NewMechanism(m, p.Risks, func(h any) risk.Grading { return model.Grades(p.setting.Space, h) })
	if err != nil {
		return nil, err
	}
	graded, err := mechanism.Release(ctx, d, random)
	if err != nil {
		return nil, err
	}
	out := p.model(graded.Hypothesis)
	out.Risks = graded.Counts
	return out, nil
}

// admit returns an error if the number of rows of the data differs from the stated number, or exceeds the maximum for
// which the class always fits into memory.
func (p *Prepared) admit(d Extent, log *Log) error {
	s := p.setting.Schema
	if err := admit(d, s, p.setting.Relation, p.setting.Rows, log); err != nil {
		return err
	}
	if d.Rows() > p.most {
		return fmt.Errorf("the data has more %s than the maximum of %d for this class; group categories or use fewer attributes, points or rules", s.Unit(2), p.most)
	}
	return nil
}
