package loglinear

// An Axis is a column of the domain, with its values put into cells.
type Axis struct {
	Column int
	Cells  []uint16 // the cell of each value; nil: each value is its own
	Size   int      // how many cells there are
}

// A Marginal is a noisy table of counts of rows over a few columns.
type Marginal struct {
	Axes      []Axis
	Counts    []float64 // row-major, the last axis fastest
	Variance  float64   // of the noise of each count
	Variances []float64 // of the noise of each count, where they differ; nil: Variance
}
