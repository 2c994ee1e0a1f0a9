package scorecard

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// An estimator estimates how many nodes a branch-and-bound search of a tree visits. It goes down
// level by level, and visits a random sample of the nodes that the search does not prune because of
// the incumbent's cost. Each sampled node is weighted by the number of nodes that it represents.
// The estimate affects only the choice of a tree, so floating-point errors and randomness are
// harmless.
type estimator struct {
	w    class.Walker[Card]
	path []int // the walker's current path
}

// trialNodes bounds the time of one trial in bestOrder, in units of the time in which a search
// visits one node. A trial learns an order of the decisions and estimates the number of nodes of
// the tree with this order.
const trialNodes = 400_000

// easyBits limits the number of cards, in binary digits, of a class that is searched without an
// estimate of the size of its tree. Such a search is faster than the estimate.
const easyBits = 48

// bestOrder tries several orders of the steps and returns the tree with the least estimated number
// of nodes. Each trial learns an order with another element of scaleShares. The trials continue as
// long as a search of the best tree so far is estimated to take longer than all trials so far. The
// function finish completes a tree whose order is known.
func (t *tree[T]) bestOrder(b *builder[T], finish func(*tree[T]) class.Tree[Card]) class.Tree[Card] {
	if t.class.size.BitLen() < easyBits {
		return finish(t.withOrder(b, scaleShares[0]))
	}
	var best class.Tree[Card]
	nodes := math.Inf(1)
	for i := 0; i < len(scaleShares) && nodes > float64(i*trialNodes); i++ {
		trial := finish(t.withOrder(b.clone(), scaleShares[i]))
		if n := estimate(trial, nodes); best == nil || n < nodes { // +Inf if the estimate overflows
			best, nodes = trial, n
		}
	}
	return best
}

// sampleWidth is the maximum number of nodes that an estimator samples at one level of the tree.
const sampleWidth = 64

// estimate estimates how many nodes a branch-and-bound search of tree t visits (see estimator). It
// stops early if the estimate exceeds the parameter most.
func estimate(t class.Tree[Card], most float64) float64 {
	_, cost := t.Incumbent()
	limit := cost - 1
	e := &estimator{w: t.Walker()}
	if e.w.Bound() > limit {
		return 0
	}
	rng := rand.New(rand.NewPCG(7, 11))
	sample, weight, nodes := [][]int{nil}, 1.0, 0.0
	for len(sample) > 0 && nodes <= most {
		var next [][]int
		for _, path := range sample {
			e.move(path)
			children := e.w.Children()
			nodes += weight * float64(children)
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
			weight *= float64(len(next)) / sampleWidth
			sample = stratified(next, rng)
		}
	}
	return nodes
}

// move moves the walker to the node with the given path from the root, a list of child indices. The
// bound of this node must be less than the cost of the incumbent.
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

// stratified returns a random sample of sampleWidth of the paths: it divides the list into
// sampleWidth consecutive ranges of nearly equal length, and takes one random path from each range.
func stratified(paths [][]int, rng *rand.Rand) [][]int {
	out := make([][]int, sampleWidth)
	for i := range out {
		from, to := i*len(paths)/sampleWidth, (i+1)*len(paths)/sampleWidth
		out[i] = paths[from+rng.IntN(to-from)]
	}
	return out
}
