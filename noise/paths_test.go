package noise

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"slices"
	"testing"
	"testing/iotest"
)

// These tests use coins with fixed outcomes. They cover paths that random samples reach too rarely,
// or that no enumeration reaches.

// given are coins with fixed outcomes. They record the product of the arguments of Bernoulli.
type given struct {
	Coins
	uniform uint64
	below   func(n *big.Int) *big.Int
	heads   int // number of calls of BernoulliExp that return true before one returns false
	draws   []*big.Int
	product *big.Rat
	tail    int // the number of the call of Bernoulli that returns false, counted from 1
}

func (c *given) Uint64n(uint64) uint64      { return c.uniform }
func (c *given) Below(n *big.Int) *big.Int  { return c.below(n) }
func (c *given) BernoulliExp(*big.Rat) bool { c.heads--; return c.heads >= 0 }
func (c *given) Draw(Sampler) (k *big.Int)  { k, c.draws = c.draws[0], c.draws[1:]; return k }
func (c *given) Bernoulli(p *big.Rat) bool {
	c.product.Mul(c.product, p)
	c.tail--
	return c.tail != 0
}

// power2 returns 2^n + plus.
func power2(n uint, plus int64) *big.Int {
	p := new(big.Int).Lsh(one, n)
	return p.Add(p, big.NewInt(plus))
}

// A geometric sample with rate 1/t is v·t + u for any t, and ⌊(v·t + u)/s⌋ has the rate s/t.
func TestGeometricOfGivenCoins(t *testing.T) {
	for _, test := range []struct {
		s, t, u *big.Int
		v       int64
	}{
		{big.NewInt(3), big.NewInt(7), big.NewInt(5), 4},
		{one, power2(63, 5), power2(63, 4), 1}, // the sum exceeds 64 bits, the product does not
		{one, power2(63, 5), power2(63, 4), 3},
		{big.NewInt(3), power2(63, 5), power2(63, 4), 9},
		{big.NewInt(100), power2(63, 5), power2(63, 4), 9}, // the sum exceeds 64 bits, the quotient does not
		{big.NewInt(5), power2(90, 1), power2(89, 3), 2},
		{power2(70, 3), power2(90, 1), power2(89, 3), 2},
	} {
		c := &given{uniform: test.u.Uint64(), below: func(*big.Int) *big.Int { return new(big.Int).Set(test.u) }, heads: 1 + int(test.v)}
		k, large := geometric(c, test.s, test.t)
		want := new(big.Int).Mul(big.NewInt(test.v), test.t)
		want.Add(want, test.u).Quo(want, test.s)
		if got := integer(false, k, large); got.Cmp(want) != 0 {
			t.Errorf("s = %v, t = %v, u = %v, v = %d: %v, not %v", test.s, test.t, test.u, test.v, got, want)
		}
	}
}

// Remainders u are proposed until one is accepted, with probability e^{-u/t}. The quotient is
// sampled with Bernoulli(e^{-1}) trials. Both hold for 64-bit numbers and for larger ones.
func TestGeometricTosses(t *testing.T) {
	for _, denominator := range []*big.Int{big.NewInt(7), power2(63, 5), power2(64, 1), power2(90, 1)} {
		for _, rejected := range []int{0, 1, 3} {
			for _, quotient := range []int{0, 2} {
				proposals, c := 0, &tossing{tails: rejected, then: 1 + quotient}
				propose := func() *big.Int {
					proposals++
					return new(big.Int).Sub(denominator, big.NewInt(int64(proposals)))
				}
				c.below = func(n *big.Int) *big.Int {
					if n.Cmp(denominator) != 0 {
						t.Errorf("one of %v is proposed, not of %v", n, denominator)
					}
					return propose()
				}
				c.word = func(n uint64) uint64 { return c.below(word(n)).Uint64() }
				k, large := geometric(c, one, denominator)
				var want []string
				for i := range rejected + 1 {
					u := new(big.Int).Sub(denominator, big.NewInt(int64(i+1)))
					want = append(want, new(big.Rat).SetFrac(u, denominator).RatString())
				}
				want = append(want, slices.Repeat([]string{"1"}, quotient+1)...)
				value := new(big.Int).Mul(denominator, big.NewInt(int64(quotient+1)))
				value.Sub(value, big.NewInt(int64(rejected+1)))
				if got := integer(false, k, large); got.Cmp(value) != 0 || !slices.Equal(c.tossed, want) {
					t.Errorf("1/%v: %v, not %v; tossed with %v, not %v", denominator, got, value, c.tossed, want)
				}
			}
		}
	}
}

