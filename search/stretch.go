package search

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A stretch is the part of a frontier between two paths, in the order of the walk. In this order, a
// path precedes its extensions. If a frontier is cut at any paths, each of its nodes and each step
// belongs to exactly one stretch. Scouts walk through different stretches on several threads, and
// the results are concatenated in order. So the frontier does not depend on the cuts or on the
// number of scouts (docs/explanation/proofs/adaptive-rejection.md, section 3).
type stretch struct {
	nodes []stretched
	first []int // path of the first node
	steps int64 // number of steps; if more steps than allowed were needed, the allowed number plus one
	whole bool  // whether all nodes are kept, and none lowers ref
}

// A stretched is a node of a stretch. Its path is computed by follow from the path of the preceding
// node and the values kept and depth.
type stretched struct {
	leafSet
	kept, depth int32
}

const (
	// mostStretched is the maximum number of nodes of a stretch that are kept, which bounds memory.
	mostStretched = 1 << 14
	// stretchesAhead is the number of stretches for each scout that are walked before they are
	// concatenated. rowsAhead is the number of blocks for each scout whose rows are computed before the
	// rounds that sampled these blocks.
	stretchesAhead = 16
	rowsAhead      = 8
)

// stretch walks through the part of the frontier from the path in the parameter from up to, but not
// including, the path in to. It makes at most the number of steps in most.
func (s *scout) stretch(ctx context.Context, from, to []int, most int64) stretch {
	out := stretch{whole: true}
	s.end = to
	out.steps = s.walk(s.begin(from), most, func(n leafSet, kept int, path []int) bool {
		if n.exact && n.bound < s.ref || len(out.nodes) == mostStretched {
			out.whole = false
			return false
		}
		if len(out.nodes) == 0 {
			out.first = slices.Clone(path)
		}
		out.nodes = append(out.nodes, stretched{n, int32(kept), int32(len(path))})
		return len(out.nodes)&0xfff != 0 || ctx.Err() == nil
	})
	s.end = nil
	return out
}

// each calls take for each node of the stretch, in order, with the node and the path of the node.
func (t *stretch) each(take func(n leafSet, path []int)) {
	path := t.first
	for i, n := range t.nodes {
		if i > 0 {
			path = follow(path, int(n.kept), int(n.depth))
		}
		take(n.leafSet, path)
	}
}

// stretches walks through the whole frontier, on several threads, and calls take for each node in
// order. take may lower f.ref, the lowest known cost; the walk then continues with the new value.
// stretches returns the number of steps. It stops early if the context ends or after more steps
// than the parameter most.
func (f *frontier) stretches(ctx context.Context, most int64, take func(n leafSet, path []int)) (steps int64, err error) {
	if len(f.cuts) == 0 {
		return f.alone(ctx, nil, nil, most, take)
	}
	ref := f.ref
	bounds := slices.Concat([][]int{nil}, f.cuts, [][]int{nil})
	for len(bounds) > 1 {
		ahead, err := f.ahead(ctx, bounds[:min(len(bounds), 1+stretchesAhead*(1+len(f.others)))], most-steps)
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
				if t.steps, err = f.alone(ctx, bounds[0], bounds[1], most-steps, take); err != nil {
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

// ahead walks through the stretches between neighbouring paths of bounds, before their nodes are
// needed. The walk of a stretch may stop early if its steps and the steps of the stretches before
// it exceed most in total.
func (f *frontier) ahead(ctx context.Context, bounds [][]int, most int64) ([]stretch, error) {
	out := make([]stretch, len(bounds)-1)
	steps := make([]atomic.Int64, len(out))
	err := f.together(ctx, len(out), func(s *scout, i int) {
		left := most
		for j := range i {
			left -= steps[j].Load()
		}
		out[i] = s.stretch(ctx, bounds[i], bounds[i+1], left)
		steps[i].Store(out[i].steps)
	})
	return out, err
}

// alone walks through the stretch from the path in from up to the path in to on one thread, and
// calls take for each node. If take lowers f.ref, the walk continues to the end of the frontier.
func (f *frontier) alone(ctx context.Context, from, to []int, most int64, take func(n leafSet, path []int)) (steps int64, err error) {
	ref, yielded := f.ref, 0
	f.end = to
	steps = f.walk(f.begin(from), most, func(n leafSet, _ int, path []int) bool {
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

// cut divides the next walks between several threads: it sets f.cuts to the paths at which the
// parts start. It sets no cuts if the frontier is too small for more than one thread.
func (f *frontier) cut() {
	f.cuts = f.cuts[:0]
	if f.blocks.threads == 1 {
		return
	}
	every := (f.blocks.stretch-1)/f.blocks.size + 1
	for b := every; b < len(f.blocks.sums); b += every {
		f.cuts = append(f.cuts, f.blocks.start(b))
	}
	if len(f.cuts) > 0 {
		f.muster()
	}
}

// muster creates the scouts of the other threads, unless they exist already.
func (f *frontier) muster() {
	for len(f.others) < f.blocks.threads-1 {
		s := newScout(f.tree.Walker(), f.decay.lambda, f.ref)
		f.others = append(f.others, &s)
	}
}

// rows computes the rows of the given blocks, on several threads.
func (f *frontier) rows(ctx context.Context, blocks []int) ([]row, error) {
	out := make([]row, len(blocks))
	err := f.together(ctx, len(blocks), func(s *scout, i int) { out[i] = s.row(&f.blocks, blocks[i]) })
	return out, err
}

// together calls do for each of the tasks, distributed over the scouts, and waits until all tasks
// are done.
func (f *frontier) together(ctx context.Context, tasks int, do func(s *scout, task int)) error {
	if tasks == 1 {
		do(&f.scout, 0)
		return ctx.Err()
	}
	var called atomic.Int32
	return parallel.Do(ctx, 1+len(f.others), tasks, func() func(int) {
		s := &f.scout
		if i := called.Add(1) - 1; i > 0 {
			s = f.others[i-1]
			s.ref, s.least, s.unit = f.ref, f.least, f.unit
		}
		return func(task int) { do(s, task) }
	})
}
