package experiment

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
	"github.com/sibyl-dp/sibyl/internal/pairs"
	"github.com/sibyl-dp/sibyl/privacy"
)

// This file implements relaxed projection (Aydore, Brown, Kearns, Kenthapadi, Melis, Roth and Siva, Differentially
// private query release through adaptive projection, 2021) with one round. It measures all two-way marginals by the
// Gaussian mechanism of package pairs. A relaxed row has one probability distribution for each column instead of one
// value. Gradient descent (Adam) fits relaxed rows to the noisy marginals. The synthetic rows are then sampled from
// these distributions.
const (
	relaxedRows  = 500
	relaxedSteps = 300
	relaxedRate  = 0.1
	relaxedCells = 1000 // the maximum number of values of all columns together
)

// projected is the synthesizer that uses relaxed projection (Aydore and others 2021).
func projected(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	g, err := privacy.NewZCDP(b.relation, b.rho)
	if err != nil {
		return nil, err
	}
	m, err := pairs.New(d.sizes, 0, g)
	if err != nil {
		return nil, err
	}
	sums, err := m.Release(ctx, d.table, b.coins)
	if err != nil {
		return nil, err
	}
	answers, err := m.Answer(ctx, sums)
	if err != nil {
		return nil, err
	}
	r, err := newRelaxed(d.sizes, answers, b)
	if err != nil {
		return nil, err
	}
	for step := range relaxedSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.step(step + 1)
	}
	return r.rows(int(math.Round(answers.Rows)), b), nil
}

// relaxed holds relaxed rows, and the marginals to which they are fitted. A relaxed row has a probability
// distribution for each column instead of a value.
type relaxed struct {
	sizes, first []int
	logits       *matrix.Dense // the logits: a row for each relaxed row, and a column for each value of each column
	shares       *matrix.Dense // the softmax of the logits in each row and column
	target       *matrix.Dense // the noisy frequencies of pairs of values of different columns
	mean, square *matrix.Dense // running means of the gradient and of its square, for Adam
}

// newRelaxed returns random relaxed rows whose distributions are close to the one-way marginals.
func newRelaxed(sizes []int, a *pairs.Answers, b budget) (*relaxed, error) {
	r := &relaxed{sizes: sizes}
	n := 0
	for _, k := range sizes {
		r.first = append(r.first, n)
		n += k
	}
	if n > relaxedCells {
		return nil, errTooWide
	}
	zero := func() *matrix.Dense { return matrix.New(relaxedRows, n) }
	r.logits, r.shares, r.mean, r.square = zero(), zero(), zero(), zero()
	r.target = matrix.New(n, n)
	ones := make([]float64, n)
	for j := range sizes {
		for k := j + 1; k < len(sizes); k++ {
			counts, _ := a.Counts(j, k)
			for v := range sizes[j] {
				for w := range sizes[k] {
					s := counts[v*sizes[k]+w] / max(a.Rows, 1)
					r.target.Set(r.first[j]+v, r.first[k]+w, s)
					r.target.Set(r.first[k]+w, r.first[j]+v, s)
					ones[r.first[j]+v] += s / float64(len(sizes)-1)
					ones[r.first[k]+w] += s / float64(len(sizes)-1)
				}
			}
		}
	}
	for i := range relaxedRows {
		for v := range n {
			r.logits.Set(i, v, math.Log(ones[v]+1e-4)+b.random.NormFloat64())
		}
	}
	return r, nil
}

// soften computes the probabilities of each relaxed row from its logits (softmax).
func (r *relaxed) soften() {
	for i := range relaxedRows {
		from, to := r.logits.Row(i), r.shares.Row(i)
		for j, k := range r.sizes {
			at, most, sum := r.first[j], math.Inf(-1), 0.0
			for v := at; v < at+k; v++ {
				most = max(most, from[v])
			}
			for v := at; v < at+k; v++ {
				to[v] = math.Exp(from[v] - most)
				sum += to[v]
			}
			for v := at; v < at+k; v++ {
				to[v] /= sum
			}
		}
	}
}

// step executes one step of Adam. The parameter number counts the steps from 1. The loss is the squared distance
// between the two-way marginals of the relaxed rows and the noisy ones.
func (r *relaxed) step(number int) {
	r.soften()
	now := matrix.ColumnProducts(r.shares, r.shares)
	for j, k := range r.sizes {
		for v := r.first[j]; v < r.first[j]+k; v++ {
			row := now.Row(v)
			for w := range row {
				row[w] = row[w]/relaxedRows - r.target.At(v, w)
			}
			clear(row[r.first[j] : r.first[j]+k]) // ignore pairs of values of the same column
		}
	}
	gradient := matrix.Product(r.shares, now)
	const first, second = 0.9, 0.999
	rate := relaxedRate * math.Sqrt(1-math.Pow(second, float64(number))) / (1 - math.Pow(first, float64(number)))
	for i := range relaxedRows {
		g, p, x := gradient.Row(i), r.shares.Row(i), r.logits.Row(i)
		mean, square := r.mean.Row(i), r.square.Row(i)
		for j, k := range r.sizes {
			inner := 0.0
			for v := r.first[j]; v < r.first[j]+k; v++ {
				inner += g[v] * p[v]
			}
			for v := r.first[j]; v < r.first[j]+k; v++ {
				of := p[v] * (g[v] - inner)
				mean[v] = first*mean[v] + (1-first)*of
				square[v] = second*square[v] + (1-second)*of*of
				x[v] -= rate * mean[v] / (math.Sqrt(square[v]) + 1e-12)
			}
		}
	}
}

// rows samples n rows from the distributions of the relaxed rows, about the same number from each of them.
func (r *relaxed) rows(n int, b budget) [][]uint16 {
	r.soften()
	rows := make([][]uint16, n)
	for i := range rows {
		shares := r.shares.Row(i * relaxedRows / n)
		rows[i] = make([]uint16, len(r.sizes))
		for j, k := range r.sizes {
			rows[i][j] = uint16(newPicker(shares[r.first[j] : r.first[j]+k]).draw(b.random))
		}
	}
	return rows
}
