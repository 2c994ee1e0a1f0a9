// Package compare tells how far apart two tables of one schema are, such as a private table
// and a synthetic one: the query of a class on which they differ most, proved and checked, the
// errors of their marginals, and what a prediction learned on one is worth on the other. Nothing
// of it is private: it is for curators, and for comparisons of what releases synthetic tables.
// The proofs are in docs/explanation/proofs/compare.md.
//
// Letters:
//
//	n_A, n_B   the rows of either table
//	p_A(q)     the share of A's rows that satisfy query q: 0 where A is empty
//	w          the weight of a record, its rows in A times N/n_A less those in B times N/n_B,
//	           with N the least common multiple of n_A and n_B (1 in place of 0)
//
// So p_A(q) - p_B(q) is the whole number Σ w over the records that satisfy q, divided by N.
package compare
