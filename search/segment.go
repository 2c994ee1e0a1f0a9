package search

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A segment is the part of a frontier between two paths, in the order of the walk. In this order, a
// path precedes its extensions. If a frontier is cut at any paths, each node and each step of the
// walk belongs to exactly one segment.
//
// Frontier walkers walk through different segments on several threads, and the results are
// concatenated in order. So the frontier does not depend on the cuts or on the number of frontier
// walkers (docs/explanation/proofs/adaptive-rejection.md, section 3).
type segment struct {
	nodes []segmentNode
	first []int // path of the first node
	steps int64 // number of steps; if more steps than allowed were needed, the allowed number plus one
	whole bool  // whether all nodes are kept, and none lowers ref
}

// A segmentNode is a node of a segment. The function follow computes its path from the path of the
// preceding node and the fields kept and depth.
type segmentNode struct {
	frontierNode
	kept, depth int32
}

const (
	// mostSegmentNodes is the maximum number of nodes of a segment that are kept, which bounds memory.
	mostSegmentNodes = 1 << 14
	// segmentsAhead is the number of segments that are walked, for each frontier walker, before they are
	// concatenated. rowsAhead is the number of blocks, for each frontier walker, whose rows (nodes with their
	// weights) are computed before the rounds that sampled these blocks are evaluated.
	segmentsAhead = 16
	rowsAhead     = 8
)

// walkSegment walks through the segment between two paths: it begins at first and ends before end.
// It takes at most the given number of steps.
func (s *frontierWalker) walkSegment(ctx context.Context, first, end []int, most int64) segment {
	out := segment{whole: true}
	s.end = end
	out.steps = s.walk(s.begin(first), most, func(n frontierNode, kept int, path []int) bool {
		if n.exact && n.bound < s.ref || len(out.nodes) == mostSegmentNodes {
			out.whole = false
			return false
		}
		if len(out.nodes) == 0 {
			out.first = slices.Clone(path)
		}
		out.nodes = append(out.nodes, segmentNode{n, int32(kept), int32(len(path))})
		return len(out.nodes)&0xfff != 0 || ctx.Err() == nil
	})
	s.end = nil
	return out
}

// each calls the function take for each node of the segment, in order, with the node and its path.
func (t *segment) each(take func(n frontierNode, path []int)) {
	path := t.first
	for i, n := range t.nodes {
		if i > 0 {
			path = follow(path, int(n.kept), int(n.depth))
		}
		take(n.frontierNode, path)
	}
}

// walkSegments walks through the whole frontier on several threads, and calls the function take for
// each node in order. If take lowers f.ref, the lowest known cost, the walk continues with the new
// value. walkSegments returns the number of steps. It stops early if the context ends, or if it
// needs more steps than the given maximum.
func (f *frontier) walkSegments(ctx context.Context, most int64, take func(n frontierNode, path []int)) (steps int64, err error) {
	if len(f.cuts) == 0 {
		return f.walkAlone(ctx, nil, nil, most, take)
	}
	ref := f.ref
	bounds := slices.Concat([][]int{nil}, f.cuts, [][]int{nil})
	for len(bounds) > 1 {
		ahead, err := f.walkAhead(ctx, bounds[:min(len(bounds), 1+segmentsAhead*(1+len(f.others)))], most-steps)
		if err != nil {
			return steps, err
		}
		for _, t := range ahead {
			switch {
			case t.steps > most-steps:
				return steps + t.steps, nil
			case t.whole:
				t.each(take)
			default:
				if t.steps, err = f.walkAlone(ctx, bounds[0], bounds[1], most-steps, take); err != nil {
					return steps, err
				}
			}
			steps += t.steps
			if f.ref < ref || steps > most {
				return steps, nil
			}
			bounds = bounds[1:]
		}
	}
	return steps, nil
}

// walkAhead walks through several segments before their nodes are needed. The paths in bounds
// separate the segments: each one lies between two neighbouring elements. The walk of a segment may
// stop early if it and the segments before it take more steps in total than the given maximum.
func (f *frontier) walkAhead(ctx context.Context, bounds [][]int, most int64) ([]segment, error) {
	out := make([]segment, len(bounds)-1)
	steps := make([]atomic.Int64, len(out))
	err := f.runTasks(ctx, len(out), func(s *frontierWalker, i int) {
		left := most
		for j := range i {
			left -= steps[j].Load()
		}
		out[i] = s.walkSegment(ctx, bounds[i], bounds[i+1], left)
		steps[i].Store(out[i].steps)
	})
	return out, err
}

// walkAlone walks through the segment between two paths on one thread, and calls take for each
// node. The segment begins at first and ends before end. If take lowers f.ref, the walk continues
// to the end of the frontier.
func (f *frontier) walkAlone(ctx context.Context, first, end []int, most int64, take func(n frontierNode, path []int)) (steps int64, err error) {
	ref, yielded := f.ref, 0
	f.end = end
	steps = f.walk(f.begin(first), most, func(n frontierNode, _ int, path []int) bool {
		if yielded++; yielded&0xfff == 0 {
			err = ctx.Err()
		}
		if take(n, path); f.ref < ref {
			f.end = nil
		}
		return err == nil
	})
	f.end = nil
	return steps, err
}

// cut chooses the paths in f.cuts, at which the next walks are divided among several threads. If
// the frontier is too small for more than one thread, there are none.
func (f *frontier) cut() {
	f.cuts = f.cuts[:0]
	if f.blocks.threads == 1 {
		return
	}
	every := (f.blocks.segment-1)/f.blocks.size + 1
	for b := every; b < len(f.blocks.sums); b += every {
		f.cuts = append(f.cuts, f.blocks.start(b))
	}
	if len(f.cuts) > 0 {
		f.addWalkers()
	}
}

// addWalkers creates a walker of the frontier for each thread except the first, unless they exist already.
func (f *frontier) addWalkers() {
	for len(f.others) < f.blocks.threads-1 {
		s := newFrontierWalker(f.tree.Walker(), f.decay.lambda, f.ref)
		f.others = append(f.others, &s)
	}
}

// rows computes the nodes of the given blocks, on several threads.
func (f *frontier) rows(ctx context.Context, blocks []int) ([]row, error) {
	out := make([]row, len(blocks))
	err := f.runTasks(ctx, len(blocks), func(s *frontierWalker, i int) { out[i] = s.row(&f.blocks, blocks[i]) })
	return out, err
}

// runTasks calls the function do for each task and waits until all tasks are done. The tasks are
// distributed over the frontier walkers.
func (f *frontier) runTasks(ctx context.Context, tasks int, do func(s *frontierWalker, task int)) error {
	if tasks == 1 {
		do(&f.frontierWalker, 0)
		return ctx.Err()
	}
	var called atomic.Int32
	return parallel.Do(ctx, 1+len(f.others), tasks, func() func(int) {
		s := &f.frontierWalker
		if i := called.Add(1) - 1; i > 0 {
			s = f.others[i-1]
			s.ref, s.least, s.unit = f.ref, f.least, f.unit
		}
		return func(task int) { do(s, task) }
	})
}
