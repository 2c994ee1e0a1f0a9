package loglinear

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// triples holds expected counts of three-way marginals of the model, estimated as means over the particles. There is
// one marginal for each set of three columns with at least two values each, or for each set in a random sample if
// there are too many sets or the effort of the fit is less than 1. The model has no factors for these marginals, but
// sampled rows are changed to match them (last.go).
type triples struct {
	of   []*factor // without log-interactions
	rows float64   // number of particles counted so far
}

const (
	tripleWork  = 60_000_000 // maximum number of triples times particles
	tripleCells = 1 << 21    // maximum total number of cells
)

func (f *Fit) newTriples() *triples {
	t := &triples{}
	cells := 0
	for _, columns := range f.lists(tripleWork / max(1, f.number.most)) {
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

// lists returns sets of three columns with at least two values each. Their number is the number of all such sets,
// but at most the given maximum (most), multiplied by the effort of the fit (a factor of at most 1), and at least 1.
// If sets are omitted, the result is a random sample. If there are fewer than three such columns, there are no sets.
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
	all := d * (d - 1) / 2 * (d - 2) / 3
	most = max(1, int(float64(f.number.effort*float64(min(all, most)))))
	if all <= most {
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

const listing = -3 // argument part of generator for sampling sets of columns

// add adds the current particles of the fit f to the counts of all triples.
func (t *triples) add(ctx context.Context, f *Fit) error {
	t.rows += float64(f.rows.n)
	return parallel.Do(ctx, max(1, f.options.Threads), len(t.of), func() func(int) {
		return func(n int) {
			g := t.of[n]
			f.index(g).count(f.rows, g.mean)
		}
	})
}

// expect scales the counts of the particles to expected numbers of rows: each marginal then sums to total.
func (t *triples) expect(total float64) {
	scale := share(total, t.rows)
	for _, g := range t.of {
		for k := range g.mean {
			g.mean[k] *= scale
		}
	}
}
