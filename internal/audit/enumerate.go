package audit

import (
	"maps"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/noise"
)

// Options bound an enumeration. The zero value takes all defaults.
type Options struct {
	// Floor is the least probability of a path that is followed; the paths
	// below it make the tail. Default 1e-13.
	Floor float64
	// Depth is the maximum number of random choices on a path between two calls of Forget; longer
	// paths belong to the tail. Default 4096.
	Depth int
	// Width is the maximum number of outcomes of one random choice; more are ErrWidth. Default
	// 65536.
	Width int
	// Paths is the maximum number of runs; more are ErrPaths. Default 2^24.
	Paths int
	// Recheck is the maximum number of runs that verify declarations of Forget, in an enumeration
	// or in all enumerations of a world. Default 2000.
	Recheck int
	// Laws, if set, keeps the laws of samplers from one call to the next.
	Laws *SamplerLaws
}

func (o Options) filled() Options {
	if o.Floor == 0 {
		o.Floor = 1e-13
	}
	if o.Depth == 0 {
		o.Depth = 4096
	}
	if o.Width == 0 {
		o.Width = 1 << 16
	}
	if o.Paths == 0 {
		o.Paths = 1 << 24
	}
	if o.Recheck == 0 {
		o.Recheck = 2000
	}
	if o.Laws == nil {
		o.Laws = NewSamplerLaws()
	}
	return o
}

// Enumerate returns the distribution of run's result for exact and independent coins. It calls run
// once for every sequence of random outcomes whose probability reaches the floor. run must not keep
// state between calls. A loop that calls noise.Forget is executed once for every state it declares;
// any other loop is unrolled down to the floor.
func Enumerate[T comparable](run func(noise.Coins) T, o Options) (Law[T], error) {
	o = o.filled()
	law, _, err := enumerateRechecking(run, o, o.Recheck)
	return law, err
}

// enumerateRechecking returns the law and the number of rechecking runs that remain of recheck.
func enumerateRechecking[T comparable](run func(noise.Coins) T, o Options, recheck int) (Law[T], int, error) {
	e := &enumeration[T]{
		run: run, o: o, most: o.Paths,
		coins:  replay{o: o, laws: o.Laws},
		states: map[string]*state[T]{},
		law:    Law[T]{lower: map[T]mass{}},
	}
	root := &state[T]{pending: certain}
	e.states[""] = root
	if err := e.spread(root); err != nil {
		return Law[T]{}, 0, err
	}
	before := e.paths
	if err := e.recheck(recheck); err != nil {
		return Law[T]{}, 0, err
	}
	return e.law, recheck - (e.paths - before), nil
}

// An enumeration is a Markov chain whose states are the start of the run and
// the histories declared by Forget, and whose ends are the outcomes.
type enumeration[T comparable] struct {
	run    func(noise.Coins) T
	o      Options
	coins  replay
	paths  int                  // runs made
	most   int                  // and allowed
	states map[string]*state[T] // by history
	order  []*state[T]          // those with a block, in the order of expansion
	law    Law[T]
}

type state[T comparable] struct {
	key     string // the history
	path    []toss // a path that leads to it
	other   []toss // the longest other one lately met, nil if none was
	pending mass   // arrived and not yet passed on
	queued  bool
	weight  float64 // all that has arrived so far
	floor   mass    // of the paths in the block
	block   *block[T]
}

// A block is the conditional distribution, given a state, of the next state or the result.
type block[T comparable] struct {
	outcomes map[T]mass
	exits    map[string]mass
}

