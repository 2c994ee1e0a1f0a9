package loglinear

// The kernels multiply the probabilities p of the values of a sampled column by the factors of other columns. Row i
// of p is for row row+i of the data. It has width numbers, where width is a multiple of 8. All versions of a kernel
// return the same numbers, bit for bit.

// of returns the factors by which the other column's value in the given row multiplies the probabilities of the
// values of the sampled column. There are width factors.
func (o *other) of(row, width int) []float32 { return o.table[int(o.values[row])*width:][:width] }

// portableByFour multiplies each row of the matrix p, whose rows have length width, by the factors of the first four
// columns in others. The parameter row is the number of the table row that belongs to the first row of p.
func portableByFour(p []float32, width int, others []other, row int) {
	for ; len(p) > 0; p, row = p[width:], row+1 {
		a, b, c, d := others[0].of(row, width), others[1].of(row, width), others[2].of(row, width), others[3].of(row, width)
		for v, x := range p[:width] {
			p[v] = x * (a[v] * b[v] * c[v] * d[v])
		}
	}
}

// portableByOne multiplies each row of the matrix p, as portableByFour does, but by the factors of one column.
func portableByOne(p []float32, width int, o *other, row int) {
	for ; len(p) > 0; p, row = p[width:], row+1 {
		for v, x := range o.of(row, width) {
			p[v] *= x
		}
	}
}
