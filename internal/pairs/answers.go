package pairs

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// Answers computes the contingency table of each pair of columns from the noisy sums of a release, without private
// data. The sums form a noisy correlation matrix, which is first replaced by the nearest correlation matrix.
type Answers struct {
	Rows float64 // estimated number of rows, or persons, inside the domain; at least 0

	mechanism *Mechanism
	sums      []float64     // the released sums, in rows
	products  *matrix.Dense // the scaled correlation matrix
	passed    *matrix.Dense // by two values of different columns, the fraction of the noise of their count that remains after the projection; nil if all noise remains
}

// A sign is a function of the values of one column with the values +1 and -1 (see coding.go).
//
// The correlation matrix has one row and one column for each sign. It is scaled: the row and the column of a sign are divided by √m, where m is the number of
// signs of the sign's column in the table. All measured entries then have equal noise, and each column of the table
// has the same weight in the distance between matrices. The exact matrix has 1/m on its diagonal.

// scales returns, for each sign of a row (see the package comment), the factor by which its row and its column of the
// correlation matrix are multiplied. It is 1/√m for a sign of a column of the table with m signs, and 1 for the
// constant sign, which has the index 0.
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

// codes returns a matrix from which the counts of pairs of values follow. It has one row for each value of each
// column of the table: 1 for the constant sign, and then the signs of the value, multiplied by √m (see the package
// comment).
//
// Let u and v be the rows of two values of different columns, X the scaled correlation matrix, and R the number of
// rows of the table. If the columns are transformed over K and K' points, uᵀXv·R/(KK') is the number of rows with
// both values.
func (m *Mechanism) codes() *matrix.Dense {
	values := 0
	for _, a := range m.attributes {
		values += a.size
	}
	codes := matrix.New(values, m.signs)
	for _, a := range m.attributes {
		scale := math.Sqrt(float64(a.signs()))
		for v := range a.size {
			row := codes.Row(a.value + v)
			row[0] = 1
			for s := 1; s < a.full; s++ {
				row[a.first+s-1] = scale * (1 - 2*float64(bits.OnesCount(uint(s&v))%2))
			}
		}
	}
	return codes
}

// places calls the function do for each released sum except the first, which is the number of rows. The arguments are
// the index of the sum, and the row and the column of its entry in the correlation matrix.
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

// matrix returns the scaled correlation matrix. Before scaling, the entries off the diagonal are the given sums
// divided by the number of rows (shares), and all entries on the diagonal equal the parameter diagonal.
//
// The product of two different signs of one column of the table is a third sign of this column. So the entry for the
// two signs is the released sum of the third sign, divided by the number of rows.
func (m *Mechanism) matrix(shares []float64, diagonal float64) *matrix.Dense {
	scales := m.scales()
	x := matrix.New(m.signs, m.signs)
	m.places(func(at, row, column int) {
		x.SetBoth(row, column, scales[row]*scales[column]*shares[at])
	})
	for i, s := range scales {
		x.SetBoth(i, i, s*s*diagonal)
	}
	for _, a := range m.attributes {
		scale := 1 / float64(a.signs())
		for s := 1; s < a.full; s++ {
			for r := 1; r < s; r++ {
				x.SetBoth(a.first+r-1, a.first+s-1, scale*shares[a.first+(r^s)-1])
			}
		}
	}
	return x
}

// Answer computes the answers from sums, a result of Release. The only possible error is that of the context.
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
		a.products, a.passed = p.matrix(), p.passed(m.codes())
	}
	return a, nil
}

// Counts returns the estimated contingency table of two columns, in row-major order. The index column must be less
// than other; the label is the last column. The counts are not negative and sum to Rows. The second result is the
// estimated root mean square error of all counts in the table; the error of small counts is smaller.
func (a *Answers) Counts(column, other int) (counts []float64, err float64) {
	t := a.tabulate(column, other)
	return t.counts, math.Sqrt(t.error() / float64(len(t.counts)))
}

// toFloat converts an integer to floating point, and clamps it to ±math.MaxInt64.
func toFloat(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return min(max(f, -math.MaxInt64), math.MaxInt64)
}
