package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Conjunction is the class (a Form) of conjunctions, or of disjunctions, of conditions on attributes, with its
// public parameters. A hypothesis has at most one condition (literal) on each attribute.
type Conjunction struct {
	Literals
	Disjunction bool
	Most        int   // the maximum number of literals; 0 means no limit
	Penalty     int64 // the cost of each literal
	Distance    int   // the minimum Hamming distance of the separator; 0 means 1
}

var conjunctionKind = Kind{
	Name: "conjunction", What: "predicts positive if all selected conditions hold", Selection: BySearch,
	Quicker: "a smaller value of {attributes}, or fewer categories",
	New:     func() FormBuilder { return &conjunctionBuilder{} }, read: readConjunction,
}

const disjunctionName = "disjunction"

var disjunctionKind = Kind{
	Name: disjunctionName, What: "predicts positive if at least one selected condition holds", Selection: BySearch,
	Quicker: "a smaller value of {attributes}, or fewer categories",
	New:     func() FormBuilder { return &conjunctionBuilder{Conjunction{Disjunction: true}} }, read: readConjunction,
}

// Name returns "conjunction" or "disjunction", the name of the class in commands and model files.
func (f Conjunction) Name() string {
	if f.Disjunction {
		return disjunctionName
	}
	return conjunctionKind.Name
}

// Noun returns "conjunction" or "disjunction", the noun for a hypothesis of the class in messages.
func (f Conjunction) Noun() report.Noun { return report.Noun(f.Name()) }

// conjunctionBuilder collects the parameters of conjunctions and disjunctions from flags. It implements FormBuilder.
type conjunctionBuilder struct{ Conjunction }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *conjunctionBuilder) Parameters(f *flag.FlagSet) {
	a.Literals.parameters(f)
	attributes(f, &a.Most, "the maximum number `K` of attributes on which the model has conditions; 0 means no limit")
	penalty(f, &a.Penalty, "condition that the model selects")
	distance(f, &a.Distance)
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *conjunctionBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f Conjunction) Complete(*table.Schema) (Form, error) {
	return f, errors.Join(
		negative("attributes", f.Most, "a number of attributes, or 0 for no limit"),
		negative("distance", f.Distance, "a number of bits"),
	)
}

// formulas is the set (Space) of all conjunctions or disjunctions over the attributes of a schema.
type formulas struct {
	searched
	typed    *conjunction.Class
	literals Literals
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Conjunction) Over(s *table.Schema) (Space, error) {
	if f.Most > len(s.Attributes) {
		return nil, parameter.About("attributes", fmt.Errorf("the maximum number of literals in a formula is %d, but the schema has only %d attributes; use a smaller maximum", f.Most, len(s.Attributes)))
	}
	c, err := conjunction.New(f.over(s), conjunction.Options{Disjunction: f.Disjunction, Most: f.Most, Penalty: f.Penalty, Distance: f.Distance})
	if err != nil {
		return nil, noClass(err)
	}
	return formulas{searched{f, s, class.Erase(c)}, c, f.Literals}, nil
}

// Conjunctions returns the class of conjunctions or disjunctions with hypotheses of type conjunction.Formula instead
// of any.
func (f formulas) Conjunctions() *conjunction.Class { return f.typed }

// Distance implements Separated: it returns the minimum number of the separator's records on which any two
// hypotheses predict differently. It returns 0 for the natural separator of the class.
func (f formulas) Distance() int { return f.typed.Options().Distance }

// Tabulated implements Tabular: it returns the class with a table of the costs of all hypotheses.
func (f formulas) Tabulated() (Class, error) { return tabulate(f.typed) }

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

func readConjunction(text json.RawMessage) (Form, error) {
	var j conjunctionJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Conjunction{j.Literals, j.Name == disjunctionName, j.Most, j.Penalty, j.Distance}, nil
}

func (f formulas) rule(h any) rule.Body {
	var parts []rule.Formula
	for j, test := range h.(conjunction.Formula).Tests {
		if test > 0 {
			parts = append(parts, rule.Condition{Attribute: j, Accepts: f.typed.Attribute(j).Accepted(test - 1)})
		}
	}
	if f.typed.Options().Disjunction {
		return rule.Decision{Formula: rule.Any(parts)}
	}
	return rule.Decision{Formula: rule.All(parts)}
}

func (f formulas) read(text json.RawMessage) (any, error) {
	conditions, err := rule.ReadConditions(f.schema, text, string(f.form.Noun())+" is")
	if err != nil {
		return nil, err
	}
	h := conjunction.Formula{Tests: make([]int, len(f.schema.Attributes))}
	for _, c := range conditions {
		a := &f.schema.Attributes[c.Attribute]
		test, ok := f.literals.of(a).Find(c.Accepts)
		if !ok {
			return nil, fmt.Errorf("the condition on attribute %s is not in the class", quote.Word(a.Name))
		}
		if h.Tests[c.Attribute] != 0 {
			return nil, fmt.Errorf("attribute %s has two conditions", quote.Word(a.Name))
		}
		h.Tests[c.Attribute] = 1 + test
	}
	return h, nil
}
