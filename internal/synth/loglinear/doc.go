// Package loglinear fits a log-linear model to noisy marginals and samples rows from it. The
// probability of a row in the model is proportional to a product of factors e^θ, one for each column
// and one for each measured marginal of two or more columns. A factor has one log-interaction θ for
// each cell of its marginal.
//
// The model is represented by particles: rows that are samples of it. When the log-interactions
// change, the particles are changed by Gibbs sampling, reweighted and resampled, so that they
// remain samples of the model.
//
// All inputs are released values, so the package needs no privacy argument and computes in floating
// point.
package loglinear
