package loglinear

import (
	"context"

	"github.com/sibyl-dp/sibyl/parallel"
)

// passes says how often so many rows are gone over at the end: twelve times if they are
// few, less often the more places of rows, pairs and triples there are.
func (f *Fit) passes(n int) int {
	work := float64(max(1, n)) * float64(max(1, len(f.pairs)+len(f.triples.of)))
	return int(min(max(lastWork/work, 1), lastPasses))
}

const (
	lastPasses = 12
	lastWork   = 3e9
)

// last gives rows fresh values, each drawn given the row's others, if that brings the counts
// of cells closer to what the model gives them: the sum over cells of factors and triples, weighed, of
// (count - expected)²/(expected + spread) is to fall. So rows lose the noise of sampling
// in these cells, and stay draws of the model in all else.
func (f *Fit) last(ctx context.Context, r *rows, passes, steps int) error {
	of := f.facets(r)
	t := f.tables()
	for pass := range passes {
		for _, c := range f.generator(f.steps, -1).Perm(len(f.sizes)) {
			if err := f.exchange(ctx, t, r, c, of[c]); err != nil {
				return err
			}
		}
		f.report(steps-passes+pass+1, steps)
	}
	return nil
}

// A balance is how far the count of a cell is from what is expected, and the weight of its
// square.
type balance struct{ more, weight float32 }

// A facet is what a value of one column decides about the cell of a row in a factor.
type facet struct {
	cells []balance
	own   []int32 // what values of the column add to the place of a cell
	*index
}

const (
	spread    = 10  // rows
	single    = 10  // how much more a column counts than a pair
	ofTriples = 1.2 // how much all triples of a pair count, where the pair counts 1
)

// facets are those of each column.
func (f *Fit) facets(r *rows) [][]facet {
	of := make([][]facet, len(f.sizes))
	add := func(g *factor, weight float64) {
		cells := f.balances(g, r, weight)
		for i, a := range g.axes {
			others := f.index(g, r)
			own := others.steps[i]
			others.columns = append(others.columns[:i], others.columns[i+1:]...)
			others.steps = append(others.steps[:i], others.steps[i+1:]...)
			of[a.Column] = append(of[a.Column], facet{cells, own, others})
		}
	}
	for _, g := range f.factors() {
		add(g, 1)
	}
	for _, g := range f.ones {
		add(g, single)
	}
	for _, g := range f.triples.of {
		add(g, ofTriples/float64(len(f.sizes)-2))
	}
	return of
}

func (f *Fit) balances(g *factor, r *rows, weight float64) []balance {
	counts, x := make([]float64, len(g.mean)), f.index(g, r)
	for i := range r.n {
		counts[x.at(i)]++
	}
	cells := make([]balance, len(counts))
	scale := share(float64(r.n), f.total)
	for k, n := range g.mean {
		expected := float64(n * scale)
		cells[k] = balance{float32(counts[k] - expected), float32(weight / (expected + spread))}
	}
	return cells
}

// exchange draws a column anew, and lets rows have their fresh value one after the other where
// that lowers the distance. Those where it does not as counts are at first are left out, which
// all threads find.
func (f *Fit) exchange(ctx context.Context, t *tables, r *rows, c int, of []facet) error {
	step := f.steps
	f.steps++
	old, fresh := r.column[c], make([]uint16, r.n)
	err := parallel.Do(ctx, max(1, f.options.Threads), r.blocks(), func() func(int) {
		d := newDrawer(f.sizes, t)
		return func(b int) {
			from, to := b*block, min((b+1)*block, r.n)
			copy(fresh[from:to], old[from:to])
			d.random = f.generator(step, b)
			d.column(r, c, from, to, fresh)
			for i := from; i < to; i++ {
				if fresh[i] != old[i] && !gains(of, i, old[i], fresh[i]) {
					fresh[i] = old[i]
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for i, v := range fresh {
		if v == old[i] || !gains(of, i, old[i], v) {
			continue
		}
		for j := range of {
			x := &of[j]
			k := x.at(i)
			x.cells[k+x.own[old[i]]].more--
			x.cells[k+x.own[v]].more++
		}
		old[i] = v
	}
	return nil
}

// gains tells whether a row's other value of a column lowers the distance.
func gains(of []facet, row int, from, to uint16) bool {
	gain := float32(0)
	for j := range of {
		x := &of[j]
		a, b := x.own[from], x.own[to]
		if a == b {
			continue
		}
		k := x.at(row)
		p, q := &x.cells[k+a], &x.cells[k+b]
		gain += float32((1-float32(2*p.more))*p.weight) + float32((1+float32(2*q.more))*q.weight)
	}
	return gain < 0
}
