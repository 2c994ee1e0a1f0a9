package loglinear

import "github.com/sibyl-dp/sibyl/internal/synth/portable"

// An edge of the tree of columns leads from one column to another. The values of the second column are sampled
// conditionally on those of the first.
type edge struct {
	from, to int
	by       *factor // the factor of the two columns; nil if to is sampled independently
}

// information returns the mutual information of the factor's two columns, computed from the counts f.mean and
// multiplied by the number of rows.
func (f *factor) information() float64 {
	r, c := f.axes[0].Size, f.axes[1].Size
	a, b := make([]float64, r), make([]float64, c)
	total := 0.0
	for k, q := range f.mean {
		a[k/c] += q
		b[k%c] += q
		total += q
	}
	sum := 0.0
	for k, q := range f.mean {
		if q > 1e-6 {
			sum += float64(q * portable.Log(q/a[k/c]*total/b[k%c]))
		}
	}
	return sum
}

// spanning returns the tree over the columns with the maximum total mutual information (Chow and Liu 1968). The
// result has one edge to each column. A column comes after the column on which it depends.
func (f *Fit) spanning() []edge {
	best := make([]edge, len(f.sizes))
	gain := make([]float64, len(f.sizes))
	in := make([]bool, len(f.sizes))
	var order []edge
	for len(order) < len(f.sizes) {
		next := -1
		for c := range f.sizes {
			if !in[c] && (next < 0 || gain[c] > gain[next]) {
				next = c
			}
		}
		in[next] = true
		best[next].to = next
		order = append(order, best[next])
		for _, g := range f.pairs {
			a, b := g.axes[0].Column, g.axes[1].Column
			if b == next {
				a, b = b, a
			}
			if a != next || in[b] || g.dropped {
				continue
			}
			if x := g.information(); x > gain[b] {
				gain[b] = x
				best[b] = edge{from: a, by: g}
			}
		}
	}
	return order
}

// start samples n particles from the tree of columns that spanning returns. To reduce the sampling noise, it
// determines the number of particles with each value by Quota. It sets the log-interactions of the factors in
// the tree to those of their targets, and makes the particles satisfy the rules.
func (f *Fit) start(n int, witness []uint16) error {
	f.rows = newRows(len(f.sizes), n)
	step := f.steps
	f.steps++
	for _, e := range f.spanning() {
		g := f.generator(step, e.to)
		values := f.rows.column[e.to]
		for _, list := range f.given(e) {
			to := Quota(len(list.rows), list.shares, g.Float64())
			g.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
			for i, r := range list.rows {
				values[r] = uint16(to[i])
			}
		}
		if e.by != nil {
			e.by.explain()
			e.by.started = true
		}
	}
	return f.keep(witness)
}

// A dealt is a group of particles whose values in one column are sampled from the same distribution. The shares
// are proportional to the probabilities of the column's values.
type dealt struct {
	rows   []int32
	shares []float64
}

// given groups the particles for sampling the column to which the edge e leads. Particles with the same value in
// the column from which e starts form a group. If the sampled column does not depend on another one, all
// particles form one group.
func (f *Fit) given(e edge) []dealt {
	if e.by == nil {
		all := dealt{rows: make([]int32, f.rows.n), shares: f.ones[e.to].target}
		for i := range all.rows {
			all.rows[i] = int32(i)
		}
		return []dealt{all}
	}
	lists := make([]dealt, f.sizes[e.from])
	for i, v := range f.rows.column[e.from] {
		lists[v].rows = append(lists[v].rows, int32(i))
	}
	from, to := 0, 1
	if e.by.axes[0].Column != e.from {
		from, to = 1, 0
	}
	ones := f.ones[e.to].target
	cells := sums(e.by.axes[to], ones)
	for v := range lists {
		lists[v].shares = make([]float64, f.sizes[e.to])
		for u, n := range ones {
			k := e.by.axes[to].Cell(u)
			in := e.by.mean[e.by.axes[from].Cell(v)*e.by.strides[from]+k*e.by.strides[to]]
			lists[v].shares[u] = float64(in * share(n, cells[k]))
		}
	}
	return lists
}

// explain sets the log-interactions of the factor of a pair to those of its counts f.mean: to
// log(count/expected), where the expected counts are those of independent columns with the same totals.
func (f *factor) explain() {
	r, c := f.axes[0].Size, f.axes[1].Size
	a, b := make([]float64, r), make([]float64, c)
	total := 0.0
	for k, q := range f.mean {
		a[k/c] += q
		b[k%c] += q
		total += q
	}
	for k, e := range outer(a, b, total) {
		if e > 1e-6 {
			f.theta[k] = min(max(portable.Log(max(f.mean[k]/e, 1e-3)), -most), most)
		}
	}
}
