// Package conjunction is the class of conjunctions and of disjunctions of tests
// on categorical attributes: among them the cells of all marginals of all
// orders, which are the conjunctions of tests for equality.
//
// The class is an instance of package class: an exact number of hypotheses, a
// separator of few bits, or one that is a code, and a tree whose bounds come
// from records merged by what is undecided of them. It can also compute the
// costs of all hypotheses at once. The proofs are in docs/explanation/proofs/conjunction.md.
//
// Letters, as there:
//
//	j, c   an attribute and one of its categories
//	t      one of the T_j tests of attribute j: a proper subset of its categories
//	o      an option: 0 for no literal on the attribute, 1+t for test t
//	d_x    the cost of accepting record x less that of rejecting it
//	h      the distance of the separator
package conjunction
