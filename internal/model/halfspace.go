package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Halfspace is the class (a Form) of discrete halfspaces, with its public parameters. A hypothesis is a scorecard
// that predicts 1 if the total of the points is at least the threshold. An attribute with cuts, but without the
// category Other, has a single weight: the points of its intervals, from the lowest to the highest, are 0, 1, 2, …
// times the weight. Any other attribute has a weight for each category, which is the category's points.
type Halfspace struct {
	Weights   Points
	Threshold int
	Penalty   int64 // the cost of each attribute used
	Most      int   // the maximum number of attributes used; 0 means no limit
	Norm      int   // the maximum sum of the squared points of all categories; 0 means no limit
	Distance  int   // the minimum Hamming distance of the separator; 0 for the natural separator
}

var halfspaceKind = Kind{
	Name: "halfspace", What: "a scorecard with a single weight for all intervals of an attribute with cuts", Selection: BySearch,
	Quicker: "fewer categories or points",
	New:     func() FormBuilder { return &halfspaceBuilder{NewHalfspace()} }, read: readHalfspace,
}

// NewHalfspace returns the class of halfspaces with default parameters.
func NewHalfspace() Halfspace { return Halfspace{Weights: signs, Threshold: 1} }

// Name returns "halfspace", the name of the class in commands and model files.
func (Halfspace) Name() string { return halfspaceKind.Name }

// Noun returns "halfspace", the noun for a hypothesis of the class in messages.
func (Halfspace) Noun() report.Noun { return "halfspace" }

// halfspaceBuilder collects the parameters of halfspaces from flags. It implements FormBuilder.
type halfspaceBuilder struct{ Halfspace }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *halfspaceBuilder) Parameters(f *flag.FlagSet) {
	cardParameters(f, &a.Weights, &a.Threshold, &a.Most, &a.Norm, &a.Penalty, &a.Distance)
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *halfspaceBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f Halfspace) Complete(*table.Schema) (Form, error) {
	return f, checkCards(f.Most, f.Norm, f.Penalty, f.Distance)
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Halfspace) Over(s *table.Schema) (Space, error) {
	if err := f.Weights.check("weights"); err != nil {
		return nil, err
	}
	var attributes []scorecard.Attribute
	if int64(len(s.Attributes))*f.Weights.work() > mostWork {
		return nil, parameter.About("points", fmt.Errorf("the range of %d possible weights is too large for %d attributes; use a smaller range of weights", f.Weights.width(), len(s.Attributes)))
	}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if len(a.Cuts) == 0 || a.Other != "" {
			attributes = append(attributes, scorecard.OneHot(a.Len(), f.Weights.Least, f.Weights.Most))
			continue
		}
		numbers := make([]int, a.Len())
		for c := range numbers {
			numbers[c] = c
		}
		attributes = append(attributes, scorecard.Numeric(numbers, f.Weights.Least, f.Weights.Most))
	}
	return newCards(f, s, f.Distance, attributes, scorecard.Options{Threshold: f.Threshold, Penalty: f.Penalty, Most: f.Most, Norm: f.Norm})
}

type halfspaceJSON struct {
	Name      string `json:"name"`
	Weights   []int  `json:"weights"` // the least and the greatest weight
	Threshold int    `json:"threshold"`
	Penalty   int64  `json:"penalty"`
	Most      int    `json:"most_attributes"` // 0 for no limit
	Norm      int    `json:"norm,omitempty"`
	Distance  int    `json:"distance,omitempty"`
}

func (f Halfspace) parameters() any {
	return halfspaceJSON{f.Name(), []int{f.Weights.Least, f.Weights.Most}, f.Threshold, f.Penalty, f.Most, f.Norm, f.Distance}
}

func readHalfspace(text json.RawMessage) (Form, error) {
	var j halfspaceJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Weights) != 2 {
		return nil, errors.New("the key \"weights\" must be a list of two numbers, the least and the greatest weight")
	}
	return Halfspace{Points{j.Weights[0], j.Weights[1]}, j.Threshold, j.Penalty, j.Most, j.Norm, j.Distance}, nil
}
