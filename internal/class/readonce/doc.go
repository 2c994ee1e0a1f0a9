// Package readonce implements the class of read-once formulas of one shape over d binary inputs:
// complete trees of majority gates with three inputs, or of NAND gates with two inputs, with a
// distinct input at every leaf.
//
// Neel, Roth and Wu (2018, Theorem 17) give these classes, with logarithmic depth, as examples of
// classes with short universal identification sets, after Goldman, Kearns and Schapire (1993). The
// theorem says that random points from a product distribution that the gate preserves distinguish
// all formulas of the class. This package samples such points and then checks that they distinguish
// all formulas, so it does not depend on the theorem. The labels of the points are the separator
// bits.
//
// Letters:
//
//	d     the number of inputs
//	k     the depth of the formulas; n = 3^k or 2^k is the number of leaves
//	N     the number of formulas, C(d, n)·n! divided by the symmetries of the tree
//	q     a formula, in canonical form
//	m     the number of separator points
//	h     the minimum number of them on which two formulas differ
package readonce
