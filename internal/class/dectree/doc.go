// Package dectree implements the class of all binary decision trees up to a given depth over public
// tests, with a prior that favours small trees.
//
// An inner node has a test "attribute = c" or "attribute < c", and one subtree for each result of
// the test. A leaf predicts an outcome. The prior generates a tree from the root. If the depth
// allows a test, a node is a leaf with probability ½ and an inner node with probability ½. The test
// of an inner node is uniform over all tests, and the outcome of a leaf is uniform over the k
// outcomes.
//
// The class is not searched. The sum of prior·e^{-λ·cost} over all trees is a recursion over sets
// of records, and so are upper bounds on it. These bounds are used to sample a tree from the root
// down (class.Tractable, docs/explanation/proofs/dectree.md). The same recursion computes the least
// cost. The number of operations depends only on the tests, the depth and the number of distinct
// records.
//
// Hypotheses are trees, not functions: two trees with the same predictions are two hypotheses, and
// the probability of their common function is the sum of the probabilities of the two trees.
//
// Letters:
//
//	k     the number of outcomes, which are numbered from 0
//	T     the number of tests
//	D     the maximum depth of a tree of the class
//	d     the maximum depth of a subtree at a node
//	A     a set of records; A_t is the subset for which test t is true
//	M     the least cost of a tree of depth at most d on A
//	f     a number such that f·e^{-λM} is an upper bound on the sum of
//	      prior·e^{-λ·cost} over the trees of depth at most d on A
//	e(c)  an upper bound on e^{-λc}
//
// The cost differences of a set of records are, for each outcome o > 0, the cost of predicting o
// for the records minus the cost of predicting 0.
//
// A matrix holds the differences of the records for which two tests are both true, for all pairs of
// tests. A table by columns holds the same information by categories instead of tests (see plan).
package dectree
