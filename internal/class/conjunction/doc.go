// Package conjunction implements the class of conjunctions, or of disjunctions, of tests on
// categorical attributes. The cells of marginals, such as "color = red and size = 3", are
// conjunctions of equality tests.
//
// A class knows its exact number of formulas. It has
//
//   - a separator, which is optionally an error-correcting code;
//   - a search tree, whose bounds merge the records that no undecided test distinguishes;
//   - a transform that computes the costs of all formulas.
//
// A record is live at a node of a search if the formula's value on it is still undecided. In a
// conjunction this means that all literals chosen so far accept the record; in a disjunction, that
// all of them reject it.
//
// The proofs are in docs/explanation/proofs/conjunction.md, which uses the same letters:
//
//	j, c   an attribute and one of its categories
//	t      one of the T_j tests of attribute j: a proper subset of its categories
//	o      an option of an attribute: 0 for no literal, 1+t for test t
//	d_x    the cost of accepting record x minus the cost of rejecting it
//	h      the minimum distance of the separator
package conjunction
