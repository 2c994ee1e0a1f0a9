// Package convex holds learners of real weights by convex losses, the rivals
// that mechanisms over finite classes are compared with.
//
//	Logistic  fits logistic regression, without privacy.
//	DPSGD     private stochastic gradient descent: the baseline of Neel, Roth,
//	          Vietri and Wu (2019). (ε, δ).
//	OPSamp    averages minimisers of randomly perturbed losses (logistic,
//	          hinge, squared) and adds Laplace noise (their Algorithm 2, with the theorem corrected).
//	          (ε, δ). At the sizes of usual tables its noise drowns the answer.
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
//	m, φ  the margin, z or for label 0 -z, and the loss of it
//	G     the greatest absolute slope of φ at margins that the weights can have
package convex
