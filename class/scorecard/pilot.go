package scorecard

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A pilot estimates how many nodes a search of a tree will visit. It goes down
// level by level with a random sample of the nodes that the incumbent does not
// rule out, each standing for as many as were dropped. Floating point and
// chance steer the choice of a tree only.
type pilot[T cell] struct {
	w     *walker[T]
	limit int64
	path  []int // of the walker
}

// pilotWidth is how many nodes of a level a pilot keeps.
const pilotWidth = 64

// estimate returns about how many nodes a search of the tree visits, or some
// number above most once that is exceeded.
func (t *tree[T]) estimate(most float64) float64 {
	p := &pilot[T]{w: t.Walker().(*walker[T]), limit: t.incumbentCost - 1}
	if p.w.Bound() > p.limit {
		return 0
	}
	rng := rand.New(rand.NewPCG(7, 11))
	sample, each, nodes := [][]int{nil}, 1.0, 0.0
	for len(sample) > 0 && nodes <= most {
		var next [][]int
		for _, path := range sample {
			p.move(path)
			children := p.w.Children()
			nodes += each * float64(children)
			for i := range children {
				if _, entered := p.w.Down(i, p.limit); entered {
					if !p.w.Exact() {
						next = append(next, append(slices.Clone(path), i))
					}
					p.w.Up()
				}
			}
		}
		sample = next
		if len(next) > pilotWidth {
			each *= float64(len(next)) / pilotWidth
			sample = spread(next, rng)
		}
	}
	return nodes
}

// move brings the walker to the node of a path, which the limit does not rule
// out.
func (p *pilot[T]) move(path []int) {
	common := 0
	for common < len(path) && common < len(p.path) && path[common] == p.path[common] {
		common++
	}
	for range p.path[common:] {
		p.w.Up()
	}
	for _, i := range path[common:] {
		p.w.Down(i, math.MaxInt64)
	}
	p.path = path
}

// spread picks pilotWidth of the paths, one at random in each of as many even
// stretches.
func spread(paths [][]int, rng *rand.Rand) [][]int {
	out := make([][]int, pilotWidth)
	for i := range out {
		from, to := i*len(paths)/pilotWidth, (i+1)*len(paths)/pilotWidth
		out[i] = paths[from+rng.IntN(to-from)]
	}
	return out
}
