package learn

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A histogram is the statistic of both labels in every category of every
// attribute: one query of which both learners below are functions. A row counts
// in one cell for each attribute.
type histogram struct {
	sizes []int // categories of each attribute
	first []int // of each attribute, its first category among all
	cells int
}

func newHistogram(sizes []int) (*histogram, error) {
	h := &histogram{sizes: sizes}
	for j, n := range sizes {
		if n < 1 || n > MostCells/2-h.cells/2 {
			return nil, fmt.Errorf("learn: attribute %d has %d categories", j+1, n)
		}
		h.first = append(h.first, h.cells/2)
		h.cells += 2 * n
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("learn: no attributes")
	}
	return h, nil
}

func (h *histogram) statistic() Statistic[[]uint16] {
	return Statistic[[]uint16]{Cells: h.cells, Most: len(h.sizes), In: func(x []uint16, label bool) []int {
		cells := make([]int, len(x))
		for j, c := range x {
			cells[j] = h.cell(j, int(c), label)
		}
		return cells
	}}
}

func (h *histogram) cell(j, c int, label bool) int {
	cell := 2 * (h.first[j] + c)
	if label {
		cell++
	}
	return cell
}

// noisy returns the count of a category as a float, brought into what a table can
// have.
func (h *histogram) noisy(answers []*big.Int, j, c int, label bool) float64 {
	f, _ := new(big.Float).SetInt(answers[h.cell(j, c, label)]).Float64()
	return min(max(f, 0), MostRows)
}

// price is the whole of a budget.
func price(budget privacy.Guarantee) *big.Rat {
	all, err := total(budget)
	if err != nil {
		panic("learn: a budget that a constructor refuses")
	}
	return all
}
