package loglinear

// rows are particles, by column, with their weights.
type rows struct {
	n      int
	column [][]uint16
	weight []float64

	effective float64 // how many rows of equal weight are worth as much, when last counted
}

// block is how many rows one generator moves.
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

// resample draws n rows by weight, systematically: each as often as its weight says, or
// once more or less.
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
