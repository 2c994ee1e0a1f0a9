package audit

import (
	"maps"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/noise"
)

// Options limit the work of an enumeration. A field that is 0 has its default value.
type Options struct {
	// Floor is the least probability of a path that is followed. Less probable paths form the tail. The default is
	// 1e-13.
	Floor float64
	// Depth is the maximum number of random choices on a path between two calls of Forget. Longer paths belong to the
	// tail. The default is 4096.
	Depth int
	// Width is the maximum number of outcomes of one random choice; more cause ErrWidth. The default is 65536.
	Width int
	// Paths is the maximum number of runs; more cause ErrPaths. The default is 2^24.
	Paths int
	// Recheck is about the maximum number of runs that test declarations of Forget: after this number of runs, no
	// further test begins. It is for one enumeration, or for all enumerations of a world together. The default is 2000.
	Recheck int
	// Laws, if not nil, caches the distributions of samplers between calls.
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

// Enumerate returns bounds on the distribution of the result of run, if its coins are exact and
// independent. It calls run once for every sequence of random outcomes whose probability is at
// least o.Floor; run must not keep state between calls. If a loop calls noise.Forget, Enumerate
// executes the body once for each state that the loop declares. It unrolls any other loop until the
// probability falls below o.Floor.
func Enumerate[T comparable](run func(noise.Coins) T, o Options) (Law[T], error) {
	o = o.filled()
	law, _, err := enumerateRechecking(run, o, o.Recheck)
	return law, err
}

// enumerateRechecking is Enumerate with a limit on the number of runs that test declarations of
// Forget: about the parameter recheck. It returns the distribution, and recheck minus the number of
// these runs, which is negative if there were more.
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

// An enumeration represents the runs of a mechanism as a Markov chain. The states are the start of
// the run, and the histories that calls of Forget declare. The final states are the outcomes of the
// run.
type enumeration[T comparable] struct {
	run    func(noise.Coins) T
	o      Options
	coins  replay
	paths  int                  // the number of runs so far
	most   int                  // the maximum number of runs
	states map[string]*state[T] // by history, its state
	order  []*state[T]          // the states that have a block, in the order of expansion
	law    Law[T]
}

type state[T comparable] struct {
	key     string // the history of the state
	path    []toss // a path that leads to the state
	other   []toss // the longest other path that was found recently; nil if there is none
	pending mass   // the probability that arrived and was not passed on yet
	queued  bool
	weight  float64 // the total probability that has arrived so far
	floor   mass    // the floor for the paths in the block
	block   *block[T]
}

// A block holds the transition probabilities of a state: to each outcome of the run, and to each next state.
type block[T comparable] struct {
	outcomes map[T]mass
	exits    map[string]mass
}

// spread computes the distribution of the outcomes. It starts with all probability in the state
// root. It moves the probability of each state to the states that follow, until every state has
// less than the floor.
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

// coarse limits the probability that is lost in a state, as a multiple of the floor. If more would be lost, the
// state's transition probabilities are computed again with less probable paths.
const coarse = 16

// expand computes the transition probabilities of a state of the Markov chain. It runs all
// continuations of the given path, which leads to the state.
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

// fold removes the transition of a state of the Markov chain to itself. If its probability is r,
// fold divides all other transition probabilities by 1 - r: this sums the geometric series over the
// number of returns.
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

// meet records that the current path of random choices leads to the state of the mechanism with this key.
func (e *enumeration[T]) meet(key string) {
	s := e.states[key]
	switch path := e.coins.path; {
	case s == nil:
		e.states[key] = &state[T]{key: key, path: slices.Clone(path)}
	case len(path) >= len(s.other) && !slices.Equal(s.path, path):
		s.other = append(s.other[:0], path...)
	}
}

// once makes one run of the mechanism and returns its result. If the run is stopped early, it
// returns the zero value of T.
func (e *enumeration[T]) once() (x T) {
	defer func() {
		if e.coins.stopped {
			recover()
			x = *new(T)
		}
	}()
	return e.run(&e.coins)
}

// recheck tests the declarations of Forget. For states to which several paths lead, it computes the
// transition probabilities again from another path, and returns ErrMemory if they differ. If it
// finds longer paths to a state, it tests these too. It makes about the given number of runs.
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
