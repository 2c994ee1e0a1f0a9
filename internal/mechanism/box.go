package mechanism

import (
	"context"
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// Box is the exponential mechanism for linear models. It samples a vector of integer weights from
// -Bound to Bound. The cost of a vector is its loss plus Ridge times the sum of the squared
// weights.
type Box struct {
	Columns
	Bound, Ridge int64
}

var boxKind = Kind{
	Name: ExponentialName, What: "samples integer weights, with higher probability for a smaller loss; δ = 0",
	For: AdditiveOnly(model.Logistic, model.SVM), New: func() Mechanism { return NewBox() },
	Record: func() any { return &boxJSON{} }, Recreate: recreateBox,
}

// NewBox returns the mechanism with its default parameters.
func NewBox() *Box { return &Box{Columns: UsualColumns, Bound: UsualBound} }

// Parameters implements Mechanism: it adds the flags of the parameters to f.
func (m *Box) Parameters(f *flag.FlagSet) {
	m.Columns.Define(f)
	DefineBound(f, &m.Bound)
	f.Int64Var(&m.Ridge, "ridge", 0, "add `R` times the sum of the squared weights to the loss, so that small weights are preferred; the unit of the loss is a thousandth for logistic, and a point for svm; 0 means no penalty")
}

type boxJSON struct {
	Name    string          `json:"name"`
	Rate    string          `json:"rate"` // the rate λ
	Box     limitsJSON      `json:"box"`
	Columns convex.Encoding `json:"columns"`
}

type limitsJSON struct {
	Bound int64 `json:"bound"`
	Ridge int64 `json:"ridge"`
}

const lossUnit = 1000 // the number of units of a logistic loss of 1

// unit returns the number of integer cost units that represent a loss of 1.
func (*Box) unit(f model.Additive) float64 {
	if f.Kind == model.SVM {
		return float64(f.Scale)
	}
	return lossUnit
}

// space returns the parameters of the box of weight vectors, with one weight for each column of the
// encoded attributes. The score of a record is in points, and is positive if the prediction is
// correct. The cost of a record is lossUnit·ln(1 + e^{-score/Scale}) for the form Logistic, and the
// hinge loss max(0, Scale - score) for the form SVM.
func (m *Box) space(f model.Additive, columns *convex.Features) (learn.BoxSpace, error) {
	s := learn.BoxSpace{Dim: columns.Columns(), Weight: m.Bound, Feature: 1, Norm: int64(columns.Most()), Ridge: m.Ridge}
	if m.Bound < 1 || m.Bound > learn.MostScore/s.Norm {
		return s, parameter.Errorf("{bound} %d is not supported: for rows of %d columns, it must be 1 to %d", m.Bound, s.Norm, learn.MostScore/s.Norm)
	}
	most := int(m.Bound * s.Norm)
	if f.Kind == model.SVM {
		s.Loss = learn.Hinge(most, int64(f.Scale))
	} else {
		s.Loss = learn.Logistic(most, float64(f.Scale), lossUnit)
	}
	return s, nil
}

// draws returns the learn.Box that samples integer weights of a linear model, and the mechanism's
// record, which is its entry in a model file.
func (m *Box) draws(f model.Additive, columns convex.Encoding, features *convex.Features, s *Setting) (*learn.Box, boxJSON, error) {
	space, err := m.space(f, features)
	if err != nil {
		return nil, boxJSON{}, err
	}
	b, err := learn.NewBox(space, s.Epsilon, s.Relation)
	if err != nil {
		return nil, boxJSON{}, NotMade(ExponentialName, err)
	}
	return b, boxJSON{ExponentialName, b.Rate().RatString(), limitsJSON{m.Bound, m.Ridge}, columns}, nil
}

func (m *Box) Over(s *Setting) (*Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	columns, features, err := m.Features(s)
	if err != nil {
		return nil, err
	}
	form := s.Scaled(1)
	b, record, err := m.draws(form, columns, features, s)
	if err != nil {
		return nil, err
	}
	return &Made{
		Learner: boxed{b, features}, Record: record,
		Observe: func(c Curator) { b.Observe = c.Effort },
	}, nil
}

func (m *Box) Bounds(s *Setting) ([]Bound, error) {
	columns, features, err := m.Features(s)
	if err != nil {
		return nil, err
	}
	form := s.Scaled(1)
	b, _, err := m.draws(form, columns, features, s)
	if err != nil {
		return nil, err
	}
	e, n := b.Excess(s.Rows), float64(s.Rows)*m.unit(form)
	mean, most := e.Mean/n, e.Most/n
	return []Bound{{
		Mechanism: ExponentialName, MeanLoss: &mean, MostLoss: &most,
		Said: fmt.Sprintf("the mean loss of a row (%v) exceeds the minimum over all %v by\nat most %.3g on average, and %.3g in 95 of 100 runs. The guarantee is pure.", form.Loss(), b.Size(), mean, most),
	}}, nil
}

func recreateBox(stored any, s *Setting) (*Recreated, error) {
	j := stored.(*boxJSON)
	features, err := convex.NewFeatures(j.Columns, s.Schema.Sizes())
	if err != nil {
		return nil, err
	}
	m := &Box{Bound: j.Box.Bound, Ridge: j.Box.Ridge}
	b, record, err := m.draws(s.Form.(model.Additive), j.Columns, features, s)
	if err != nil {
		return nil, err
	}
	return &Recreated{Record: record, Guarantee: b.Guarantee()}, nil
}

// A boxed is a learn.Box that converts the integer weights that it samples to the points of a linear model.
type boxed struct {
	*learn.Box
	features *convex.Features
}

func (m boxed) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	w, err := m.Box.Release(ctx, m.features.Vectors(d), coins)
	if err != nil {
		return nil, err
	}
	l := convex.Linear{Weights: make([]float64, len(w))}
	for j, v := range w {
		l.Weights[j] = float64(v)
	}
	return l.Points(m.features, 1), nil
}
