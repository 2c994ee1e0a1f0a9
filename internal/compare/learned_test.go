package compare

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A regression is trained on one table and tested on the other. If the labels of the synthetic table
// are the opposite of the real ones, its predictions are always wrong.
func TestLearn(t *testing.T) {
	s := schemaOf(t, 3, 2, 2)
	of := func(flip uint16, n int64) *table.Table {
		b := s.Builder()
		for x := range uint16(3) {
			for z := range uint16(2) {
				y := uint16(0)
				if x > 0 {
					y = 1
				}
				if err := b.Add(table.Record{x, y ^ flip, z}, false, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		return b.Table()
	}
	l, err := pairOf(t, s, of(0, 10), of(1, 20)).Learn(1)
	if err != nil || l.Real != (Test{1, 1}) || l.Synthetic != (Test{0, 0}) {
		t.Errorf("%+v, %v", l, err)
	}
	l, err = pairOf(t, s, of(0, 10), of(0, 3)).Learn(1)
	if err != nil || l.Real != (Test{1, 1}) || l.Synthetic != (Test{1, 1}) {
		t.Errorf("%+v, %v", l, err)
	}
	// z says nothing of x > 0, and equal scores count half.
	l, err = pairOf(t, s, of(0, 10), s.Builder().Table()).Learn(2)
	if err != nil || l.Synthetic.AUC != .5 || l.Synthetic.Accuracy != .5 || math.Abs(l.Real.AUC-.5) > 1e-9 {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := pairOf(t, s, s.Builder().Table(), of(0, 3)).Learn(1); err != nil || l.Real != (Test{.5, 0}) {
		t.Errorf("%+v, %v", l, err)
	}
}

// The AUC and the accuracy equal those that are computed by counting rows and pairs of rows.
func TestTested(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f, err := convex.NewFeatures(convex.OneHot, []int{4, 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		m := convex.Linear{Weights: make([]float64, f.Columns())}
		for i := range m.Weights {
			m.Weights[i] = float64(r.IntN(5) - 2)
		}
		var examples []learn.Example[[]uint16]
		for range 1 + r.IntN(12) {
			examples = append(examples, learn.Example[[]uint16]{X: []uint16{uint16(r.IntN(4)), uint16(r.IntN(3))}, Label: r.IntN(2) == 0, Count: 1 + r.Int64N(3)})
		}
		right, rows, pairs, of := 0., 0., 0., 0.
		for _, a := range examples {
			score, n := m.Score(f.Row(nil, a.X)), float64(a.Count)
			rows += n
			if score > 0 == a.Label {
				right += n
			}
			for _, b := range examples {
				if a.Label || !b.Label {
					continue
				}
				higher, both := m.Score(f.Row(nil, b.X)), n*float64(b.Count)
				of += both
				switch {
				case higher > score:
					pairs += both
				case higher == score:
					pairs += both / 2
				}
			}
		}
		want := Test{.5, right / rows}
		if of > 0 {
			want.AUC = pairs / of
		}
		if got := tested(f, m, examples); math.Abs(got.AUC-want.AUC) > 1e-12 || math.Abs(got.Accuracy-want.Accuracy) > 1e-12 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestLearnRefuses(t *testing.T) {
	for _, one := range []struct {
		sizes  []int
		column int
		err    error
	}{
		{[]int{2, 3}, 1, ErrColumn}, {[]int{2, 3}, -1, ErrColumn}, {[]int{2, 3}, 2, ErrColumn}, {[]int{2}, 0, ErrColumn}, {[]int{2, 2001}, 0, ErrWide},
	} {
		s := schemaOf(t, one.sizes...)
		if _, err := pairOf(t, s, s.Builder().Table(), s.Builder().Table()).Learn(one.column); !errors.Is(err, one.err) {
			t.Errorf("%v: %v", one, err)
		}
	}
}
