package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A rest is what the noisy counts of two columns are beyond those of independent columns, with
// centred lines.
type rest struct {
	axes     []table.Axis
	rest     []float64 // r × c
	variance float64   // of the noise, before lines were centred
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
// independent columns and the rows that each line has (a, b): where counts are cut, others lose alike,
// and not by their size, so that noise in empty cells takes little from full ones.
func filled(rest, expected, a, b []float64) []float64 {
	least, above := make([]float64, len(rest)), make([]float64, len(rest))
	for k, e := range expected {
		least[k] = float64(floor * e)
		above[k] = e + rest[k] - least[k]
	}
	nearest(above, scaled(a, 1-floor), scaled(b, 1-floor))
	for k, x := range least {
		above[k] += x
	}
	rake(above, a, b)
	return above
}

// nearest brings a table to the nearest, by Euclidean distance, without negative counts whose rows and
// columns have sums of at most a and b. What is taken from the counts of each row, and of each
// column, is found in turn, given the other: ascent, by blocks, of the dual.
func nearest(x, a, b []float64) {
	r, c := len(a), len(b)
	ofRow, ofColumn := make([]float64, r), make([]float64, c)
	line := make([]float64, max(r, c))
	for range nearestRounds {
		for i := range r {
			for j := range c {
				line[j] = x[i*c+j] - ofColumn[j]
			}
			ofRow[i] = taken(line[:c], a[i])
		}
		for j := range c {
			for i := range r {
				line[i] = x[i*c+j] - ofRow[i]
			}
			ofColumn[j] = taken(line[:r], b[j])
		}
	}
	for k := range x {
		x[k] = max(0, x[k]-ofRow[k/c]-ofColumn[k%c])
	}
}

const nearestRounds = 30

// taken is what is to be taken from counts so that what is left above 0 has at most that total.
func taken(counts []float64, total float64) float64 {
	left, most := simplex.Project(counts, total), 0.0
	for k, n := range counts {
		most = max(most, n-left[k])
	}
	return most
}

func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for k := range x {
		y[k] = float64(by * x[k])
	}
	return y
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
