package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/table"
)

// A rest is what the noisy counts of two columns are beyond those of independent columns, with
// centred lines.
type rest struct {
	axes     []table.Axis
	rest     []float64 // r × c
	variance float64   // of the noise
}

// shrink estimates a rest, r × c. It is noise plus few strong directions: its singular values
// are shrunk as is best for the sum of squares (Gavish and Donoho 2017), which drops those that
// noise alone makes. It returns how many directions were kept.
func shrink(rest []float64, r, c int, variance float64) (estimate []float64, rank int) {
	if r < c {
		t, rank := shrink(transpose(rest, r, c), c, r, variance)
		return transpose(t, c, r), rank
	}
	estimate = make([]float64, r*c)
	if c == 1 {
		return estimate, 0
	}
	u, s, v := svd(rest, r, c)
	noise := math.Sqrt(max(variance, 1e-12) * float64(r-1))
	beta := float64(c-1) / float64(r-1)
	for q := range s {
		z := s[q] / noise
		if z <= 1+math.Sqrt(beta) {
			continue
		}
		rank++
		z2 := float64(z * z)
		part := z2 - beta - 1
		kept := s[q] * math.Sqrt(float64(part*part)-float64(4*beta)) / z2
		for i := range r {
			for j := range c {
				estimate[i*c+j] += float64(kept * u[q][i] * v[q][j])
			}
		}
	}
	return estimate, rank
}

// filled is the table of counts of which a rest was estimated, with no count far below that of
// independent columns and the rows that each line has (a, b).
func filled(rest, expected, a, b []float64) []float64 {
	table := make([]float64, len(rest))
	for k, e := range expected {
		table[k] = max(e+rest[k], float64(floor*e))
	}
	rake(table, a, b)
	return table
}

// floor is the least share of its count under independence that a shrunk count has.
const floor = .002

func transpose(x []float64, r, c int) []float64 {
	t := make([]float64, len(x))
	for i := range r {
		for j := range c {
			t[j*r+i] = x[i*c+j]
		}
	}
	return t
}

// centre takes the mean off each row, then off each column.
func centre(x []float64, r, c int) {
	for i := range r {
		sum := 0.0
		for j := range c {
			sum += x[i*c+j]
		}
		for j := range c {
			x[i*c+j] -= sum / float64(c)
		}
	}
	for j := range c {
		sum := 0.0
		for i := range r {
			sum += x[i*c+j]
		}
		for i := range r {
			x[i*c+j] -= sum / float64(r)
		}
	}
}

// rake scales rows and columns in turn until they have the sums a and b.
func rake(x []float64, a, b []float64) {
	c := len(b)
	for range 50 {
		for i := range a {
			sum := 0.0
			for j := range b {
				sum += x[i*c+j]
			}
			if sum > 0 {
				for j := range b {
					x[i*c+j] *= a[i] / sum
				}
			}
		}
		for j := range b {
			sum := 0.0
			for i := range a {
				sum += x[i*c+j]
			}
			if sum > 0 {
				for i := range a {
					x[i*c+j] *= b[j] / sum
				}
			}
		}
	}
}
