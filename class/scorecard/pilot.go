package scorecard

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A pilot estimates how many nodes a search of a tree will visit. It goes down
// level by level with a random sample of the nodes that the incumbent does not
// rule out, each standing for as many as were dropped. Floating point and
// chance steer the choice of a tree only.
type pilot struct {
	w     class.Walker[Card]
	limit int64
	path  []int // of the walker
}

// trialNodes is how many nodes a search visits in the time of a trial, that is
// of learning an order and estimating its tree, with some to spare.
const trialNodes = 400_000

// easyBits is how many bits number the cards of a class that is searched
// faster than a tree is estimated.
const easyBits = 48

// try learns orders of the steps at one scale after the other, for as long as
// the search that they promise is long enough to pay for more, and returns the
// best tree.
func (t *tree[T]) try(b *builder[T]) *tree[T] {
	if t.class.size.BitLen() < easyBits {
		return t.ordered(b, shares[0])
	}
	var best *tree[T]
	nodes := math.Inf(1)
	for i := 0; i < len(shares) && nodes > float64(i*trialNodes); i++ {
		trial := t.ordered(b.fork(), shares[i])
		if n := trial.estimate(nodes); best == nil || n < nodes { // +Inf where a float overflows
			best, nodes = trial, n
		}
	}
	return best
}

// pilotWidth is how many nodes of a level a pilot keeps.
const pilotWidth = 64

// estimate returns about how many nodes a search of the tree visits, or some
// number above most once that is exceeded.
func (t *tree[T]) estimate(most float64) float64 {
	p := &pilot{w: t.Walker(), limit: t.incumbentCost - 1}
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
func (p *pilot) move(path []int) {
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
