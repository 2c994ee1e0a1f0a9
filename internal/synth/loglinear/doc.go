// Package loglinear makes rows whose marginals are those of a log-linear model that is
// fitted to noisy marginals. All it reads has been released, so that nothing it does can
// tell of anybody: it computes in floating point, and knows nothing of privacy.
package loglinear
