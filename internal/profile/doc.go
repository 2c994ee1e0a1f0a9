// Package profile chooses cut points of number columns and values of text columns with differential privacy.
//
// Each column is coded by a public grid: its numbers are divided into cells by edges that do not depend
// on the data (grid.go). The mechanism divides the cells of a column at their median, then both halves
// at theirs, and so on (Kaplan, Schnapp and Stemmer, Differentially Private Approximate Quantiles, 2022).
// The exponential mechanism chooses each edge, or stops where a half has few rows (mechanism.go,
// docs/explanation/proofs/profile.md). It reads the marginal of each column and nothing else.
//
// For text columns, a second mechanism adds noise to the count of each value that occurs, and releases the values whose
// noisy counts reach a threshold (categories.go). This needs a δ above 0.
//
// # Letters
//
//	d      number of columns
//	L      number of levels for 2^L parts, if each part of all levels is divided
//	w      number of units of a row or person, table.Weight
//	c      1 under add-remove, 2 under replace
//	μ      rate of a choice: an edge has probability proportional to e^{-μ·cost}
//	σ²     parameter of the discrete Gaussian noise of counts
//	T      threshold of noisy counts, in units
package profile
