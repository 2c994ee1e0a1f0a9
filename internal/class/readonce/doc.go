// Package readonce is the class of read-once formulas of one shape over d
// binary inputs: complete trees of majority gates of three inputs, or of NAND
// gates of two, with a distinct input at every leaf.
//
// Neel, Roth and Wu (2018, Theorem 17) name these classes, of logarithmic
// depth, as ones with short universal identification sets, after Goldman,
// Kearns and Schapire (1993): random points from a product distribution, that
// which the gate leaves fixed, tell all formulas of the class apart. This
// package draws such points and then checks all formulas, so that nothing here
// rests on the theorem; the labels of the points are the separator.
//
// Letters:
//
//	d     the number of inputs
//	k     the depth of the formulas, and n = 3^k or 2^k the leaves of each
//	N     the number of formulas, C(d, n)·n! over the symmetries of the tree
//	q     a formula, in canonical form
//	m     the number of separator points
//	h     the least number of them on which two formulas differ
package readonce
