package loglinear

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// passes returns the number of passes that the method last makes over n sampled rows. For few rows it is lastPasses.
// It decreases with the number of rows, pairs and triples, down to fewPasses, and increases with the effort of the
// fit.
func (f *Fit) passes(n int) int {
	effort := f.number.effort
	return int(passesOver(float64(n), float64(len(f.pairs))+float64(len(f.triples.of))/effort, effort))
}

// passesOver returns the number of passes for the given number of sampled rows (see passes). The parameter factors is
// the number of pairs and triples that a fit with the effort 1 would have.
func passesOver(rows, factors, effort float64) float64 {
	work := float64(max(1, rows) * max(1, factors))
	return min(max(float64(effort*lastWork)/work, fewPasses), lastPasses)
}

const (
	fewPasses  = 2
	lastPasses = 12
	lastWork   = 1e8
)

// wholePasses returns how many of the given passes begin with proposals for whole rows: the first half. Later
// proposals for whole rows are rarely accepted.
func wholePasses(passes float64) float64 { return passes / 2 }

// batch is the number of rows for which proposals are made before the first of them is accepted or rejected.
const batch = 64 * block

// last makes the marginals of the sampled rows r closer to those of the model. In each pass, it proposes new values
// for each row by Gibbs sampling: in the first passes for all columns together, and in every pass for one column
// after the other. It accepts a proposal if this reduces the weighted sum of (count - expected)²/(expected + spread)
// over the cells of all factors and triples. Apart from these marginals, the rows remain samples of the model.
//
// The last pass gives single columns a larger weight, so that their final counts are near the estimated counts. With
// this weight in all passes, fewer proposals would be accepted, and the counts of triples would be less accurate.
//
// The parameter passes is the number of passes over all rows, and steps is the planned number of steps of Rows, for
// the progress report.
func (f *Fit) last(ctx context.Context, r *rows, passes, steps int) error {
	balances := f.balances(r)
	t, p := f.tables(), f.places(balances)
	whole := int(wholePasses(float64(passes)))
	if f.options.First {
		whole = passes
	}
	for pass := range passes {
		if pass == passes-1 && !f.options.First {
			weighColumns(balances)
		}
		for from := 0; from < r.n; from += batch {
			x := newExchange(r, from, min(from+batch, r.n), t, p)
			order := f.generator(f.steps, -1).Perm(len(f.sizes))
			if pass < whole {
				if err := x.columns(ctx, f, order...); err != nil {
					return err
				}
			}
			for _, c := range order {
				if err := x.columns(ctx, f, c); err != nil {
					return err
				}
			}
		}
		f.report(steps-passes+pass+1, steps)
	}
	return nil
}

const (
	spread    = 10  // a number of rows, so that cells with small expected counts get no huge weights
	single    = 10  // weight of a single column; a pair has weight 1
	finally   = 100 // the last pass multiplies the weight of a single column by this factor
	ofTriples = 1.2 // total weight of all triples that contain a given pair
)

// A balance holds, for each cell of a factor, how much the count of the sampled rows exceeds its expected value.
type balance struct {
	*factor
	cells []offset
}

// An offset describes one cell: the difference of its count and its expected count, and the weight of the square of
// this difference in the sum that last minimizes.
type offset struct{ more, weight float32 }

func (f *Fit) balances(r *rows) []balance {
	var all []balance
	for _, g := range f.factors() {
		all = append(all, f.balance(g, r, 1))
	}
	for _, g := range f.ones {
		all = append(all, f.balance(g, r, single))
	}
	for _, g := range f.triples.of {
		all = append(all, f.balance(g, r, ofTriples/float64(len(f.sizes)-2)))
	}
	return all
}

// weighColumns multiplies the weights of the counts of single columns by the factor finally.
func weighColumns(all []balance) {
	for _, b := range all {
		if len(b.axes) > 1 {
			continue
		}
		for k := range b.cells {
			b.cells[k].weight *= finally
		}
	}
}

func (f *Fit) balance(g *factor, r *rows, weight float64) balance {
	counts := make([]float64, len(g.mean))
	f.index(g).count(r, counts)
	b := balance{g, make([]offset, len(counts))}
	scale := share(float64(r.n), f.total)
	for k, n := range g.mean {
		expected := float64(n * scale)
		b.cells[k] = offset{float32(counts[k] - expected), float32(weight / (expected + spread))}
	}
	return b
}

// A place computes in which cell of a factor a row is if it takes the values that are proposed for some columns. The
// other columns of the factor keep their values.
type place struct {
	cells []offset
	drawn *index // index of the columns with proposed values
	still *index // index of the other columns
}

// places holds one place for each factor and each set of columns for which values are proposed.
type places struct {
	all []place   // for proposals in all columns
	of  [][]place // by column, for proposals in this column: the factors that contain it
}

func (f *Fit) places(all []balance) *places {
	p := &places{of: make([][]place, len(f.sizes))}
	for _, b := range all {
		x := f.index(b.factor)
		p.all = append(p.all, place{b.cells, x, &index{}})
		for _, a := range b.axes {
			own, others := x.apart(a.Column)
			p.of[a.Column] = append(p.of[a.Column], place{b.cells, own, others})
		}
	}
	return p
}

// gain returns the increase of the weighted sum of squares if a row moves from one cell of the factor to another. A
// negative number is an improvement.
func (p *place) gain(from, to int32) float32 {
	less, more := &p.cells[from], &p.cells[to]
	return float32((1-float32(2*less.more))*less.weight) + float32((1+float32(2*more.more))*more.weight)
}

