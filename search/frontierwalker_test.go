package search

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontier walker moves from node to node by the least number of moves, and knows the numbers of
// leaves on its path.
func TestSeek(t *testing.T) {
	of := &grove{groups: []int{3, 4, 5}}
	s := newFrontierWalker(of.Walker(), logRate, 0)
	for _, c := range []struct {
		path       []int
		downs, ups int
	}{
		{[]int{1, 2}, 2, 0}, {[]int{1, 3}, 1, 1}, {[]int{1, 3}, 0, 0}, {[]int{1}, 0, 1}, {[]int{2}, 1, 1}, {[]int{2, 0}, 1, 0}, {[]int{0, 0}, 2, 2}, {nil, 0, 2},
	} {
		of.downs, of.ups = 0, 0
		s.seek(c.path)
		w := s.w.(*groveWalker)
		if of.downs != c.downs || of.ups != c.ups || !slices.Equal(w.path, c.path) || !slices.Equal(s.path, c.path) || len(s.leaves) != 1+len(c.path) {
			t.Errorf("to %v: %d moves down and %d up, to %v and %v", c.path, of.downs, of.ups, w.path, s.path)
		}
		for depth, n := range s.leaves {
			if f, _ := n.Rat().Float64(); math.Abs(f/float64(w.leaves(c.path[:depth]))-1) > 1e-15 {
				t.Errorf("to %v: %g leaves at depth %d", c.path, f, depth)
			}
		}
	}
}

// A node is split if its weight is at least the least weight. It is not entered if its weight is below
// 2^-24 times the least weight; its bound is then the number that Down returns.
func TestLook(t *testing.T) {
	const ref = -5
	for _, least := range []int64{-100 * bit, 0, 3*bit + 7, 4 * bit, 40 * bit, mostLog} {
		for _, bound := range []int64{-bit, -1, 0, 1} {
			of := &grove{groups: []int{16, 16}, root: -bit}
			split := 4*bit - least + ref // the greatest bound of a node that is split
			if 4*bit < least {
				split--
			}
			entered := 28*bit - least + ref
			if 28*bit < least {
				entered--
			}
			for _, at := range []int64{split, entered} {
				of.bounds, of.limits = []int64{at + bound, 0}, nil
				s := newFrontierWalker(of.Walker(), logRate, ref)
				s.least, s.unit = least, -1<<40
				n, ok := s.evaluateChild(0)
				if !slices.Equal(of.limits, []int64{entered}) || ok != (at+bound <= split) || len(s.path) != map[bool]int{true: 1}[ok] {
					t.Errorf("least weight 2^(%d/2^16), bound %d: limit %d, not %d; split: %v", least, at+bound, of.limits, entered, ok)
				}
				if want := min(at+bound, entered+1); n.bound != want || n.exact {
					t.Errorf("least weight 2^(%d/2^16), bound %d: the node has the bound %d, not %d", least, at+bound, n.bound, want)
				}
			}
		}
	}
}

// summed is a grove whose groups of more than one hypothesis have a mass of 2^log hypotheses of
// cost m, or none if missing is set.
type summed struct {
	*grove
	log, m         int64
	tight, missing bool
}

type summedWalker struct {
	*groveWalker
	summed
}

func (t summed) Walker() class.Walker[any] { return &summedWalker{t.grove.Walker().(*groveWalker), t} }

func (w *summedWalker) Mass(*big.Rat) (class.Mass[any], bool) {
	if w.missing || len(w.path) != 1 || w.Exact() {
		return nil, false
	}
	return scaled{w.log, w.m}, w.tight
}

// scaled is the mass of 2^log hypotheses of cost m.
type scaled struct{ log, m int64 }

func (s scaled) Bound() (class.Upper, int64) { return class.One.Scaled(s.log), s.m }
func (s scaled) Descend() class.Descent[any] { panic("a descent from the bound alone") }

// A node that would be split is a node of the frontier instead if it has a mass that is tight or
// weighs less than the least weight. A mass is not used if it weighs more than 2^(2^24) for each
// hypothesis. The frontier has no open node if all masses are tight.
func TestSumUp(t *testing.T) {
	const ref, least = -3, 2 * bit // the groups weigh 2^4 at the cost ref
	for _, c := range []struct {
		name           string
		log, m         int64
		tight, missing bool
		summed         bool
	}{
		{"no mass", 0, ref, true, true, false},
		{"a tight mass", 5, ref, true, false, true},
		{"a light mass", 1, ref, false, false, true},
		{"a mass of nearly the least weight", 2, ref + 2*bit/3, false, false, true},
		{"a mass of the least weight", 2, ref, false, false, false},
		{"a heavy mass", 1, ref - 2*bit, false, false, false},
		{"the least cost", 0, ref - mostLog, true, false, true},
		{"below the least cost", 0, ref - mostLog - 1, true, false, false},
	} {
		of := summed{&grove{groups: []int{16, 16}, bounds: []int64{ref, ref}, costs: map[[2]int]int64{{}: ref}}, c.log, c.m, c.tight, c.missing}
		s := newFrontierWalker(of.Walker(), logRate, ref)
		s.least, s.unit = least, -1<<40
		n, split := s.evaluateChild(0)
		if split == c.summed || len(s.path) != map[bool]int{true: 1}[split] {
			t.Errorf("%s: split: %v, at %v", c.name, split, s.path)
		}
		weight := c.log*bit - (c.m - ref)
		if c.summed && (!n.hasMass || n.exact || n.tight != c.tight || n.bound != c.m || max(log(n.weight)-weight, weight-log(n.weight)) > 1<<13) {
			t.Errorf("%s: %+v", c.name, n)
		}
		if !c.missing {
			s.massAt([]int{1})
			if w := s.w.(*summedWalker); !slices.Equal(w.path, []int{1}) {
				t.Errorf("%s: the mass of %v", c.name, w.path)
			}
		}
		f := newFrontier(of, logRate, usual)
		if _, err := f.build(t.Context(), least, math.MaxInt64); err != nil || (f.open == 0) != (c.tight || !c.summed) {
			t.Errorf("%s: %d open nodes, %v", c.name, f.open, err)
		}
	}
}

// At the rate 1, masses of a cost of more than 2^24·ln 2 below the reference are not used.
func TestSumUpAtAnotherRate(t *testing.T) {
	for m, split := range map[int64]bool{-11_000_000: false, -12_000_000: true} {
		of := summed{grove: &grove{groups: []int{16}}, m: m, tight: true}
		s := newFrontierWalker(of.Walker(), big.NewRat(1, 1), 0)
		if n, got := s.evaluateChild(0); got != split || n.hasMass == split {
			t.Errorf("cost %d: split: %v, %+v", m, got, n)
		}
	}
}

// plus does not leave the range of int64.
func TestPlus(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct{ a, b, sum int64 }{
		{5, 3, 8}, {5, -8, -3}, {-5, 3, -2}, {-5, -3, -8}, {0, 0, 0}, {-1, -1, -2}, {1, -1, 0}, {most, least, -1}, {most, -most, 0},
		{most, 0, most}, {most - 1, 1, most}, {most, 1, most}, {most, most, most}, {1 << 62, 1 << 62, most},
		{least, 0, least}, {least + 1, -1, least}, {least, -1, least}, {least, least, least}, {least, -most, least}, {-1 << 62, -1 << 62, least},
	} {
		if got, other := plus(c.a, c.b), plus(c.b, c.a); got != c.sum || other != c.sum {
			t.Errorf("%d and %d are %d and %d, not %d", c.a, c.b, got, other, c.sum)
		}
	}
}
