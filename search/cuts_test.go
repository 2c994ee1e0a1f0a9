package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// everyPath returns the paths of every n-th hypothesis of a flat grove, without the first.
func everyPath(n, end int) (paths [][]int) {
	for i := n; i < end; i += n {
		paths = append(paths, []int{i})
	}
	return paths
}

// cutAt returns a frontier of a flat grove with cuts, and the given number of other frontier walkers.
func cutAt(t *testing.T, of *grove, cuts [][]int, others int) *frontier {
	t.Helper()
	f, _ := built(t, of, 0, math.MaxInt64, usual)
	_, f.ref = of.Incumbent() // the walk may have lowered it
	f.addOthers(others)
	f.cuts = cuts
	of.downs = 0
	return &f
}

// A segment keeps up to mostSegmentNodes nodes, none of which costs less than the reference, and
// asks for the error of the context once in 4096 nodes.
func TestSegmentThatIsWhole(t *testing.T) {
	const calls = 1 << 20
	for _, c := range []struct {
		nodes, lower, left int // lower is a node that costs less, or -1; the context ends after left calls
		kept               int
		steps              int64
		whole              bool
		asked              int
	}{
		{mostSegmentNodes, -1, calls, mostSegmentNodes, mostSegmentNodes, true, mostSegmentNodes / 4096},
		{mostSegmentNodes + 1, -1, calls, mostSegmentNodes, mostSegmentNodes + 1, false, mostSegmentNodes / 4096},
		{100, 99, calls, 99, 100, false, 0},
		{100, 0, calls, 0, 1, false, 0},
		{5000, -1, calls, 5000, 5000, true, 1},
		{5000, -1, 0, 4096, 4096, true, 1}, // the caller discards it, because the context has ended
	} {
		of := flat(c.nodes)
		if c.lower >= 0 {
			of.costs = map[[2]int]int64{{c.lower}: -1}
		}
		f := cutAt(t, of, nil, 0)
		f.ref = 0
		ctx := &countdown{t.Context(), c.left}
		s := f.walkSegment(ctx, nil, nil, math.MaxInt64)
		if len(s.nodes) != c.kept || s.steps != c.steps || s.whole != c.whole || c.left-ctx.left != c.asked || f.end != nil {
			t.Errorf("%+v: %d nodes, %d steps, whole: %v, %d calls", c, len(s.nodes), s.steps, s.whole, c.left-ctx.left)
		}
		i := 0
		s.each(func(_ frontierNode, path []int) {
			if !slices.Equal(path, []int{i}) {
				t.Errorf("%+v: node %d is at %v", c, i, path)
			}
			i++
		})
		if i != c.kept {
			t.Errorf("%+v: %d nodes", c, i)
		}
	}
}

// A segment may take the allowed steps that those before it have left.
func TestStepsOfSegments(t *testing.T) {
	f := cutAt(t, flat(64), nil, 0)
	of, err := f.walkAhead(context.Background(), slices.Concat([][]int{nil}, everyPath(16, 64), [][]int{nil}), 40)
	var steps []int64
	for _, s := range of {
		steps = append(steps, s.steps)
	}
	if err != nil || !slices.Equal(steps, []int64{16, 16, 9, 1}) {
		t.Errorf("%v steps, %v", steps, err)
	}
}

// A walk over segments enters each node once if no cost is less than the reference. If the steps do
// not suffice, it stops after the last allowed step. If it finds a lower cost, it walks on from
// that segment, and the 16 segments for each frontier walker that were walked ahead are lost.
func TestWorkOfSegments(t *testing.T) {
	const nodes = 120
	for _, c := range []struct {
		others int
		lower  int // a node that costs less, or -1
		most   int64
		steps  int64
		downs  int
	}{
		{0, -1, nodes, nodes, nodes},
		{2, -1, nodes, nodes, nodes},
		{0, -1, nodes - 1, nodes, nodes - 1},
		{0, -1, 40, 41, 40},
		{0, 30, 1000, nodes, 30 + 1 + nodes - 30},      // the first node of the last of 16 segments
		{0, 32, 1000, nodes, 32 + 1 + 30 + nodes - 32}, // the first node of the first of the next 16
		{1, 62, 1000, nodes, 62 + 1 + nodes - 62},
		{1, 64, 1000, nodes, 64 + 1 + nodes - 66 + nodes - 64},
	} {
		of := flat(nodes)
		if c.lower >= 0 {
			of.costs = map[[2]int]int64{{c.lower}: -1}
		}
		f := cutAt(t, of, everyPath(2, nodes), c.others)
		var taken []int
		steps, err := f.walkSegments(context.Background(), c.most, func(n frontierNode, path []int) {
			taken = append(taken, path[0])
			f.ref = min(f.ref, n.bound)
		})
		if err != nil || steps != c.steps || of.downs != c.downs || !slices.IsSorted(taken) || len(taken) > nodes || c.most >= nodes && len(taken) < nodes {
			t.Errorf("%+v: %d steps, %d entered, %d taken, %v", c, steps, of.downs, len(taken), err)
		}
	}
}

