// Package dectree implements the class of all binary decision trees up to a given depth over public
// tests, with a prior that favours small trees.
//
// An inner node has a test "attribute = c" or "attribute < c", and a subtree for each result; a
// leaf predicts an outcome. The prior generates a tree from the root: if the depth allows a test, a
// node is a leaf or an inner node with probability ½ each; its test is uniform over all tests, and
// the outcome of a leaf is uniform over the k outcomes.
//
// The class is not searched. The sum of prior·e^{-λ·cost} over all trees is a recursion over sets
// of records, and so are upper bounds on it. A tree is sampled from the root down by these bounds
// (class.Summed, docs/explanation/proofs/dectree.md). The same recursion computes the least cost.
// The number of operations depends only on the tests, the depth and the number of distinct records.
//
// Hypotheses are trees, not functions: two trees with the same predictions are two hypotheses, and
// the probability of their common function is the sum of theirs.
//
// Letters:
//
//	k     the number of outcomes, which are numbered from 0
//	T     the number of tests
//	D, d  the depth of the class; the remaining depth at a node
//	A     a set of records; A_t is the subset for which test t is true
//	M     the least cost of a tree of depth at most d on A
//	f     f·e^{-λM} is an upper bound on the sum for A and d
//	e(c)  an upper bound on e^{-λc}
//
// The differences of a set of records are, for each outcome o > 0, the cost of predicting o minus
// the cost of predicting 0.
package dectree
