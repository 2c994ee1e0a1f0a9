// Package audit tries to refute privacy guarantees. It runs the unchanged code of a mechanism, without knowledge of
// its internals, and controls only the randomness (noise.Coins) and the tables.
//
// When to use what:
//
//   - CheckMechanism or Check, on a tiny World: they compute the exact output distributions on all tables of a few
//     records, and return an interval that contains the largest log-ratio between neighbours.
//   - Enumerate, Compare and Excess, for a single pair of distributions.
//   - Couple, on tables of any size (Shapes), for a mechanism that consists of additive noise and choices from lists:
//     it computes the exact privacy loss of one release.
//   - Attack, if the distribution cannot be enumerated: it computes a lower bound on ε from samples. The caller
//     chooses the probability with which this bound may be wrong.
//
// # What an audit proves
//
// A lower bound above ε refutes the guarantee: the two tables are a counterexample.
//
// An upper bound confirms the guarantee only for the tables of the world, up to the width of the interval and up to
// the tail. The tail is the probability of everything that was not enumerated. An outcome that lies entirely in the
// tail may have any log-ratio, so the result of a confirmation is (ε, tail) and not ε.
//
// An audit does not examine running times, errors that Check does not see, or randomness that does not come from the
// coins.
//
// # Loops
//
// A rejection loop has infinitely many sequences of outcomes. The audited code therefore calls noise.Forget at a
// point of the loop, to declare what it still remembers: its state. The audit treats all histories with the same
// declared state as one.
//
// The audit tests these declarations. Wherever it merged histories, it also enumerates the continuations of a second
// one, up to the next declaration, and requires the same distribution. But it compares only two of the merged
// histories. So the result of an audit with merged histories relies on the declarations of the audited code. Code
// without declarations does not need this assumption.
//
// The proofs are in docs/explanation/proofs/audit.md.
//
// # Letters
//
//	P, Q   the output distributions on two neighbouring tables
//	lo     a proved lower bound on the probability of an outcome
//	tail   1 - Σ lo
package audit
