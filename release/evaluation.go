package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/risk"
	"github.com/sibyl-dp/sibyl/table"
)

// An Evaluation asks how good a model is on a table: the numbers of rows of each of its
// grades with either label, with noise (package risk).
type Evaluation struct {
	Model   *model.Model // valid
	Epsilon privacy.Decimal

	// Relation is that of the model's guarantee; another one would tell the number of
	// rows where that is private, or spend an ε that adds up with the model's to nothing.
	// It may be stated for a model without a guarantee; zero is the model's, or
	// privacy.ReplaceOne.
	Relation privacy.Relation

	Rows int64   // as in a Request
	Seed *uint64 // as in a Request
}

// A PreparedEvaluation is an estimate of which all that is public is settled.
type PreparedEvaluation struct {
	Guarantee *privacy.Statement // nil where nothing is promised
	Void      model.Void         // why not

	evaluation Evaluation
	relation   privacy.Relation
	histogram  *learn.Histogram
	cells      int
	grading    risk.Grading           // of two outcomes
	predict    func(table.Record) int // of more
}

// Prepare settles all that is public.
func (e Evaluation) Prepare() (*PreparedEvaluation, error) {
	if err := CheckEpsilon(e.Epsilon); err != nil {
		return nil, err
	}
	s := &setting{schema: e.Model.Schema, rows: e.Rows}
	if err := s.statedRows(); err != nil {
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
	if p.relation, err = s.personal(p.relation); err != nil {
		return nil, err
	}
	if g != nil && p.relation != g.Relation {
		return nil, fmt.Errorf("--relation %v: the model was released under %v, and an estimate under another relation does not go with it; leave --relation out", p.relation, g.Relation)
	}
	if n := e.Model.Schema.Outcomes(); n > 2 {
		p.predict, err = e.Model.Outcome()
		p.cells = risk.MatrixCells(n)
	} else {
		p.grading, err = e.Model.Grades()
		p.cells = p.grading.Scale.Cells()
	}
	if err != nil {
		return nil, err
	}
	if p.histogram, err = learn.NewHistogram(p.cells, e.Epsilon, p.relation); err != nil {
		return nil, err
	}
	if e.Seed != nil {
		p.Void = model.InsecureSeed
		return p, nil
	}
	p.Guarantee, err = privacy.State(p.histogram.Guarantee())
	return p, err
}

// Release opens the table and releases the counts, with the number of rows where that is
// public. It is for a label of two outcomes.
func (p *PreparedEvaluation) Release(ctx context.Context, d Data, t Terms) (*risk.Counts, error) {
	as := func(noisy []*big.Int, rows *big.Int) (*risk.Counts, error) {
		c, err := risk.Noisy(p.grading.Scale, noisy, p.evaluation.Epsilon, p.relation)
		if err == nil {
			c.Rows, c.Order = rows, p.evaluation.Model.Order()
		}
		return c, err
	}
	if p.Asks().Records {
		count := func(ctx context.Context, t *table.Table) ([]int64, error) { return p.grading.Count(ctx, t) }
		return estimate(ctx, p, t, d, opensTable(d, p.evaluation.Model.Schema), count, as)
	}
	return estimate(ctx, p, t, d, opensCounts(d, p.evaluation.Model.Schema), p.grading.Count, as)
}

// ReleaseMatrix is Release for a label of more outcomes.
func (p *PreparedEvaluation) ReleaseMatrix(ctx context.Context, d Data, t Terms) (*risk.Matrix, error) {
	n := p.evaluation.Model.Schema.Outcomes()
	count := func(_ context.Context, t *table.Table) ([]int64, error) {
		return risk.CountMatrix(t, n, p.predict), nil
	}
	return estimate(ctx, p, t, d, opensTable(d, p.evaluation.Model.Schema), count, func(noisy []*big.Int, rows *big.Int) (*risk.Matrix, error) {
		m, err := risk.NoisyMatrix(n, noisy, p.evaluation.Epsilon, p.relation)
		if err == nil {
			m.Rows = rows
		}
		return m, err
	})
}

// Asks is what will be asked of the data.
func (p *PreparedEvaluation) Asks() table.Asks {
	if p.predict != nil {
		return table.Asks{Records: true}
	}
	return p.grading.Asks(len(p.evaluation.Model.Schema.Attributes))
}

// estimate opens the data, counts its rows in the cells, and releases what as makes of the
// noisy counts and of the number of rows, nil where that is private.
func estimate[D table.Counts, T any](ctx context.Context, p *PreparedEvaluation, t Terms, d Data, open func(context.Context) (D, func(), error), count func(context.Context, D) ([]int64, error), as func(noisy []*big.Int, rows *big.Int) (T, error)) (T, error) {
	return take(ctx, t, road[D, T]{
		promise: p.histogram.Guarantee(), describe: p.describe, void: p.Void, data: d, schema: p.evaluation.Model.Schema, asks: p.Asks(),
		open: open,
		admit: func(data D) error {
			return admit(data, p.evaluation.Model.Schema, p.relation, p.evaluation.Rows, t.Log)
		},
		draw: func(ctx context.Context, data D) (told T, artefacts [][]byte, err error) {
			cells, err := count(ctx, data)
			if err != nil {
				return told, nil, err
			}
			noisy, err := p.histogram.Release(ctx, cells, coins(p.evaluation.Seed))
			if err != nil {
				return told, nil, err
			}
			var rows *big.Int
			if p.relation.Replaces() {
				rows = big.NewInt(data.Rows())
			}
			if told, err = as(noisy, rows); err != nil {
				return told, nil, err
			}
			text, err := json.Marshal(estimatedJSON{told, rows})
			return told, [][]byte{text}, err
		},
	})
}

// estimatedJSON is what an account keeps the digest of.
type estimatedJSON struct {
	Counts any      `json:"counts"`
	Rows   *big.Int `json:"rows"`
}

// estimateFormat is the name and version of what an account keeps of an estimate.
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

// describe says what is estimated.
func (p *PreparedEvaluation) describe() (json.RawMessage, error) {
	return json.Marshal(estimateJSON{estimateFormat, p.Guarantee, histogramJSON{histogramName, p.cells}})
}

// Recompute returns the guarantee of a release by what an account keeps of it, or says in
// one sentence why that gives none.
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
	if err != nil || start.Format != estimateFormat {
		m, risks, err := model.ReadDescription(description)
		if err != nil {
			return nil, err
		}
		if m.Guarantee == nil {
			return nil, errors.New("it states no guarantee")
		}
		return promise(m, risks)
	}
	var j estimateJSON
	if err := decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != histogramName {
		return nil, errors.New("it states no guarantee, or no histogram")
	}
	h, err := learn.NewHistogram(j.Mechanism.Cells, j.Guarantee.Epsilon, j.Guarantee.Relation)
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return h.Guarantee(), states(h.Guarantee(), j.Guarantee)
}
