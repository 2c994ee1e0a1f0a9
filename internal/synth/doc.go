// Package synth makes private synthetic data. It measures marginals of a table with noise, fits a
// log-linear model to them, and samples rows from the model.
//
// A Plan divides the privacy budget by public facts. A Mechanism measures according to the plan:
//
//  1. the counts of each column;
//  2. the contrasts of each pair of columns, over cells that depend on the released counts of the
//     columns;
//  3. several rounds. Each round fits a model to all released values, selects with the exponential
//     mechanism a conjunction whose number of rows in the table differs most from the model's,
//     and counts the marginal of its columns.
//
// Measured holds all released values; the guarantee is recomputed from it. Only exact counts and
// contrasts with discrete Gaussian noise, and samples of the exponential mechanism, depend on private
// data, and all parameters of the guarantee are rational. Packages cells and loglinear compute with
// released values only, in floating point.
//
// Guarantee: ρ-zCDP, where ρ is the exact sum over all measurements, under both relations between
// rows (docs/explanation/proofs/synth.md). Under a relation between persons the guarantee is for
// all rows of a person.
//
// # Letters
//
//	ρ, ε, δ  as in package privacy
//	σ²       the parameter of a discrete Gaussian distribution
//	c        the squared L2 sensitivity of the counts of a marginal: 1 under add-remove,
//	         2 under replace
//	γ        the squared L2 sensitivity of the contrasts of a pair
//	λ        the rate of the exponential mechanism
package synth