// tossing are coins whose BernoulliExp returns false tails times, then true, as often as then says,
// and then false again. They record the exponents.
type tossing struct {
	given
	word        func(uint64) uint64
	tails, then int
	tossed      []string
}

func (c *tossing) Uint64n(n uint64) uint64 { return c.word(n) }
func (c *tossing) BernoulliExp(x *big.Rat) bool {
	c.tossed = append(c.tossed, x.RatString())
	if c.tails > 0 {
		c.tails--
		return false
	}
	c.then--
	return c.then >= 0
}

// The coordinates of a sample of Cube are within -R..R, even if R exceeds 64 bits.
func TestCubeEnds(t *testing.T) {
	for _, radius := range []*big.Int{big.NewInt(3), power2(70, 1)} {
		for _, end := range []int64{-1, 1} {
			last := func(n *big.Int) *big.Int {
				if end < 0 {
					return new(big.Int)
				}
				return new(big.Int).Sub(n, one)
			}
			side := new(big.Int).Lsh(radius, 1)
			c := &given{uniform: last(side.Add(side, one)).Uint64(), below: last, draws: []*big.Int{new(big.Int).Set(radius)}}
			want := new(big.Int).Mul(big.NewInt(end), radius)
			for _, k := range (Cube{2, rat("1")}).Sample(c) {
				if k.Cmp(want) != 0 {
					t.Errorf("R = %v: %v, not %v", radius, k, want)
				}
			}
		}
	}
}

// A proposal is the sum of its samples, for any number of samples that exceed 64 bits.
func TestProposalIsASum(t *testing.T) {
	sizes := []*big.Int{
		new(big.Int), one, big.NewInt(6), power2(61, -1), power2(61, 0), power2(61, 1), power2(62, -1), power2(62, 0),
		new(big.Int).Mul(big.NewInt(3), power2(61, 0)), new(big.Int).Mul(big.NewInt(3), power2(62, 0)), power2(63, -1), power2(63, 0), power2(64, -1), power2(64, 0), power2(100, 0),
	}
	for i := range len(sizes) * len(sizes) * len(sizes) {
		draws := []*big.Int{sizes[i%len(sizes)], sizes[i/len(sizes)%len(sizes)], sizes[i/len(sizes)/len(sizes)]}
		want := new(big.Int)
		c := &given{}
		for _, d := range draws {
			want.Add(want, d)
			c.draws = append(c.draws, new(big.Int).Set(d))
		}
		r, large := CubeRadius{2, rat("1")}.propose(c)
		if large == nil && r >= 1<<62 {
			t.Errorf("%v: %d has no room for its double", draws, r)
		}
		if got := integer(false, r, large); got.Cmp(want) != 0 {
			t.Errorf("%v: %v, not %v", draws, got, want)
		}
	}
}

