package loglinear

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// tables are what the probabilities of a value are made of, as products. All are at most
// 1, so that products do not grow.
type tables struct {
	bias  [][]float32   // of each column, by value
	other [][][]float32 // of each column drawn and each other one: by the other's value, then the own
	wide  [][]product   // of each column, what more than two columns make
}

// A product is a table over several columns.
type product struct {
	e       []float32
	columns []int     // but for the one that is drawn
	steps   [][]int32 // what values of these columns add to the place in the table
	own     []int32   // what those of the drawn one add
}

func (f *Fit) tables() *tables {
	d := len(f.sizes)
	t := &tables{bias: make([][]float32, d), other: make([][][]float32, d), wide: make([][]product, d)}
	for c := range d {
		t.bias[c] = relative(f.ones[c].theta)
		t.other[c] = make([][]float32, d)
	}
	for _, g := range f.pairs {
		if g.silent {
			continue
		}
		a, b := g.axes[0].Column, g.axes[1].Column
		t.other[a][b] = f.table(g, 0)
		t.other[b][a] = f.table(g, 1)
	}
	for _, g := range f.wide {
		t.add(f, g, relative(g.theta))
	}
	for _, b := range f.rules {
		t.forbid(f, b)
	}
	return t
}

// forbid multiplies by a rule. One of two columns goes into the table that they have
// anyway, so that many such rules cost no more than one.
func (t *tables) forbid(f *Fit, b barrier) {
	if len(b.axes) != 2 || len(b.open) == f.sizes[b.axes[0].Column] || len(b.open) == f.sizes[b.axes[1].Column] {
		t.add(f, b.factor, b.open)
		return
	}
	t.pair(f, b, 0)
	t.pair(f, b, 1)
}

// pair multiplies the table by which the column of one of a rule's two axes is drawn.
func (t *tables) pair(f *Fit, b barrier, axis int) {
	x, y := b.axes[axis].Column, b.axes[1-axis].Column
	own, other := f.sizes[x], f.sizes[y]
	if t.other[x][y] == nil {
		t.other[x][y] = slices.Repeat([]float32{1}, own*other)
	}
	for v := range other {
		for u := range own {
			t.other[x][y][v*own+u] *= b.open[u*b.strides[axis]+v*b.strides[1-axis]]
		}
	}
}

func (t *tables) add(f *Fit, g *factor, e []float32) {
	for i := range g.axes {
		p := product{e: e, own: f.stepsOf(g, i)}
		for j, a := range g.axes {
			if j != i {
				p.columns = append(p.columns, a.Column)
				p.steps = append(p.steps, f.stepsOf(g, j))
			}
		}
		c := g.axes[i].Column
		t.wide[c] = append(t.wide[c], p)
	}
}

// stepsOf returns for each value of an axis's column what it adds to the place of a cell.
func (f *Fit) stepsOf(g *factor, axis int) []int32 {
	a := &g.axes[axis]
	s := make([]int32, f.sizes[a.Column])
	for v := range s {
		s[v] = int32(a.Cell(v) * g.strides[axis])
	}
	return s
}

// relative are e^θ over the largest.
func relative(theta []float64) []float32 {
	w := make([]float32, len(theta))
	top := theta[0]
	for _, x := range theta {
		top = max(top, x)
	}
	for v, x := range theta {
		w[v] = float32(exp(x - top))
	}
	return w
}

// table lays a pair out for drawing the column of one of its axes.
func (f *Fit) table(g *factor, drawn int) []float32 {
	x, y := &g.axes[drawn], &g.axes[1-drawn]
	lines := make([][]float32, y.Size)
	line := make([]float64, x.Size)
	for j := range lines {
		for i := range line {
			line[i] = g.theta[i*g.strides[drawn]+j*g.strides[1-drawn]]
		}
		lines[j] = relative(line)
	}
	own, other := f.sizes[x.Column], f.sizes[y.Column]
	t := make([]float32, 0, own*other)
	for v := range other {
		for u := range own {
			t = append(t, lines[y.Cell(v)][x.Cell(u)])
		}
	}
	return t
}

// sweep draws each value of each row anew, given the row's others (Geman and Geman 1984).
func (f *Fit) sweep(ctx context.Context, t *tables, r *rows) error {
	step := f.steps
	f.steps++
	order := f.generator(step, -1).Perm(len(f.sizes))
	return parallel.Do(ctx, max(1, f.options.Threads), r.blocks(), func() func(int) {
		d := newDrawer(f.sizes, t)
		return func(b int) {
			d.random = f.generator(step, b)
			for _, c := range order {
				d.column(r, c, b*block, min((b+1)*block, r.n))
			}
		}
	})
}

// A drawer draws values on one thread.
type drawer struct {
	*tables
	sizes  []int
	random interface{ Float64() float64 }
	p      []float32
	others []other
}

// An other is a column that one is drawn given, and what its values make of the probabilities.
type other struct {
	values []uint16
	table  []float32
}

// of returns the factors in a row of the probabilities of so many values.
func (o *other) of(row, k int) []float32 { return o.table[int(o.values[row])*k:][:k] }

func newDrawer(sizes []int, t *tables) *drawer {
	most := 1
	for _, k := range sizes {
		most = max(most, k)
	}
	return &drawer{tables: t, sizes: sizes, p: make([]float32, most)}
}

// column draws the values of a column in rows from ..to-1. A row none of whose values has
// any probability keeps its own.
func (d *drawer) column(r *rows, c, from, to int) {
	k := d.sizes[c]
	if k == 1 {
		return
	}
	p := d.p[:k]
	others := d.others[:0]
	for j, m := range d.other[c] {
		if m != nil && d.sizes[j] > 1 {
			others = append(others, other{r.column[j], m})
		}
	}
	d.others = others
	values := r.column[c]
	for i := from; i < to; i++ {
		copy(p, d.bias[c])
		n := 0
		for ; n+8 <= len(others); n += 8 {
			four(p, others[n:], i)
			four(p, others[n+4:], i)
			rescale(p)
		}
		if n+4 <= len(others) {
			four(p, others[n:], i)
			n += 4
		}
		for ; n < len(others); n++ {
			for v, x := range others[n].of(i, k) {
				p[v] *= x
			}
		}
		for j := range d.wide[c] {
			w := &d.wide[c][j]
			base := int32(0)
			for x, o := range w.columns {
				base += w.steps[x][r.column[o][i]]
			}
			for v := range p {
				p[v] *= w.e[base+w.own[v]]
			}
		}
		sum := float32(0)
		for _, x := range p {
			sum += x
		}
		if !(sum > 0) {
			continue
		}
		values[i] = pick(p, float32(d.random.Float64())*sum)
	}
}

// pick returns the value in whose share of the sum a point lies.
func pick(p []float32, at float32) uint16 {
	last := 0
	for v, x := range p {
		if x <= 0 {
			continue
		}
		last = v
		if at < x {
			break
		}
		at -= x
	}
	return uint16(last)
}

// four multiplies probabilities by what the first four of others make of them.
func four(p []float32, others []other, row int) {
	k := len(p)
	a, b, c, d := others[0].of(row, k), others[1].of(row, k), others[2].of(row, k), others[3].of(row, k)
	for v := range p {
		p[v] *= a[v] * b[v] * c[v] * d[v]
	}
}

const small = 1e-9 // where all probabilities of a value are below this, they are divided by the largest

// rescale keeps products from vanishing.
func rescale(p []float32) {
	top := float32(0)
	for _, x := range p {
		if x >= small {
			return
		}
		top = max(top, x)
	}
	if top > 0 {
		for v := range p {
			p[v] /= top
		}
	}
}
