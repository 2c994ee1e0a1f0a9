package loglinear

import (
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Problem is what a fit starts from.
type Problem struct {
	Sizes     []int      // how many values each column has
	Total     float64    // the number of rows, public or noisy; below 0 counts as 0
	Marginals []Marginal // of one column, of two, of more; of two columns one at most
	Rules     []Rule
	Witness   []uint16 // a row that keeps all rules; needed where there are any
}

// A Rule says which combinations of values no row has.
type Rule struct {
	Columns   []int
	Forbidden []bool // of each combination, row-major, the last column fastest
}

// Options say how a fit is run.
type Options struct {
	Seed      uint64               // of all draws of the fit
	Threads   int                  // at most so many; 0: 1. They do not change what comes out
	Particles int                  // how many rows the fit moves; 0: about as many as there are, within limits
	Progress  func(done, of int64) // sweeps that a call has made, and will make, if not nil
}

// mostCells is how many cells a marginal has at most.
const mostCells = 1 << 24

// check refuses what is no problem.
func (p *Problem) check() error {
	if math.IsNaN(p.Total) || math.IsInf(p.Total, 0) {
		return errors.New("loglinear: the total is no number")
	}
	for c, k := range p.Sizes {
		if k < 1 || k > 1<<16 {
			return fmt.Errorf("loglinear: column %d has %d values; it must have 1 to 65536", c, k)
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
		return fmt.Errorf("%d counts for %d cells", len(m.Counts), n)
	case m.Variances != nil && len(m.Variances) != n:
		return fmt.Errorf("%d variances for %d cells", len(m.Variances), n)
	}
	for k, y := range m.Counts {
		if v := m.variance(k); math.IsNaN(y-y) || math.IsNaN(v-v) || v < 0 {
			return fmt.Errorf("count %d or its variance is no number", k)
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

// noise is the mean variance.
func (m *Marginal) noise() float64 {
	sum := 0.0
	for k := range m.Counts {
		sum += m.variance(k) / float64(len(m.Counts))
	}
	return sum
}

// checkAxes returns how many cells axes of different columns make.
func checkAxes(axes []table.Axis, sizes []int) (int, error) {
	n := 1
	seen := map[int]bool{}
	for _, a := range axes {
		if a.Column < 0 || a.Column >= len(sizes) || seen[a.Column] {
			return 0, fmt.Errorf("its axes are of no columns, or twice of one")
		}
		seen[a.Column] = true
		k := sizes[a.Column]
		if a.Cells == nil && a.Size != k || a.Cells != nil && len(a.Cells) != k || a.Size < 1 {
			return 0, fmt.Errorf("column %d has %d values, its axis another number", a.Column, k)
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
		err = fmt.Errorf("it says of %d combinations, of %d, whether they are forbidden", len(r.Forbidden), n)
	}
	return err
}

// checkWitness refuses a row that does not keep well-formed rules.
func (p *Problem) checkWitness() error {
	if len(p.Rules) == 0 {
		return nil
	}
	if len(p.Witness) != len(p.Sizes) {
		return fmt.Errorf("loglinear: the row that keeps all rules has %d columns, of %d", len(p.Witness), len(p.Sizes))
	}
	for c, v := range p.Witness {
		if int(v) >= p.Sizes[c] {
			return fmt.Errorf("loglinear: the row that keeps all rules has value %d in column %d, of %d", v, c, p.Sizes[c])
		}
	}
	for i, r := range p.Rules {
		at := 0
		for _, c := range r.Columns {
			at = at*p.Sizes[c] + int(p.Witness[c])
		}
		if r.Forbidden[at] {
			return fmt.Errorf("loglinear: the row that keeps all rules breaks rule %d", i)
		}
	}
	return nil
}

// axes are the columns of the rule, each value by itself.
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
