package model

import (
	"flag"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Literals defines which conditions on attributes a formula or a rule may contain. The zero value allows only
// conditions of the form "x is c", where c is a category of the attribute x.
type Literals struct {
	Negated   bool `json:"negated"`   // also allows "x is not c"
	Intervals bool `json:"intervals"` // for attributes with cuts, also allows "lo ≤ x < hi"
	Monotone  bool `json:"monotone"`  // for attributes with two categories, allows only "x is the second one"
}

// over returns, for each attribute of the schema, the conditions on it that l allows.
func (l Literals) over(s *table.Schema) []literal.Attribute {
	var out []literal.Attribute
	for j := range s.Attributes {
		out = append(out, l.of(&s.Attributes[j]))
	}
	return out
}

func (l Literals) of(a *table.Attribute) literal.Attribute {
	n := a.Len()
	if l.Monotone && n == 2 {
		return literal.Positive()
	}
	tests := literal.Equal(n)
	if l.Negated {
		tests = literal.EqualOrNot(n)
	}
	if l.Intervals && len(a.Cuts) > 0 {
		tests = literal.Join(tests, literal.Intervals(n, a.Other != ""))
	}
	return tests
}

// parameters adds the flags that select the permitted conditions to the flag set f.
func (l *Literals) parameters(f *flag.FlagSet) {
	f.BoolVar(&l.Negated, "negated", false, "also use conditions that a value is not a certain category")
	f.BoolVar(&l.Intervals, "intervals", false, "for attributes with cuts: also use conditions that a value is in one of several adjacent intervals")
	f.BoolVar(&l.Monotone, "positive", false, "for attributes with two categories: use only the condition that the value is the second category")
}
