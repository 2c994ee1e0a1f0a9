package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A sharedTree is a tree that permits one walker for each thread, whatever the memory of a walker.
type sharedTree[H any] struct{ class.Tree[H] }

func (sharedTree[H]) WalkerBytes() int64 { return 0 }

// testThreads compares samples on one thread with samples on several threads, with the same random bits.
func testThreads[H any](t *testing.T, tree class.Tree[H], lambda *big.Rat, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		var want string
		for threads := 1; threads <= 3; threads++ {
			coins := noise.Insecure(seed)
			h, effort, err := search.SampleThreads(context.Background(), sharedTree[H]{tree}, lambda, coins, threads)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(h, effort, coins.Below(new(big.Int).Lsh(big.NewInt(1), 64)))
			if threads == 1 {
				want = got
			} else if got != want {
				t.Fatalf("rate %s, seed %d: on %d threads %s, on one %s", lambda.RatString(), seed, threads, got, want)
			}
		}
	}
}

// The number of threads changes neither the sample nor the randomness used.
func TestSampleThreads(t *testing.T) {
	for name, c := range everytest.Fixed() {
		tree, err := c.Class.Tree(telling(c.Domain))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, rate := range heavy.Pick(rates[1:2], rates) {
				testThreads(t, tree, rate, 5)
			}
		})
	}
	for seed := range heavy.Pick[uint64](16, 40) {
		tree := newExplicit(seed, 80, 40, 12)
		testThreads(t, class.Tree[int](tree), rates[seed%3], 5)
		testThreads(t, class.Tree[int](lazyTree{tree}), rates[seed%3], 5)
		testThreads(t, class.Tree[int](weighedTree{tree, seed, seed%4 == 0}), rates[seed%3], 5)
	}
	testThreads(t, class.Tree[int](lopsided{bushes: []bush{{0, 0}, {100, balanced(100)}, {200, balanced(200)}}}), big.NewRat(1, 3), 20)
}

