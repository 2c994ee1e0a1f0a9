package risk

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// A Matrix compares what a model predicts with the outcomes of a table, where the label
// has more than two: numbers of rows, exact ones, which are for the curator alone, or
// noisy ones, which may be negative.
type Matrix struct {
	Cells   [][]*big.Int // of rows with an outcome, by what is predicted
	Outside *big.Int

	// Rows is how many rows, or persons, the table has, where that is told; nil otherwise. It is not
	// written.
	Rows *big.Int

	// Epsilon and Relation are those of the histogram; both are zero for exact counts.
	Epsilon  privacy.Decimal
	Relation privacy.Relation
}

// MatrixCells is the number of cells of a histogram of so many outcomes: one for each
// outcome and prediction, and one for rows outside the schema's domain.
func MatrixCells(outcomes int) int { return outcomes*outcomes + 1 }

// CountMatrix returns the numbers of rows in the cells: of each outcome in turn by what is
// predicted, then those outside. Replacing a row of the table moves at most two of them by
// one, adding or removing one moves one. predict must not depend on the table, or be a
// release that is paid for.
func CountMatrix(t *table.Table, outcomes int, predict func(table.Record) int) []int64 {
	cells := make([]int64, MatrixCells(outcomes))
	cells[len(cells)-1] = t.Nulls()
	var record table.Record
	for i := range t.Len() {
		record = t.Record(i, record)
		cells[t.Outcome(i)*outcomes+predict(record)] += t.Count(i)
	}
	return cells
}

// NoisyMatrix returns what learn.Histogram released for the cells of so many outcomes
// under a positive ε. It fails, by public numbers only, if there is not one count for each.
func NoisyMatrix(outcomes int, cells []*big.Int, epsilon privacy.Decimal, r privacy.Relation) (*Matrix, error) {
	if len(cells) != MatrixCells(outcomes) {
		return nil, fmt.Errorf("risk: %d counts for %d cells", len(cells), MatrixCells(outcomes))
	}
	m := &Matrix{Outside: cells[len(cells)-1], Epsilon: epsilon, Relation: r}
	for o := range outcomes {
		m.Cells = append(m.Cells, cells[o*outcomes:][:outcomes])
	}
	return m, nil
}

// ExactMatrix returns what CountMatrix returned, for the curator. It fails if there is not
// one count for each cell.
func ExactMatrix(outcomes int, cells []int64) (*Matrix, error) {
	exact, rows := make([]*big.Int, len(cells)), new(big.Int)
	for i, n := range cells {
		exact[i] = big.NewInt(n)
		rows.Add(rows, exact[i])
	}
	m, err := NoisyMatrix(outcomes, exact, privacy.Decimal{}, 0)
	if err != nil {
		return nil, err
	}
	m.Rows = rows
	return m, nil
}

// Released tells whether the counts have noise.
func (m *Matrix) Released() bool { return m.Relation != 0 }

// Counted names what was counted: rows, or persons.
func (m *Matrix) Counted() string { return counted(m.Relation) }

// MarshalJSON writes noisy counts; exact ones are ErrExact.
func (m *Matrix) MarshalJSON() ([]byte, error) {
	if !m.Released() {
		return nil, ErrExact
	}
	return json.Marshal(struct {
		Cells    [][]*big.Int     `json:"cells"`
		Outside  *big.Int         `json:"outside"`
		Epsilon  privacy.Decimal  `json:"epsilon"`
		Relation privacy.Relation `json:"relation"`
	}{m.Cells, m.Outside, m.Epsilon, m.Relation})
}

// A Comparison is what follows from a matrix. But for Outside, all of it speaks of rows
// inside the schema's domain. Numbers of rows are those of the rows, whatever shares are
// said of.
type Comparison struct {
	Of          Target    `json:"of"`
	Inside      Count     `json:"inside"`
	Outside     Count     `json:"outside"`
	Errors      Count     `json:"errors"`
	Matrix      [][]Count `json:"matrix"` // of rows with an outcome, by what is predicted
	Accuracy    Share     `json:"accuracy"`
	Sensitivity []Share   `json:"sensitivity"` // of the rows with an outcome, those for which it is predicted
	Precision   []Share   `json:"precision"`   // of the rows for which an outcome is predicted, those that have it
}

