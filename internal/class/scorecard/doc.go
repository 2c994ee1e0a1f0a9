// Package scorecard implements the class of scorecards over records of category codes (Neel, Roth
// and Wu 2018; Neel, Roth, Vietri and Wu 2019). A scorecard, or card, gives integer points to each
// category of each attribute. It predicts 1 for a record x if and only if the total of its points
// reaches a threshold:
//
//	Σ_j q_j(x_j) ≥ θ.
//
// The points of an attribute are chosen freely within a range (OneHot, optionally Monotone along
// some categories), by one weight (Numeric), by a weight for each bit (Binary), or from a list of
// vectors (Vectors). With weights, cards are the discrete halfspaces of the papers over columns
// with few values; package numeric has halfspaces over arbitrary integers.
//
// The tree decides the points of one category after another. It merges records that differ only in
// decided categories into a table of their costs by total, and bounds the cost below a node by the
// least entries of these tables. The Checker computes the same bounds directly from the records.
//
// Files:
//
//	class, attribute, card          the class, its attributes and its hypotheses
//	tree, walker, offsetsums        the tree: its steps, and the levels after them
//	axis, prospect, powers          the states of one attribute, and the number of vectors below each
//	builder, pattern, layout        the static program of merges, and its size
//	kernel…                         the merges themselves, portable and with vector instructions
//	learner, estimate               the order of the steps: learned, then compared by estimates
//	descent                         local search for the incumbent
//	weigh, decay                    bounds on the partition function below a node, for sampling
//	check…                          the checker, which shares only the class with the above
//	norm…                           classes with a limit on the norm: charges and multipliers
//	                                (Lagrangian decomposition), tree, walker, checker, local
//	                                search, and the embedding into a sphere
//
// A limit on the norm couples the categories of all attributes. Its tree uses the same program of
// merges with fewer totals (builder) and counts by norm (axis), and has its own walker: Tree and
// Checker call normTree and normChecker if there is a limit.
//
// Terms used in this package:
//
// An attribute is on the gauge if its points are represented as an offset, the points of a
// reference category, plus the differences of the other categories from it. Moving a constant from
// the offset of one attribute to another changes no total, so costs depend only on the sum of all
// offsets. Off the gauge the offset is 0, and the differences are the points.
//
// A step of the tree decides the points (or the difference) of one category. The tail consists of
// the categories of the last attribute that no step decides.
//
// Letters, as in docs/explanation/proofs/scorecard.md:
//
//	j, c   an attribute and one of its categories
//	q_j(c) the points of category c
//	θ      the threshold
//	d      the cost of predicting 1 minus the cost of predicting 0, of a record
//	v, δ   the points of an attribute's reference category, and the differences of
//	       the other categories from them
//	π, F_π a pattern of undecided categories, and the cost of its records by total
//	R      the maximum squared norm of a card, if it is limited
//	λ, Λ   the Lagrange multiplier of a record, and the sum of those of a category's records;
//	       for sampling, λ is the rate of the weights e^{-λ·cost}
package scorecard
