package model

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/table"
)

// A DecisionList is a class of decision lists by its public parameters.
type DecisionList struct {
	Literals
	Rules   int   // at most so many, 0 for no limit
	Width   int   // the most literals of a rule, 1 or 2; 0 is 1
	Penalty int64 // the cost of each rule
}

const decisionListName = "decision-list"

// Name returns "decision-list".
func (DecisionList) Name() string { return decisionListName }

// Over returns the class over the attributes of the schema.
func (f DecisionList) Over(s *table.Schema) (Class, error) {
	c, err := f.Lists(s)
	if err != nil {
		return nil, err
	}
	return class.Erase(c), nil
}

// Lists returns the class with the type of its hypotheses.
func (f DecisionList) Lists(s *table.Schema) (*declist.Class, error) {
	c, err := declist.New(f.over(s), declist.Options{Rules: f.Rules, Literals: f.Width, Penalty: f.Penalty})
	if err != nil {
		return nil, noClass(err)
	}
	return c, nil
}

type declistJSON struct {
	Name string `json:"name"`
	Literals
	Rules   int   `json:"most_rules"` // 0 for no limit
	Width   int   `json:"literals"`   // of a rule, at most
	Penalty int64 `json:"penalty"`
}

// A ruleJSON gives a label to the records that satisfy all its conditions.
type ruleJSON struct {
	If      []literalJSON `json:"if"`
	Predict int           `json:"predict"` // 0 or 1
}

type listJSON struct {
	Rules     []ruleJSON `json:"rules"`
	Otherwise int        `json:"otherwise"` // 0 or 1
}

func (f DecisionList) parameters() any {
	return declistJSON{decisionListName, f.Literals, f.Rules, f.Width, f.Penalty}
}

func readDecisionList(text json.RawMessage) (Family, error) {
	var j declistJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return DecisionList{j.Literals, j.Rules, j.Width, j.Penalty}, nil
}

func (f DecisionList) write(s *table.Schema, h any) any {
	list := h.(declist.List)
	j := listJSON{Rules: []ruleJSON{}, Otherwise: digit(list.Default)}
	c, err := f.Lists(s)
	if err != nil {
		return j // the model is invalid, which its validation says
	}
	for _, r := range list.Rules {
		rule := ruleJSON{Predict: digit(r.Label)}
		for _, l := range c.Antecedent(r.Antecedent) {
			rule.If = append(rule.If, writeLiteral(s, l.Attribute, l.Accepts))
		}
		j.Rules = append(j.Rules, rule)
	}
	return j
}

func (f DecisionList) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j listJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the decision list is malformed: %w", err)
	}
	c, err := f.Lists(s)
	if err != nil {
		return nil, err
	}
	if len(j.Rules) > c.Antecedents() || f.Rules > 0 && len(j.Rules) > f.Rules {
		return nil, fmt.Errorf("the list has %d rules, more than lists of the class", len(j.Rules))
	}
	h := declist.List{}
	if h.Default, err = label(j.Otherwise); err != nil {
		return nil, err
	}
	for i, r := range j.Rules {
		var want []declist.Literal
		for _, l := range r.If {
			a, accepted, err := l.read(s)
			if err != nil {
				return nil, err
			}
			want = append(want, declist.Literal{Attribute: a, Accepts: accepted})
		}
		at := antecedent(c, want)
		if at < 0 {
			return nil, fmt.Errorf("the conditions of rule %d are none that the class has", i+1)
		}
		rule := declist.Rule{Antecedent: at}
		if rule.Label, err = label(r.Predict); err != nil {
			return nil, err
		}
		h.Rules = append(h.Rules, rule)
	}
	return h, nil
}

// antecedent returns the number of the antecedent with these literals, or -1.
func antecedent(c *declist.Class, literals []declist.Literal) int {
	for a := range c.Antecedents() {
		if slices.EqualFunc(c.Antecedent(a), literals, declist.Literal.Equal) {
			return a
		}
	}
	return -1
}

// label reads what digit writes.
func label(digit int) (bool, error) {
	if digit != 0 && digit != 1 {
		return false, fmt.Errorf("a prediction is %d, not 0 or 1", digit)
	}
	return digit == 1, nil
}

func digit(label bool) int {
	if label {
		return 1
	}
	return 0
}

// Grade returns "rule".
func (DecisionList) Grade() string { return "rule" }

// Grader returns the function that tells which rule decides a record, from 1;
// 0 is none.
func (f DecisionList) Grader(s *table.Schema, h any) (func(table.Record) int, error) {
	c, err := f.Lists(s)
	if err != nil {
		return nil, err
	}
	return func(r table.Record) int { return 1 + c.Decides(h.(declist.List), r) }, nil
}

func (f DecisionList) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
