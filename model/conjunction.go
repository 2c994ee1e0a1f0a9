package model

import (
	"encoding/json"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Conjunction is a class of conjunctions, or of disjunctions, by its public
// parameters: at most one literal on each attribute.
type Conjunction struct {
	Literals
	Disjunction bool
	Most        int   // literals, 0 for no limit
	Penalty     int64 // the cost of each literal
	Distance    int   // of the separator, 0 for 1
}

const (
	conjunctionName = "conjunction"
	disjunctionName = "disjunction"
)

// Name returns "conjunction" or "disjunction".
func (f Conjunction) Name() string {
	if f.Disjunction {
		return disjunctionName
	}
	return conjunctionName
}

// Over returns the class over the attributes of the schema.
func (f Conjunction) Over(s *table.Schema) (Class, error) {
	c, err := f.Formulas(s)
	if err != nil {
		return nil, err
	}
	return class.Erase(c), nil
}

// Formulas returns the class with the type of its hypotheses.
func (f Conjunction) Formulas(s *table.Schema) (*conjunction.Class, error) {
	if f.Most > len(s.Attributes) {
		return nil, fmt.Errorf("at most %d literals may be used, but the schema has only %d attributes", f.Most, len(s.Attributes))
	}
	c, err := conjunction.New(f.over(s), conjunction.Options{Disjunction: f.Disjunction, Most: f.Most, Penalty: f.Penalty, Distance: f.Distance})
	if err != nil {
		return nil, noClass(err)
	}
	return c, nil
}

type conjunctionJSON struct {
	Name string `json:"name"`
	Literals
	Most     int   `json:"most_literals"` // 0 for no limit
	Penalty  int64 `json:"penalty"`
	Distance int   `json:"distance,omitempty"`
}

func (f Conjunction) parameters() any {
	return conjunctionJSON{f.Name(), f.Literals, f.Most, f.Penalty, f.Distance}
}

func readConjunction(text json.RawMessage) (Family, error) {
	var j conjunctionJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Conjunction{j.Literals, j.Name == disjunctionName, j.Most, j.Penalty, j.Distance}, nil
}

func (f Conjunction) write(s *table.Schema, h any) any {
	j := []literalJSON{}
	for i, test := range h.(conjunction.Formula).Tests {
		if test > 0 {
			j = append(j, writeLiteral(s, i, f.of(&s.Attributes[i]).Accepted(test-1)))
		}
	}
	return j
}

func (f Conjunction) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j []literalJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the %s is malformed: %w", f.Name(), err)
	}
	h := conjunction.Formula{Tests: make([]int, len(s.Attributes))}
	for _, l := range j {
		i, accepted, err := l.read(s)
		if err != nil {
			return nil, err
		}
		test, ok := f.of(&s.Attributes[i]).Find(accepted)
		if !ok {
			return nil, fmt.Errorf("the condition on attribute %s is none that the class has", quote.Word(l.Attribute))
		}
		if h.Tests[i] != 0 {
			return nil, fmt.Errorf("attribute %s has two conditions", quote.Word(l.Attribute))
		}
		h.Tests[i] = 1 + test
	}
	return h, nil
}

func (f Conjunction) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
