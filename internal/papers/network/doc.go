// Package network encodes the costs of a class as a cost network. A network has integer variables with finite domains,
// and thresholds on sums of functions of single variables. A threshold either adds a cost or forbids assignments. Every
// encoding of a class works with every solver of networks. Packages wcsp and pb implement solvers.
//
// An encoding is exact: it maps the allowed assignments onto the hypotheses of the class, and the cost of a hypothesis
// is the least cost of the assignments that map to it (docs/explanation/proofs/wcsp.md).
//
// The oracle decodes the solver's assignment to a hypothesis, and computes the cost of this hypothesis again by
// class.Cost. It does not verify that the hypothesis is a minimizer, so its kind is oracle.Certifiable.
package network
