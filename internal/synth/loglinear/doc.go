// Package loglinear fits a log-linear model to noisy marginals and samples rows from it. The model
// is represented by particles: rows that are moved by Gibbs sampling and reweighted.
//
// All inputs are released values, so the package needs no privacy argument and computes in floating
// point.
package loglinear
