package loglinear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/table"
)

// A Model is a fitted model as data.
type Model struct {
	Sizes   []int    // how many values each column has
	Total   float64  // rows
	Factors []Factor // first those of each single column, in order
	Rules   []Rule
	Witness []uint16 // a row that keeps all rules; needed where there are any
}

// A Factor is a table of log-interactions over a few columns.
type Factor struct {
	Axes     []table.Axis
	Theta    []float32 // row-major, the last axis fastest
	Expected []float32 // how many rows the model gives each cell
}

// Model returns the model as fitted so far: with the means of the last rounds once Rows was
// called.
func (f *Fit) Model() *Model {
	m := &Model{Sizes: f.sizes, Total: f.total, Witness: f.witness}
	for _, g := range append(append([]*factor(nil), f.ones...), f.factors()...) {
		m.Factors = append(m.Factors, Factor{Axes: g.axes, Theta: narrow(g.theta), Expected: narrow(g.mean)})
	}
	for _, b := range f.rules {
		r := Rule{Forbidden: make([]bool, len(b.open))}
		for _, a := range b.axes {
			r.Columns = append(r.Columns, a.Column)
		}
		for k, o := range b.open {
			r.Forbidden[k] = o == 0
		}
		m.Rules = append(m.Rules, r)
	}
	return m
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for k, v := range x {
		out[k] = float32(v)
	}
	return out
}

// Rows draws so many rows of the model: from its tree of most information, by sweeps and by
// weights that bring cells to what is expected of them, and with the last passes of a fit. An ill-formed model is an error.
func (m *Model) Rows(ctx context.Context, n int, o Options) ([][]uint16, error) {
	f, err := m.fit(o)
	if err != nil {
		return nil, err
	}
	theta := make([][]float64, len(f.pairs))
	for i, g := range f.pairs {
		theta[i] = append([]float64(nil), g.theta...)
	}
	if err := f.start(max(0, n), m.Rules, m.Witness); err != nil {
		return nil, err
	}
	for i, g := range f.pairs {
		g.theta = theta[i] // the start left those of its tree
	}
	f.triples = f.newTriples()
	passes, rate := f.passes(n), laterRate
	f.slower(&rate, forget)
	tables := f.tables()
	for t := range forget {
		if err := f.sweep(ctx, tables, f.rows); err != nil {
			return nil, err
		}
		if t < forget-apartSweeps {
			if err := f.rake(ctx, rate); err != nil {
				return nil, err
			}
		}
		if t >= forget-countedSweeps {
			if err := f.triples.add(ctx, f); err != nil {
				return nil, err
			}
		}
		f.report(t+1, forget+passes)
	}
	f.triples.expect(f.total)
	if err := f.last(ctx, f.rows, passes, forget+passes); err != nil {
		return nil, err
	}
	return f.rows.column, nil
}

const (
	forget        = 15 // sweeps from the tree to the model
	countedSweeps = 8  // the last of these, of which triples are counted
)

// fit checks a model and returns a fit without rows.
func (m *Model) fit(o Options) (*Fit, error) {
	p := Problem{Sizes: m.Sizes, Total: m.Total, Rules: m.Rules, Witness: m.Witness}
	if err := p.check(); err != nil {
		return nil, err
	}
	f := &Fit{sizes: m.Sizes, total: max(0, m.Total), options: o}
	for i, x := range m.Factors {
		n, err := checkAxes(x.Axes, m.Sizes)
		if err == nil && (len(x.Theta) != n || len(x.Expected) != n) {
			err = fmt.Errorf("it has another number of entries than its %d cells", n)
		}
		if err == nil && (len(x.Axes) == 1) != (i < len(m.Sizes)) || i < len(m.Sizes) && err == nil && x.Axes[0].Column != i {
			err = fmt.Errorf("single columns come first, in their order")
		}
		if err != nil {
			return nil, fmt.Errorf("loglinear: factor %d: %w", i, err)
		}
		g := newFactor(x.Axes)
		for k := range x.Theta {
			g.theta[k], g.mean[k] = float64(x.Theta[k]), float64(x.Expected[k])
			if !(math.Abs(g.theta[k]) <= bound) || !(g.mean[k] >= 0) || math.IsInf(g.mean[k], 1) {
				return nil, fmt.Errorf("loglinear: factor %d: entry %d is no log-interaction or no count", i, k)
			}
		}
		g.target = g.mean
		g.silent = !slices.ContainsFunc(g.theta, func(t float64) bool { return t != 0 })
		switch len(x.Axes) {
		case 1:
			f.ones = append(f.ones, g)
		case 2:
			f.pairs = append(f.pairs, g)
		default:
			f.wide = append(f.wide, g)
		}
	}
	if len(f.ones) != len(m.Sizes) {
		return nil, fmt.Errorf("loglinear: %d columns have a factor of their own, of %d", len(f.ones), len(m.Sizes))
	}
	return f, nil
}

const bound = 1e4 // of log-interactions in a file
