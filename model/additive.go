package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/table"
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

const (
	// MostScale is the greatest number of points to a weight of 1.
	MostScale = 1000

	mostAdditive = 1 << 30 // absolute points
)

// Name returns the kind.
func (f Additive) Name() string { return f.Kind }

// Grade returns "total".
func (Additive) Grade() string { return Scorecard{}.Grade() }

// Grader returns the function that adds up the constant and a record's points.
func (Additive) Grader(_ *table.Schema, h any) (func(table.Record) int, error) {
	return h.(learn.Points).Total, nil
}

// LogOdds tells that points stand for logarithms of odds.
func (f Additive) LogOdds() bool { return f.Kind == NaiveBayes || f.Kind == Logistic }

// Loss returns the loss that the weights are for, unless the kind is NaiveBayes.
func (f Additive) Loss() convex.Loss { return losses[f.Kind] }

func (f Additive) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	if f.Scale < 1 || f.Scale > MostScale {
		return nil, fmt.Errorf("the scale %d is outside 1..%d", f.Scale, MostScale)
	}
	points, ok := h.(learn.Points)
	if !ok || len(points.Points) != len(s.Attributes) {
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
	return func(r table.Record) bool { return points.Predict(r) }, nil
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

func (Additive) write(s *table.Schema, h any) any {
	points := h.(learn.Points)
	return additiveHypothesisJSON{points.Prior, writePoints(s, points.Points)}
}

func (f Additive) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j additiveHypothesisJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the points are malformed: %w", err)
	}
	points, err := readPoints(s, j.Attributes)
	return learn.Points{Prior: j.Constant, Points: points}, err
}
