// Package mip is an oracle for halfspaces that asks an external solver of
// integer programs, CBC or HiGHS.
//
// The problem is written out as an integer program with integer data
// (docs/explanation/proofs/mip.md), after the figures 2 and 3 of Neel, Roth, Vietri and Wu
// (2020), Objective Perturbation Beyond Smoothness and Convexity, but with "at
// least θ" and "at most θ-1" in place of strict inequalities, and with a
// constant for each record in place of one for all. Whatever a class charges
// or limits by weights (terms, penalties, the norm) is linear in unary bits of
// these weights, so nothing is quadratic and nothing is left out.
//
// The solver returns a point and a lower bound. The point's cost is computed
// anew, exactly; the bound is taken on trust, as it was found in floating
// point. The answer is given where the two meet. Everything else is
// oracle.ErrFail.
package mip
