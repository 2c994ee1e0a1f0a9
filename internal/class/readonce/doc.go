// Package readonce implements the class of read-once formulas of one shape over d binary inputs. A
// formula is a complete tree of majority gates with three inputs, or of NAND gates with two inputs,
// with a distinct input at every leaf.
//
// The separator bits of a formula are its labels at some points. Random points suffice, if they
// have a product distribution that the gate preserves: with logarithmic depth, a short list of them
// distinguishes all formulas of the class (Neel, Roth and Wu 2018, Theorem 17, after Goldman,
// Kearns and Schapire 1993). This package samples such points and then checks that they distinguish
// all formulas, so it does not depend on the theorem.
//
// Letters:
//
//	d     the number of inputs
//	k     the depth of the formulas; n = 3^k or 2^k is the number of leaves
//	N     the number of formulas, C(d, n)·n! divided by the symmetries of the tree
//	q     a formula, in canonical form
//	m     the number of separator points
//	h     the minimum number of separator points on which two formulas differ
package readonce
