package loglinear

import (
	"cmp"
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// chunks is the number of parts of the particles that are counted in parallel. It does not depend on the number of
// threads, so neither do the rounding errors of sums.
const chunks = 16

// A reweighting multiplies the weight of each particle (a row sampled from the model) by a number that depends on the
// particle's cell in a factor.
type reweighting struct {
	cells []int32   // the cell of each row
	by    []float64 // the factor of the weights, by cell
}

// of applies the reweighting to the rows from..to-1: it multiplies their weights.
func (w *reweighting) of(r *rows, from, to int) {
	weight := r.weight[from:to]
	for i, k := range w.cells[from:to] {
		weight[i] *= w.by[k]
	}
}

// count returns, for each cell of g, the sum of the weights of the particles in this cell, scaled so that all sums
// add up to f.total. If before is not nil, count first applies this reweighting. It also sets the effective sample
// size f.rows.effective, and the cell of each particle in f.cells.
func (f *Fit) count(ctx context.Context, g *factor, before *reweighting) ([]float64, error) {
	r, x := f.rows, f.index(g)
	f.cells = slices.Grow(f.cells[:0], r.n)[:r.n]
	parts, squares := make([][]float64, chunks), make([]float64, chunks)
	err := parallel.Do(ctx, max(1, f.options.Threads), chunks, func() func(int) {
		return func(part int) {
			from, to := part*r.n/chunks, (part+1)*r.n/chunks
			if before != nil {
				before.of(r, from, to)
			}
			cells, weight := f.cells[from:to], r.weight[from:to]
			clear(cells)
			x.add(cells, r.column, from)
			sums, square := make([]float64, len(g.theta)), 0.0
			for i, k := range cells {
				w := weight[i]
				sums[k] += w
				square += float64(w * w)
			}
			parts[part], squares[part] = sums, square
		}
	})
	if err != nil {
		return nil, err
	}
	counts, sum, square := parts[0], 0.0, squares[0]
	for i, p := range parts[1:] {
		for k, s := range p {
			counts[k] += s
		}
		square += squares[i+1]
	}
	for _, s := range counts {
		sum += s
	}
	r.effective = share(float64(sum*sum), square)
	scale := share(f.total, sum)
	for k := range counts {
		counts[k] *= scale
	}
	return counts, nil
}

// pass makes one step of the fit: it moves the log-interactions of all factors, one factor after the other. After
// each factor, it reweights the particles, so that the next factor takes account of the change. (If all factors moved
// at once, the same error would be corrected several times.)
//
// If the effective sample size of the particles falls below half their number, pass skips the remaining factors, and
// the next pass begins with them. At the end, pass moves the factors of single columns, and resamples the particles
// by weight.
func (f *Fit) pass(ctx context.Context, rate float64) error {
	random := f.generator(f.steps, 0)
	f.steps++
	all := f.moving()
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b *factor) int { return cmp.Compare(a.moved, b.moved) })
	var before *reweighting
	var spare []int32 // a second slice of cells, for count while before holds the first
	for _, g := range append(all, f.ones...) {
		now, err := f.count(ctx, g, before)
		if err != nil {
			return err
		}
		before = nil
		if len(g.axes) > 1 && f.rows.effective < float64(f.rows.n)/2 {
			continue
		}
		var change []float64
		if len(g.axes) == 1 {
			change = g.follow(now, singleRate)
		} else {
			change = g.move(now, rate)
		}
		for k, c := range change {
			g.theta[k] += c
			change[k] = portable.Exp(c)
		}
		g.moved++
		before = &reweighting{f.cells, change}
		f.cells, spare = spare, f.cells
	}
	if before != nil {
		before.of(f.rows, 0, f.rows.n)
	}
	f.rows = f.rows.resample(f.rows.n, random.Float64())
	return nil
}

// moving returns the factors that a pass moves: those that are not dropped.
func (f *Fit) moving() []*factor {
	return slices.DeleteFunc(f.factors(), func(g *factor) bool { return g.dropped })
}

// follow returns a change for each log-interaction: the change that would make the current count equal to the target,
// multiplied by rate and clamped to ±1. The slice now has the model's current count of each cell.
func (f *factor) follow(now []float64, rate float64) []float64 {
	change := make([]float64, len(now))
	for k, q := range now {
		change[k] = min(max(float64(rate*portable.Log(max(f.target[k], fewest)/max(q, fewest))), -1), 1)
	}
	return change
}
