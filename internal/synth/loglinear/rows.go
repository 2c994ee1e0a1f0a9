package loglinear

// rows holds particles: rows with weights, stored by column.
type rows struct {
	n      int
	column [][]uint16
	weight []float64

	effective float64 // effective sample size (Σw)²/Σw² at the last count
}

// block is the number of rows whose values are sampled with the same random number generator.
const block = 1024

func newRows(columns, n int) *rows {
	r := &rows{n: n, column: make([][]uint16, columns), weight: make([]float64, n)}
	for c := range r.column {
		r.column[c] = make([]uint16, n)
	}
	for i := range r.weight {
		r.weight[i] = 1
	}
	return r
}

func (r *rows) blocks() int { return (r.n + block - 1) / block }

// resample returns n rows of equal weight by systematic resampling with the offset u in [0, 1). A row of
// weight w occurs n·w/Σw times in the result, rounded up or down.
func (r *rows) resample(n int, u float64) *rows {
	out := newRows(len(r.column), n)
	if r.n == 0 {
		return out
	}
	pick := Quota(n, r.weight, u)
	for c, col := range r.column {
		to := out.column[c]
		for i, k := range pick {
			to[i] = col[k]
		}
	}
	return out
}
