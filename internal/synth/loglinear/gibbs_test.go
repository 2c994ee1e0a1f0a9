package loglinear

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A product multiplies probabilities by the same numbers with and without a table.
func TestProductTable(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 3))
	for range 200 {
		f := &Fit{sizes: []int{1 + random.IntN(5), 1 + random.IntN(20), 1 + random.IntN(5), 1 + random.IntN(9)}}
		var axes []table.Axis
		for c, k := range f.sizes {
			a := table.Axis{Column: c, Size: 1 + random.IntN(k)}
			for v := range k {
				a.Cells = append(a.Cells, uint16(v%a.Size))
			}
			axes = append(axes, a)
		}
		random.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
		g := newFactor(axes[:1+random.IntN(len(axes))])
		e := make([]float32, len(g.theta))
		for k := range e {
			e[k] = random.Float32()
		}
		few := &tables{wide: make([][]product, len(f.sizes))}
		few.add(f, g, e)
		r := newRows(len(f.sizes), 10+random.IntN(20))
		for c, column := range r.column {
			for i := range column {
				column[i] = uint16(random.IntN(f.sizes[c]))
			}
		}
		for i, a := range g.axes {
			w := few.wide[a.Column][0]
			if w.table == nil {
				t.Fatalf("no table of %d cells", len(e))
			}
			width := padded(f.sizes[a.Column])
			got := make([]float32, width*(r.n-3))
			for k := range got {
				got[k] = 1
			}
			w.multiply(got, width, r, 3)
			for row := range r.n - 3 {
				for v := range f.sizes[a.Column] {
					cell := 0
					for j, b := range g.axes {
						value := int(r.column[b.Column][row+3])
						if j == i {
							value = v
						}
						cell += b.Cell(value) * g.strides[j]
					}
					if got[row*width+v] != e[cell] {
						t.Fatalf("axis %d of %v, row %d, value %d: %v, not %v", i, g.axes, row, v, got[row*width+v], e[cell])
					}
				}
			}
		}
	}
}

// The sums of rows are those of their numbers in order, for any number of rows.
func TestRowSums(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 4))
	for n := range drawnRows + 1 {
		width := padded(1 + random.IntN(30))
		p := make([]float32, n*width)
		for k := range p {
			p[k] = random.Float32()
		}
		var got [drawnRows]float32
		rowSums(&got, p, width)
		for row := range n {
			want := float32(0)
			for _, x := range p[row*width:][:width] {
				want += x
			}
			if got[row] != want {
				t.Errorf("row %d of %d: %v, not %v", row, n, got[row], want)
			}
		}
	}
}
