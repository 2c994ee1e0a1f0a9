// Package heuristic implements fast deterministic oracles of the kind oracle.Heuristic: their answers need not be
// minimizers of the cost. The oracles have two uses. They are compared with exact oracles, and the data players of
// package game use them, since the guarantee of a game does not depend on the data player. If another mechanism uses
// such an oracle, the guarantee of the mechanism assumes that the oracle's answers are minimizers.
package heuristic
