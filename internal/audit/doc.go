// Package audit tries to refute privacy guarantees. It runs the shipped code of a mechanism without
// knowledge of its internals; it controls only the randomness (noise.Coins) and the tables.
//
// What to use when:
//   - CheckMechanism or Check on a tiny World: the exact output laws on all
//     tables of a few records, and the largest log-ratio between neighbours,
//     enclosed between two numbers.
//   - Enumerate, Compare and Excess for a single pair of laws.
//   - Couple on tables of any size (Shapes), where a mechanism consists of additive
//     noise and choices from lists: the exact loss of one release.
//   - Attack where the law cannot be enumerated: a lower bound on ε from draws,
//     wrong with at most a stated probability.
//
// # What an audit proves
//
// A lower bound above ε refutes the guarantee: the two tables are a
// counterexample. An upper bound confirms it for the tables of the world
// and nothing beyond; up to the slack of the enclosure; and up to the tail, the
// probability of everything that was not enumerated. An outcome that
// lies wholly in the tail may have any log-ratio, so a confirmation of ε is one
// of (ε, tail). Neither says anything about running time, errors that Check was
// not shown, or randomness that does not come from the coins.
//
// Loops that reject are infinite trees of outcomes. They are folded where the
// code declares, by noise.Forget, what it still remembers. The audit does
// not believe this blindly: wherever two histories were folded, it enumerates a
// second one up to the next declaration and demands the same law. But it compares
// two histories, not all, so a folded law rests on the declarations of the code
// under audit; a law of code that declares nothing does not.
//
// The proofs are in docs/explanation/proofs/audit.md.
//
// # Letters
//
//	P, Q   the output laws on two neighbours
//	lo     a proven lower bound on the probability of an outcome
//	tail   1 - Σ lo
package audit
