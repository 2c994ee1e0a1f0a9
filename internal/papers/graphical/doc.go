// Package graphical fits graphical models to noisy marginals by Private-PGM (McKenna, Sheldon and Miklau,
// Graphical-model based estimation and inference for differential privacy, 2019). A model is a probability distribution
// on rows. Of the distributions with the least loss, the model is the one with the greatest entropy. It is represented
// exactly by its beliefs: the marginals over the cliques of a junction tree.
//
// The loss of a distribution measures how far its marginals are from the measured ones. It is a sum over all measured
// cells. The summand of a cell is (N·p(cell) - y)²/(2σ²).
//
// Mirror descent with momentum minimizes the loss. The model has one parameter θ for each measured cell. The logarithm
// of p(row) is, up to a constant, the sum of the parameters θ of those cells that contain the row. Each step subtracts
// a multiple of the loss's gradient from θ. All inputs are released values, so the package may compute in floating
// point.
//
// # Letters
//
//	N      the number of rows
//	p      the distribution of the model
//	y, σ²  a measured count and the variance of its noise
//	θ      a parameter of the model
package graphical
