package audit

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// ErrCouple reports a pair of neighbouring tables on which the mechanism cannot release the same result, whatever the
// values of its noise. Such a pair refutes every guarantee that Couple checks.
var ErrCouple = errors.New("audit: the mechanism cannot release the same result on both tables, whatever its noise")

// A Coupling holds the privacy loss of one release. To compute it, Couple runs the mechanism on a
// table and on a neighbouring table, and changes the noise of the second run so that both results
// are the same. The loss follows from the sizes of these changes. All sums are exact.
type Coupling struct {
	Draws   int        // the number of draws of noise
	Rho     *big.Rat   // the sum of Δ²/(2σ²) over all discrete Gaussian noise, where Δ is the difference between the noise values
	Square  *big.Rat   // the sum of Δ²/(σ² - 13/5) over all Gaussian noise, and of πr²/8 over the numbers r in Ranges
	Epsilon *big.Rat   // the sum of |Δ|/scale over all discrete Laplace noise
	Ranges  []*big.Rat // for each choice by noise.Gibbs, the largest minus the smallest log-ratio of its candidates

	Candidates int // the number of candidates of the choice that has most
}

// rangeFactor is π/8, rounded upward.
var rangeFactor = big.NewRat(3927, 10_000)

// Total returns the privacy loss as a ρ of zero-concentrated differential privacy: the sum of the ρ
// of Gaussian noise, one eighth of the squared range of each choice, and one half of the square of
// Epsilon.
func (c Coupling) Total() *big.Rat {
	sum := new(big.Rat).Set(c.Rho)
	square := func(x *big.Rat, share int64) {
		s := new(big.Rat).Mul(x, x)
		sum.Add(sum, s.Mul(s, big.NewRat(1, share)))
	}
	for _, r := range c.Ranges {
		square(r, 8)
	}
	square(c.Epsilon, 2)
	return sum
}

// Pure returns the privacy loss as an ε: Epsilon plus the ranges of all choices. It is not valid
// for a release with Gaussian noise.
func (c Coupling) Pure() *big.Rat {
	sum := new(big.Rat).Set(c.Epsilon)
	for _, r := range c.Ranges {
		sum.Add(sum, r)
	}
	return sum
}

// A Release is the result of a run, split into three parts: the numbers that have additive noise,
// in the order in which the noise is sampled; the number of choices among candidates; and a text
// that represents the rest of the result.
type Release struct {
	Numbers []*big.Int
	Choices int
	Rest    string
}

// Couple computes the privacy loss of one release. The functions p and q run the mechanism on two neighbouring
// tables. Couple first runs p with the given coins. Then it finds the noise values with which q releases the same
// result.
//
// If this loss is bounded for all releases and all pairs of neighbours, the mechanism has the guarantee
// (docs/explanation/proofs/audit.md). Couple needs only a few runs for tables of any size, whereas distributions can
// be enumerated only on tiny tables. The choices are made uniformly, so that choices that are rare in practice occur
// too.
//
// Couple supports only mechanisms that consist of discrete Gaussian noise, discrete Laplace noise, and choices by
// noise.Gibbs, and in which each draw of noise is added to one released number. It returns ErrCouple in each of these
// cases:
//
//   - A number is released without noise, or a choice is made without randomness.
//   - The numbers of random variables or of candidates on the two tables differ.
//   - The distributions of the noise on the two tables differ.
func Couple(coins noise.Coins, p, q func(noise.Coins) (Release, error)) (Coupling, error) {
	first := &script{coins: coins, choose: func(n int) int { return int(coins.Uint64n(uint64(n))) }}
	want, err := first.run(p)
	if err != nil {
		return Coupling{}, err
	}
	if len(first.noise) != len(want.Numbers) {
		return Coupling{}, fmt.Errorf("%w: %d numbers are released, but %d values of noise are sampled", ErrCouple, len(want.Numbers), len(first.noise))
	}
	if len(first.chosen) != want.Choices {
		return Coupling{}, fmt.Errorf("%w: Release.Choices is %d, but the run made %d choices", ErrCouple, want.Choices, len(first.chosen))
	}
	// Each number depends only on the numbers before it. So each run corrects at least the first number that differs.
	var next *script
	shift := make([]*big.Int, len(want.Numbers))
	for i := range shift {
		shift[i] = new(big.Int)
	}
	for range len(shift) + 2 {
		next = &script{coins: coins, after: first, shift: shift}
		got, err := next.run(q)
		if err != nil {
			return Coupling{}, err
		}
		same := len(got.Numbers) == len(want.Numbers)
		for i := range min(len(got.Numbers), len(want.Numbers)) {
			if d := new(big.Int).Sub(want.Numbers[i], got.Numbers[i]); d.Sign() != 0 {
				shift[i] = d.Add(d, shift[i])
				same = false
			}
		}
		if same && got.Rest != want.Rest {
			return Coupling{}, fmt.Errorf("%w: the numbers are equal, but the texts %q and %q differ", ErrCouple, want.Rest, got.Rest)
		}
		if same {
			return first.loss(next, shift)
		}
	}
	return Coupling{}, fmt.Errorf("%w: for each tried value of the noise, the numbers released from the two tables differ", ErrCouple)
}

// A script is a random source that records the noise and the choices of a run. If the field after
// is set, it is the script of an earlier run. The script then repeats the choices of that run, and
// its noise plus a shift for each draw.
type script struct {
	coins  noise.Coins
	choose func(n int) int
	after  *script
	shift  []*big.Int

	noise  []drawn
	chosen []picked
	state  proposals
}

