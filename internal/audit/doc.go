// Package audit tries to refute privacy guarantees. It runs the code of a mechanism as it is, without knowledge of
// its internals, and controls only the randomness (noise.Coins) and the tables.
//
// When to use what:
//   - CheckMechanism or Check, on a tiny World: they compute the exact output distributions on all tables of a few
//     records, and enclose the largest log-ratio between neighbours by two numbers.
//   - Enumerate, Compare and Excess, for a single pair of distributions.
//   - Couple, on tables of any size (Shapes), for a mechanism that consists of additive noise and choices from lists:
//     it computes the exact loss of one release.
//   - Attack, if the distribution cannot be enumerated: it computes a lower bound on ε from samples. The probability
//     that the bound is wrong is at most a stated one.
//
// # What an audit proves
//
// A lower bound above ε refutes the guarantee: the two tables are a counterexample. An upper bound confirms the
// guarantee only for the tables of the world, up to the slack of the enclosure, and up to the tail, which is the
// probability of everything that was not enumerated. An outcome that lies entirely in the tail may have any
// log-ratio, so a confirmation of ε is a confirmation of (ε, tail). Neither bound says anything about running time,
// about errors that Check does not see, or about randomness that does not come from the coins.
//
// Rejection loops are infinite trees of outcomes. They are folded where the code declares, by noise.Forget, what it
// still remembers. The audit tests these declarations: wherever two histories were folded into one state, it also
// enumerates a second history up to the next declaration, and requires the same distribution. But it compares only
// two of the histories. So a distribution with folding relies on the declarations of the audited code; the
// distribution of code without declarations does not.
//
// The proofs are in docs/explanation/proofs/audit.md.
//
// # Letters
//
//	P, Q   the output distributions on two neighbouring tables
//	lo     a proved lower bound on the probability of an outcome
//	tail   1 - Σ lo
package audit
