// Package profile chooses cut points of numeric columns and values of text columns with differential privacy. Only
// the marginal of each column is read.
//
// A public grid codes the numbers of a numeric column: edges that do not depend on the data split the number line
// into cells (grid.go). Two mechanisms then choose cuts among the edges:
//
//   - The first mechanism releases noisy counts of each column by order of magnitude (magnitudes.go). They
//     determine at which edges cuts may be placed. A column that is mostly 0 gets public cuts instead (column.go).
//   - The second mechanism splits the cells of a column into two parts near the median of the rows, splits both
//     parts near their medians, and so on (Kaplan, Schnapp and Stemmer, Differentially Private Approximate
//     Quantiles, 2022). The exponential mechanism chooses the edge at which a part is split. It may also leave a
//     part with few rows whole (mechanism.go, docs/explanation/proofs/profile.md).
//
// For text columns, a third mechanism adds noise to the count of each value that occurs, and releases the values
// whose noisy counts reach a threshold (categories.go). This requires δ > 0.
//
// # Letters
//
//	d      number of columns
//	L      number of levels: if every part is split at each level, 2^L parts remain
//	w      number of units of a row or person, table.Weight
//	c      1 under add-remove, 2 under replace
//	μ      rate of the exponential mechanism: an edge has probability proportional to e^{-μ·cost}
//	σ²     parameter of the discrete Gaussian noise of counts
//	T      threshold of noisy counts, in units
package profile
