package mechanism

import (
	"flag"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
)

// Columns selects how linear models encode a categorical attribute as features: one column for each category
// ("one-hot"), one for each category except the first ("reference"), or one for each binary digit of the category's
// code ("binary").
type Columns struct{ Columns string }

// UsualColumns is the default encoding: one column for each category.
var UsualColumns = Columns{convex.OneHot.String()}

func (c *Columns) Define(f *flag.FlagSet) {
	f.StringVar(&c.Columns, "columns", c.Columns, "the `encoding` of attributes as columns of numbers 0 and 1: a column for each category (one-hot), for each category except the first (reference), or for each binary digit of the category's number (binary)")
}

// Features returns the selected encoding of attributes, and the feature columns into which it
// encodes the attributes of the setting's schema.
func (c *Columns) Features(s *Setting) (e convex.Encoding, own *convex.Features, err error) {
	if e, err = c.encoding(); err != nil {
		return e, nil, err
	}
	own, err = convex.NewFeatures(e, s.Schema.Sizes())
	return e, own, err
}

// encoding returns the selected encoding of categorical attributes as feature columns.
func (c *Columns) encoding() (e convex.Encoding, err error) {
	if err := e.UnmarshalText([]byte(c.Columns)); err != nil {
		return e, parameter.Errorf("{columns} %w", err)
	}
	return e, nil
}

// Weighing returns a function that converts the released weights of feature columns to the points
// of an additive model.
func Weighing(features *convex.Features, form model.Additive) func(convex.Linear) (any, error) {
	return func(l convex.Linear) (any, error) { return l.Points(features, form.Scale), nil }
}

// UsualBound is the default of the parameter bound of linear models, the maximum absolute value of a weight.
const UsualBound = 4

// DefineBound adds to the flag set f the flag for the maximum absolute value of a weight of a linear model.
func DefineBound(f *flag.FlagSet, b *int64) {
	f.Int64Var(b, "bound", *b, "the maximum absolute value `W` of a weight; with the mechanism exponential, weights are integers, in points")
}
