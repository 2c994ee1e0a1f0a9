// Package class defines the interfaces of hypothesis classes: problems (the costs of predictions),
// classes, and the trees by which classes are searched and sampled.
//
// A class is a tree with exact lower bounds: a node is a set of hypotheses, its children partition
// this set, and its bound is at most the cost of each hypothesis in it. Package search finds the
// best leaf of such a tree (Minimize, with a certificate) and samples from the exponential mechanism
// exactly (Sample).
//
// A union of many classes can construct the tree of each member when a search first needs it; see
// package lazy below internal/class.
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
