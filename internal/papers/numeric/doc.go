// Package numeric is the class of discrete halfspaces over numeric columns:
// integer weights from a public finite set for each column, and a threshold
// from a public finite list. A halfspace predicts 1 on a record if the weighted
// sum of its values reaches the threshold.
//
// It takes any numbers, and is simple rather than fast. Where columns are
// categories or have few values, a halfspace is a scorecard (scorecard.Numeric),
// which package scorecard searches much faster.
//
// Letters, after Neel, Roth, Vietri and Wu (2020), Objective Perturbation
// Beyond Smoothness and Convexity, and docs/explanation/proofs/halfspace.md:
//
//	d     the number of columns
//	x     a record, x_j its value in column j, an integer in public units
//	w     the weights, W_j the possible ones of column j
//	θ     the threshold
//	R     the greatest squared norm of w
package numeric
