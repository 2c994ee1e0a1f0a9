// Package pairs releases a two-way contingency table for each pair of columns in a table
// (Vadhan, The Complexity of Differential Privacy, 2017, section 7).
//
// Each column is coded by signs ±1 (coding.go), so that a row is a vector of signs. The mechanism measures the sums,
// over all rows, of the products of two signs, with exact discrete Gaussian noise (mechanism.go,
// docs/explanation/proofs/pairs.md). Divided by the number of rows, the exact sums are a correlation matrix: positive
// semidefinite with ones on its diagonal. The noisy sums are not, and the correlation matrix nearest to them is
// closer to the exact one (nearest.go). All computations after the noise is added use only released values, in
// floating point. So numerical errors or failures of the projection do not affect privacy.
//
// # Letters
//
//	d      number of columns with more than one value, the label included
//	k, K   number of values of a column; the least power of two that is at least k
//	m      number of signs of a column, K - 1
//	u      1/m
//	D      number of signs of a row, including the constant sign +1: 1 + Σ m
//	B      number of blocks, one for each column and each pair of columns: d + d(d-1)/2
//	b      number of sums in a block: m for a column, m·m′ for a pair
//	c      σ² of the noise of a block with one sum; each sum of a block of b has σ² = bc
//	v      weight of the number of rows in the budget; its noise has σ² = c/v
package pairs
