package release

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An Evaluation requests a private estimate of the quality of a model on a table. The release consists of noisy
// numbers of rows, one for each pair of a grade that the model assigns and an outcome of the label (package risk).
type Evaluation struct {
	Model   *model.Model // the model to evaluate, which must be valid
	Epsilon privacy.Decimal

	// Relation must be that of the model's guarantee. With another relation, the release would reveal a private
	// number of rows, or its ε could not be added to that of the model. For a model without a guarantee, any relation
	// may be stated. The zero value stands for the model's relation, or for privacy.ReplaceOne if the model has no
	// guarantee.
	Relation privacy.Relation

	Rows int64   // as in a Request
	Seed *uint64 // as in a Request
}

// A PreparedEvaluation is an Evaluation whose public parameters have been checked, ready to be released.
type PreparedEvaluation struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if there is no guarantee

	evaluation Evaluation
	relation   privacy.Relation
	histogram  *learn.Histogram
	grading    risk.Grading
}

// Prepare checks the public parameters of the evaluation and computes its privacy guarantee.
func (e Evaluation) Prepare() (*PreparedEvaluation, error) {
	if err := mechanism.CheckEpsilon(e.Epsilon); err != nil {
		return nil, err
	}
	s := &mechanism.Setting{Schema: e.Model.Schema, Rows: e.Rows}
	if err := s.StatedRows(); err != nil {
		return nil, err
	}
	p := &PreparedEvaluation{evaluation: e, relation: e.Relation}
	g := e.Model.Guarantee
	switch {
	case p.relation == 0 && g != nil:
		p.relation = g.Relation
	case p.relation == 0:
		p.relation = privacy.ReplaceOne
	}
	var err error
	if p.relation, err = s.Personal(p.relation); err != nil {
		return nil, err
	}
	if g != nil && p.relation != g.Relation {
		return nil, parameter.Errorf("{relation} %v differs from the relation of the model, %v; leave {relation} out", p.relation, g.Relation)
	}
	if p.grading, err = e.Model.Grades(); err != nil {
		return nil, err
	}
	if p.histogram, err = learn.NewHistogram(p.grading.Scale.Cells(), e.Epsilon, p.relation); err != nil {
		return nil, err
	}
	if e.Seed != nil {
		p.Void = model.InsecureSeed
		return p, nil
	}
	p.Guarantee, err = privacy.State(p.histogram.Guarantee())
	return p, err
}

// Release opens the table and releases the noisy counts and, if it is public, the exact number of rows. It publishes
// one artefact: the text of an evaluation.File.
func (p *PreparedEvaluation) Release(ctx context.Context, d Data, t Terms) (*risk.Counts, error) {
	if p.Queries().Records {
		return estimate(ctx, p, t, d, opensTable(d, p.evaluation.Model.Schema))
	}
	return estimate(ctx, p, t, d, opensCounts(d, p.evaluation.Model.Schema, p.Queries()))
}

// Queries returns the queries that the release sends to the data.
func (p *PreparedEvaluation) Queries() table.Queries {
	return p.grading.Queries(len(p.evaluation.Model.Schema.Attributes))
}

// estimate opens the data, counts the rows in each cell (a grade and an outcome), and adds noise.
func estimate[D table.Counts](ctx context.Context, p *PreparedEvaluation, t Terms, d Data, open func(context.Context) (D, func(), error)) (*risk.Counts, error) {
	return take(ctx, t, pipeline[D, *risk.Counts]{
		promise: p.histogram.Guarantee(), describe: p.describe, void: p.Void, data: d, schema: p.evaluation.Model.Schema, queries: stating(p.Queries(), p.relation, p.evaluation.Rows),
		open: open,
		admit: func(data D) error {
			return admit(data, p.evaluation.Model.Schema, p.relation, p.evaluation.Rows, t.Log)
		},
		draw: func(ctx context.Context, data D) (*risk.Counts, [][]byte, error) {
			cells, err := p.grading.Count(ctx, data)
			if err != nil {
				return nil, nil, err
			}
			noisy, err := p.histogram.Release(ctx, cells, coins(p.evaluation.Seed))
			if err != nil {
				return nil, nil, err
			}
			c, err := risk.Noisy(p.grading.Scale, noisy, p.evaluation.Epsilon, p.relation)
			if err != nil {
				return nil, nil, err
			}
			c.Order = p.evaluation.Model.Order()
			if p.relation.Replaces() {
				c.Rows = big.NewInt(data.Rows())
			}
			f, err := evaluation.NewFile(p.evaluation.Model, c, p.Guarantee, p.Void)
			if err != nil {
				return nil, nil, err
			}
			text, err := f.Text()
			return c, [][]byte{text}, err
		},
	})
}

// estimateFormat is the name and version of the format in which a ledger describes the release of an Evaluation.
const estimateFormat = "sibyl-estimate/1"

type estimateJSON struct {
	Format    string             `json:"format"`
	Guarantee *privacy.Statement `json:"guarantee"`
	Mechanism histogramJSON      `json:"mechanism"`
}

type histogramJSON struct {
	Name  string `json:"name"`
	Cells int    `json:"cells"`
}

const histogramName = "histogram"

// describe returns the description of the release, which the ledger stores.
func (p *PreparedEvaluation) describe() (json.RawMessage, error) {
	return json.Marshal(estimateJSON{estimateFormat, p.Guarantee, histogramJSON{histogramName, p.grading.Scale.Cells()}})
}

// Recompute computes the guarantee of a release from the description that a ledger stores. Its error is one sentence,
// which states why no guarantee follows from the description.
func Recompute(description json.RawMessage) (privacy.Guarantee, error) {
	var start struct {
		Format string `json:"format"`
	}
	err := json.Unmarshal(description, &start)
	if err == nil && start.Format == pairsFormat {
		return recomputePairs(description)
	}
	if err == nil && start.Format == synthesisFormat {
		return recomputeSynthesis(description)
	}
	if err == nil && start.Format == profileFormat {
		return recomputeProfile(description)
	}
	if err == nil && start.Format == ownFormat {
		return recomputeOwn(description)
	}
	if err != nil || start.Format != estimateFormat {
		m, risks, err := model.ReadDescription(description)
		if err != nil {
			return nil, err
		}
		if m.Guarantee == nil {
			return nil, errors.New("the description has no guarantee")
		}
		return mechanism.Promise(m, risks)
	}
	var j estimateJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != histogramName {
		return nil, errors.New("the description must state a guarantee, and its mechanism must be a histogram")
	}
	h, err := learn.NewHistogram(j.Mechanism.Cells, j.Guarantee.Epsilon, j.Guarantee.Relation)
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return h.Guarantee(), mechanism.States(h.Guarantee(), j.Guarantee)
}
