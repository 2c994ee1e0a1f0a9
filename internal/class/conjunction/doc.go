// Package conjunction implements the class of conjunctions, or of disjunctions, of tests on
// categorical attributes. The conjunctions of equality tests include all cells of all marginals.
//
// The class has an exact number of hypotheses, a separator that is optionally an error-correcting
// code, a search tree, and a transform that computes the costs of all hypotheses. The tree's bounds
// merge the records that no undecided test distinguishes. The proofs are in
// docs/explanation/proofs/conjunction.md, which uses the same letters:
//
//	j, c   an attribute and one of its categories
//	t      one of the T_j tests of attribute j: a proper subset of its categories
//	o      an option of an attribute: 0 for no literal, 1+t for test t
//	d_x    the cost of accepting record x minus the cost of rejecting it
//	h      the minimum distance of the separator
//
// A record is live at a node of a search if the formula's value on it is still undecided: the
// literals chosen so far all accept it (conjunction) or all reject it (disjunction).
package conjunction
