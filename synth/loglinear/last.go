package loglinear

import "context"

// passes says how often so many rows are gone over at the end: twelve times if they are
// few, less often the more places of rows and pairs there are.
func (f *Fit) passes(n int) int {
	work := float64(max(1, n)) * float64(max(1, len(f.pairs)))
	return int(min(max(lastWork/work, 1), lastPasses))
}

const (
	lastPasses = 12
	lastWork   = 3e9
)

// batch is how many rows are drawn before they are compared.
const batch = 64 * block

// last replaces rows by fresh ones, drawn from them by a sweep, if that brings the counts
// of cells closer to what the model gives them: the sum over cells of
// (count - expected)²/(expected + spread) is to fall. So rows lose the noise of sampling
// in the cells of factors, and stay draws of the model in all else.
func (f *Fit) last(ctx context.Context, r *rows, passes, steps int) error {
	scale := share(float64(r.n), f.total)
	all := append(f.factors(), f.ones...)
	sums := make([]gap, len(all))
	for j, g := range all {
		sums[j] = f.gap(g, r, scale)
	}
	t := f.tables()
	for pass := range passes {
		for from := 0; from < r.n; from += batch {
			to := min(from+batch, r.n)
			fresh := newRows(len(f.sizes), to-from)
			for c, col := range r.column {
				copy(fresh.column[c], col[from:to])
			}
			if err := f.sweep(ctx, t, fresh); err != nil {
				return err
			}
			f.replace(r, fresh, from, all, sums)
		}
		f.report(steps-passes+pass+1, steps)
	}
	return nil
}

// A gap is how far counts of cells are from what is expected.
type gap struct {
	*index
	more  []float64 // count - expected
	scale []float64
}

const spread = 10 // rows

func (f *Fit) gap(g *factor, r *rows, scale float64) gap {
	x := gap{f.index(g, r), make([]float64, len(g.mean)), make([]float64, len(g.mean))}
	weight := 1.0
	if len(g.axes) == 1 {
		weight = single
	}
	for k, n := range g.mean {
		expected := float64(n * scale)
		x.more[k] = -expected
		x.scale[k] = weight / (expected + spread)
	}
	for i := range r.n {
		x.more[x.at(i)]++
	}
	return x
}

const single = 10 // how much more a column counts than a pair

func (f *Fit) replace(r, fresh *rows, from int, all []*factor, sums []gap) {
	indices := make([]*index, len(all))
	for j, g := range all {
		indices[j] = f.index(g, fresh)
	}
	old, now := make([]int32, len(all)), make([]int32, len(all))
	for i := range fresh.n {
		gain := 0.0
		for j := range sums {
			s := &sums[j]
			a, b := s.at(from+i), indices[j].at(i)
			old[j], now[j] = a, b
			if a != b {
				gain += float64((1-float64(2*s.more[a]))*s.scale[a]) + float64((1+float64(2*s.more[b]))*s.scale[b])
			}
		}
		if gain >= 0 {
			continue
		}
		for j := range sums {
			sums[j].more[old[j]]--
			sums[j].more[now[j]]++
		}
		for c, col := range fresh.column {
			r.column[c][from+i] = col[i]
		}
	}
}
