// Package heuristic implements fast deterministic oracles of the kind oracle.Heuristic, whose
// answers need not be minimisers. They serve comparisons, and data players of package game, which
// need no proofs. The guarantee of a mechanism that uses such an oracle assumes that its answers are
// minimisers.
package heuristic
