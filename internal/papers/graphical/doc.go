// Package graphical fits graphical models to noisy marginals: Private-PGM (McKenna, Sheldon and
// Miklau, Graphical-model based estimation and inference for differential privacy, 2019). Among the
// distributions whose marginals are nearest to the measured marginals, the model is the one with the greatest
// entropy. It is represented exactly by its beliefs: the marginals over the cliques of a junction tree.
//
// The loss of a model is Σ (N·p(cell) - y)²/(2σ²) over all measured cells. Mirror descent with
// momentum minimizes this loss. The logarithm of p(row) is, up to a constant, a sum of parameters θ, one for each
// measured cell that contains the row. Each step subtracts a multiple of the loss's gradient from θ. All inputs
// are released values, so the package may compute in floating point.
//
// # Letters
//
//	N      the number of rows
//	p      the distribution of the model
//	y, σ²  a measured count and the variance of its noise
//	θ      a parameter of the model
package graphical
