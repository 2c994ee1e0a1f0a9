package loglinear

import "github.com/sibyl-dp/sibyl/internal/table"

// A Marginal is a noisy table of counts of rows over a few columns. Of two columns only the
// contrasts of the counts tell anything, and may stand in their place: with whatever means of
// lines.
type Marginal struct {
	Axes      []table.Axis
	Counts    []float64 // row-major, the last axis fastest
	Variance  float64   // of the noise of each count
	Variances []float64 // of the noise of each count, where they differ; nil: Variance
}
