package scorecard

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// An estimator estimates how many nodes a search of a tree will visit. It goes
// down level by level with a random sample of the nodes that the incumbent does
// not rule out, each standing for as many as were dropped. Floating point and
// chance steer the choice of a tree only.
type estimator struct {
	w    class.Walker[Card]
	path []int // of the walker
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
func (t *tree[T]) try(b *builder[T], finish func(*tree[T]) class.Tree[Card]) class.Tree[Card] {
	if t.class.size.BitLen() < easyBits {
		return finish(t.ordered(b, shares[0]))
	}
	var best class.Tree[Card]
	nodes := math.Inf(1)
	for i := 0; i < len(shares) && nodes > float64(i*trialNodes); i++ {
		trial := finish(t.ordered(b.fork(), shares[i]))
		if n := estimate(trial, nodes); best == nil || n < nodes { // +Inf where a float overflows
			best, nodes = trial, n
		}
	}
	return best
}

// sampleWidth is how many nodes of a level an estimator keeps.
const sampleWidth = 64

// estimate returns about how many nodes a search of the tree visits, or some
// number above most once that is exceeded.
func estimate(t class.Tree[Card], most float64) float64 {
	_, cost := t.Incumbent()
	limit := cost - 1
	e := &estimator{w: t.Walker()}
	if e.w.Bound() > limit {
		return 0
	}
	rng := rand.New(rand.NewPCG(7, 11))
	sample, each, nodes := [][]int{nil}, 1.0, 0.0
	for len(sample) > 0 && nodes <= most {
		var next [][]int
		for _, path := range sample {
			e.move(path)
			children := e.w.Children()
			nodes += each * float64(children)
			for i := range children {
				if _, entered := e.w.Down(i, limit); entered {
					if !e.w.Exact() {
						next = append(next, append(slices.Clone(path), i))
					}
					e.w.Up()
				}
			}
		}
		sample = next
		if len(next) > sampleWidth {
			each *= float64(len(next)) / sampleWidth
			sample = spread(next, rng)
		}
	}
	return nodes
}

// move brings the walker to the node of a path, which the limit does not rule
// out.
func (e *estimator) move(path []int) {
	common := 0
	for common < len(path) && common < len(e.path) && path[common] == e.path[common] {
		common++
	}
	for range e.path[common:] {
		e.w.Up()
	}
	for _, i := range path[common:] {
		e.w.Down(i, math.MaxInt64)
	}
	e.path = path
}

// spread picks sampleWidth of the paths, one at random in each of as many even
// stretches.
func spread(paths [][]int, rng *rand.Rand) [][]int {
	out := make([][]int, sampleWidth)
	for i := range out {
		from, to := i*len(paths)/sampleWidth, (i+1)*len(paths)/sampleWidth
		out[i] = paths[from+rng.IntN(to-from)]
	}
	return out
}
