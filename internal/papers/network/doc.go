// Package network writes the costs of a class as a cost network: integer
// variables with finite domains, and thresholds on sums of them that are
// charged for or forbidden. Every encoding of a class and every solver of
// networks goes together; package wcsp has one such solver, package pb another.
//
// An encoding is exact: the assignments that nothing forbids map onto the
// hypotheses of the class, and the cost of a hypothesis is the least cost of the
// assignments that map to it (docs/explanation/proofs/wcsp.md). The answer of a solver is
// decoded and its cost computed afresh by class.Cost. That the answer is a
// minimiser is the solver's word, which nothing checks: the oracles are
// Certifiable.
package network
