// Package numeric implements classes of discrete halfspaces over numeric columns. A halfspace has an
// integer weight for each column, from a public finite set, and a threshold from a public finite
// list. It predicts 1 on a record if the weighted sum of the record's values is at least the
// threshold.
//
// Columns may have any integer values, and the implementation is simple rather than fast. If columns
// are categorical or have few values, a halfspace is a scorecard (scorecard.Numeric), and package
// scorecard is much faster.
//
// Letters, after Neel, Roth, Vietri and Wu (2020), Objective Perturbation Beyond Smoothness and
// Convexity, and docs/explanation/proofs/halfspace.md:
//
//	d     the number of columns
//	x     a record; x_j is its value in column j, an integer in units that are public
//	w     the vector of weights; W_j is the set of possible weights of column j
//	θ     the threshold
//	R     the maximum squared norm of w
package numeric
