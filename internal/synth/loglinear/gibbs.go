package loglinear

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// tables holds the exponentials e^θ of the log-interactions, arranged for Gibbs sampling: the conditional probability
// of a value is proportional to a product of entries. All entries are scaled to at most 1, so that products do not
// overflow. The entries for the values of a sampled column are followed by zeros, up to the padded number of values.
type tables struct {
	bias  [][]float32   // by column and value: factors of single columns
	other [][][]float32 // by sampled column and other column: factors of pairs, by the value of the other, then of the sampled column
	wide  [][]product   // by sampled column: factors of more than two columns
}

// padded rounds the number of values k up to a multiple of 8, as the vectorized kernels require.
func padded(k int) int { return (k + 7) &^ 7 }

// A product holds the exponentials of a factor over several columns, with indices for sampling one of these columns.
// If the factor has few cells, they are also arranged as a table, as for a pair of columns. For a factor with many
// cells, this would take too much time.
type product struct {
	e       []float32 // the factor, by cell
	columns []int     // the columns other than the sampled one
	steps   [][]int32 // for each column in columns: the amount that each value adds to the index in e, or to the line of table
	own     []int32   // for the sampled column: the amount that each value adds to the index in e
	table   []float32 // by cell of the other columns and value of the sampled column; nil if it would be larger than mostTable
}

const mostTable = 1 << 15 // numbers in the table of a product

