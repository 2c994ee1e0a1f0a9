// Package compare measures how far two tables with the same schema are apart, such as a private table and a synthetic
// one:
//
//   - It finds the query of a class on which the tables differ most, with a checked proof.
//   - It computes the errors of marginals.
//   - It measures how well a prediction that was learned on one table works on the other.
//
// The results are not private. They are for curators, and for experiments with public tables. The proofs are in
// docs/explanation/proofs/compare.md.
//
// Letters:
//
//	n_A, n_B   the numbers of rows of the tables A and B
//	p_A(q)     the share of A's rows that satisfy query q; 0 if A is empty
//	w          the weight of a record: (its rows in A)·N/n_A - (its rows in B)·N/n_B,
//	           where N is the least common multiple of n_A and n_B (with 0 replaced by 1)
//
// So p_A(q) - p_B(q) is Σ w divided by N, where Σ w is the sum of the weights of the records that satisfy q, an
// integer.
package compare
