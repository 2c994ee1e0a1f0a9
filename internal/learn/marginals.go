package learn

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A marginals describes a query for the 2-way marginals of each attribute with the label. Each
// category of each attribute has two counts: the number of rows with label 0 and the number of rows
// with label 1. Each count is a cell, so a row is counted in one cell of each attribute. Naive
// Bayes and several other learners compute their results from the noisy counts.
type marginals struct {
	sizes []int // number of categories of each attribute
	first []int // index of the first category of each attribute among all categories
	cells int
}

func newMarginals(sizes []int) (*marginals, error) {
	m := &marginals{sizes: sizes}
	for j, n := range sizes {
		if n < 1 || n > MostCells/2-m.cells/2 {
			return nil, fmt.Errorf("learn: attribute %d has %d categories, but must have 1 to %d, because all attributes together have a limited number of cells; group categories", j+1, n, MostCells/2-m.cells/2)
		}
		m.first = append(m.first, m.cells/2)
		m.cells += 2 * n
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("learn: at least one attribute is required")
	}
	return m, nil
}

// tally returns the exact counts of the records d in all cells, ordered by attribute, category and
// label.
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

// counts queries the data d for the exact counts of all cells, attribute after attribute. It fails
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

// width returns a bound on the noise in all counts (see AnswerWidth), in rows or persons.
func (m *marginals) width(law noise.Sampler, r privacy.Relation) float64 {
	return AnswerWidth(law, m.cells) / float64(Units(r))
}

// consistent returns the noisy counts of one label, by attribute and category. It limits them to
// ±MostRows and adjusts them so that the counts of each attribute have the same sum (see
// equalTotals). The result rows is this sum, limited to 0..MostRows.
//
// variances[j] is the variance of the noise of a count of attribute j, up to a common factor.
// after[j] is the variance of the error of an adjusted count of attribute j, up to the same factor.
func (m *marginals) consistent(answers []float64, variances []float64, label bool) (counts [][]float64, rows float64, after []float64) {
	for j, n := range m.sizes {
		of := make([]float64, n)
		for c := range of {
			of[c] = min(max(answers[m.cell(j, c, label)], -MostRows), MostRows)
		}
		counts = append(counts, of)
	}
	rows, after = equalTotals(counts, variances)
	return counts, min(max(rows, 0), MostRows), after
}

// float converts n to a float64, rounded to nearest; a number that is too large becomes an
// infinity.
func float(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}