func (f *Fit) tables() *tables {
	d := len(f.sizes)
	t := &tables{bias: make([][]float32, d), other: make([][][]float32, d), wide: make([][]product, d)}
	for c := range d {
		t.bias[c] = make([]float32, padded(f.sizes[c]))
		copy(t.bias[c], relative(f.ones[c].theta))
		t.other[c] = make([][]float32, d)
	}
	for _, g := range f.pairs {
		if g.dropped {
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

// forbid adds a rule. If the rule has two columns, forbid sets the entries of the forbidden combinations in the table
// of this pair to 0, so that many rules for these columns take no more sampling time than one rule.
func (t *tables) forbid(f *Fit, b barrier) {
	if len(b.axes) != 2 || len(b.open) == f.sizes[b.axes[0].Column] || len(b.open) == f.sizes[b.axes[1].Column] {
		t.add(f, b.factor, b.open)
		return
	}
	t.pair(f, b, 0)
	t.pair(f, b, 1)
}

// pair adds a rule of two columns to the table for sampling one of them: it sets the entries of the forbidden
// combinations to 0. The parameter axis is the number of the sampled column's axis.
func (t *tables) pair(f *Fit, b barrier, axis int) {
	x, y := b.axes[axis].Column, b.axes[1-axis].Column
	own, other := f.sizes[x], f.sizes[y]
	width := padded(own)
	if t.other[x][y] == nil {
		t.other[x][y] = slices.Repeat([]float32{1}, width*other)
	}
	for v := range other {
		for u := range own {
			t.other[x][y][v*width+u] *= b.open[u*b.strides[axis]+v*b.strides[1-axis]]
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
		p.arrange(g, i, padded(f.sizes[c]))
		t.wide[c] = append(t.wide[c], p)
	}
}

// arrange builds the product's table for sampling one column of the factor g, unless the table would be too large.
// The parameter axis is the number of this column's axis, and width is the padded number of its values.
func (p *product) arrange(g *factor, axis, width int) {
	size, stride := g.axes[axis].Size, g.strides[axis]
	lines := len(p.e) / size
	if lines*width > mostTable {
		return
	}
	p.table = make([]float32, lines*width)
	for n := range lines {
		// The cells before the axis have strides that are multiples of size·stride, and those after it less than stride.
		e, line := p.e[n/stride*size*stride+n%stride:], p.table[n*width:]
		for v, step := range p.own {
			line[v] = e[step]
		}
	}
	for _, steps := range p.steps {
		for v, step := range steps {
			if int(step) >= stride {
				steps[v] = step / int32(size)
			}
		}
	}
}

// stepsOf returns, for each value of a column of g, how much this value contributes to the index of a row's cell. The
// parameter axis is the number of the column's axis.
func (f *Fit) stepsOf(g *factor, axis int) []int32 {
	a := &g.axes[axis]
	s := make([]int32, f.sizes[a.Column])
	for v := range s {
		s[v] = int32(a.Cell(v) * g.strides[axis])
	}
	return s
}

// relative returns e^θ for each θ, divided by the maximum of these numbers.
func relative(theta []float64) []float32 {
	w := make([]float32, len(theta))
	top := theta[0]
	for _, x := range theta {
		top = max(top, x)
	}
	for v, x := range theta {
		w[v] = float32(portable.Exp(x - top))
	}
	return w
}

// table returns the exponentials e^θ of the factor g of a pair, arranged for sampling one of the two columns. The
// parameter drawn is the number of this column's axis.
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
	width := padded(own)
	t := make([]float32, width*other)
	for v := range other {
		for u := range own {
			t[v*width+u] = lines[y.Cell(v)][x.Cell(u)]
		}
	}
	f.multiplyWithin(g, drawn, t, width)
	return t
}

// sweep runs one sweep of Gibbs sampling over the rows r: it samples each value of each row from its
// conditional distribution given the other values of the row (Geman and Geman 1984).
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

// A drawer samples values of rows on one thread. It holds the buffers for their conditional probabilities.
type drawer struct {
	*tables
	sizes  []int
	random interface{ Float64() float64 }
	p      []float32 // the probabilities of the values of some rows, up to a factor for each row
	others []other
}

// drawnRows is the number of rows whose conditional probabilities are computed together.
const drawnRows = 32

// An other is a column on which the conditional probabilities of the sampled column depend. It holds the column's
// values by row, and the table e^θ of the two columns.
type other struct {
	values []uint16
	table  []float32
}

func newDrawer(sizes []int, t *tables) *drawer {
	most := 1
	for _, k := range sizes {
		most = max(most, k)
	}
	return &drawer{tables: t, sizes: sizes, p: make([]float32, drawnRows*padded(most))}
}

// column samples the values of column c in the rows from..to-1. A row in which all values have probability 0 keeps
// its value.
func (d *drawer) column(r *rows, c, from, to int) {
	if d.sizes[c] == 1 {
		return
	}
	d.others = d.others[:0]
	for j, m := range d.other[c] {
		if m != nil && d.sizes[j] > 1 {
			d.others = append(d.others, other{r.column[j], m})
		}
	}
	width := padded(d.sizes[c])
	for ; from < to; from += drawnRows {
		p := d.p[:min(drawnRows, to-from)*width]
		d.weigh(p, r, c, from)
		var all [drawnRows]float32
		rowSums(&all, p, width)
		for i := from; len(p) > 0; i, p = i+1, p[width:] {
			if sum := all[i-from]; sum > 0 {
				r.column[c][i] = pick(p[:width], float32(d.random.Float64())*sum)
			}
		}
	}
}

// rowSums adds up each row of the matrix p, which has rows of length width. It adds the numbers of a row one after
// the other, in order, but processes four rows at the same time, because each addition must wait for the previous one
// in its row.
func rowSums(to *[drawnRows]float32, p []float32, width int) {
	row := 0
	for ; len(p) >= 4*width; p, row = p[4*width:], row+4 {
		a, b, c, d := p[:width], p[width:][:width], p[2*width:][:width], p[3*width:][:width]
		var w, x, y, z float32
		for v := range a {
			w += a[v]
			x += b[v]
			y += c[v]
			z += d[v]
		}
		to[row], to[row+1], to[row+2], to[row+3] = w, x, y, z
	}
	for ; len(p) > 0; p, row = p[width:], row+1 {
		to[row] = 0
		for _, x := range p[:width] {
			to[row] += x
		}
	}
}

// weigh computes the conditional probabilities of the values of column c, up to a factor for each row. It writes them
// to the matrix p. Row i of p is for row from+i of r, and its length is the padded number of values.
func (d *drawer) weigh(p []float32, r *rows, c, from int) {
	width := padded(d.sizes[c])
	for i := 0; i < len(p); i += width {
		copy(p[i:], d.bias[c])
	}
	n := 0
	for ; n+8 <= len(d.others); n += 8 {
		multiplyByFour(p, width, d.others[n:], from)
		multiplyByFour(p, width, d.others[n+4:], from)
		for i := 0; i < len(p); i += width {
			rescale(p[i:][:width])
		}
	}
	if n+4 <= len(d.others) {
		multiplyByFour(p, width, d.others[n:], from)
		n += 4
	}
	for ; n < len(d.others); n++ {
		multiplyByOne(p, width, &d.others[n], from)
	}
	for j := range d.wide[c] {
		d.wide[c][j].multiply(p, width, r, from)
	}
}

// multiply multiplies the matrix p of conditional probabilities (see weigh) by the entries of the product w.
func (w *product) multiply(p []float32, width int, r *rows, from int) {
	var cells [drawnRows]int32 // indices in w.e for the value 0 of the sampled column, or lines of w.table
	base := cells[:len(p)/width]
	for x, o := range w.columns {
		steps := w.steps[x]
		for i, v := range r.column[o][from:][:len(base)] {
			base[i] += steps[v]
		}
	}
	if w.table != nil {
		var lines [drawnRows]uint16
		for i, line := range base {
			lines[i] = uint16(line)
		}
		multiplyByOne(p, width, &other{lines[:], w.table}, 0)
		return
	}
	for i, cell := range base {
		e, q := w.e[cell:], p[i*width:][:len(w.own)]
		for v, step := range w.own {
			q[v] *= e[step]
		}
	}
}

// pick returns the value whose interval contains the number at. The intervals of the values are adjacent, start at 0,
// and have the lengths p. So if at is uniformly distributed, pick samples a value with a probability proportional to
// p. It never returns a value with the length 0 if another length is positive.
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

const small = 1e-9 // if all probabilities are below this, rescale divides them by their maximum

// rescale divides the probabilities p by their maximum if all of them are less than the constant small, to prevent
// underflow of products.
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
