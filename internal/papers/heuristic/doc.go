// Package heuristic implements fast deterministic oracles of the kind oracle.Heuristic. Their answers
// need not be minimisers. They have two uses: comparisons, and the data players of package game, which
// need no proofs. The guarantee of a mechanism that uses such an oracle assumes that the oracle's
// answers are minimisers.
package heuristic
