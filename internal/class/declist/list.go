package declist

import "slices"

// A Rule assigns a label to the records that satisfy its antecedent.
type Rule struct {
	Antecedent int // the index of the antecedent in the class
	Label      bool
}

// A List is a decision list: a sequence of rules and a default. A record receives the label of
// the first rule whose antecedent it satisfies, or Default if there is no such rule.
type List struct {
	Rules   []Rule
	Default bool
}

// clone returns a copy of the list h.
func (h List) clone() List { return List{slices.Clone(h.Rules), h.Default} }

// withDefault returns the decision list with the given rules, at least one, and the default that
// canonical form requires: the opposite of the label of the last rule.
func withDefault(rules []Rule) List { return List{rules, !rules[len(rules)-1].Label} }

// mayFollow reports whether rule r may come directly after the given rule in a list in canonical
// form. If both rules have the same label, r must have the greater antecedent.
func (r Rule) mayFollow(before Rule) bool {
	return r.Label != before.Label || r.Antecedent > before.Antecedent
}
