// Package convex holds learners of real weights by convex losses, the rivals
// that mechanisms over finite classes are compared with.
//
//	Logistic  fits logistic regression, without privacy.
//	DPSGD     private stochastic gradient descent: the baseline of Neel, Roth,
//	          Vietri and Wu (2019). (ε, δ).
//
// Records are category codes; Features says which columns of a 0/1 matrix a
// record has a one in. Nothing else of a record is used, so that a record's
// gradient is a number times a 0/1 vector.
//
// Letters:
//
//	n     rows of the table
//	d     columns, the constant one included
//	w     weights, one a column
//	x, y  a record's 0/1 vector and its label
//	z     the score ⟨w, x⟩; positive scores predict 1
package convex
