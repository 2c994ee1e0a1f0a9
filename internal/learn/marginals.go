package learn

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// marginals are the statistic of both labels in every category of every
// attribute: one query of which several learners are functions. A row counts
// in one cell for each attribute.
type marginals struct {
	sizes []int // categories of each attribute
	first []int // of each attribute, its first category among all
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

// tally returns the exact counts of the statistic over records.
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

// counts returns the exact counts of the statistic: the counts of each attribute with the
// outcome, one after the other. It fails as the data does, or with ErrRows.
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

// noisy returns the count of a category as a float, brought into what a table can
// have.
func (m *marginals) noisy(answers []*big.Int, j, c int, label bool) float64 {
	f, _ := new(big.Float).SetInt(answers[m.cell(j, c, label)]).Float64()
	return min(max(f, 0), MostRows)
}

// rows returns about how many rows have the label: the mean over the attributes, each the
// heavier the fewer noisy counts it adds up, brought into what a table can have.
func (m *marginals) rows(answers []*big.Int, label bool) float64 {
	sum, weights := 0.0, 0.0
	for j, n := range m.sizes {
		of := new(big.Int)
		for c := range n {
			of.Add(of, answers[m.cell(j, c, label)])
		}
		f, _ := new(big.Float).SetInt(of).Float64()
		sum += min(max(f, -MostRows), MostRows) / float64(n)
		weights += 1 / float64(n)
	}
	return min(max(sum/weights, 0), MostRows)
}

// price is the whole of a budget.
func price(budget privacy.Guarantee) *big.Rat {
	all, err := Total(budget)
	if err != nil {
		panic("learn: a budget that a constructor refuses")
	}
	return all
}
