package loglinear

import "github.com/sibyl-dp/sibyl/internal/table"

// A Marginal is a contingency table of noisy counts over some columns. If it has two columns, a
// fit uses only the contrasts of the counts (the counts minus their row and column means). So
// Counts may also hold contrasts, to which any row and column means may have been added.
type Marginal struct {
	Axes      []table.Axis
	Counts    []float64 // row-major, the last axis fastest
	Variance  float64   // variance of the noise of each count
	Variances []float64 // replaces Variance if the variances differ; else nil
}
