package loglinear

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Of three columns a model has no factors, but it tells how many rows have which values of
// them: those that its particles have in the mean. Triples are these numbers, of all lists of three
// columns of two values and more, or of some that are drawn where there are many.
type triples struct {
	of   []*factor // without log-interactions
	rows float64   // that were added
}

const (
	tripleWork  = 60_000_000 // the greatest number of triples times particles
	tripleCells = 1 << 21
)

func (f *Fit) newTriples() *triples {
	t := &triples{}
	cells := 0
	for _, columns := range f.lists(max(1, tripleWork/max(1, f.rows.n))) {
		var axes []table.Axis
		size := 1
		for _, c := range columns {
			axes = append(axes, table.Axis{Column: c, Size: f.sizes[c]})
			size *= f.sizes[c]
		}
		if cells+size > tripleCells {
			continue
		}
		cells += size
		g, _ := shaped(axes)
		g.mean = make([]float64, size)
		t.of = append(t.of, g)
	}
	return t
}

// lists returns all lists of three columns in increasing order, or so many that are drawn.
func (f *Fit) lists(most int) (of [][3]int) {
	var wide []int
	for c, k := range f.sizes {
		if k > 1 {
			wide = append(wide, c)
		}
	}
	d := len(wide)
	if d < 3 {
		return nil
	}
	if d*(d-1)/2*(d-2)/3 <= most {
		for i := range wide {
			for j := range i {
				for k := range j {
					of = append(of, [3]int{wide[k], wide[j], wide[i]})
				}
			}
		}
		return of
	}
	random := f.generator(0, listing)
	known := map[[3]int]bool{}
	for len(of) < most {
		i, j, k := random.IntN(d), random.IntN(d), random.IntN(d)
		list := [3]int{wide[i], wide[j], wide[k]}
		if i < j && j < k && !known[list] {
			known[list] = true
			of = append(of, list)
		}
	}
	return of
}

const listing = -3 // the part of a step that draws lists of columns

// add counts particles.
func (t *triples) add(ctx context.Context, f *Fit) error {
	t.rows += float64(f.rows.n)
	return parallel.Do(ctx, max(1, f.options.Threads), len(t.of), func() func(int) {
		return func(n int) {
			g := t.of[n]
			f.index(g).count(f.rows, g.mean)
		}
	})
}

// expect turns what was counted into how many of so many rows are expected.
func (t *triples) expect(total float64) {
	scale := share(total, t.rows)
	for _, g := range t.of {
		for k := range g.mean {
			g.mean[k] *= scale
		}
	}
}
