package loglinear

import "github.com/sibyl-dp/sibyl/internal/table"

// A Marginal is a contingency table of noisy counts over a few columns. For two columns a fit uses
// only the contrasts (the counts minus their row and column means), so Counts may hold contrasts
// with any row and column means.
type Marginal struct {
	Axes      []table.Axis
	Counts    []float64 // row-major, the last axis fastest
	Variance  float64   // variance of the noise of each count
	Variances []float64 // replaces Variance if the variances differ; else nil
}
