package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A DecisionList is a class of decision lists by its public parameters.
type DecisionList struct {
	Literals
	Rules   int   // at most so many, 0 for no limit
	Width   int   // the most literals of a rule, 1 or 2; 0 is 1
	Penalty int64 // the cost of each rule
}

var decisionListKind = Kind{
	Name: "decision-list", What: "a few rules, of which the first that applies decides", Searched: true,
	Quicker: "fewer --rules, or fewer categories",
	Ask:     func() Asking { return &askedList{NewDecisionList()} }, read: readDecisionList,
}

// NewDecisionList returns the class with its usual parameters.
func NewDecisionList() DecisionList { return DecisionList{Rules: 3, Width: 1} }

// Name returns "decision-list".
func (DecisionList) Name() string { return decisionListKind.Name }

// Noun returns "decision list".
func (DecisionList) Noun() report.Noun { return "decision list" }

// askedList asks for decision lists.
type askedList struct{ DecisionList }

// Parameters defines the parameters.
func (a *askedList) Parameters(f *flag.FlagSet) {
	a.Literals.parameters(f)
	f.IntVar(&a.Rules, "rules", a.Rules, "at most `K` rules; 0 for no limit")
	f.IntVar(&a.Width, "literals", a.Width, "at most `1 or 2` conditions for each rule")
	penalty(f, &a.Penalty)
}

// Form returns the class asked for.
func (a *askedList) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters.
func (f DecisionList) Complete(*table.Schema) (Form, error) {
	if f.Width != 1 && f.Width != 2 {
		return nil, parameter.Errorf("{literals} %d must be 1 or 2", f.Width)
	}
	return f, negative("rules", f.Rules, "a number of rules, or 0 for no limit")
}

// lists is the space of a class of decision lists.
type lists struct {
	searched
	typed *declist.Class
	rules int // at most so many, 0 for no limit
}

// Over returns the class over the attributes of the schema.
func (f DecisionList) Over(s *table.Schema) (Space, error) {
	c, err := declist.New(f.over(s), declist.Options{Rules: f.Rules, Literals: f.Width, Penalty: f.Penalty})
	if err != nil {
		return nil, noClass(err)
	}
	return lists{searched{f, s, class.Erase(c)}, c, f.Rules}, nil
}

// Grade returns "rule".
func (lists) Grade() string { return "rule" }

// Grader returns the function that tells which rule decides a record, from 1;
// 0 is none.
func (l lists) Grader(h any) func(table.Record) int {
	return func(r table.Record) int { return 1 + l.typed.Decides(h.(declist.List), r) }
}

// MostGrades returns a rule each, and the default.
func (l lists) MostGrades() (risk.Kind, int) {
	if l.rules == 0 || l.rules >= risk.MostGrades {
		return risk.Rule, risk.MostGrades
	}
	return risk.Rule, l.rules + 1
}

// Grades returns the rules, the last of which is the default; of more rules than have
// risks of their own, the prediction alone.
func (l lists) Grades(h any) risk.Grading {
	list := h.(declist.List)
	predicted := make([]bool, len(list.Rules)+1)
	for i, r := range list.Rules {
		predicted[i] = r.Label
	}
	predicted[len(list.Rules)] = list.Default
	scale, err := risk.Rules(predicted)
	if err != nil {
		return l.searched.Grades(h)
	}
	return risk.Grading{Scale: scale, Of: func(r table.Record) int {
		if rule := l.typed.Decides(list, r); rule >= 0 {
			return rule
		}
		return len(list.Rules)
	}}
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
	return declistJSON{f.Name(), f.Literals, f.Rules, f.Width, f.Penalty}
}

func readDecisionList(text json.RawMessage) (Form, error) {
	var j declistJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return DecisionList{j.Literals, j.Rules, j.Width, j.Penalty}, nil
}

func (l lists) write(h any) any {
	list := h.(declist.List)
	j := listJSON{Rules: []ruleJSON{}, Otherwise: digit(list.Default)}
	for _, r := range list.Rules {
		rule := ruleJSON{Predict: digit(r.Label)}
		for _, of := range l.typed.Antecedent(r.Antecedent) {
			rule.If = append(rule.If, writeLiteral(l.schema, of.Attribute, of.Accepts))
		}
		j.Rules = append(j.Rules, rule)
	}
	return j
}

func (l lists) read(text json.RawMessage) (any, error) {
	var j listJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the decision list is malformed: %w", err)
	}
	if len(j.Rules) > l.typed.Antecedents() || l.rules > 0 && len(j.Rules) > l.rules {
		return nil, fmt.Errorf("the list has %d rules, more than lists of the class", len(j.Rules))
	}
	h := declist.List{}
	var err error
	if h.Default, err = label(j.Otherwise); err != nil {
		return nil, err
	}
	for i, r := range j.Rules {
		var want []declist.Literal
		for _, of := range r.If {
			a, accepted, err := of.read(l.schema)
			if err != nil {
				return nil, err
			}
			want = append(want, declist.Literal{Attribute: a, Accepts: accepted})
		}
		at := l.antecedent(want)
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
func (l lists) antecedent(literals []declist.Literal) int {
	for a := range l.typed.Antecedents() {
		if slices.EqualFunc(l.typed.Antecedent(a), literals, declist.Literal.Equal) {
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

func (l lists) layOut(heading report.Heading, h any) report.Body {
	list := h.(declist.List)
	var rules []report.Listed
	for _, r := range list.Rules {
		var conditions []string
		for _, of := range l.typed.Antecedent(r.Antecedent) {
			conditions = append(conditions, report.Condition(&l.schema.Attributes[of.Attribute], of.Accepts))
		}
		rules = append(rules, report.Listed{Conditions: conditions, Label: r.Label})
	}
	return report.Body{Rule: report.NewList(heading, rules, list.Default)}
}
