// Package dectree holds the class of all binary decision trees of a depth over
// public tests, with a prior that favours small ones.
//
// A node asks "attribute is c" or "attribute is below c", and has a tree for
// either answer; a leaf predicts. The prior grows a tree from the root: where
// the depth allows a test, a node is a leaf or asks with probability ½ each, all
// tests alike; a leaf predicts any of the k outcomes with probability 1/k.
//
// The class is not searched. The sum of prior·e^{-λ·cost} over all trees is a
// recursion over sets of records, and so are upper bounds on it; a tree is drawn
// by these from the root down (class.Summed, docs/explanation/proofs/dectree.md). The same
// recursion carries the least cost. The number of operations depends on the tests,
// the depth and the number of distinct records only.
//
// Hypotheses are trees as they are drawn: two trees that predict alike are two
// hypotheses, and what they have in common is the sum of their chances.
//
// Letters:
//
//	k     outcomes, from 0
//	T     tests
//	D, d  the depth of the class; what is left of it at a node
//	A     a set of records, A_t those of which test t is true
//	M     the least cost of a tree of depth at most d on A
//	f     f·e^{-λM} bounds the sum for A and d from above
//	e(c)  an upper bound on e^{-λc}
package dectree
