package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/noise"
)

var (
	// ErrWidth reports a uniform draw, or a choice, with too many possible outcomes.
	ErrWidth = errors.New("audit: a random choice has too many outcomes")
	// ErrSide reports a run that behaved differently with the same coins: it uses other randomness or state.
	ErrSide = errors.New("audit: two runs with the same coins differ, so the run uses other randomness or state")
	// ErrMemory reports a run whose continuation depends on history that it had declared forgotten.
	ErrMemory = errors.New("audit: the run depends on random outcomes that it had discarded by noise.Forget")
	// ErrPaths reports that there are more paths than the options allow.
	ErrPaths = errors.New("audit: the run has more sequences of random outcomes than the audit may try")
)

// A kid is one possible outcome of a random choice of the mechanism under audit, with its
// probability. Enumeration follows each of them in turn.
type kid struct {
	choice int32
	p      mass
}

// A toss is the outcome of one random choice on a path of execution. The kind of the choice and its number of
// outcomes are stored to detect runs that are not reproducible.
type toss struct {
	kind   byte
	choice int32
	size   uint64
}

// A branching is a random choice whose outcomes are enumerated. The field kids holds all outcomes
// that are probable enough, and kids[i] is the outcome on the path that is currently followed.
type branching struct {
	kids   []kid
	i      int
	before mass // the probability of the path up to this choice
}

// replay is a noise.Coins that replays the random outcomes of a path. After the end of the path, it
// takes the most likely outcome of every random choice and appends it to the path.
type replay struct {
	o     Options
	laws  *SamplerLaws
	floor mass

	path []toss
	open []branching // the branchings of path[head:]
	head int         // the number of choices at the beginning of the path that are fixed
	next int         // the index in the path of the next choice to replay
	// history is the path, except that everything before the last call of Forget is replaced by the declared state.
	// Runs with equal histories must have equal continuations.
	history []byte

	stopped bool   // whether the run was stopped before its end
	exit    string // the history when the run was stopped; "" if the run was cut off
	err     error
}

// A stop is the value of the panic that ends a run of the mechanism under audit.
type stop struct{}

func (c *replay) stop() {
	c.stopped = true
	panic(stop{})
}

func (c *replay) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.stop()
}

// start prepares the next run of the mechanism under audit: the replay goes back to the first
// random choice of its path.
func (c *replay) start() {
	c.next, c.history = 0, c.history[:0]
	c.stopped, c.exit = false, ""
}

// mass returns the conditional probability of the path of random outcomes, given those choices at
// its beginning that are fixed.
func (c *replay) mass() mass {
	if len(c.open) == 0 {
		return certain
	}
	b := &c.open[len(c.open)-1]
	return b.before.times(b.kids[b.i].p)
}

// advance changes the path of random outcomes to the next one in depth-first order. It returns
// false if there is none.
func (c *replay) advance() bool {
	for n := len(c.open); n > 0; n-- {
		b := &c.open[n-1]
		if b.i++; b.i < len(b.kids) {
			c.open = c.open[:n]
			c.path = c.path[:c.head+n]
			c.path[c.head+n-1].choice = b.kids[b.i].choice
			return true
		}
	}
	return false
}

// replayed returns the recorded outcome of the current random choice, if the path contains one. It
// ends the audit with ErrSide if the choice is of another kind or size than before.
func (c *replay) replayed(kind byte, size uint64) (choice int32, ok bool) {
	if c.stopped {
		c.stop() // end a run that recovered from the panic
	}
	if c.next == len(c.path) {
		return 0, false
	}
	t := c.path[c.next]
	if t.kind != kind || t.size != size {
		c.fail(ErrSide)
	}
	c.next++
	c.history = binary.AppendUvarint(c.history, uint64(t.choice)+1)
	return t.choice, true
}

// branch makes a random choice that the path does not contain yet. The parameter kids lists the
// possible outcomes in decreasing order of probability. branch takes the first one, and records the
// others for later runs.
func (c *replay) branch(kind byte, size uint64, kids []kid) int32 {
	before := c.mass()
	n := sort.Search(len(kids), func(i int) bool {
		p := before.times(kids[i].p)
		return p.isZero() || p.less(c.floor)
	})
	if n == 0 || len(c.path)-c.head >= c.o.Depth {
		c.stop()
	}
	c.open = append(c.open, branching{kids: kids[:n], before: before})
	c.path = append(c.path, toss{kind, kids[0].choice, size})
	choice, _ := c.replayed(kind, size)
	return choice
}

// Mark returns the current position in the history of random choices.
func (c *replay) Mark() int { return len(c.history) }