type drawn struct {
	law   noise.Sampler
	value *big.Int
}

// A picked records a choice from a list of candidates. The chosen candidate has the index at. Candidates are proposed
// at random, and a proposal of candidate i is accepted with probability e^{-x[i]}.
type picked struct {
	at int
	x  []*big.Rat
}

// proposals is the state of a choice in progress that proposes candidates until one is accepted.
// First every candidate is proposed once and rejected, to record its acceptance probability. Then
// the candidate to choose is proposed and accepted.
type proposals struct {
	n    int // the number of candidates; 0 if no choice is in progress
	x    []*big.Rat
	last bool
}

// A halted is the value of the panic that ends a run to which Couple does not apply.
type halted struct{ err error }

func (s *script) run(mechanism func(noise.Coins) (Release, error)) (r Release, err error) {
	defer func() {
		switch h := recover().(type) {
		case nil:
		case halted:
			err = h.err
		default:
			panic(h)
		}
	}()
	return mechanism(s)
}

// loss returns the privacy loss between two runs that release the same result. In the second run,
// other, shift[i] was added to draw i of the noise.
func (s *script) loss(other *script, shift []*big.Int) (Coupling, error) {
	c := Coupling{Draws: len(s.noise), Rho: new(big.Rat), Square: new(big.Rat), Epsilon: new(big.Rat)}
	if len(other.noise) != len(s.noise) || len(other.chosen) != len(s.chosen) {
		return c, fmt.Errorf("%w: the numbers of noise values (%d and %d) and of choices (%d and %d) must be equal in the runs on the two tables", ErrCouple, len(s.noise), len(other.noise), len(s.chosen), len(other.chosen))
	}
	for i, d := range s.noise {
		if other.noise[i].law.String() != d.law.String() {
			return c, fmt.Errorf("%w: noise value %d has the distribution %v in one run and %v in the other", ErrCouple, i+1, d.law, other.noise[i].law)
		}
		by := new(big.Rat).SetInt(shift[i])
		switch law := d.law.(type) {
		case noise.Gaussian:
			by.Mul(by, by)
			if square := privacy.NoiseSquare(by, law.Sigma2); square != nil {
				c.Square.Add(c.Square, square)
			}
			by.Quo(by, law.Sigma2)
			c.Rho.Add(c.Rho, by.Mul(by, big.NewRat(1, 2)))
		case noise.Laplace:
			c.Epsilon.Add(c.Epsilon, by.Quo(by.Abs(by), law.Scale))
		default:
			return c, fmt.Errorf("audit: Couple does not support noise with the distribution %v", law)
		}
	}
	for i, a := range s.chosen {
		b := other.chosen[i]
		if len(a.x) != len(b.x) {
			return c, fmt.Errorf("%w: choice %d has %d candidates in one run and %d in the other", ErrCouple, i+1, len(a.x), len(b.x))
		}
		c.Candidates = max(c.Candidates, len(a.x))
		var least, most *big.Rat
		for k := range a.x {
			d := new(big.Rat).Sub(a.x[k], b.x[k])
			if least == nil || d.Cmp(least) < 0 {
				least = d
			}
			if most == nil || d.Cmp(most) > 0 {
				most = d
			}
		}
		r := most.Sub(most, least)
		c.Ranges = append(c.Ranges, r)
		c.Square.Add(c.Square, new(big.Rat).Mul(rangeFactor, new(big.Rat).Mul(r, r)))
	}
	return c, nil
}

func (s *script) Draw(law noise.Sampler) *big.Int {
	var value *big.Int
	switch at := len(s.noise); {
	case s.after == nil:
		value = s.coins.Draw(law)
	case at < len(s.after.noise):
		value = new(big.Int).Add(s.after.noise[at].value, s.shift[at])
	default: // until the preceding numbers are the same
		value = new(big.Int)
	}
	s.noise = append(s.noise, drawn{law, new(big.Int).Set(value)})
	return value
}

func (s *script) Uint64n(n uint64) uint64 {
	switch p := &s.state; {
	case p.n == 0:
		*p = proposals{n: int(n)}
		return 0
	case p.n != int(n):
		panic(halted{fmt.Errorf("audit: Couple does not support a uniform integer below %d within a choice from %d candidates", n, p.n)})
	case len(p.x) < p.n:
		return uint64(len(p.x))
	}
	s.state.last = true
	at := 0
	if s.after == nil {
		at = s.choose(int(n))
	} else if i := len(s.chosen); i < len(s.after.chosen) {
		at = s.after.chosen[i].at % int(n)
	}
	s.chosen = append(s.chosen, picked{at, s.state.x})
	return uint64(at)
}

func (s *script) BernoulliExp(x *big.Rat) bool {
	switch p := &s.state; {
	case p.n == 0:
		panic(halted{errors.New("audit: Couple does not support a Bernoulli variable outside a choice")})
	case p.last:
		s.state = proposals{}
		return true
	default:
		p.x = append(p.x, new(big.Rat).Set(x))
		return false
	}
}

func (s *script) Below(*big.Int) *big.Int { panic(s.other("Below")) }
func (s *script) Bernoulli(*big.Rat) bool { panic(s.other("Bernoulli")) }
func (s *script) Pick([]uint64) int       { panic(s.other("Pick")) }
func (s *script) BernoulliScaledExp(_, _ *big.Rat) bool {
	panic(s.other("BernoulliScaledExp"))
}

func (s *script) other(coin string) halted {
	return halted{fmt.Errorf("audit: the mechanism calls %s, which Couple does not support", coin)}
}
