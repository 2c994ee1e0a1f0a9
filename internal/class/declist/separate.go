package declist

import "math/bits"

// width returns the number of bits of the separator that encode the antecedent of one rule.
func (c *Class) width() int { return bits.Len(uint(len(c.antecedents))) }

// Separator returns the number of bits of the separator, K(⌈log₂(A+1)⌉ + 1), for at most K rules
// and A antecedents. If the number of rules is not limited, it is large, and so is the noise that
// RSPM adds to the bits.
func (c *Class) Separator() int { return c.rules() * (c.width() + 1) }

// Separate returns the separator bits of list h. For each position of the list, they contain the
// binary digits of a number, followed by one bit:
//
//   - The number is the index of the antecedent of the rule at this position plus 1, or 0 if there
//     is no rule.
//   - The bit is the label of the rule. For the empty list, the bit of the first position is the
//     default.
//
// The bits determine the rules, so distinct lists have distinct bits.
func (c *Class) Separate(h List) []bool {
	set := make([]bool, c.Separator())
	if len(h.Rules) == 0 {
		set[c.width()] = h.Default
	}
	for i, r := range h.Rules {
		at := set[i*(c.width()+1):]
		for b := range c.width() {
			at[b] = (r.Antecedent+1)>>b&1 == 1
		}
		at[c.width()] = r.Label
	}
	return set
}