// The probabilities of acceptance are Π (2R+1)/(2R+2i) for CubeRadius and Π R/(R+i) for BallRadius,
// for 64-bit R and larger R.
func TestAcceptances(t *testing.T) {
	const dim = 4
	for _, r := range []*big.Int{big.NewInt(1), big.NewInt(50), power2(61, 9), power2(62, 0), power2(80, 7)} {
		cube, ball := big.NewRat(1, 1), big.NewRat(1, 1)
		for i := int64(1); i <= dim; i++ {
			n := new(big.Int).Lsh(r, 1)
			d := new(big.Int).Add(n, big.NewInt(2*i))
			cube.Mul(cube, new(big.Rat).SetFrac(n.Add(n, one), d))
			if i < dim {
				ball.Mul(ball, new(big.Rat).SetFrac(r, new(big.Int).Add(r, big.NewInt(i))))
			}
		}
		check := func(name string, want *big.Rat, accept func(c Coins) bool) {
			t.Helper()
			c := &given{product: big.NewRat(1, 1)}
			if !accept(c) || c.product.Cmp(want) != 0 {
				t.Errorf("%s, R = %v: accepted with %v, not %v", name, r, c.product, want)
			}
			for toss := 1; toss < dim; toss++ {
				if accept(&given{product: big.NewRat(1, 1), tail: toss}) {
					t.Errorf("%s, R = %v: accepted though toss %d is a tail", name, r, toss)
				}
			}
		}
		check("ball", ball, func(c Coins) bool { return BallRadius{dim, rat("1")}.accept(c, r) })
		check("large cube", cube, func(c Coins) bool { return CubeRadius{dim, rat("1")}.accept(c, 0, new(big.Int).Set(r)) })
		if r.BitLen() <= 62 {
			check("cube", cube, func(c Coins) bool { return CubeRadius{dim, rat("1")}.accept(c, r.Uint64(), nil) })
		}
	}
}

// A point in the ball of radius R is accepted with probability exp(-Dim·(R²-‖k‖²)/(2R²)). The
// sphere of radius R belongs to the ball. A point outside is rejected without further random
// choices.
func TestBallAcceptance(t *testing.T) {
	for _, dim := range []int{1, 2, 3} {
		for square := int64(1); square < 30; square += 4 {
			for x := int64(-6); x <= 6; x++ {
				for y := int64(0); y <= 6; y++ {
					point, norm := []int64{x, y, 1}[:dim], int64(0)
					c := &noted{proposal: fmt.Sprintf("Gaussian(%v)", big.NewRat(square, int64(dim)).RatString())}
					for _, k := range point {
						norm += k * k
						c.draws = append(c.draws, big.NewInt(k))
					}
					for _, c.accepts = range []bool{true, false} {
						c := *c
						k := Ball{dim, rat("1")}.inside(&c, big.NewInt(square))
						if got, want := k != nil, norm <= square && c.accepts; got != want {
							t.Errorf("R² = %d: %d accepted: %v", square, point, got)
						}
						if k != nil && fmt.Sprint(k) != fmt.Sprint(point) {
							t.Errorf("R² = %d: %v from %d", square, k, point)
						}
						var want []string
						if norm <= square {
							want = []string{big.NewRat(int64(dim)*(square-norm), 2*square).RatString()}
						}
						if !slices.Equal(c.tossed, want) || c.foreign {
							t.Errorf("R² = %d: %d is accepted with e^-%s, not e^-%s", square, point, c.tossed, want)
						}
					}
				}
			}
		}
	}
}

