// Package synth makes private synthetic data. It measures marginals of a table with noise, fits a log-linear model to
// them, and samples rows from the model.
//
// A Plan divides the privacy budget. It depends only on public facts. A Mechanism measures a table according to the
// plan, in three steps:
//
//  1. It releases the noisy counts of the values of each column. Under add-remove, it usually releases the noisy number of
//     rows and the noisy contrasts of each column instead (contrast.go).
//  2. It releases the noisy contrasts of each pair of columns (contrast.go): they describe the dependence of the two
//     columns. The cells of a pair are groups of values, which depend on the released counts of the columns.
//  3. It runs several rounds. A round fits a model to all released values. The exponential
//     mechanism then selects a conjunction for which the number of rows in the table differs most
//     from the model's number. Last, the round releases noisy counts of the marginal of the
//     columns of this conjunction.
//
// Measured holds all released values, and the guarantee can be recomputed from it. Only three kinds of released
// values depend on private data: counts and contrasts with discrete Gaussian noise, and samples of the exponential
// mechanism. All parameters of the guarantee are rational. Packages cells and loglinear compute with released values
// only, in floating point.
//
// Guarantee: ρ-zCDP, where ρ is the exact sum over all measurements and selections. It holds if neighbouring tables
// differ by adding, removing or replacing a row, or all rows of a person (docs/explanation/proofs/synth.md).
//
// # Letters
//
//	ρ, ε, δ  as in package privacy
//	σ²       the parameter of a discrete Gaussian distribution
//	c        the squared L2 sensitivity of the counts of a marginal: 1 under add-remove,
//	         2 under replace
//	γ        the squared L2 sensitivity of the contrasts of a pair
//	λ        the parameter of the exponential mechanism: a candidate of cost x has probability proportional to e^{-λx}
package synth
