// Package graphical fits graphical models to noisy marginals: Private-PGM (McKenna, Sheldon and
// Miklau, Graphical-model based estimation and inference for differential privacy, 2019). The model
// has the greatest entropy among the distributions whose marginals are nearest to the measured
// ones. Beliefs over the cliques of a junction tree represent it exactly.
//
// The loss of a model is Σ (N·p(cell) - y)²/(2σ²) over all measured cells. Mirror descent with
// momentum minimizes it: the logarithm of p(row) is a sum of parameters θ, one for each measured
// cell of the row, and each step subtracts a multiple of the loss's gradient from θ. All inputs
// are released values, so the package computes in floating point.
//
// # Letters
//
//	N      the number of rows
//	p      the distribution of the model
//	y, σ²  a measured count and the variance of its noise
//	θ      a parameter of the model
package graphical
