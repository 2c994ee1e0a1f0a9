// Package search searches the trees of package class, and samples from them:
//
//   - Minimize finds a hypothesis of minimum cost, with a certificate on request.
//   - Verify checks a certificate by the class's Checker, without relying on the tree or the
//     search.
//   - Sample samples exactly from the exponential mechanism, by adaptive rejection.
//   - Within lists all hypotheses up to a given cost.
//
// The functions use only the tree of a class: exact numbers of leaves, and lower bounds on the
// costs below a node. Facts T1 to T9 of docs/explanation/proofs/adaptive-rejection.md state what
// they rely on. Floating point never affects a result. A limit on a search is a number of visited
// nodes, never a time.
//
// Letters, after that proof:
//
//	v, q  a node, and a hypothesis, which is a leaf
//	N(v)  the number of hypotheses below v
//	L(v)  a lower bound on the cost of each of them
//	c(q)  the cost of q
//	λ     the rate: q is sampled with probability proportional to e^{-λc(q)}
package search
