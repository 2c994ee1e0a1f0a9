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
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Additive is the form of what learners release that choose from no class of
// whole points: a constant and points for each category of each attribute, which
// add up. The prediction is 1 where the total is positive. Its hypotheses are
// learn.Points.
type Additive struct {
	Kind  string // one of the constants below
	Scale int    // points to a weight of 1, 1 to MostScale
}

// The kinds of additive models, by what made them.
const (
	NaiveBayes   = "naive-bayes"   // counts
	Logistic     = "logistic"      // the logistic loss
	SVM          = "svm"           // the hinge loss
	LeastSquares = "least-squares" // the squared loss
)

var (
	naiveBayesKind   = additiveKind(NaiveBayes, "the logarithms of odds that counts give")
	logisticKind     = additiveKind(Logistic, "the weights of logistic regression")
	svmKind          = additiveKind(SVM, "the weights of a support vector machine")
	leastSquaresKind = additiveKind(LeastSquares, "the weights of least squares")
)

func additiveKind(name, what string) Kind {
	return Kind{Name: name, What: what, Ask: func() Asking { return &askedAdditive{Additive{Kind: name}} }, read: readAdditive}
}

const (
	// MostScale is the greatest number of points to a weight of 1.
	MostScale = 1000

	mostAdditive = 1 << 30 // absolute points
)

// Name returns the kind.
func (f Additive) Name() string { return f.Kind }

// Noun names such a model.
func (f Additive) Noun() report.Noun {
	return map[string]report.Noun{
		NaiveBayes: "naive Bayes model", Logistic: "logistic model",
		SVM: "support vector model", LeastSquares: "least-squares model",
	}[f.Kind]
}

// Loss returns the loss that the weights are for, unless the kind is NaiveBayes.
func (f Additive) Loss() convex.Loss {
	return map[string]convex.Loss{
		Logistic: convex.LogisticLoss, SVM: convex.HingeLoss, LeastSquares: convex.SquaredLoss,
	}[f.Kind]
}

// askedAdditive asks for an additive model, whose scale is 0 where the mechanism is to
// choose it.
type askedAdditive struct{ Additive }

// Parameters defines the parameters.
func (a *askedAdditive) Parameters(f *flag.FlagSet) { scale(f, &a.Scale) }

func scale(f *flag.FlagSet, to *int) {
	f.IntVar(to, "scale", 0, "`points` to a weight of 1, which for naive-bayes and logistic is odds of e; 0 for 100, for 4 with weighted, or for 1 with exponential")
}

// Form returns the form asked for.
func (a *askedAdditive) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters. A scale of 0 is left to the mechanism.
func (f Additive) Complete(*table.Schema) (Form, error) {
	if f.Scale < 0 || f.Scale > MostScale {
		return nil, parameter.Errorf("{scale} %d is outside 1..%d", f.Scale, MostScale)
	}
	return f, nil
}

// sums is the space of an additive form.
type sums struct {
	form   Additive
	schema *table.Schema
}

// Over returns the form over the attributes of the schema.
func (f Additive) Over(s *table.Schema) (Space, error) { return f.Space(s), nil }

// Space is Over, which has no way to fail.
func (f Additive) Space(s *table.Schema) Space { return sums{f, s} }

// Class returns nil: nothing is searched.
func (sums) Class() Class { return nil }

// Grade returns "total".
func (sums) Grade() string { return total }

// Grader returns the function that adds up the constant and a record's points.
func (sums) Grader(h any) func(table.Record) int { return h.(learn.Points).Total }

// Grades returns the totals.
func (s sums) Grades(h any) risk.Grading {
	points := h.(learn.Points)
	return risk.GradeTotals(points.Prior, points.Points, 1)
}

// MostGrades returns any number of totals.
func (s sums) MostGrades() (risk.Kind, int) { return risk.Total, risk.MostGrades }

func (s sums) predictor(h any) (func(table.Record) bool, error) {
	if s.form.Scale < 1 || s.form.Scale > MostScale {
		return nil, fmt.Errorf("the scale %d is outside 1..%d", s.form.Scale, MostScale)
	}
	points, ok := h.(learn.Points)
	if !ok || len(points.Points) != len(s.schema.Attributes) {
		return nil, errors.New("the hypothesis has no points for the attributes of the schema")
	}
	all := append([][]int{{points.Prior}}, points.Points...)
	for _, of := range all {
		for _, v := range of {
			if v < -mostAdditive || v > mostAdditive {
				return nil, fmt.Errorf("the points %d are outside -%d..%d", v, mostAdditive, mostAdditive)
			}
		}
	}
	return points.Predict, nil
}

type additiveJSON struct {
	Name  string `json:"name"`
	Scale int    `json:"scale"`
}

type additiveHypothesisJSON struct {
	Constant   int          `json:"constant"`
	Attributes []pointsJSON `json:"attributes"`
}

func (f Additive) parameters() any { return additiveJSON{f.Kind, f.Scale} }

func readAdditive(text json.RawMessage) (Form, error) {
	var j additiveJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Additive{j.Name, j.Scale}, nil
}

func (s sums) write(h any) any {
	points := h.(learn.Points)
	return additiveHypothesisJSON{points.Prior, writePoints(s.schema, points.Points)}
}

func (s sums) read(text json.RawMessage) (any, error) {
	var j additiveHypothesisJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the points are malformed: %w", err)
	}
	points, err := readPoints(s.schema, j.Attributes)
	return learn.Points{Prior: j.Constant, Points: points}, err
}

func (s sums) layOut(heading report.Heading, h any) report.Body {
	double := 0.0
	if s.form.Kind == NaiveBayes || s.form.Kind == Logistic { // points stand for logarithms of odds
		double = float64(s.form.Scale) * math.Ln2
	}
	points := h.(learn.Points)
	return report.Body{Card: report.NewAdditiveCard(heading, s.schema, points.Prior, points.Points, double)}
}
