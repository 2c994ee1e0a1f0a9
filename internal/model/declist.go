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
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A DecisionList is the class (a Form) of decision lists (ordered lists of if-then rules), with its public
// parameters.
type DecisionList struct {
	Literals
	Rules   int   // the maximum number of rules; 0 means no limit
	Width   int   // the maximum number of literals in a rule, 1 or 2; 0 means 1
	Penalty int64 // the cost of each rule
}

var decisionListKind = Kind{
	Name: "decision-list", What: "a list of rules; the first one whose conditions hold determines the prediction", Selection: BySearch,
	Quicker: "a smaller value of {rules}, or fewer categories",
	New:     func() FormBuilder { return &listBuilder{NewDecisionList()} }, read: readDecisionList,
}

// NewDecisionList returns the class of decision lists with default parameters.
func NewDecisionList() DecisionList { return DecisionList{Rules: 3, Width: 1} }

// Name returns "decision-list", the name of the class in commands and model files.
func (DecisionList) Name() string { return decisionListKind.Name }

// Noun returns "decision list", the noun for a hypothesis of the class in messages.
func (DecisionList) Noun() report.Noun { return "decision list" }

// listBuilder collects the parameters of decision lists from flags. It implements FormBuilder.
type listBuilder struct{ DecisionList }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *listBuilder) Parameters(f *flag.FlagSet) {
	a.Literals.parameters(f)
	f.IntVar(&a.Rules, "rules", a.Rules, "the maximum number `K` of rules of the list; 0 means no limit")
	f.IntVar(&a.Width, "literals", a.Width, "the maximum number of conditions in a rule, `1 or 2`")
	penalty(f, &a.Penalty, "rule of the list")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *listBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f DecisionList) Complete(*table.Schema) (Form, error) {
	if f.Width != 1 && f.Width != 2 {
		return nil, parameter.Errorf("{literals} %d must be 1 or 2", f.Width)
	}
	return f, negative("rules", f.Rules, "a number of rules, or 0 for no limit")
}

// lists is the set (Space) of all decision lists over the attributes of a schema.
type lists struct {
	searched
	typed *declist.Class
	rules int // the maximum number of rules, 0 for no limit
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f DecisionList) Over(s *table.Schema) (Space, error) {
	c, err := declist.New(f.over(s), declist.Options{Rules: f.Rules, Literals: f.Width, Penalty: f.Penalty})
	if err != nil {
		return nil, noClass(err)
	}
	return lists{searched{f, s, class.Erase(c)}, c, f.Rules}, nil
}

// MostGrades returns the maximum number of rules of a list, including the default rule. The grade of a record is
// the rule that applies to it.
func (l lists) MostGrades() (risk.Kind, int) {
	if l.rules == 0 || l.rules >= risk.MostGrades {
		return risk.Rule, risk.MostGrades
	}
	return risk.Rule, l.rules + 1
}

type declistJSON struct {
	Name string `json:"name"`
	Literals
	Rules   int   `json:"most_rules"` // 0 for no limit
	Width   int   `json:"literals"`   // the maximum number of literals in a rule
	Penalty int64 `json:"penalty"`
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

func (l lists) rule(h any) rule.Body {
	list := h.(declist.List)
	out := rule.List{Otherwise: digit(list.Default)}
	for _, r := range list.Rules {
		step := rule.Step{Predict: digit(r.Label)}
		for _, of := range l.typed.Antecedent(r.Antecedent) {
			step.If = append(step.If, rule.Condition{Attribute: of.Attribute, Accepts: of.Accepts})
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func (l lists) read(text json.RawMessage) (any, error) {
	list, err := rule.ReadList(l.schema, text)
	if err != nil {
		return nil, err
	}
	if n := len(list.Steps); n > l.typed.Antecedents() || l.rules > 0 && n > l.rules {
		return nil, fmt.Errorf("the list has %d rules, more than the class permits", n)
	}
	h := declist.List{Default: list.Otherwise == 1}
	for i, step := range list.Steps {
		var want []declist.Literal
		for _, c := range step.If {
			want = append(want, declist.Literal{Attribute: c.Attribute, Accepts: c.Accepts})
		}
		at := l.antecedent(want)
		if at < 0 {
			return nil, fmt.Errorf("the conditions of rule %d are not in the class", i+1)
		}
		h.Rules = append(h.Rules, declist.Rule{Antecedent: at, Label: step.Predict == 1})
	}
	return h, nil
}

// antecedent returns the index of the antecedent (the condition of a rule) that is the conjunction of the given
// literals, in the numbering of the class of decision lists. It returns -1 if the class has no such antecedent.
func (l lists) antecedent(literals []declist.Literal) int {
	for a := range l.typed.Antecedents() {
		if slices.EqualFunc(l.typed.Antecedent(a), literals, declist.Literal.Equal) {
			return a
		}
	}
	return -1
}

func digit(label bool) int {
	if label {
		return 1
	}
	return 0
}
