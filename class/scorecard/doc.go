// Package scorecard is the class of scorecards, and of discrete halfspaces,
// over records of category codes (Neel, Roth and Wu 2018; Neel, Roth, Vietri and
// Wu 2019): each category of each attribute contributes some integer points, and
// a card predicts 1 iff their total reaches a threshold,
//
//	Σ_j q_j(x_j) ≥ θ.
//
// Attributes choose their points freely within a range (OneHot, or Monotone
// along some categories), by one weight (Weighted), by a weight for each bit
// (Binary), or among given vectors (Vectors).
//
// The tree decides the points of one category after the other. The records that
// only the decided points tell apart are merged into a table over their totals,
// and least entries of these tables bound the cost below a node. The Checker
// works the same bounds out by the records themselves.
//
// Letters, after docs/proofs/scorecard.md:
//
//	j, c   an attribute and one of its categories
//	q_j(c) the points of category c
//	θ      the threshold
//	d      cost of predicting 1 less cost of predicting 0, of a record
//	v, δ   the points of an attribute's reference category, and the other
//	       categories' differences from them
//	π, F_π a pattern of undecided attributes, and its records' cost by total
//	R      the greatest squared norm of a card, where it is limited
package scorecard
