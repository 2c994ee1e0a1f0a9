package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/table"
)

// A Halfspace is a class of discrete halfspaces by its public parameters. An
// attribute with cuts has one weight, which is multiplied by the number of its
// interval, from 0; any other category has a weight of its own. A halfspace
// predicts 1 where the sum reaches the threshold. Its hypotheses are scorecards.
type Halfspace struct {
	Weights   Points
	Threshold int
	Penalty   int64 // the cost of each attribute used
	Most      int   // attributes that may be used, 0 for no limit
	Norm      int   // the greatest sum of squared points of all categories, 0 for no limit
	Distance  int   // of the separator, 0 for the plain one
}

const halfspaceName = "halfspace"

// Name returns "halfspace".
func (Halfspace) Name() string { return halfspaceName }

// Over returns the class over the attributes of the schema.
func (f Halfspace) Over(s *table.Schema) (Class, error) {
	c, err := f.Cards(s)
	if err != nil {
		return nil, err
	}
	return atDistance(c, f.Distance)
}

// Cards returns the class with the type of its hypotheses.
func (f Halfspace) Cards(s *table.Schema) (*scorecard.Class, error) {
	w := f.Weights
	if w.Least > w.Most || w.Least < -MostPoint || w.Most > MostPoint {
		return nil, fmt.Errorf("the weights %d..%d are no range within -%d..%d", w.Least, w.Most, MostPoint, MostPoint)
	}
	if f.Most > len(s.Attributes) {
		return nil, fmt.Errorf("at most %d attributes may be used, but the schema has only %d", f.Most, len(s.Attributes))
	}
	var attributes []scorecard.Attribute
	width := w.Most - w.Least + 1
	if len(s.Attributes)*width*width*width > mostWork {
		return nil, fmt.Errorf("%d possible weights are too many for %d attributes; take fewer weights", width, len(s.Attributes))
	}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if len(a.Cuts) == 0 || a.Other != "" {
			attributes = append(attributes, scorecard.OneHot(a.Len(), w.Least, w.Most))
			continue
		}
		numbers := make([]int, a.Len())
		for c := range numbers {
			numbers[c] = c
		}
		attributes = append(attributes, scorecard.Weighted(numbers, w.Least, w.Most))
	}
	c, err := scorecard.New(attributes, scorecard.Options{Threshold: f.Threshold, Penalty: f.Penalty, Most: f.Most, Norm: f.Norm})
	if err != nil {
		return nil, noClass(err)
	}
	return c, nil
}

// Grade returns "total".
func (Halfspace) Grade() string { return Scorecard{}.Grade() }

// Grader returns the function that adds up a record's weights.
func (Halfspace) Grader(s *table.Schema, h any) (func(table.Record) int, error) {
	return Scorecard{}.Grader(s, h)
}

type halfspaceJSON struct {
	Name      string `json:"name"`
	Weights   []int  `json:"weights"` // least and greatest
	Threshold int    `json:"threshold"`
	Penalty   int64  `json:"penalty"`
	Most      int    `json:"most_attributes"` // 0 for no limit
	Norm      int    `json:"norm,omitempty"`
	Distance  int    `json:"distance,omitempty"`
}

func (f Halfspace) parameters() any {
	return halfspaceJSON{halfspaceName, []int{f.Weights.Least, f.Weights.Most}, f.Threshold, f.Penalty, f.Most, f.Norm, f.Distance}
}

func readHalfspace(text json.RawMessage) (Family, error) {
	var j halfspaceJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Weights) != 2 {
		return nil, errors.New("its weights must be two numbers, the least and the greatest")
	}
	return Halfspace{Points{j.Weights[0], j.Weights[1]}, j.Threshold, j.Penalty, j.Most, j.Norm, j.Distance}, nil
}

func (Halfspace) write(s *table.Schema, h any) any { return Scorecard{}.write(s, h) }

func (Halfspace) read(s *table.Schema, text json.RawMessage) (any, error) {
	return Scorecard{}.read(s, text)
}

func (f Halfspace) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
