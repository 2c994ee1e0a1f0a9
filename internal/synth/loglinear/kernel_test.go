package loglinear

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomOthers returns n columns with the given number of rows and random factors, and probabilities for some of the
// rows, the first of which is row.
func randomOthers(r *rand.Rand, n, width, rows int) (p []float32, others []other, row int) {
	for range n {
		o := other{values: make([]uint16, rows), table: make([]float32, (1+r.IntN(9))*width)}
		for i := range o.values {
			o.values[i] = uint16(r.IntN(len(o.table) / width))
		}
		for i := range o.table {
			o.table[i] = r.Float32()
		}
		others = append(others, o)
	}
	row = r.IntN(rows + 1)
	p = make([]float32, r.IntN(rows-row+1)*width)
	for i := range p {
		p[i] = r.Float32()
	}
	return p, others, row
}

// The kernels for this machine return the same numbers as the portable ones.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		width := padded(1 + r.IntN(40))
		p, others, row := randomOthers(r, 4, width, 1+r.IntN(40))
		want, got := slices.Clone(p), slices.Clone(p)
		portableByFour(want, width, others, row)
		multiplyByFour(got, width, others, row)
		if !slices.Equal(got, want) {
			t.Fatalf("%d values, by four columns: %v, not %v", width, got, want)
		}
		portableByOne(want, width, &others[3], row)
		multiplyByOne(got, width, &others[3], row)
		if !slices.Equal(got, want) {
			t.Fatalf("%d values, by one column: %v, not %v", width, got, want)
		}
	}
}
