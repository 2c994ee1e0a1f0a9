package learn

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// marginals describe the query for the number of rows with each label in each category of each attribute.
// Several learners are functions of its answer. A row counts in one cell for each attribute.
type marginals struct {
	sizes []int // number of categories of each attribute
	first []int // index of the first category of each attribute among all categories
	cells int
}

func newMarginals(sizes []int) (*marginals, error) {
	m := &marginals{sizes: sizes}
	for j, n := range sizes {
		if n < 1 || n > MostCells/2-m.cells/2 {
			return nil, fmt.Errorf("learn: attribute %d has %d categories", j+1, n)
		}
		m.first = append(m.first, m.cells/2)
		m.cells += 2 * n
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("learn: no attributes")
	}
	return m, nil
}

// tally returns the exact counts over records.
func (m *marginals) tally(d Records[[]uint16]) []int64 {
	counts, room := make([]int64, m.cells), make([]uint16, len(m.sizes))
	for i := range d.Len() {
		label, count := d.Outcome(i) == 1, d.Count(i)
		for j, c := range d.Record(i, room) {
			counts[m.cell(j, int(c), label)] += count
		}
	}
	return counts
}

// counts returns the exact counts of each attribute with the outcome, attribute after attribute. It fails
// with an error of the data, or with ErrRows.
func (m *marginals) counts(ctx context.Context, d table.Counts) ([]int64, error) {
	if d.Rows()*d.Weight()-d.Nulls() > MostRows {
		return nil, ErrRows
	}
	of := make([][]table.Axis, len(m.sizes))
	for j, n := range m.sizes {
		of[j] = []table.Axis{{Column: j, Size: n}, {Column: len(m.sizes), Size: 2}}
	}
	counts, err := d.Marginals(ctx, of)
	return slices.Concat(counts...), err
}

func (m *marginals) cell(j, c int, label bool) int {
	cell := 2 * (m.first[j] + c)
	if label {
		cell++
	}
	return cell
}

// noisy returns the noisy count of a category with a label, clamped to 0..MostRows.
func (m *marginals) noisy(answers []*big.Int, j, c int, label bool) float64 {
	return min(max(float(answers[m.cell(j, c, label)]), 0), MostRows)
}

// rows estimates the number of rows with the label, as a weighted mean over the attributes. The weight of
// an attribute is inverse to its number of categories, as is the precision of its sum of noisy counts.
// The result is clamped to 0..MostRows.
func (m *marginals) rows(answers []*big.Int, label bool) float64 {
	sum, weights := 0.0, 0.0
	for j, n := range m.sizes {
		of := new(big.Int)
		for c := range n {
			of.Add(of, answers[m.cell(j, c, label)])
		}
		sum += clamped(of) / float64(n)
		weights += 1 / float64(n)
	}
	return min(max(sum/weights, 0), MostRows)
}

// clamped returns a noisy count as a float, clamped to ±MostRows.
func clamped(n *big.Int) float64 { return min(max(float(n), -MostRows), MostRows) }

// float returns n, rounded to a float, or an infinity.
func float(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// price returns the whole budget.
func price(budget privacy.Guarantee) *big.Rat {
	all, err := Total(budget)
	if err != nil {
		panic("learn: a budget that a constructor refuses")
	}
	return all
}
