// Package class defines the interfaces of hypothesis classes: problems, which give the costs of
// predictions; classes of hypotheses; and search trees over a class.
//
// The nodes of a search tree are sets of hypotheses. The children of a node partition its set. Each
// node has a lower bound on the cost of every hypothesis in it. Package search finds the hypothesis
// of least cost in such a tree and proves that it is the best (Minimize). It also samples exactly
// from the exponential mechanism (Sample).
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
