// Package heuristic implements fast deterministic oracles of the kind oracle.Heuristic. Their answers need not be
// minimisers of the cost. They have two uses: comparisons with exact oracles, and the data players of package game,
// which need no proofs. If another mechanism uses such an oracle, its guarantee assumes that the oracle's answers are
// minimisers.
package heuristic
