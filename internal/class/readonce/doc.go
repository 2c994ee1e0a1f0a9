// Package readonce implements the class of read-once formulas of one shape over d binary inputs. A formula is a
// complete tree of gates, with a distinct input at every leaf. All gates are majorities of three inputs, or all are
// NANDs of two inputs.
//
// The separator bits of a formula are its labels at some points. A short list of random points distinguishes all
// formulas of logarithmic depth, if the points have a product distribution that the gate preserves (Neel, Roth and Wu
// 2018, Theorem 17, after Goldman, Kearns and Schapire 1993). This package samples such points and then checks that
// they distinguish all formulas, so it does not depend on the theorem.
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
