package loglinear

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/parallel"
)

// passes says how often so many rows are gone over at the end: twelve times if they are
// few, less often the more places of rows, pairs and triples there are.
func (f *Fit) passes(n int) int {
	work := float64(max(1, n)) * float64(max(1, len(f.pairs)+len(f.triples.of)))
	return int(min(max(lastWork/work, fewPasses), lastPasses))
}

const (
	fewPasses  = 2
	lastPasses = 12
	lastWork   = 1e8
)

// batch is how many rows are drawn before they are compared.
const batch = 64 * block

// last gives rows fresh values, all and then those of one column after the other, each drawn given
// the row's others, if that brings the counts
// of cells closer to what the model gives them: the sum over cells of factors and triples, weighed, of
// (count - expected)²/(expected + spread) is to fall. So rows lose the noise of sampling
// in these cells, and stay draws of the model in all else.
func (f *Fit) last(ctx context.Context, r *rows, passes, steps int) error {
	all := f.balances(r)
	t := f.tables()
	for pass := range passes {
		for from := 0; from < r.n; from += batch {
			x := f.exchange(r, from, min(from+batch, r.n), t, all)
			order := f.generator(f.steps, -1).Perm(len(f.sizes))
			if err := x.columns(ctx, f, order...); err != nil {
				return err
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
	spread    = 10  // rows
	single    = 10  // how much more a column counts than a pair
	ofTriples = 1.2 // how much all triples of a pair count, where the pair counts 1
)

// A balance is how far the counts of the cells of a factor are from what is expected.
type balance struct {
	*factor
	cells []offset
}

// An offset is count - expected, and the weight of its square.
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

func (f *Fit) balance(g *factor, r *rows, weight float64) balance {
	counts, x := make([]float64, len(g.mean)), f.index(g, r)
	for i := range r.n {
		counts[x.at(i)]++
	}
	b := balance{g, make([]offset, len(counts))}
	scale := share(float64(r.n), f.total)
	for k, n := range g.mean {
		expected := float64(n * scale)
		b.cells[k] = offset{float32(counts[k] - expected), float32(weight / (expected + spread))}
	}
	return b
}

// An exchange lets some rows have fresh values. Before and after, these are the rows' own.
type exchange struct {
	tables     *tables
	old, fresh *rows
	all        []place
	of         [][]place // those of each column
}

// A place tells the cell of each row in a factor, as it is and with fresh values.
type place struct {
	cells      []offset
	old, fresh *index
}

func (f *Fit) exchange(r *rows, from, to int, t *tables, all []balance) *exchange {
	x := &exchange{tables: t, old: &rows{n: to - from}, fresh: &rows{n: to - from}, of: make([][]place, len(f.sizes))}
	for _, column := range r.column {
		x.old.column = append(x.old.column, column[from:to])
		x.fresh.column = append(x.fresh.column, slices.Clone(column[from:to]))
	}
	for _, b := range all {
		p := place{b.cells, f.index(b.factor, x.old), f.index(b.factor, x.fresh)}
		x.all = append(x.all, p)
		for _, a := range b.axes {
			x.of[a.Column] = append(x.of[a.Column], p)
		}
	}
	return x
}

// columns draws some columns anew, and lets one row after the other have its fresh values where
// that lowers the distance. Those where it does not as counts are at first are left out, which
// all threads find.
func (x *exchange) columns(ctx context.Context, f *Fit, columns ...int) error {
	step := f.steps
	f.steps++
	of := x.all
	if len(columns) == 1 {
		of = x.of[columns[0]]
	}
	differ := func(row int) bool {
		return slices.ContainsFunc(columns, func(c int) bool { return x.old.column[c][row] != x.fresh.column[c][row] })
	}
	set := func(to, from *rows, row int) {
		for _, c := range columns {
			to.column[c][row] = from.column[c][row]
		}
	}
	err := parallel.Do(ctx, max(1, f.options.Threads), x.old.blocks(), func() func(int) {
		d := newDrawer(f.sizes, x.tables)
		return func(b int) {
			from, to := b*block, min((b+1)*block, x.old.n)
			d.random = f.generator(step, b)
			for _, c := range columns {
				d.column(x.fresh, c, from, to)
			}
			for i := from; i < to; i++ {
				if differ(i) && !gains(of, i) {
					set(x.fresh, x.old, i)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range x.old.n {
		switch {
		case !differ(i):
		case gains(of, i):
			for _, p := range of {
				p.cells[p.old.at(i)].more--
				p.cells[p.fresh.at(i)].more++
			}
			set(x.old, x.fresh, i)
		default:
			set(x.fresh, x.old, i)
		}
	}
	return nil
}

// gains tells whether a row's fresh values lower the distance.
func gains(of []place, row int) bool {
	gain := float32(0)
	for j := range of {
		p := &of[j]
		a, b := p.old.at(row), p.fresh.at(row)
		if a == b {
			continue
		}
		less, more := &p.cells[a], &p.cells[b]
		gain += float32((1-float32(2*less.more))*less.weight) + float32((1+float32(2*more.more))*more.weight)
	}
	return gain < 0
}