// spread propagates probabilities between states until the probability remaining at every state is
// below the floor.
func (e *enumeration[T]) spread(root *state[T]) error {
	floor := massOfFloat(e.o.Floor)
	queue := []*state[T]{root}
	for passed := 0; len(queue) > 0 && passed < e.o.Paths; passed++ {
		s := queue[0]
		queue = queue[1:]
		s.queued = false
		arrived := s.pending
		if arrived.less(floor) {
			continue
		}
		s.pending = mass{}
		s.weight += arrived.float()
		if s.block == nil {
			e.order = append(e.order, s)
		}
		if s.block == nil || s.floor.float()*s.weight > coarse*e.o.Floor {
			s.floor = massOfFloat(min(e.o.Floor/s.weight, 0x1p-10))
			b, err := e.expand(s, s.path)
			if err != nil {
				return err
			}
			s.block = b
		}
		for x, p := range s.block.outcomes {
			p = p.times(arrived)
			e.law.lower[x] = e.law.lower[x].plus(p)
			e.law.total = e.law.total.plus(p)
		}
		for _, key := range slices.Sorted(maps.Keys(s.block.exits)) {
			to := e.states[key]
			to.pending = to.pending.plus(s.block.exits[key].times(arrived))
			if !to.queued {
				to.queued = true
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// If a state would lose more than coarse times the floor, its block is computed again with finer
// paths.
const coarse = 16

// expand runs through everything that follows a path to the state.
func (e *enumeration[T]) expand(s *state[T], path []toss) (*block[T], error) {
	b := &block[T]{map[T]mass{}, map[string]mass{}}
	c := &e.coins
	c.path = append(c.path[:0], path...)
	c.open, c.head, c.floor = c.open[:0], len(path), s.floor
	for more := true; more; more = c.advance() {
		if e.paths++; e.paths > e.most {
			return nil, ErrPaths
		}
		c.start()
		x := e.once()
		switch {
		case c.err != nil:
			return nil, c.err
		case c.next < len(c.path):
			return nil, ErrSide
		case !c.stopped:
			b.outcomes[x] = b.outcomes[x].plus(c.mass())
		case c.exit != "":
			b.exits[c.exit] = b.exits[c.exit].plus(c.mass())
			e.meet(c.exit)
		}
	}
	b.fold(s.key)
	return b, nil
}

// fold sums a geometric series: a state that returns to itself with probability r has its other
// transitions divided by 1 - r.
func (b *block[T]) fold(key string) {
	r, ok := b.exits[key]
	if !ok {
		return
	}
	delete(b.exits, key)
	rest := certain.minus(r).int()
	for x, p := range b.outcomes {
		b.outcomes[x] = massOfRatio(p.int(), rest)
	}
	for x, p := range b.exits {
		b.exits[x] = massOfRatio(p.int(), rest)
	}
}

// meet notes the path that led to a state.
func (e *enumeration[T]) meet(key string) {
	s := e.states[key]
	switch path := e.coins.path; {
	case s == nil:
		e.states[key] = &state[T]{key: key, path: slices.Clone(path)}
	case len(path) >= len(s.other) && !slices.Equal(s.path, path):
		s.other = append(s.other[:0], path...)
	}
}

// once makes one run; it returns the zero T if the run was stopped.
func (e *enumeration[T]) once() (x T) {
	defer func() {
		if e.coins.stopped {
			recover()
			x = *new(T)
		}
	}()
	return e.run(&e.coins)
}

// recheck computes states again from other paths that reached them, and from longer ones found in
// doing so, with the given number of runs.
func (e *enumeration[T]) recheck(runs int) error {
	last := e.paths + runs
	e.most = math.MaxInt
	for found := true; found; {
		found = false
		for _, s := range e.order {
			if s.other == nil || len(s.other) > e.o.Depth/2 {
				continue
			}
			if e.paths >= last {
				return nil
			}
			found = true
			path := s.other
			s.other = nil
			b, err := e.expand(s, path)
			if err != nil {
				return err
			}
			if !maps.Equal(b.outcomes, s.block.outcomes) || !maps.Equal(b.exits, s.block.exits) {
				return ErrMemory
			}
			if slices.Equal(path, s.other) {
				s.other = nil
			}
		}
	}
	return nil
}