// A segment that is walked alone ends at its end, or at the end of the frontier if it lowers the
// reference. It asks for the error of the context once in 4096 nodes, and stops if there is one.
func TestSegmentAlone(t *testing.T) {
	const nodes, calls = 9000, 1 << 20
	for _, c := range []struct {
		from, to []int
		lower    int // a node that costs less, or -1
		left     int // the context ends after this number of calls
		taken    int
		asked    int
	}{
		{nil, nil, -1, calls, nodes, 2},
		{nil, []int{4095}, -1, calls, 4095, 0},
		{nil, []int{4096}, -1, calls, 4096, 1},
		{[]int{5}, []int{4100}, -1, calls, 4095, 0},
		{[]int{5}, []int{11}, -1, calls, 6, 0},
		{[]int{5}, []int{11}, 10, calls, nodes - 5, 2},
		{[]int{5}, nil, -1, 0, 4096, 1},
		{[]int{5}, nil, -1, 1, 8192, 2},
	} {
		of := flat(nodes)
		if c.lower >= 0 {
			of.costs = map[[2]int]int64{{c.lower}: -1}
		}
		f := cutAt(t, of, nil, 0)
		ctx := &countdown{t.Context(), c.left}
		taken := 0
		steps, err := f.walkAlone(ctx, c.from, c.to, math.MaxInt64, func(n frontierNode, path []int) {
			if want := append(slices.Clone(c.from), 0)[0] + taken; path[0] != want {
				t.Fatalf("%+v: node %d is at %v", c, want, path)
			}
			f.ref = min(f.ref, n.bound)
			taken++
		})
		if taken != c.taken || steps != int64(taken) || c.left-ctx.left != c.asked || f.end != nil || errors.Is(err, context.Canceled) != (c.asked > c.left) {
			t.Errorf("%+v: %d taken in %d steps, %d calls, %v", c, taken, steps, c.left-ctx.left, err)
		}
	}
}

// A segment that begins below a node of the frontier begins after it. It ends at its end for any
// reference.
func TestSegmentBelowANode(t *testing.T) {
	for _, c := range []struct {
		least    int64 // groups of three weigh between 2 and 4
		from, to []int
		want     [][]int
	}{
		{40 * bit, []int{1, 2}, nil, [][]int{{2}}},
		{40 * bit, []int{1, 0}, nil, [][]int{{2}}},
		{40 * bit, []int{1}, nil, [][]int{{1}, {2}}},
		{40 * bit, nil, []int{1}, [][]int{{0}}},
		{40 * bit, nil, []int{1, 1}, [][]int{{0}, {1}}},
		{0, []int{1, 2}, nil, [][]int{{1, 2}, {2, 0}, {2, 1}, {2, 2}}},
		{0, []int{1, 2}, []int{2, 1}, [][]int{{1, 2}, {2, 0}}},
	} {
		of := &grove{groups: []int{3, 3, 3}}
		f := newFrontier(of, logRate, usual)
		f.least, f.unit, f.ref = c.least, -60, -1 // all costs are 0, and all bounds -1
		var got [][]int
		if _, err := f.walkAlone(t.Context(), c.from, c.to, math.MaxInt64, func(_ frontierNode, path []int) { got = append(got, slices.Clone(path)) }); err != nil || !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%+v: nodes at %v, %v", c, got, err)
		}
	}
}

// If the context ends, walkSegments returns its error, with the number of steps of the segments before.
func TestSegmentsHeedContext(t *testing.T) {
	for left := range 10 {
		of := flat(5000)
		of.costs = map[[2]int]int64{{11}: -1} // so the second segment is walked alone
		f := cutAt(t, of, [][]int{{10}}, 0)
		steps, err := f.walkSegments(&countdown{t.Context(), left}, math.MaxInt64, func(n frontierNode, _ []int) { f.ref = min(f.ref, n.bound) })
		if want := map[bool]int64{true: 10}[f.ref < 0]; err != nil && (!errors.Is(err, context.Canceled) || steps != want) || err == nil && steps != 5000 {
			t.Errorf("a context that ends at call %d: %d steps, not %d, %v", left+1, steps, want, err)
		}
	}
}

// The same holds if the context ends while segments are walked ahead.
func TestSegmentsAheadHeedContext(t *testing.T) {
	const nodes = 120
	for left := range 200 {
		f := cutAt(t, flat(nodes), everyPath(2, nodes), 0)
		taken := int64(0)
		steps, err := f.walkSegments(&countdown{t.Context(), left}, math.MaxInt64, func(frontierNode, []int) { taken++ })
		if steps != taken || err != nil && !errors.Is(err, context.Canceled) || err == nil && steps != nodes {
			t.Errorf("a context that ends at call %d: %d steps, %d taken, %v", left+1, steps, taken, err)
		}
	}
}

// A frontier is cut at the starts of blocks that have at least the given number of nodes together, if
// there are several threads.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		block, segment, threads, nodes int
		every                          int // number of nodes between cuts
	}{
		{16, 1024, 3, 5000, 1024}, {16, 1024, 3, 1024, 1024}, {16, 1024, 2, 1025, 1024}, {16, 1024, 2, 2048, 1024}, {16, 1024, 2, 2049, 1024},
		{3, 10, 2, 36, 12}, {3, 10, 2, 37, 12}, {3, 10, 4, 100, 12}, {3, 9, 2, 100, 9}, {1, 1, 2, 7, 1},
		{16, 1024, 1, 5000, 5000}, {1, 1, 1, 7, 7},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			sizes := usual
			sizes.block, sizes.segment, sizes.threads = c.block, c.segment, c.threads
			f, _ := built(t, flat(c.nodes), 0, math.MaxInt64, sizes)
			want := everyPath(c.every, c.nodes)
			for range 2 { // the second time after another walk
				others := 0
				if len(want) > 0 {
					others = c.threads - 1
				}
				if !slices.EqualFunc(f.cuts, want, slices.Equal) || len(f.others) != others {
					t.Errorf("cuts at %v, not at %v, and %d other frontier walkers", f.cuts, want, len(f.others))
				}
				if _, err := f.build(t.Context(), 0, math.MaxInt64); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