// Forget implements noise.Forget, by which the audited code declares what it still remembers. It
// replaces the history since the mark by the declared state.
//
// Runs with equal histories behave equally from there on. So Forget ends the run, and the
// enumeration continues only once from this state. If all random choices so far are fixed ones, the
// run continues.
func (c *replay) Forget(since int, place string, state []uint64) {
	if since > len(c.history) {
		panic("audit: Forget needs a mark that no earlier Forget has forgotten")
	}
	h := append(c.history[:since], 0) // the encoding of a choice never begins with this byte
	h = binary.AppendUvarint(h, uint64(len(place)))
	h = append(h, place...)
	h = binary.AppendUvarint(h, uint64(len(state)))
	for _, s := range state {
		h = binary.AppendUvarint(h, s)
	}
	c.history = h
	if c.next > c.head {
		c.exit = string(h)
		c.stop()
	}
}

const (
	uniform byte = iota
	bernoulli
	bernoulliExp
	bernoulliScaledExp
	pick
	draw
)

func (c *replay) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("audit: Uint64n of 0")
	}
	if n == 1 {
		return 0
	}
	if choice, ok := c.replayed(uniform, n); ok {
		return uint64(choice)
	}
	c.even(new(big.Int).SetUint64(n))
	return uint64(c.branch(uniform, n, c.laws.uniform(n)))
}

// even checks that a uniform draw of an integer below n can be enumerated. If each outcome is too
// improbable, it stops the run. If there are too many outcomes, it fails.
func (c *replay) even(n *big.Int) {
	if p := c.mass().times(massOfRatio(big.NewInt(1), n)); p.isZero() || p.less(c.floor) {
		c.stop()
	}
	if !n.IsInt64() || n.Int64() > int64(c.o.Width) {
		c.fail(fmt.Errorf("%w: a uniform integer below %v has more outcomes than the limit of %d", ErrWidth, n, c.o.Width))
	}
}

func (c *replay) Below(n *big.Int) *big.Int {
	if n.Sign() <= 0 {
		panic("audit: Below needs a positive bound")
	}
	if !n.IsUint64() {
		c.even(n)
	}
	return new(big.Int).SetUint64(c.Uint64n(n.Uint64()))
}

func (c *replay) Bernoulli(p *big.Rat) bool {
	if p.Sign() < 0 || p.Num().Cmp(p.Denom()) > 0 {
		panic("audit: Bernoulli needs a probability from 0 to 1")
	}
	if p.Sign() == 0 || p.IsInt() {
		return p.Sign() > 0
	}
	if choice, ok := c.replayed(bernoulli, 2); ok {
		return choice == 1
	}
	return c.branch(bernoulli, 2, c.laws.bernoulli(p)) == 1
}

func (c *replay) BernoulliExp(x *big.Rat) bool {
	if x.Sign() < 0 {
		panic("audit: BernoulliExp needs an exponent of at least 0")
	}
	if x.Sign() == 0 {
		return true
	}
	if choice, ok := c.replayed(bernoulliExp, 2); ok {
		return choice == 1
	}
	return c.branch(bernoulliExp, 2, c.laws.bernoulliExp(x)) == 1
}

func (c *replay) BernoulliScaledExp(p, x *big.Rat) bool {
	if p.Sign() < 0 {
		panic("audit: BernoulliScaledExp needs a factor of at least 0")
	}
	if p.Sign() == 0 {
		return false
	}
	if choice, ok := c.replayed(bernoulliScaledExp, 2); ok {
		return choice == 1
	}
	yes, no, ok := massesOfScaledExp(p, x)
	if !ok {
		panic("audit: BernoulliScaledExp needs a probability of at most 1")
	}
	return c.branch(bernoulliScaledExp, 2, either(yes, no)) == 1
}

func (c *replay) Pick(sums []uint64) int {
	if len(sums) == 0 || sums[len(sums)-1] == 0 {
		panic("audit: Pick from nothing")
	}
	total := sums[len(sums)-1]
	if i := slices.IndexFunc(sums, func(s uint64) bool { return s > 0 }); sums[i] == total {
		return i
	}
	if choice, ok := c.replayed(pick, total); ok {
		return int(choice)
	}
	kids, below := []kid(nil), uint64(0)
	for i, s := range sums {
		if s < below {
			panic("audit: Pick needs partial sums that do not decrease")
		}
		if s > below {
			if len(kids) == c.o.Width {
				c.fail(fmt.Errorf("%w: a choice has more outcomes than the limit of %d", ErrWidth, c.o.Width))
			}
			w := new(big.Int).SetUint64(s - below)
			kids = append(kids, kid{int32(i), massOfRatio(w, new(big.Int).SetUint64(total))})
		}
		below = s
	}
	sort.SliceStable(kids, func(i, j int) bool { return kids[j].p.less(kids[i].p) })
	return int(c.branch(pick, total, kids))
}

func (c *replay) Draw(s noise.Sampler) *big.Int {
	law, err := c.laws.of(s, c.o)
	if err != nil {
		c.fail(err)
	}
	size := uint64(len(law.kids))
	choice, ok := c.replayed(draw, size)
	if !ok {
		choice = c.branch(draw, size, law.kids)
	}
	return new(big.Int).Set(law.values[choice])
}
