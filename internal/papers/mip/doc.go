// Package mip implements oracles for halfspaces and scorecards by an external solver of integer programs, CBC or HiGHS.
//
// A problem is formulated as an integer program with integer coefficients (docs/explanation/proofs/mip.md). The program
// follows Figures 2 and 3 of Neel, Roth, Vietri and Wu (2020), with two changes. First, the constraints for a threshold
// θ are "at least θ" and "at most θ-1" instead of strict inequalities. Second, each record has its own big-M constant,
// which switches its constraint off. Terms, penalties, and limits on the weights or on their norm are linear functions
// of unary bits of the weights, so the program has no quadratic constraints and no quadratic costs.
//
// The solver returns a point and a lower bound on the objective. The oracle computes the cost of the point exactly. The
// bound comes from floating-point arithmetic and is not verified. If the rounded bound equals the cost, the hypothesis
// at the point is the answer. Otherwise the oracle fails with oracle.ErrFail.
package mip
