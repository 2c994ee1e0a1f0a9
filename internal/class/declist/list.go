package declist

import "slices"

// A Rule gives the records that satisfy its antecedent a label.
type Rule struct {
	Antecedent int // its number in the class
	Label      bool
}

// A List is a decision list: the first rule whose antecedent a record satisfies
// labels it, and Default if there is none.
type List struct {
	Rules   []Rule
	Default bool
}

// clone returns a list of its own.
func (h List) clone() List { return List{slices.Clone(h.Rules), h.Default} }

// ended returns the rules as a list, whose default is the opposite of the last
// label; there must be a rule.
func ended(rules []Rule) List { return List{rules, !rules[len(rules)-1].Label} }

// mayFollow tells whether a rule may stand directly behind another: along rules
// of one label antecedents ascend.
func (r Rule) mayFollow(before Rule) bool {
	return r.Label != before.Label || r.Antecedent > before.Antecedent
}
