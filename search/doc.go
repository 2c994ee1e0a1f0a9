// Package search walks the trees of package class. Minimize walks to the best
// leaf and can certify it; Verify checks such a certificate by a class's Checker,
// trusting neither tree nor search. Sample walks at random and is the exponential
// mechanism itself, exact by adaptive rejection. Within lists all that is good
// enough.
//
// None of them knows anything of a class but its tree: exact numbers of leaves,
// and lower bounds on the costs below a node, which are the facts T1 to T9 of
// docs/explanation/proofs/adaptive-rejection.md. None uses floating point where it could
// change a result, and budgets count nodes, never time.
//
// Letters, after that proof:
//
//	v, q  a node, and a hypothesis, which is a leaf
//	N(v)  the number of hypotheses below v
//	L(v)  a lower bound on the cost of each of them
//	c(q)  the cost of q
//	λ     the rate: q is drawn with probability proportional to e^{-λc(q)}
package search
