// Package convex contains learners of linear models with real weights and convex losses. They are baselines, with
// which mechanisms over finite classes are compared.
//
//	Logistic  fits logistic regression, without privacy.
//	DPSGD     is private stochastic gradient descent, the baseline of Neel, Roth,
//	          Vietri and Wu (2019). Its guarantee is (ε, δ)-DP.
//
// A record is a list of category codes. Features maps it to a 0/1 vector, and returns the columns in which the
// vector is 1. The learners use only this vector, so the gradient of a record is a multiple of it.
//
// Letters:
//
//	n     the number of rows of the table
//	d     the number of columns, including the constant column
//	w     the weights, one for each column
//	x, y  the 0/1 vector of a record, and its label
//	z     the score ⟨w, x⟩; positive scores predict 1
package convex