// The same holds for a union of cards and trees, whose masses are shared by all threads.
func TestSampleThreadsMixed(t *testing.T) {
	cards, err := scorecard.New(scorecard.Uniform([]int{3, 3, 2}, -1, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := dectree.New([]dectree.Attribute{{Categories: 3}, {Categories: 3}, {Categories: 2}}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	u, err := union.NewMixed(
		union.MixedMember[record, any]{Searched: class.Erase(cards)},
		union.MixedMember[record, any]{Tractable: class.EraseTractable[record](trees)},
	)
	if err != nil {
		t.Fatal(err)
	}
	var domain []record
	for i := range 18 {
		domain = append(domain, record{uint16(i % 3), uint16(i / 3 % 3), uint16(i / 9)})
	}
	p := telling(domain)
	for _, rate := range rates {
		tree, err := u.Tree(context.Background(), p, search.Decay(rate))
		if err != nil {
			t.Fatal(err)
		}
		testThreads(t, tree, rate, 20)
	}
}

// somePaths returns paths of nodes of the tree, in order.
func somePaths(tree *explicitTree, rng *rand.Rand, n int) (paths [][]int) {
	for range n {
		at := tree.root
		var path []int
		for len(at.children) > 0 && (len(path) == 0 || rng.IntN(4) > 0) {
			i := rng.IntN(len(at.children))
			path = append(path, i)
			at = at.children[i]
		}
		paths = append(paths, path)
	}
	slices.SortFunc(paths, slices.Compare)
	return slices.CompactFunc(paths, slices.Equal)
}

// The frontier does not depend on its cuts and on the number of threads. The same holds for the order of
// its nodes, the number of steps, whether the allowed steps suffice, and the lowest cost found.
func TestFrontierCutAnywhere(t *testing.T) {
	ctx := context.Background()
	enough, short, lowered := 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tree := newExplicit(seed, 2+rng.IntN(150), 40, 12)
		if seed%2 == 0 { // the incumbent is optimal
			tree.incumbent = slices.Index(tree.costs, slices.Min(tree.costs))
		}
		if len(tree.root.children) == 0 {
			continue
		}
		var trees = []class.Tree[int]{sharedTree[int]{tree}, sharedTree[int]{lazyTree{tree}}, sharedTree[int]{weighedTree{tree, seed, false}}}
		shared, lambda, least := trees[seed%3], rates[rng.IntN(3)], int64(rng.IntN(14)-7)<<16
		_, good := tree.Incumbent()
		all, ref, steps, err := search.Walk(ctx, shared, lambda, least, math.MaxInt64, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			cuts := somePaths(tree, rng, rng.IntN(30))
			most := steps
			if rng.IntN(2) == 0 {
				most = rng.Int64N(steps + 1)
			}
			want, wantRef, wantSteps, err := search.Walk(ctx, shared, lambda, least, most, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			got, gotRef, gotSteps, err := search.Walk(ctx, shared, lambda, least, most, cuts, 1+rng.IntN(3))
			if err != nil {
				t.Fatal(err)
			}
			if gotRef != wantRef || (gotSteps > most) != (wantSteps > most) {
				t.Fatalf("seed %d, %d steps of %d, cuts %v: cost %d and %d steps, not %d and %d", seed, most, steps, cuts, gotRef, gotSteps, wantRef, wantSteps)
			}
			if most == steps && (gotSteps != steps || gotRef != ref || !slices.Equal(got, all)) {
				t.Fatalf("seed %d, cuts %v: %d steps and nodes\n%v\nnot %d and\n%v", seed, cuts, gotSteps, got, steps, all)
			}
			if !slices.Equal(got, want[:min(len(got), len(want))]) {
				t.Fatalf("seed %d, %d steps of %d, cuts %v: nodes\n%v\nnot the first of\n%v", seed, most, steps, cuts, got, want)
			}
			switch {
			case gotRef < good:
				lowered++
			case gotSteps > most:
				short++
			default:
				enough++
			}
		}
	}
	if min(enough, short, lowered) < 100 {
		t.Errorf("%d walks to the end, %d cut short, %d to a lower cost", enough, short, lowered)
	}
}

// If a segment has more nodes than can be kept, it is walked again.
func TestSegmentOfManyNodes(t *testing.T) {
	const n = 3 * search.MostSegmentNodes
	for _, lower := range []int{-1, n / 2} { // the position of a leaf that costs less than the incumbent
		tree := sharedTree[int]{&explicitTree{costs: []int64{5}, root: node(0, node(0, row(n, func(i int64) *explicit {
			if int(i) == lower {
				return leaf(4)
			}
			return leaf(5 + i%2)
		})...), node(0, leaf(5), leaf(3)), leaf(6))}}
		want, wantRef, wantSteps, _ := search.Walk(context.Background(), tree, big.NewRat(1, 1), -40<<16, math.MaxInt64, nil, 1)
		for _, cuts := range [][][]int{{{0, 5}}, {{0, 7}, {1}}, {{1, 1}, {2}}} {
			got, ref, steps, err := search.Walk(context.Background(), tree, big.NewRat(1, 1), -40<<16, math.MaxInt64, cuts, 2)
			if err != nil || ref != wantRef || steps != wantSteps || !slices.Equal(got, want) {
				t.Errorf("cuts %v: %d nodes, %d steps, cost %d, %v; not %d, %d, %d", cuts, len(got), steps, ref, err, len(want), wantSteps, wantRef)
			}
		}
	}
}

// Trees of cards return the memory of a walker and may have one walker for each thread. Other trees have
// only one walker, and so have unions with such a tree as a member.
func TestWalkerBytes(t *testing.T) {
	for name, shared := range map[string]bool{
		"scorecard/signs": true, "scorecard/lists": true, "union/cards and formulas": false, "declist/a penalty": false,
	} {
		c := everytest.Fixed()[name]
		tree, err := c.Class.Tree(problem{Points: []class.Point[record]{{X: c.Domain[0], Cost: [2]int64{0, 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		if bytes := class.WalkerBytes(tree); (bytes < math.MaxInt64) != shared || bytes < 1 {
			t.Errorf("%s: a walker takes %d bytes", name, bytes)
		}
	}
}

// An endingTree cancels a context when its walkers together have made the given number of steps.
type endingTree struct {
	*explicitTree
	left *atomic.Int64
	end  func()
}

func (endingTree) WalkerBytes() int64 { return 0 }

type endingWalker struct {
	explicitWalker
	endingTree
}

func (t endingTree) Walker() class.Walker[int] {
	return &endingWalker{explicitWalker{path: []*explicit{t.root}}, t}
}

func (w *endingWalker) Down(i int, limit int64) (int64, bool) {
	if w.left.Add(-1) == 0 {
		w.end()
	}
	return w.explicitWalker.Down(i, limit)
}

// If the context ends during a walk on several threads, Sample returns no hypothesis.
func TestSampleThreadsCancelled(t *testing.T) {
	tree := newExplicit(7, 400, 60, 12)
	ended := 0
	for after := int64(1); after < 4000; after += 37 {
		ctx, cancel := context.WithCancel(context.Background())
		left := new(atomic.Int64)
		left.Store(after)
		h, _, err := search.SampleThreads(ctx, class.Tree[int](endingTree{tree, left, cancel}), big.NewRat(1, 4), noise.Insecure(uint64(after)), 3)
		cancel()
		if err != nil {
			ended++
		}
		if err != nil && (!errors.Is(err, context.Canceled) || h != 0) {
			t.Errorf("after %d steps: %d, %v", after, h, err)
		}
	}
	if ended < 5 {
		t.Errorf("%d draws ended by the context", ended)
	}
}
