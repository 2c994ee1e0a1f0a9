// Package pairs releases how the columns of a table go together, two at a time: how many
// rows have one value of a column and another of a second, for all pairs of columns and
// values at once (Vadhan, The Complexity of Differential Privacy, 2017, section 7).
//
// Each column is coded by signs (coding.go). A row is then a vector of signs, and what is
// measured are the sums over all rows of the products of two of them, with exact discrete
// Gaussian noise (mechanism.go, docs/explanation/proofs/pairs.md). Divided by the number of rows the
// true sums are a correlation matrix: positive semidefinite, with ones on its diagonal.
// The noisy ones are not, and the nearest correlation matrix lies closer to the truth
// (nearest.go). All after the noise computes on what is released already, in floating
// point, and neither a solver's error nor its failure can harm anybody.
//
// # Letters
//
//	d      columns of the table that have more than one value, its label included
//	k, K   values of a column; the least power of two that is not below k
//	m      signs of a column, K - 1
//	u      1/m
//	D      signs of a row, the one that is always + included: 1 + Σ m
//	B      blocks: one of each column and of each pair of columns, d + d(d-1)/2
//	b      sums in a block: m of one column, m·m′ of two
//	c      the parameter of the noise in a block of one sum; a block of b has bc
//	v      how many blocks of one the number of rows counts as, whose noise has c/v
package pairs
