// Package synth makes private synthetic data: noisy counts of a table over one, two and more
// columns, and rows that agree with them.
//
// What touches private data are exact counts and contrasts with discrete Gaussian noise and draws of the
// exponential mechanism; all numbers of the guarantee are rational. Packages cells and
// loglinear read released counts only, in floating point.
//
// A Plan divides the budget by public facts. A Mechanism follows it: all columns, then the
// contrasts of all pairs of columns over cells that the columns' counts decide, then rounds. In each a model is
// fitted to all that was released, the conjunction is drawn of which the table has most rows
// beyond the model's, or fewest, and its columns are counted. Measured is all that is
// released, from which the guarantee is recomputed.
//
// Guarantee: ρ-zCDP, the exact sum over all counts and draws, under either relation of rows
// (docs/explanation/proofs/synth.md). Under a relation of persons the guarantee is for a person with all rows.
//
// # Letters
//
//	ρ, ε, δ  as in package privacy
//	σ²       the parameter of a discrete Gaussian law
//	c        how much one row moves the counts of one marginal, squared: 1 under
//	         add-remove, 2 under replace
//	γ        how much one row moves the contrasts of one pair, squared
//	λ        the rate of a draw of the exponential mechanism
package synth