// A proposal y from the Laplace distribution with scale t = ⌊σ⌋ + 1 is accepted with probability
// exp(-(|y| - σ²/t)²/(2σ²)), for 64-bit numbers and for larger ones.
func TestGaussianAcceptance(t *testing.T) {
	for _, sigma2 := range []*big.Rat{
		rat("1"), rat("1/3"), rat("9/2"), rat("49"), rat("1000003/7"), rat("1/4611686018427387904"), rat("4611686018427387904"),
		rat("9223372036854775809/1099511627776"), new(big.Rat).SetFrac(power2(128, 1), power2(125, 0)),
		rat("281466387038201/65531"), rat("16628357387457/115"), rat("3377663838/55"), // the first values for which each product exceeds 64 bits
	} {
		scale := new(big.Int).Quo(sigma2.Num(), sigma2.Denom())
		scale.Add(scale.Sqrt(scale), one)
		near := new(big.Int).Quo(sigma2.Num(), new(big.Int).Mul(sigma2.Denom(), scale)) // for values near σ²/t the exponent is small
		for _, size := range []*big.Int{new(big.Int), one, near, new(big.Int).Add(near, one), scale, power2(31, 5), power2(40, 0), power2(63, 1), power2(64, -1), power2(64, 0), power2(100, 3),
			big.NewInt(2863311531), word(12297829382473034411)} { // for σ² = 1/3: (2³³+1)/3, and the inverse of 3 modulo 2⁶⁴
			for _, negative := range []uint64{0, 1} {
				if negative == 1 && size.Sign() == 0 {
					continue // -0 is rejected
				}
				c := &noted{accepts: true, proposal: fmt.Sprintf("Geometric(%v)", new(big.Rat).SetFrac(one, scale).RatString())}
				c.uniform, c.draws = negative, []*big.Int{new(big.Int).Set(size)}
				want := new(big.Int).Set(size)
				if negative == 1 {
					want.Neg(want)
				}
				x := new(big.Rat).Quo(sigma2, new(big.Rat).SetInt(scale))
				x.Sub(new(big.Rat).SetInt(size), x)
				x.Mul(x, x).Quo(x, new(big.Rat).Add(sigma2, sigma2))
				if got := (Gaussian{sigma2}).Sample(c); got.Cmp(want) != 0 || c.foreign || !slices.Equal(c.tossed, []string{x.RatString()}) {
					t.Errorf("σ² = %v: %v of %v, accepted with e^-%v, not e^-%v", sigma2, got, want, c.tossed, x.RatString())
				}
			}
		}
	}
}

// With the same coins, the code for rates of 64 bits and the code for larger rates return the same
// sample.
func TestGeometricOfWords(t *testing.T) {
	for _, rate := range [][2]uint64{{1, 1}, {1, 9}, {7, 3}, {1, 1 << 63}, {5, 1<<40 + 1}} {
		for seed := range uint64(50) {
			a, large := drawGeometric64(Insecure(seed), rate[0], rate[1])
			b, also := drawGeometric(Insecure(seed), word(rate[0]), word(rate[1]))
			if integer(false, a, large).Cmp(integer(false, b, also)) != 0 {
				t.Fatalf("rate %d, seed %d: %v and %v", rate, seed, a, b)
			}
		}
	}
}

// isqrt(n) is the greatest integer whose square is at most n.
func TestIsqrt(t *testing.T) {
	check := func(n uint64) {
		if r := isqrt(n); new(big.Int).Sqrt(word(n)).Cmp(word(r)) != 0 {
			t.Errorf("the root of %d is not %d", n, r)
		}
	}
	for n := range uint64(3000) {
		check(n)
	}
	for size := range 64 {
		for off := uint64(0); off < 5; off++ {
			check(1<<size - 2 + off)
			root := uint64(1)<<(size/2) + off
			check(root * root)
			check(root*root - 1)
		}
	}
	check(1<<64 - 1)
}

// A sample of more than 64 bits exceeds every cap.
func TestTruncatedBeyondWords(t *testing.T) {
	for draw, want := range map[*big.Int]uint64{power2(64, 0): 9, power2(100, 3): 9, power2(64, -1): 9, big.NewInt(10): 9, big.NewInt(9): 9, big.NewInt(8): 8, new(big.Int): 0} {
		c := &given{draws: []*big.Int{draw}}
		if got := (TruncatedGeometric{rat("1/3"), 9}).SampleUint64(c); got != want {
			t.Errorf("%v is cut at %d, not at %d", draw, got, want)
		}
	}
}