// An exchange proposes new values for a batch of rows, and accepts or rejects them. Between two calls of columns, the
// tables old and fresh hold the same values.
type exchange struct {
	tables     *tables
	places     *places
	old, fresh *rows // the current and the proposed values
}

func newExchange(r *rows, from, to int, t *tables, p *places) *exchange {
	x := &exchange{tables: t, places: p, old: &rows{n: to - from}, fresh: &rows{n: to - from}}
	for _, column := range r.column {
		x.old.column = append(x.old.column, column[from:to])
		x.fresh.column = append(x.fresh.column, slices.Clone(column[from:to]))
	}
	return x
}

// columns proposes values for the given columns of all rows of the batch, and accepts those that reduce the weighted
// sum of squares. First, several threads discard the proposals that would not reduce the sum for the initial counts.
// Then columns considers the remaining proposals one after the other. It accepts a proposal if this reduces the sum
// for the counts after all earlier changes.
func (x *exchange) columns(ctx context.Context, f *Fit, columns ...int) error {
	step := f.steps
	f.steps++
	of := x.places.all
	if len(columns) == 1 {
		of = x.places.of[columns[0]]
	}
	most := min(block, x.old.n)
	err := parallel.Do(ctx, max(1, f.options.Threads), x.old.blocks(), func() func(int) {
		d, m := newDrawer(f.sizes, x.tables), newMoves(len(f.sizes), columns, most)
		gains := make([]float32, most)
		return func(b int) {
			from, to := b*block, min((b+1)*block, x.old.n)
			d.random = f.generator(step, b)
			for _, c := range columns {
				d.column(x.fresh, c, from, to)
			}
			m.find(x, from, to)
			gains := gains[:len(m.rows)]
			clear(gains)
			for n := range of {
				p := &of[n]
				old, fresh := m.cells(p)
				for j, k := range old {
					if k != fresh[j] {
						gains[j] += p.gain(k, fresh[j])
					}
				}
			}
			for j, row := range m.rows {
				if gains[j] >= 0 {
					m.set(x.fresh, x.old, row)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	m := newMoves(len(f.sizes), columns, most)
	cells := make([][2]int32, min(group, most)*len(of)) // current and proposed cell, by row and place
	for from := 0; from < x.old.n; from += group {
		m.find(x, from, min(from+group, x.old.n))
		for n := range of {
			old, fresh := m.cells(&of[n])
			for j, k := range old {
				cells[j*len(of)+n] = [2]int32{k, fresh[j]}
			}
		}
		for j, row := range m.rows {
			if own := cells[j*len(of):][:len(of)]; gain(of, own) < 0 {
				for n, k := range own {
					of[n].cells[k[0]].more--
					of[n].cells[k[1]].more++
				}
				m.set(x.old, x.fresh, row)
			} else {
				m.set(x.fresh, x.old, row)
			}
		}
	}
	return nil
}

const group = block / 4 // number of rows whose cells are computed at once

// gain returns the increase of the weighted sum of squares if a row moves to other cells. The slice cells holds, for
// each factor in the slice of, the current cell of the row and its new cell.
func gain(of []place, cells [][2]int32) float32 {
	sum := float32(0)
	for n, k := range cells {
		if k[0] != k[1] {
			sum += of[n].gain(k[0], k[1])
		}
	}
	return sum
}

// moves holds those rows of a block for which the proposed values differ from the current values. The values of these
// rows are stored contiguously.
type moves struct {
	columns    []int // columns with proposals
	rows       []int
	old, fresh [][]uint16
	from, to   []int32
}

// newMoves returns an empty list of proposals with memory for at most the given number of rows (most). The parameter
// all is the number of columns of the table, and columns lists those for which values are proposed.
func newMoves(all int, columns []int, most int) *moves {
	m := &moves{columns: columns, old: make([][]uint16, all), fresh: make([][]uint16, all)}
	for c := range m.old {
		m.old[c] = make([]uint16, 0, most)
	}
	for _, c := range columns {
		m.fresh[c] = make([]uint16, 0, most)
	}
	m.from, m.to = make([]int32, most), make([]int32, most)
	return m
}

// find fills m with those rows of x among from..to-1 for which the proposed values differ from the current values.
// The range must have at most block rows.
func (m *moves) find(x *exchange, from, to int) {
	m.rows = m.rows[:0]
	for row := from; row < to; row++ {
		if slices.ContainsFunc(m.columns, func(c int) bool { return x.old.column[c][row] != x.fresh.column[c][row] }) {
			m.rows = append(m.rows, row)
		}
	}
	for c, values := range x.old.column {
		m.old[c] = picked(m.old[c], values, m.rows)
	}
	for _, c := range m.columns {
		m.fresh[c] = picked(m.fresh[c], x.fresh.column[c], m.rows)
	}
}

func picked(to, values []uint16, rows []int) []uint16 {
	to = to[:len(rows)]
	for j, row := range rows {
		to[j] = values[row]
	}
	return to
}

// cells returns, for each row of m, the cell of the factor of p that contains it: with its current values (old) and
// with its proposed values (fresh).
func (m *moves) cells(p *place) (old, fresh []int32) {
	old, fresh = m.from[:len(m.rows)], m.to[:len(m.rows)]
	clear(old)
	p.still.add(old, m.old, 0)
	copy(fresh, old)
	p.drawn.add(old, m.old, 0)
	p.drawn.add(fresh, m.fresh, 0)
	return old, fresh
}

// set copies the values of one row from one table to another, in the columns for which values are proposed.
func (m *moves) set(to, from *rows, row int) {
	for _, c := range m.columns {
		to.column[c][row] = from.column[c][row]
	}
}