// Compare returns what follows from the counts for the target. All intervals hold at once
// with Confidence (docs/proofs/risk.md, section 3).
func (m *Matrix) Compare(of Target) *Comparison {
	k := len(m.Cells)
	l := matrixStrayer(k, m.Epsilon, m.Relation)
	l.sampling = of == Population
	units := learn.Units(m.Relation)
	width := func(cells int) *big.Int { return matrixWidth(cells, k, m.Epsilon, m.Relation) }
	cell := width(1)
	c := &Comparison{Of: of, Outside: around(m.Outside, cell, m.Rows, units)}
	right, wrong := new(big.Int), new(big.Int)
	for o, row := range m.Cells {
		counts := make([]Count, k)
		for p, n := range row {
			counts[p] = around(n, cell, m.Rows, units)
			if o == p {
				right.Add(right, n)
			} else {
				wrong.Add(wrong, n)
			}
		}
		c.Matrix = append(c.Matrix, counts)
	}
	c.Errors = around(wrong, width(k*k-k), m.Rows, units)
	if m.Rows != nil {
		c.Inside = (Count{m.Rows, m.Rows, m.Rows}).minus(c.Outside)
	} else {
		c.Inside = around(right, width(k), nil, units).plus(c.Errors)
	}
	l.among(m.Relation, m.Rows, cells{(float(right) + float(wrong) + float(m.Outside)) / l.units, k*k + 1})
	c.Accuracy = l.share(cells{float(right) / l.units, k}, cells{float(wrong) / l.units, k*k - k})
	for o := range k {
		hit, missed, alarms := m.cells(o, o), cells{}, cells{}
		for p := range k {
			if p != o {
				missed, alarms = missed.plus(m.cells(o, p)), alarms.plus(m.cells(p, o))
			}
		}
		c.Sensitivity = append(c.Sensitivity, l.share(hit, missed))
		c.Precision = append(c.Precision, l.share(hit, alarms))
	}
	return c
}

func (m *Matrix) cells(outcome, predicted int) cells {
	return cells{float(m.Cells[outcome][predicted]) / float64(learn.Units(m.Relation)), 1}
}

// matrixBounds is how many ends of intervals share what a comparison of so many outcomes
// may miss: for a share T either way and the number of rows, for a count either way. Shares
// are the accuracy, and two of each outcome; counts are the cells, the rows outside, the
// errors, and what is right.
func matrixBounds(outcomes int) int { return 3*(1+2*outcomes) + 2*(outcomes*outcomes+3) }

// matrixStrayer bounds how far sums of cells stray for the rows.
func matrixStrayer(outcomes int, epsilon privacy.Decimal, r privacy.Relation) strayer {
	return strayer{scale: noiseScale(epsilon, r), units: float64(learn.Units(r)), log: math.Log(float64(matrixBounds(outcomes))) - math.Log(1-Confidence)}
}

// mostSummed is the greatest number of cells whose sum's own law is evaluated.
const mostSummed = 64

// matrixWidth returns how far the sum of so many cells may be off, in units.
func matrixWidth(cells, outcomes int, epsilon privacy.Decimal, r privacy.Relation) *big.Int {
	if r == 0 {
		return new(big.Int)
	}
	if cells > mostSummed {
		l := matrixStrayer(outcomes, epsilon, r)
		w := l.width(cells) * l.units
		whole, _ := big.NewFloat(math.Ceil(w * (1 + rounding))).Int(nil)
		return whole
	}
	h, err := learn.NewHistogram(MatrixCells(outcomes), epsilon, r)
	if err != nil {
		panic(err) // the histogram was released, or is about to be
	}
	return h.HalfWidth(cells, big.NewRat(1, 10*int64(matrixBounds(outcomes))))
}

// MatrixWidths returns, before any data is seen, within how many rows a comparison of so
// many outcomes tells the errors, and each cell of the matrix at most.
func MatrixWidths(outcomes int, epsilon privacy.Decimal, r privacy.Relation) (errors, cell *big.Int) {
	units := big.NewInt(learn.Units(r))
	return up(matrixWidth(outcomes*outcomes-outcomes, outcomes, epsilon, r), units), up(matrixWidth(1, outcomes, epsilon, r), units)
}
