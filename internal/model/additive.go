package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Additive is the form of models that add up points, where the points are computed from statistics instead of
// selected from a class. The total of a record is a constant plus, for each attribute, the points of the record's
// category. The model predicts 1 if the total is positive. Hypotheses have type learn.Points.
type Additive struct {
	Kind  string // one of the constants below
	Scale int    // the number of points for a weight of 1; 1 to MostScale
}

// The kinds of additive models, which differ in how their points are computed.
const (
	NaiveBayes   = "naive-bayes"   // from noisy counts
	Logistic     = "logistic"      // by minimizing the logistic loss
	SVM          = "svm"           // by minimizing the hinge loss
	LeastSquares = "least-squares" // by minimizing the squared loss
)

var (
	naiveBayesKind   = additiveKind(NaiveBayes, "a scorecard whose points are log-odds from noisy counts")
	logisticKind     = additiveKind(Logistic, "a linear model with the logistic loss")
	svmKind          = additiveKind(SVM, "a linear model with the hinge loss (support vector machine)")
	leastSquaresKind = additiveKind(LeastSquares, "a linear model with the squared loss")
)

func additiveKind(name, what string) Kind {
	return Kind{Name: name, What: what, New: func() FormBuilder { return &additiveBuilder{Additive{Kind: name}} }, read: readAdditive}
}

const (
	// MostScale is the maximum scale of an additive model, which is the number of points that represent a weight
	// of 1.
	MostScale = 1000

	mostAdditive = 1 << 30 // the maximum absolute value of points
)

// Name returns the kind of the additive model, such as "naive-bayes".
func (f Additive) Name() string { return f.Kind }

// Noun returns the noun for models of this kind in messages, such as "logistic model".
func (f Additive) Noun() report.Noun {
	return map[string]report.Noun{
		NaiveBayes: "naive Bayes model", Logistic: "logistic model",
		SVM: "support vector model", LeastSquares: "least-squares model",
	}[f.Kind]
}

// Loss returns the loss function that the weights of the model minimize. The kind must not be NaiveBayes, which
// minimizes no loss.
func (f Additive) Loss() convex.Loss {
	return map[string]convex.Loss{
		Logistic: convex.LogisticLoss, SVM: convex.HingeLoss, LeastSquares: convex.SquaredLoss,
	}[f.Kind]
}

// additiveBuilder collects the parameters of additive models from flags. It implements FormBuilder. A scale of 0
// means that the mechanism chooses the scale.
type additiveBuilder struct{ Additive }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *additiveBuilder) Parameters(f *flag.FlagSet) {
	scale(f, &a.Scale, map[string]string{
		NaiveBayes:   `100 for the mechanism "statistical", 4 for "weighted", 10 for "newton"`,
		Logistic:     `1 for the mechanism "exponential", 100 for the others`,
		SVM:          `1 for the mechanism "exponential", 100 for the others`,
		LeastSquares: "100",
	}[a.Kind])
}

// scale adds the flag "scale", the number of points for a weight of 1, to the flag set f. The argument usual is the
// part of the help text that states the default of each mechanism.
func scale(f *flag.FlagSet, to *int, usual string) {
	f.IntVar(to, "scale", 0, "the number of `points` for a weight of 1; with a larger number, rounding to whole points changes the weights less; 0 means the default: "+usual)
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *additiveBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete returns the form, or an error if the scale is invalid. A scale of 0 is valid, and means that the
// mechanism chooses the scale.
func (f Additive) Complete(*table.Schema) (Form, error) {
	if f.Scale < 0 || f.Scale > MostScale {
		return nil, parameter.Errorf("{scale} %d is outside 1..%d", f.Scale, MostScale)
	}
	return f, nil
}

// sums is the Space of an additive form: the set of all assignments of points to the categories of a schema.
type sums struct {
	form   Additive
	schema *table.Schema
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Additive) Over(s *table.Schema) (Space, error) { return f.Space(s), nil }

// Space is like Over, but has no error result, because applying an additive form to a schema cannot fail.
func (f Additive) Space(s *table.Schema) Space { return sums{f, s} }

func (s sums) domain() *table.Schema { return s.schema }

// Sampling implements Space. It returns the zero value, because the points of additive models are computed from
// statistics instead of sampled from a class.
func (sums) Sampling() Sampling { return Sampling{} }

// MostGrades returns risk.MostGrades, the limit for all models. The grade of a record is its total, and the points
// of additive models imply no smaller limit on the number of different totals.
func (s sums) MostGrades() (risk.Kind, int) { return risk.Total, risk.MostGrades }

func (s sums) check(h any) error {
	if err := checkScale(s.form.Scale); err != nil {
		return err
	}
	points, ok := h.(learn.Points)
	if !ok || len(points.Points) != len(s.schema.Attributes) {
		return errors.New("the hypothesis must have points for each attribute of the schema")
	}
	return checkAdditive(append([][]int{{points.Prior}}, points.Points...))
}

// checkScale returns an error if the scale in a model file is out of range.
func checkScale(scale int) error {
	if scale < 1 || scale > MostScale {
		return fmt.Errorf("the scale %d is outside 1..%d", scale, MostScale)
	}
	return nil
}

// checkAdditive returns an error if the points of an additive model exceed mostAdditive in absolute value.
func checkAdditive(points [][]int) error {
	for _, of := range points {
		for _, v := range of {
			if v < -mostAdditive || v > mostAdditive {
				return fmt.Errorf("the points %d are outside -%d..%d", v, mostAdditive, mostAdditive)
			}
		}
	}
	return nil
}

type additiveJSON struct {
	Name  string `json:"name"`
	Scale int    `json:"scale"`
}

func (f Additive) parameters() any { return additiveJSON{f.Kind, f.Scale} }

func readAdditive(text json.RawMessage) (Form, error) {
	var j additiveJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Additive{j.Name, j.Scale}, nil
}

// rule returns the rule by which the hypothesis h predicts: a constant and the points of each category, which are
// added up. For naive Bayes and logistic regression, the field Double is the number of points that double the odds.
func (s sums) rule(h any) rule.Body {
	points := h.(learn.Points)
	p := rule.Points{Start: points.Prior, Of: points.Points, Threshold: 1, Constant: true}
	if s.form.Kind == NaiveBayes || s.form.Kind == Logistic {
		p.Double = float64(s.form.Scale) * math.Ln2
	}
	return p
}

func (s sums) read(text json.RawMessage) (any, error) {
	constant, points, err := rule.ReadConstant(s.schema, text)
	return learn.Points{Prior: constant, Points: points}, err
}