// A stream reads from its reader only if the bytes in its buffer do not suffice for a sample.
func TestReadsNoMoreThanItNeeds(t *testing.T) {
	c := New(io.MultiReader(bytes.NewReader([]byte{1, 2, 3}), bytes.NewReader([]byte{4})))
	for i, want := range []uint64{0x0201, 0x0403} {
		if got := c.Uint64n(1 << 16); got != want {
			t.Errorf("draw %d: %x, not %x", i, got, want)
		}
	}
	if New(bytes.NewReader(nil)).Uint64n(1) != 0 {
		t.Error("of one number another is drawn")
	}
}

// noted are coins like given. They record exponents, and whether a distribution other than proposal
// was sampled.
type noted struct {
	given
	proposal string
	accepts  bool
	tossed   []string
	foreign  bool
}

func (c *noted) BernoulliExp(x *big.Rat) bool {
	c.tossed = append(c.tossed, x.RatString())
	return c.accepts
}

func (c *noted) Draw(s Sampler) *big.Int {
	c.foreign = c.foreign || s.String() != c.proposal
	return c.given.Draw(s)
}

// For a denominator d of more than 56 bits, Bernoulli(n/d) samples one uniform integer below d, and
// returns true for n of its values.
func TestBernoulliOfLongDenominators(t *testing.T) {
	const d, n = 1<<60 + 7, 1<<59 + 12345
	for _, u := range []uint64{0, n - 1, n, n + 1, d - 1} {
		var tape [8]byte
		binary.LittleEndian.PutUint64(tape[:], u)
		if got, _, ok := onTape(tape[:], func(s *stream) int { return truth(s.ratio(n, d)) }); !ok || got != truth(u < n) {
			t.Errorf("%d of %d on %d: %d, decided %v", uint64(n), uint64(d), u, got, ok)
		}
	}
}

// A trial Bernoulli(e^{-x}) for large x makes one Bernoulli(e^{-1}) trial for each unit of x, then
// a Bernoulli(e^{-γ}) trial for the fraction γ. The first failure of an e^{-1} trial means false.
// The e^{-γ} trial consists of tosses: the k-th toss is heads if a 64-bit word is below γ and a
// toss with probability 1/k is heads. If the first tail is at an even k, the result is false.
func TestExpBigTosses(t *testing.T) {
	half := new(big.Rat).SetFrac(power2(128, 1), power2(129, 0)) // slightly more than 1/2
	low, high := make([]byte, 8), bytes.Repeat([]byte{255}, 8)
	heads, tail := []byte{0, 255}, []byte{200} // bytes that decide an e^{-1} trial
	for _, test := range []struct {
		whole int64
		tape  [][]byte
		want  int
	}{
		{0, [][]byte{high}, 1},
		{0, [][]byte{low, high}, 0},
		{0, [][]byte{low, low, {200}}, 0},
		{0, [][]byte{low, low, {0}, high}, 1},
		{0, [][]byte{low, low, {0}, low, {200}}, 1},
		{1, [][]byte{tail}, 0},
		{1, [][]byte{heads, high}, 1},
		{1, [][]byte{heads, low, high}, 0},
		{3, [][]byte{tail}, 0},
		{3, [][]byte{heads, tail}, 0},
		{3, [][]byte{heads, heads, tail}, 0},
		{3, [][]byte{heads, heads, heads, high}, 1},
		{3, [][]byte{heads, heads, heads, low, high}, 0},
	} {
		x := new(big.Rat).Add(half, big.NewRat(test.whole, 1))
		tape := bytes.Join(test.tape, nil)
		for _, toss := range []func(s *stream) bool{
			func(s *stream) bool { return s.BernoulliExp(x) },
			func(s *stream) bool { return tossExpBig(s, x.Num(), x.Denom()) },
		} {
			got, used, ok := onTape(tape, func(s *stream) int { return truth(toss(s)) })
			if !ok || used != len(tape) || got != test.want {
				t.Errorf("%d and a half on %v: %d from %d bytes, decided %v", test.whole, tape, got, used, ok)
			}
		}
	}
}

