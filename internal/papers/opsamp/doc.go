// Package opsamp implements OPSamp (Neel, Roth, Vietri and Wu 2019, Algorithm 2, with a corrected theorem). OPSamp
// averages minimizers of randomly perturbed losses (logistic, hinge or squared loss) and adds Laplace noise to the
// mean. Its guarantee is (ε, δ)-DP. For tables of usual sizes the noise is larger than the weights.
//
// Letters, in addition to those of package convex:
//
//	m  the margin of a row: its score z if the label is 1, and -z if it is 0
//	φ  the loss as a function of the margin
//	G  the greatest absolute derivative of φ, over all margins of rows for weights in the box
//	μ  2^-level, the parameter that smooths the hinge loss and is the weight of the barrier
package opsamp
