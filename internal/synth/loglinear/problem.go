package loglinear

import (
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Problem is the input of a fit: noisy marginals of a table, and the rules that its rows satisfy.
type Problem struct {
	Sizes     []int      // the number of values of each column
	Total     float64    // the number of rows, public or noisy; a negative number counts as 0
	Marginals []Marginal // each over any number of columns; at most one for each pair of columns
	Ordered   []int      // by column, how many of its first values are ordered, as intervals are; nil if none
	Rules     []Rule
	Witness   []uint16 // a row that satisfies all rules; required if there are rules
}

// A Rule says which combinations of values of some columns are forbidden.
type Rule struct {
	Columns   []int
	Forbidden []bool // one entry for each combination, row-major, the last column fastest
}

// Options are the parameters of a fit that do not depend on the table.
type Options struct {
	Seed      uint64               // determines all randomness of the fit
	Threads   int                  // maximum number of threads, 0 for 1; the result does not depend on it
	Particles int                  // number of particles; 0 means defaults, at most those of the function Particles
	Progress  func(done, of int64) // receives the numbers of finished and planned steps of a call; may be nil

	// First selects the fit of models in the first file format, so that it gives the rows of their release:
	//
	//   - Small counts have no posterior means (tablesOf), and pairs have other priors (reprior, direct).
	//   - The number of particles is the same in all rounds, with the effort 1 (particles), and the final rate is
	//     smaller (settle).
	//   - All passes over the rows propose whole rows, and give single columns the same weight (last).
	//   - In package synth, column counts are not shrunk (cells.Shrunk), free values are pooled with others, and rows
	//     exchange no values.
	First bool
}

// mostCells is the maximum number of cells of a valid marginal.
const mostCells = 1 << 24

// check returns an error if a field of the problem is invalid.
func (p *Problem) check() error {
	if math.IsNaN(p.Total) || math.IsInf(p.Total, 0) {
		return errors.New("loglinear: the total must be a finite number")
	}
	for c, k := range p.Sizes {
		if k < 1 || k > 1<<16 {
			return fmt.Errorf("loglinear: column %d has %d values; it must have 1 to 65536", c, k)
		}
	}
	if p.Ordered != nil && len(p.Ordered) != len(p.Sizes) {
		return fmt.Errorf("loglinear: Ordered has %d columns instead of %d", len(p.Ordered), len(p.Sizes))
	}
	for c, k := range p.Ordered {
		if k < 0 || k > p.Sizes[c] {
			return fmt.Errorf("loglinear: %d values of column %d are ordered, but it has %d values", k, c, p.Sizes[c])
		}
	}
	for i := range p.Marginals {
		if err := p.Marginals[i].check(p.Sizes); err != nil {
			return fmt.Errorf("loglinear: marginal %d: %w", i, err)
		}
	}
	for i := range p.Rules {
		if err := p.Rules[i].check(p.Sizes); err != nil {
			return fmt.Errorf("loglinear: rule %d: %w", i, err)
		}
	}
	return p.checkWitness()
}

func (m *Marginal) check(sizes []int) error {
	n, err := checkAxes(m.Axes, sizes)
	switch {
	case err != nil:
		return err
	case len(m.Counts) != n:
		return fmt.Errorf("there are %d counts for %d cells, but each cell must have one count", len(m.Counts), n)
	case m.Variances != nil && len(m.Variances) != n:
		return fmt.Errorf("there are %d variances for %d cells, but each cell must have one variance", len(m.Variances), n)
	}
	for k, y := range m.Counts {
		if v := m.variance(k); math.IsNaN(y-y) || math.IsNaN(v-v) || v < 0 {
			return fmt.Errorf("count %d and its variance must be finite, and the variance must not be negative", k)
		}
	}
	return nil
}

func (m *Marginal) variance(k int) float64 {
	if m.Variances != nil {
		return m.Variances[k]
	}
	return m.Variance
}

// noise returns the mean of the variances of the noise of all counts.
func (m *Marginal) noise() float64 {
	sum := 0.0
	for k := range m.Counts {
		sum += m.variance(k) / float64(len(m.Counts))
	}
	return sum
}

// checkAxes returns the number of cells of a marginal with the given axes. It returns an error if an axis is
// invalid or if two axes have the same column.
func checkAxes(axes []table.Axis, sizes []int) (int, error) {
	n := 1
	seen := map[int]bool{}
	for _, a := range axes {
		if a.Column < 0 || a.Column >= len(sizes) || seen[a.Column] {
			return 0, fmt.Errorf("column %d of its axes must be within 0..%d and must not occur twice", a.Column, len(sizes)-1)
		}
		seen[a.Column] = true
		k := sizes[a.Column]
		if a.Cells == nil && a.Size != k || a.Cells != nil && len(a.Cells) != k || a.Size < 1 {
			return 0, fmt.Errorf("the axis of column %d must map each of its %d values to a cell", a.Column, k)
		}
		for _, c := range a.Cells {
			if int(c) >= a.Size {
				return 0, fmt.Errorf("column %d has a value outside its %d cells", a.Column, a.Size)
			}
		}
		if n *= a.Size; n > mostCells {
			return 0, fmt.Errorf("it has more than %d cells", mostCells)
		}
	}
	if len(axes) == 0 {
		return 0, errors.New("it has no axis")
	}
	return n, nil
}

func (r *Rule) check(sizes []int) error {
	n, err := checkAxes(r.axes(sizes), sizes)
	if err == nil && n != len(r.Forbidden) {
		err = fmt.Errorf("it has %d entries for %d combinations of values", len(r.Forbidden), n)
	}
	return err
}

// checkWitness returns an error if the witness is missing or violates a rule. The rules must be valid.
func (p *Problem) checkWitness() error {
	if len(p.Rules) == 0 {
		return nil
	}
	if len(p.Witness) != len(p.Sizes) {
		return fmt.Errorf("loglinear: the example record (Witness) has %d columns instead of %d", len(p.Witness), len(p.Sizes))
	}
	for c, v := range p.Witness {
		if int(v) >= p.Sizes[c] {
			return fmt.Errorf("loglinear: the example record (Witness) has the code %d in column %d, but the codes of this column are 0 to %d", v, c, p.Sizes[c]-1)
		}
	}
	for i, r := range p.Rules {
		at := 0
		for _, c := range r.Columns {
			at = at*p.Sizes[c] + int(p.Witness[c])
		}
		if r.Forbidden[at] {
			return fmt.Errorf("loglinear: the example record (Witness) violates rule %d", i)
		}
	}
	return nil
}

// axes returns one axis for each column of the rule. Each value of the column is a cell of its own.
func (r *Rule) axes(sizes []int) []table.Axis {
	axes := make([]table.Axis, len(r.Columns))
	for i, c := range r.Columns {
		axes[i].Column = c
		if c >= 0 && c < len(sizes) {
			axes[i].Size = sizes[c]
		}
	}
	return axes
}