// A trial Bernoulli(e^{-γ}) for γ = n/d of 64 bits makes tosses until the first tail. The k-th toss
// is heads with probability γ/k. It is one toss with denominator dk, or two tosses with
// probabilities γ and 1/k. If the first tail is at an odd k, the result is true. The tape contains
// the bytes that decide each toss, so the test covers all paths up to k = 299.
func TestExpUnitTosses(t *testing.T) {
	// toss returns bytes for which a toss with probability n/d, between 2^-16 and 255/256, has the
	// given result.
	toss := func(n, d uint64, head bool) []byte {
		if n == d {
			return nil
		}
		if d>>56 == 0 && head && d <= n<<8 {
			return []byte{0}
		}
		if d>>56 == 0 && head {
			return []byte{0, 0}
		}
		if d>>56 == 0 {
			return []byte{255}
		}
		at := uint64(0)
		if !head {
			at = d - 1
		}
		return binary.LittleEndian.AppendUint64(nil, at)[:(bits.Len64(d-1)+7)/8]
	}
	for _, d := range []uint64{4, 1 << 40, 1<<47 + 6, 1<<48 - 2, 1 << 48, 1<<48 + 2, 1<<55 + 4, 1 << 56, 1<<60 + 2, 1<<64 - 2} {
		n := d/2 + 1
		var heads []byte
		for k := uint64(1); k < 300; k++ {
			joint := d < 1<<48 && k < 1<<8
			tails := [][]byte{toss(n, d*k, false)}
			if !joint {
				tails[0] = toss(n, d, false)
				if k > 1 {
					tails = append(tails, slices.Concat(toss(n, d, true), toss(1, k, false)))
				}
			}
			for i, tail := range tails {
				tape := slices.Concat(heads, tail)
				got, used, ok := onTape(tape, func(s *stream) int { return truth(s.exp(n, d)) })
				if !ok || used != len(tape) || got != int(k%2) {
					t.Fatalf("%d/%d, tail %d at coin %d: %d from %d of %d bytes, decided %v", n, d, i, k, got, used, len(tape), ok)
				}
			}
			if joint {
				heads = append(heads, toss(n, d*k, true)...)
			} else {
				heads = slices.Concat(heads, toss(n, d, true), toss(1, k, true))
			}
		}
	}
}

// Each byte of the reader is used once and in order, even if a read returns few bytes.
func TestBytesAreUsedOnce(t *testing.T) {
	tape := make([]byte, 5*bufferSize)
	for i := range tape {
		tape[i] = byte(i*i>>3 + i)
	}
	for name, c := range map[string]Coins{
		"whole":  New(bytes.NewReader(tape)),
		"halves": New(iotest.HalfReader(bytes.NewReader(tape))),
		"single": New(iotest.OneByteReader(bytes.NewReader(tape))),
	} {
		for at := 0; at+14 < len(tape); {
			var word [8]byte
			copy(word[:3], tape[at:])
			if got, want := c.Uint64n(1<<24), uint64(binary.LittleEndian.Uint32(word[:4])); got != want {
				t.Fatalf("%s, byte %d: %d, not %d", name, at, got, want)
			}
			at += 3
			if got, want := c.Bernoulli(big.NewRat(1, 2)), tape[at] < 128; got != want {
				t.Fatalf("%s, byte %d: %v, not %v", name, at, got, want)
			}
			at++
			if got, want := c.Uint64n(1<<63), binary.LittleEndian.Uint64(tape[at:])&(1<<63-1); got != want {
				t.Fatalf("%s, byte %d: %d, not %d", name, at, got, want)
			}
			at += 8
		}
	}
}

// Two results of Crypto return different samples, and so do two seeds.
func TestSourcesDiffer(t *testing.T) {
	for name, pair := range map[string][2]Coins{"crypto": {Crypto(), Crypto()}, "seeds": {Insecure(1), Insecure(2)}} {
		if a, b := pair[0].Below(power2(128, 0)), pair[1].Below(power2(128, 0)); a.Cmp(b) == 0 {
			t.Errorf("%s: %v twice", name, a)
		}
	}
}
