// Package compare measures the distance between two tables of one schema, such as a private table and
// a synthetic one: the query of a class on which they differ most, with a checked proof, the errors of
// their marginals, and the quality of a prediction that was learned on one and tested on the other.
// The results are not private. They are for curators, and for experiments with public tables. The
// proofs are in docs/explanation/proofs/compare.md.
//
// Letters:
//
//	n_A, n_B   the rows of either table
//	p_A(q)     the share of A's rows that satisfy query q: 0 where A is empty
//	w          the weight of a record, its rows in A times N/n_A less those in B times N/n_B,
//	           with N the least common multiple of n_A and n_B (1 in place of 0)
//
// So p_A(q) - p_B(q) is the integer Σ w over the records that satisfy q, divided by N.
package compare
