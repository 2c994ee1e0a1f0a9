// Package network expresses the search for a hypothesis of least cost as the minimization of a cost network, a form
// that external solvers read. A network has integer variables with finite domains, a cost for each value of a variable,
// and thresholds on sums of functions of single variables. A threshold either forbids the assignments that violate it
// or adds a cost to them. Every encoding of a class as a network works with every solver of networks. Packages wcsp and
// pb implement solvers.
//
// An encoding is exact: it maps the allowed assignments onto the hypotheses of the class, and the cost of a hypothesis
// is the least cost of the assignments that map to it (docs/explanation/proofs/wcsp.md).
//
// The oracle decodes the solver's assignment to a hypothesis, and computes the cost of this hypothesis again by
// class.Cost. It does not verify that the hypothesis is a minimizer, so its kind is oracle.Certifiable.
package network
