package declist

import "slices"

// A Rule assigns a label to the records that satisfy its antecedent.
type Rule struct {
	Antecedent int // its index in the class
	Label      bool
}

// A List is a decision list. The first rule whose antecedent a record satisfies labels it; Default
// labels the records that satisfy none.
type List struct {
	Rules   []Rule
	Default bool
}

// clone returns a copy.
func (h List) clone() List { return List{slices.Clone(h.Rules), h.Default} }

// withDefault returns the list of the rules, whose default is the opposite of the last label. There
// must be at least one rule.
func withDefault(rules []Rule) List { return List{rules, !rules[len(rules)-1].Label} }

// mayFollow reports whether canonical form allows a rule directly after another: antecedents ascend
// among rules of the same label.
func (r Rule) mayFollow(before Rule) bool {
	return r.Label != before.Label || r.Antecedent > before.Antecedent
}
