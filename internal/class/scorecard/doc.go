// Package scorecard is the class of scorecards over records of category codes
// (Neel, Roth and Wu 2018; Neel, Roth, Vietri and Wu 2019): each category of each
// attribute contributes some integer points, and a card predicts 1 iff their total
// reaches a threshold,
//
//	Σ_j q_j(x_j) ≥ θ.
//
// Attributes choose their points freely within a range (OneHot, or Monotone
// along some categories), by one weight (Numeric), by a weight for each bit
// (Binary), or among given vectors (Vectors). With weights, cards are the discrete
// halfspaces of the papers over columns of few values; those over any integers are
// the class of package numeric.
//
// The tree decides the points of one category after the other. The records that
// only the decided points tell apart are merged into a table over their totals,
// and least entries of these tables bound the cost below a node. The Checker
// works the same bounds out by the records themselves.
//
// Files, by what they are about:
//
//	class, attribute, card          the class, what it is made of, its hypotheses
//	tree, walker, offsetsums        the tree: the steps, and what is decided behind them
//	axis, prospect, powers          the states of one attribute, and how many ways each leaves
//	builder, pattern, layout        the program of merges, and how large it can become
//	kernel…                         the merges themselves, portable and in vectors
//	learner, estimate               the order of the steps: learned, then tried out
//	descent                         the incumbent
//	weigh, decay                    sums of e^{-λ·cost} below a node, for draws
//	check…                          the checker, which shares none of the above but the class; its
//	                                groups of records are laid out once, by the plan
//	norm…                           all that a limit on the norm takes: its charges and
//	                                multipliers (Lagrangian decomposition), tree, walker,
//	                                checker, descent, and the embedding into a sphere
//
// A limit on the norm ties the categories of all attributes together. Its tree has
// the program of merges of any other, but for the totals that builder leaves out
// and what axis counts by norm, and goes on by itself from there: Tree and Checker
// each ask for the limit once, and hand over to normTree and normChecker.
//
// Letters, after docs/explanation/proofs/scorecard.md:
//
//	j, c   an attribute and one of its categories
//	q_j(c) the points of category c
//	θ      the threshold
//	d      cost of predicting 1 less cost of predicting 0, of a record
//	v, δ   the points of an attribute's reference category, and the other
//	       categories' differences from them
//	π, F_π a pattern of undecided attributes, and its records' cost by total
//	R      the greatest squared norm of a card, where it is limited
//	λ, Λ   a record's multiplier, and what those of a category's records come to
package scorecard
