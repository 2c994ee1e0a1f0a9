package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// visitBox checks the contract of a tree below a node, and returns the least cost and the number of
// points there.
func visitBox(t *testing.T, tree *boxTree, w class.Walker[[]int64], faults *int) (least, points int64) {
	bound := w.Bound()
	if w.Children() == 0 {
		cost := tree.cost(w.Hypothesis())
		if !w.Exact() || bound != cost || w.Leaves().Int64() != 1 {
			*faults++
		}
		return cost, 1
	}
	least = math.MaxInt64
	for i := range w.Children() {
		leaves := w.ChildLeaves(i).Int64()
		if b, ok := w.Down(i, bound-1); ok || b < bound {
			*faults++
		}
		if b, ok := w.Down(i, math.MaxInt64); !ok || b < bound || w.Bound() != b {
			*faults++
		}
		c, n := visitBox(t, tree, w, faults)
		w.Up()
		if n != leaves {
			*faults++
		}
		least, points = min(least, c), points+n
	}
	if bound > least || points != w.Leaves().Int64() || tree.Ceiling() < least || w.Bound() != bound {
		*faults++
	}
	return least, points
}

// Bounds are lower bounds, do not decrease on the way down and are exact at points; numbers of
// leaves add up. The checks detect the wrong bounds of a loss that is not convex.
func TestBoxTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(dim int, loss ConvexLoss, ridge int64) *boxTree {
		s := BoxSpace{Dim: dim, Weight: 4, Feature: 3, Norm: int64(dim * rng.IntN(4)), Loss: loss, Ridge: ridge}
		var d []Example[[]int64]
		for range rng.IntN(6) {
			x := make([]int64, rng.IntN(dim+2))
			for j := range x {
				x[j] = rng.Int64N(9) - 4
			}
			d = append(d, Example[[]int64]{x, rng.IntN(2) == 0, rng.Int64N(5)})
		}
		return newBoxTree(s, d, 1)
	}
	for range 200 {
		dim := 1 + rng.IntN(3)
		most := dim * 12
		loss := []ConvexLoss{Hinge(most, int64(rng.IntN(20))), Logistic(most, 5, 40)}[rng.IntN(2)]
		tree, faults := random(dim, loss, int64(rng.IntN(3)*rng.IntN(20))), 0
		least, _ := visitBox(t, tree, tree.Walker(), &faults)
		if h, cost := tree.Incumbent(); cost != tree.cost(h) || cost < least {
			t.Errorf("incumbent %v of cost %d, least %d", h, cost, least)
		}
		if faults > 0 {
			t.Errorf("%+v: %d faults", tree.space, faults)
		}
	}
	faults := 0
	for range 20 {
		concave := make(ConvexLoss, 25)
		for i := range concave {
			concave[i] = 100 - int64(i-12)*int64(i-12)/2
		}
		tree := random(1, concave, 0)
		visitBox(t, tree, tree.Walker(), &faults)
	}
	if faults == 0 {
		t.Error("tangents bound a concave loss")
	}
}

// A tangent bounds the cost of every point, even if it was taken outside the box or its slope was
// rounded.
func TestTangents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := BoxSpace{Dim: 2, Weight: 3, Feature: 2, Loss: Logistic(12, 3, 17), Ridge: 1}
	for range 300 {
		var d []Example[[]int64]
		for range 1 + rng.IntN(4) {
			d = append(d, Example[[]int64]{[]int64{rng.Int64N(5) - 2, rng.Int64N(5) - 2}, rng.IntN(2) == 0, rng.Int64N(1 << rng.IntN(31))})
		}
		tree := newBoxTree(s, d, 1)
		at := []float64{8*rng.Float64() - 4, 8*rng.Float64() - 4}
		if rng.IntN(10) == 0 {
			at[rng.IntN(2)] = []float64{1e300, math.Inf(-1), math.NaN()}[rng.IntN(3)]
		}
		g := tree.tangentAt(at)
		for i := range int64(49) {
			w := []int64{i%7 - 3, i/7 - 3}
			if bound, cost := g.least(s.Ridge, w, w), tree.cost(w); bound > cost {
				t.Fatalf("the tangent at %v is %d at %v, the cost %d", at, bound, w, cost)
			}
		}
	}
}

// The answers of a walker do not depend on its cache of nodes.
func TestBoxWalkerForgets(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := BoxSpace{Dim: 3, Weight: 5, Feature: 2, Loss: Logistic(30, 5, 40), Ridge: 2}
	var d []Example[[]int64]
	for range 20 {
		d = append(d, Example[[]int64]{[]int64{rng.Int64N(5) - 2, rng.Int64N(5) - 2, 1}, rng.IntN(2) == 0, rng.Int64N(50)})
	}
	tree := newBoxTree(s, d, 0.1)
	keeps := tree.Walker()
	for range 300 {
		forgets := tree.Walker().(*boxWalker)
		forgets.kept = math.MaxInt
		depth := 0
		for keeps.Children() > 0 {
			i, limit := rng.IntN(2), forgets.Bound()+rng.Int64N(2000)
			a, in := keeps.Down(i, limit)
			b, also := forgets.Down(i, limit)
			if a != b || in != also {
				t.Fatalf("bounds %d, %v and %d, %v", a, in, b, also)
			}
			if !in {
				break
			}
			depth++
		}
		for range depth {
			keeps.Up()
		}
	}
}
