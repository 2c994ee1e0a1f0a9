// Package heuristic has oracles that prove nothing: fast, deterministic, and of
// the kind oracle.Heuristic. They are for comparison, and for players that need
// good answers and no proofs. A mechanism on one assumes that its answers are
// minimisers, which they need not be.
package heuristic
