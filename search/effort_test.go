package search

import (
	"context"
	"math"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// A grove is a tree whose root has groups as children. groups holds the sizes of the groups. A group of
// size 1 is a single hypothesis. The children of a larger group are its hypotheses. All hypotheses cost 0,
// and the root and the groups have the bound -1, unless other numbers are given. A grove records what its
// walkers do.
type grove struct {
	groups []int
	root   int64            // bound of the root, if it is not 0
	bounds []int64          // bounds of the groups of more than one hypothesis, if not nil
	costs  map[[2]int]int64 // costs other than 0, by group and number in the group
	bytes  int64            // the memory of a walker

	lock                sync.Mutex // for the following fields
	downs, ups, walkers int        // numbers of calls of Down and Up, and of walkers
	limits              []int64    // limits with which walkers tried to enter the first group
}

// flat returns a grove of n groups of size 1.
func flat(n int) *grove { return &grove{groups: slices.Repeat([]int{1}, n)} }

func (t *grove) Walker() class.Walker[any] {
	t.lock.Lock()
	t.walkers++
	t.lock.Unlock()
	w := &groveWalker{t: t}
	for _, of := range t.groups {
		w.all += int64(of)
	}
	return w
}

func (t *grove) Plan() []int             { return nil }
func (t *grove) Incumbent() (any, int64) { return 0, t.costs[[2]int{}] }
func (t *grove) Ceiling() int64          { return 0 }
func (t *grove) WalkerBytes() int64      { return t.bytes }

type groveWalker struct {
	class.NoMass[any]
	t    *grove
	all  int64 // number of hypotheses
	path []int
}

func (w *groveWalker) children(path []int) int {
	switch {
	case len(path) == 0:
		return len(w.t.groups)
	case len(path) == 1 && w.t.groups[path[0]] > 1:
		return w.t.groups[path[0]]
	}
	return 0
}

func (w *groveWalker) leaves(path []int) int64 {
	switch len(path) {
	case 0:
		return w.all
	case 1:
		return int64(w.t.groups[path[0]])
	}
	return 1
}

func (w *groveWalker) child(i int) []int          { return append(slices.Clone(w.path), i) }
func (w *groveWalker) Children() int              { return w.children(w.path) }
func (w *groveWalker) Leaves() *big.Int           { return big.NewInt(w.leaves(w.path)) }
func (w *groveWalker) ChildLeaves(i int) *big.Int { return big.NewInt(w.leaves(w.child(i))) }
func (w *groveWalker) Exact() bool                { return w.Children() == 0 }
func (w *groveWalker) Hypothesis() any            { return w.path[0] }

func (w *groveWalker) Share(i int) class.Upper {
	return class.Quotient(uint64(w.leaves(w.child(i))), uint64(w.leaves(w.path)))
}

func (w *groveWalker) Bound() int64 {
	switch {
	case w.Exact():
		return w.t.costs[[2]int{w.path[0], append(w.path, 0)[1]}]
	case len(w.path) == 0 && w.t.root != 0:
		return w.t.root
	case len(w.path) == 1 && w.t.bounds != nil:
		return w.t.bounds[w.path[0]]
	}
	return -1
}

func (w *groveWalker) Up() {
	w.t.lock.Lock()
	w.t.ups++
	w.t.lock.Unlock()
	w.path = w.path[:len(w.path)-1]
}

func (w *groveWalker) Down(i int, limit int64) (int64, bool) {
	w.t.lock.Lock()
	w.t.downs++
	if len(w.path) == 0 && i == 0 {
		w.t.limits = append(w.t.limits, limit)
	}
	w.t.lock.Unlock()
	was := w.path
	w.path = w.child(i)
	if bound := w.Bound(); bound <= limit {
		return bound, true
	}
	w.path = was
	return limit + 1, false
}

// built builds the frontier for a least weight, in at most most steps.
func built(t *testing.T, of *grove, least, most int64, sizes scale) (f frontier, fits bool) {
	t.Helper()
	f = newFrontier(of, big.NewRat(1, 1), sizes)
	of.downs = 0
	fits, err := f.build(context.Background(), least, most)
	if err != nil {
		t.Fatal(err)
	}
	return f, fits
}

// coarse and fine are least weights of nodes that are split. At coarse, each of 24 hypotheses of weight 1
// has 16 units. At fine, their units do not fit into 63 bits.
const coarse, fine = 20 << 16, -60 << 16

// The unit is 2^-24 times the least weight. It is 2^-60 times the sum of the weights if that sum does not
// fit into 63 bits, or if the hypotheses have too few units. This also holds if the walk takes exactly
// the allowed number of steps.
func TestUnitOfAFrontier(t *testing.T) {
	for _, c := range []struct {
		name  string
		of    *grove
		least int64
		unit  int64
		walks int
	}{
		{"below the least weight", &grove{groups: []int{12, 12}}, 10 << 16, 10 - 24, 1},
		{"too many units", flat(24), fine, 4 - 60, 2},
		{"too few units", flat(24), coarse, 4 - 60, 2},
		{"nearly enough units", flat(24), 15 << 16, 4 - 60, 2}, // 512 units for each hypothesis
		{"just enough units", flat(24), 14 << 16, 14 - 24, 1},
	} {
		whole, fits := built(t, c.of, c.least, math.MaxInt64, usual)
		if !fits || whole.unit != c.unit || c.of.downs != c.walks*int(whole.steps) {
			t.Errorf("%s: unit 2^%d, not 2^%d; %d nodes in %d walks of %d steps; fits: %v", c.name, whole.unit, c.unit, c.of.downs, c.walks, whole.steps, fits)
		}
		just, fits := built(t, c.of, c.least, whole.steps, usual)
		if !fits || just.unit != c.unit || just.steps != whole.steps || !slices.Equal(just.blocks.sums, whole.blocks.sums) {
			t.Errorf("%s: in %d steps: unit 2^%d and blocks %v, not 2^%d and %v; fits: %v", c.name, whole.steps, just.unit, just.blocks.sums, c.unit, whole.blocks.sums, fits)
		}
	}
}

// If a frontier takes more steps than allowed, it is walked only once, up to the last allowed step.
func TestFrontierThatDoesNotFit(t *testing.T) {
	for _, least := range []int64{coarse, fine} {
		of := flat(24)
		if f, fits := built(t, of, least, 10, usual); fits || f.steps != 11 || of.downs != 10 {
			t.Errorf("least weight 2^%d: %d steps of 10, in which %d nodes are entered; fits: %v", least>>16, f.steps, of.downs, fits)
		}
	}
}

// A frontier of more than 1024 nodes is walked by several walkers: one for each processor, if the memory
// for walkers suffices.
func TestWalkersOfAFrontier(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct {
		nodes   int
		bytes   int64
		walkers int
	}{
		{1024, 0, 1}, {1025, 0, 4}, {1025, 1, 4}, {1025, moreWalkers / 3, 4}, {1025, moreWalkers/3 + 1, 3}, {1025, moreWalkers, 2}, {1025, moreWalkers + 1, 1}, {1025, math.MaxInt64, 1},
	} {
		of := flat(c.nodes)
		of.bytes = c.bytes
		if _, err := Sample(context.Background(), of, big.NewRat(1, 1), noise.Insecure(1)); err != nil {
			t.Fatal(err)
		}
		if of.walkers != c.walkers {
			t.Errorf("%d nodes, %d bytes a walker: %d walkers, not %d", c.nodes, c.bytes, of.walkers, c.walkers)
		}
	}
}

// reluctant are coins that reject the first rejects rounds, and record the arguments of Pick. If cap is
// set, a round can reach hypotheses whose cost exceeds the bound of their node.
type reluctant struct {
	noise.Coins
	rejects int
	cap     bool
	blocks  [][]uint64
}

func (c *reluctant) BernoulliScaledExp(_, _ *big.Rat) bool {
	c.rejects--
	return c.rejects < 0
}

func (c *reluctant) Pick(sums []uint64) int {
	c.blocks = append(c.blocks, slices.Clone(sums))
	return 0
}

func (c *reluctant) Draw(s noise.Sampler) *big.Int {
	if !c.cap {
		return new(big.Int)
	}
	return new(big.Int).SetUint64(s.(noise.TruncatedGeometric).Cap)
}

// The first batch has one round, and each further batch has twice as many. A frontier has one round for
// every 96 steps, and one more. A block has 16 nodes.
func TestEffort(t *testing.T) {
	for _, c := range []struct {
		leaves, rejects int
		passes, rounds  int64
		blocks          int
	}{
		{16, 0, 1, 1, 1},
		{17, 0, 1, 1, 2},
		{33, 0, 1, 1, 3},
		{95, 1, 2, 2, 6}, // one round for each pass
		{96, 1, 1, 2, 6}, // two rounds for one pass
		{96, 2, 2, 3, 6},
		{480, 1, 1, 3, 30}, // batches of one, two and three rounds, because six rounds are allowed
		{480, 3, 1, 6, 30},
		{480, 6, 2, 7, 30},
	} {
		coins := &reluctant{rejects: c.rejects}
		_, e, err := SampleEffort(context.Background(), flat(c.leaves), big.NewRat(1, 1), coins)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Effort{Passes: c.passes, Nodes: c.passes * int64(c.leaves), Rounds: c.rounds}); e != want || len(coins.blocks[0]) != c.blocks {
			t.Errorf("%d leaves, %d rejections: %+v with %d blocks, not %+v with %d", c.leaves, c.rejects, e, len(coins.blocks[0]), want, c.blocks)
		}
	}
}

// The second frontier may take 128 steps if the first takes fewer than 64. In the second case, the walk
// over all hypotheses takes 129 steps. So the second frontier splits only one of the groups, and the
// third frontier splits both.
func TestStepsOfTheSecondFrontier(t *testing.T) {
	for _, c := range []struct {
		groups []int
		nodes  int64 // number of nodes of all frontiers
	}{
		{[]int{63, 63}, 2 + 128}, {[]int{63, 64}, 2 + 66 + 129},
	} {
		coins := &reluctant{rejects: 1}
		_, e, err := SampleEffort(context.Background(), &grove{groups: c.groups}, big.NewRat(1, 1), coins)
		if err != nil {
			t.Fatal(err)
		}
		if e.Nodes != c.nodes {
			t.Errorf("%v: %+v, not %d nodes", c.groups, e, c.nodes)
		}
	}
}
