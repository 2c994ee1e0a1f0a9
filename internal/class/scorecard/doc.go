// Package scorecard implements the class of scorecards over records of category codes (Neel, Roth
// and Wu 2018; Neel, Roth, Vietri and Wu 2019). A scorecard, or card, gives integer points to each
// category of each attribute. It predicts 1 for a record x if and only if the total of the record's
// points reaches a threshold:
//
//	Σ_j q_j(x_j) ≥ θ.
//
// An Attribute defines which vectors of points a card may give to the categories of an attribute:
//
//   - OneHot: each category has its own points within a range. Monotone adds the constraint that
//     the points do not decrease along given categories.
//   - Numeric: one weight determines the points of all categories.
//   - Vectors: a list contains the allowed vectors.
//
// Cards with Numeric attributes are the discrete halfspaces of the papers, over columns with few
// values. Package internal/papers/numeric has halfspaces over arbitrary integers.
//
// Each step of the search tree decides the points of one category. Records that agree on all
// undecided categories get the same further points, so the tree merges them. For each such set of
// records it keeps a table: the cost of the set as a function of the total of its records. The sum
// of the minima of these tables is a lower bound on the cost of every card below the node. The
// Checker computes the same bounds directly from the records.
//
// A limit on the norm couples the categories of all attributes. The tree of such a class uses the
// same program of merges with fewer totals (builder), counts vectors by norm (axis), and has its
// own walker. Class.Tree and Class.Checker return a normTree and a normChecker if there is a limit.
//
// # Terms
//
// The levels of a category are the distinct points that it may have.
//
// An attribute is reference-coded if its points are represented as an offset plus differences. The
// offset is the points of a reference category. The differences are the points of the other
// categories minus the offset. Moving a constant from the offset of one attribute to that of
// another changes no total, so costs depend only on the sum of all offsets. Without reference
// coding the offset is 0, and the differences are the points.
//
// A step of the tree decides the points (or the difference) of one category. The tail consists of
// the categories of the last attribute that no step decides.
//
// Letters, as in docs/explanation/proofs/scorecard.md:
//
//	j, c   an attribute and one of its categories
//	q_j(c) the points of category c
//	θ      the threshold
//	d      the cost of predicting 1 for a record minus the cost of predicting 0
//	v, δ   the points of an attribute's reference category, and the differences of
//	       the other categories from them
//	π, F_π a pattern of undecided categories, and the cost of its records by total
//	R      the maximum squared norm of a card, if it is limited
//	λ, Λ   the Lagrange multiplier of a record, and the sum of the multipliers of a category's
//	       records; for sampling, λ is the rate of the weights e^{-λ·cost}
//
// # Files
//
//	class, attribute, card          the class, its attributes and its hypotheses
//	tree, walker, offsetsums        the tree: its steps, and the levels after them
//	axis, openstate, powers         the states of one attribute, and the number of vectors of each
//	builder, pattern, layout        the static program of merges, and its size
//	kernel…                         the merges themselves, portable and with vector instructions
//	learner, estimate               the order of the steps: learned, then compared by estimates
//	descent                         local search for the incumbent
//	weigh, decay                    bounds on the partition function below a node, for sampling
//	check…                          the checker, which shares only the class with the above
//	norm…                           classes with a limit on the norm: charges and multipliers
//	                                (Lagrangian decomposition), tree, walker, checker, local
//	                                search, and the embedding into a sphere
package scorecard
