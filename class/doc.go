// Package class holds the contracts of hypothesis classes: what a problem is,
// what a class offers, and how a class is searched as a tree.
//
// One idea carries the module: a class is a tree with exact lower bounds. A
// node is a set of hypotheses, its children partition it, its bound is at most
// the cost of every hypothesis in it. Walking the tree to its best leaf is
// certified optimisation (package search, Minimize); walking it at random is
// the exponential mechanism, exactly (package search, Sample).
//
// A class that is a disjoint union of many parts need not lay all of them out: package lazy makes
// its tree of the parts' sizes and bounds, and of those trees that a walk asks for. Package union
// joins a few classes.
//
// Letters, after Neel, Roth and Wu (2018) and the project's proofs:
//
//	q     a hypothesis (H in type parameters)
//	x     a record     (X in type parameters)
//	c(q)  the cost of q, an integer
//	m     the size of the separator; φ(q) in {0,1}^m its labelling by q
//	N(v)  the number of hypotheses below node v
//	L(v)  the lower bound of node v
package class
