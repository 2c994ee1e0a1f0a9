package noise

import (
	"errors"
	"math/big"
	"strconv"
)

// A replay is an implementation of Coins that follows a script of outcomes. At the end of the
// script it stops the sampler and records the probabilities of the outcomes of the next random
// choice. It also stops a rejection sampler at its next proposal, because from there the sampler
// has the same distribution as from its start.
type replay struct {
	script []int
	next   []enclosure
	loop   loop
	calls  int // number of calls of the method that loop counts
}

// A loop describes how to detect the second proposal of a sampler: the sampler has made more than n
// calls of Uint64n, or of Draw if draw is set.
type loop struct {
	n    int
	draw bool
}

var (
	errStop  = errors.New("end of script")
	errAgain = errors.New("next proposal")
	errTail  = errors.New("tail of an inner draw")
)

func (r *replay) choose(p []enclosure) int {
	if len(r.script) == 0 {
		r.next = p
		panic(errStop)
	}
	i := r.script[0]
	r.script = r.script[1:]
	return i
}

func (r *replay) count(draw bool) {
	if draw != r.loop.draw || r.loop.n == 0 {
		return
	}
	if r.calls++; r.calls > r.loop.n {
		panic(errAgain)
	}
}

func (r *replay) coin(p enclosure) bool {
	return r.choose([]enclosure{exact(1).minus(p), p}) == 1
}

func (r *replay) Uint64n(n uint64) uint64 {
	r.count(false)
	p := make([]enclosure, n)
	for i := range p {
		p[i] = fromRat(newRat(1, n))
	}
	return uint64(r.choose(p))
}

func (r *replay) Below(n *big.Int) *big.Int    { return word(r.Uint64n(n.Uint64())) }
func (r *replay) Bernoulli(p *big.Rat) bool    { return r.coin(fromRat(p)) }
func (r *replay) BernoulliExp(x *big.Rat) bool { return r.coin(expNeg(x)) }
func (r *replay) Pick([]uint64) int            { panic("not used by samplers") }
func (r *replay) BernoulliScaledExp(p, x *big.Rat) bool {
	panic("not used by samplers")
}

// Draw treats an inner sample as one random choice, because the distribution of the inner sampler
// has its own test. The tail of that distribution is not enumerated.
func (r *replay) Draw(s Sampler) *big.Int {
	r.count(true)
	p, ok := innerLaws[s.String()]
	if !ok {
		var mass map[string]enclosure
		switch s := s.(type) {
		case Geometric:
			mass = geometricMass(s.X, innerCells)
		case CubeRadius:
			mass = radiusMass(s.Dim, s.A, innerCells)
		default:
			panic("no closed form")
		}
		for k := range innerCells {
			p = append(p, mass[strconv.Itoa(k)])
		}
		p = append(p, mass["tail"])
		innerLaws[s.String()] = p
	}
	k := r.choose(p)
	if k == innerCells {
		panic(errTail)
	}
	return big.NewInt(int64(k))
}

const innerCells = 60

var innerLaws = map[string][]enclosure{}

// enumerate runs draw on all paths of random choices with a probability of at least least, within
// one round of the loop l. It returns an enclosure of the probability of each value that it found.
// The key "" has the total probability of all other values.
func enumerate(least float64, l loop, draw func(Coins) string) map[string]enclosure {
	law, again, open := map[string]enclosure{}, exact(0), exact(0)
	var visit func(script []int, p enclosure)
	visit = func(script []int, p enclosure) {
		if toFloat(p.hi) < least {
			open = open.plus(p)
			return
		}
		value, next, err := run(&replay{script: script, loop: l}, draw)
		switch err {
		case errStop:
			for i, q := range next {
				if q.hi.Sign() > 0 {
					visit(append(script[:len(script):len(script)], i), p.times(q))
				}
			}
		case errAgain:
			again = again.plus(p)
		case errTail:
			open = open.plus(p)
		default:
			if old, ok := law[value]; ok {
				p = p.plus(old)
			}
			law[value] = p
		}
	}
	visit(nil, exact(1))

	// A path that was not followed may end with any value, or start another round.
	once := exact(1).minus(again)
	once.lo.Sub(once.lo, open.hi)
	rest := exact(1)
	for value, p := range law {
		law[value] = enclosure{p.lo, new(big.Int).Add(p.hi, open.hi)}.over(once)
		rest.hi.Sub(rest.hi, law[value].lo)
	}
	law[""] = upTo(rest)
	return law
}

func run(r *replay, draw func(Coins) string) (value string, next []enclosure, err error) {
	defer func() {
		switch e := recover(); e {
		case nil:
		case errStop, errAgain, errTail:
			next, err = r.next, e.(error)
		default:
			panic(e)
		}
	}()
	return draw(r), nil, nil
}
