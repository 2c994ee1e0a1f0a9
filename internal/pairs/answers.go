package pairs

import (
	"context"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// Answers are counts of pairs that follow from released sums, through the correlation matrix
// that is nearest to the noisy one. Nothing of it is computed from private data.
type Answers struct {
	Rows float64 // or persons, inside the domain; at least 0

	mechanism *Mechanism
	sums      []float64     // as released, in rows
	products  *mat.SymDense // of signs, scaled by weights
	passed    *mat.SymDense // share of the noise that the projection passes, by place; nil for all of it
}

// The matrix is scaled: row and column of a sign are divided by √m, so that noise is alike
// in all places that are measured, and each column of the table counts alike for what is
// near. A true matrix has 1/m on the diagonal then.

// scales returns 1/√m for each sign, and 1 for the constant one.
func (m *Mechanism) scales() []float64 {
	scales := make([]float64, m.signs)
	scales[0] = 1
	for _, a := range m.attributes {
		for s := range a.signs() {
			scales[a.first+s] = 1 / math.Sqrt(float64(a.signs()))
		}
	}
	return scales
}

// places calls do for each sum but the first, with its place among the sums and in the
// matrix.
func (m *Mechanism) places(do func(at, row, column int)) {
	at := 0
	m.blocks(func(j, k, size int) {
		switch {
		case j < 0:
			at++
			return
		case k < 0:
			for s := range size {
				do(at+s, 0, m.attributes[j].first+s)
			}
		default:
			other := m.attributes[k].signs()
			for s := range size {
				do(at+s, m.attributes[j].first+s/other, m.attributes[k].first+s%other)
			}
		}
		at += size
	})
}

// matrix lays shares out as a matrix, scaled: those of the sums where they belong, those of
// two signs of one column where their product, which is a sign of that column, has it, and
// each sign with itself.
func (m *Mechanism) matrix(shares []float64, itself float64) *mat.SymDense {
	scales := m.scales()
	x := mat.NewSymDense(m.signs, nil)
	m.places(func(at, row, column int) {
		x.SetSym(row, column, scales[row]*scales[column]*shares[at])
	})
	for i, s := range scales {
		x.SetSym(i, i, s*s*itself)
	}
	for _, a := range m.attributes {
		scale := 1 / float64(a.signs())
		for s := 1; s < a.full; s++ {
			for r := 1; r < s; r++ {
				x.SetSym(a.first+r-1, a.first+s-1, scale*shares[a.first+(r^s)-1])
			}
		}
	}
	return x
}

// Answer computes the answers of sums that Release drew. It fails with the context's error
// alone.
func (m *Mechanism) Answer(ctx context.Context, sums []*big.Int) (*Answers, error) {
	weight := float64(m.weight())
	a := &Answers{mechanism: m, sums: make([]float64, len(sums))}
	for i, n := range sums {
		a.sums[i] = toFloat(n) / weight
	}
	a.Rows = max(a.sums[0], 0)
	shares := make([]float64, len(sums))
	for i, n := range a.sums {
		shares[i] = min(max(n/max(a.Rows, 1), -1), 1)
	}
	noisy := m.matrix(shares, 1)
	diagonal := make([]float64, m.signs)
	for i := range diagonal {
		diagonal[i] = noisy.At(i, i)
	}
	p, err := nearest(ctx, noisy, diagonal)
	if err != nil {
		return nil, err
	}
	if a.products = noisy; p != nil {
		a.products, a.passed = p.matrix(), p.passed()
	}
	return a, nil
}

// Counts returns how many rows have each value of a column with each of another, the
// label's last where there is one: row-major, at least 0, adding up to Rows. The columns are
// in the table's order. Beside them is their root mean square error, estimated for these two
// columns. Counts of values that few rows have are off by less.
func (a *Answers) Counts(column, other int) (counts []float64, err float64) {
	t := a.tabulate(column, other)
	return t.counts, math.Sqrt(t.error() / float64(len(t.counts)))
}

// toFloat brings a number into what tables can have.
func toFloat(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return min(max(f, -math.MaxInt64), math.MaxInt64)
}
