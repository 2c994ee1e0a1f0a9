package audit_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
)

// The distributions of the shipped samplers, rejections included, agree with their formulas, and
// the unenumerated probability is negligible.
func TestEnumerateSamplers(t *testing.T) {
	for _, c := range []struct {
		s      noise.Sampler
		weight func(k float64) float64
	}{
		{noise.Geometric{X: big.NewRat(1, 2)}, func(k float64) float64 { return math.Exp(-k / 2) }},
		{noise.Geometric{X: big.NewRat(2, 3)}, func(k float64) float64 { return math.Exp(-2 * k / 3) }},
		{noise.Laplace{Scale: big.NewRat(1, 1)}, func(k float64) float64 { return math.Exp(-math.Abs(k)) }},
		{noise.Laplace{Scale: big.NewRat(7, 2)}, func(k float64) float64 { return math.Exp(-math.Abs(k) * 2 / 7) }},
		{noise.Gaussian{Sigma2: big.NewRat(5, 2)}, func(k float64) float64 { return math.Exp(-k * k / 5) }},
		{noise.CubeRadius{Dim: 2, A: big.NewRat(1, 2)}, func(k float64) float64 { return math.Pow(2*k+1, 2) * math.Exp(-k/2) }},
		{noise.CubeRadius{Dim: 4, A: big.NewRat(1, 1)}, func(k float64) float64 { return math.Pow(2*k+1, 4) * math.Exp(-k) }},
	} {
		t.Run(c.s.String(), func(t *testing.T) {
			law := audit.LawOf(t, func(c2 noise.Coins) int64 { return c.s.Sample(c2).Int64() }, audit.Options{})
			if law.Tail() > 1e-9 {
				t.Errorf("tail %g", law.Tail())
			}
			total := 0.0
			for k := -400.0; k <= 400; k++ {
				if negative, _ := law.Bounds(-1); k >= 0 || negative > 0 {
					total += c.weight(k)
				}
			}
			for _, k := range law.Outcomes() {
				lo, hi := law.Bounds(k)
				if want := c.weight(float64(k)) / total; want < lo*(1-1e-12) || want > hi*(1+1e-12) {
					t.Errorf("P(%d) = %g, enclosed by [%g, %g]", k, want, lo, hi)
				}
			}
		})
	}
}

// The distribution of the Euclidean noise, rejections included, agrees with the definition in its
// comment.
func TestEnumerateBall(t *testing.T) {
	for _, c := range []struct {
		dim int
		a   *big.Rat
	}{{1, big.NewRat(1, 1)}, {2, big.NewRat(3, 2)}} {
		law := audit.LawOf(t, func(c2 noise.Coins) string {
			return fmt.Sprint(noise.Ball{Dim: c.dim, A: c.a}.Sample(c2))
		}, audit.InFull(1e-6, 1e-8))
		if law.Tail() > heavy.Pick(3e-3, 1e-3) {
			t.Errorf("dimension %d: tail %g", c.dim, law.Tail())
		}
		const most = 60
		a, _ := c.a.Float64()
		f := make([]float64, most+1)
		for r := most - 1; r > 0; r-- {
			z := 1.0
			for i := 1.0; i < 20*most; i++ {
				z += 2 * math.Exp(-i*i*float64(c.dim)/float64(2*r*r))
			}
			f[r] = f[r+1] + math.Exp(-a*float64(r))*math.Pow(float64(r)/z, float64(c.dim))
		}
		f[0] = f[1]
		weights, total := map[string]float64{}, 0.0
		for x := -most; x <= most; x++ {
			for y := -most; y <= most; y++ {
				if c.dim == 1 && y != 0 {
					continue
				}
				r := int(math.Ceil(math.Sqrt(float64(x*x + y*y))))
				if r < most {
					weights[fmt.Sprint([]int{x, y}[:c.dim])] = f[r]
					total += f[r]
				}
			}
		}
		for _, k := range law.Outcomes() {
			lo, hi := law.Bounds(k)
			if want := weights[k] / total; want < lo*(1-1e-9) || want > hi*(1+1e-9) {
				t.Errorf("dimension %d: P(%s) = %g, enclosed by [%g, %g]", c.dim, k, want, lo, hi)
			}
		}
	}
}

func TestEnumerateEveryCoin(t *testing.T) {
	half := big.NewRat(1, 2)
	for _, c := range []struct {
		name string
		toss func(noise.Coins) int
		want []float64
	}{
		{"Uint64n", func(c noise.Coins) int { return int(c.Uint64n(3)) }, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"Uint64n of 1", func(c noise.Coins) int { return int(c.Uint64n(1)) }, []float64{1}},
		{"Below", func(c noise.Coins) int { return int(c.Below(big.NewInt(2)).Int64()) }, []float64{.5, .5}},
		{"Bernoulli", func(c noise.Coins) int { return audittest.Bit(c.Bernoulli(big.NewRat(1, 5))) }, []float64{.8, .2}},
		{"Bernoulli 0", func(c noise.Coins) int { return audittest.Bit(c.Bernoulli(new(big.Rat))) }, []float64{1}},
		{"Bernoulli 1", func(c noise.Coins) int { return audittest.Bit(c.Bernoulli(big.NewRat(1, 1))) }, []float64{0, 1}},
		{"BernoulliExp", func(c noise.Coins) int { return audittest.Bit(c.BernoulliExp(half)) }, []float64{1 - math.Exp(-.5), math.Exp(-.5)}},
		{"BernoulliScaledExp", func(c noise.Coins) int {
			return audittest.Bit(c.BernoulliScaledExp(big.NewRat(3, 2), big.NewRat(1, 1)))
		}, []float64{1 - 1.5*math.Exp(-1), 1.5 * math.Exp(-1)}},
		{"BernoulliScaledExp grows", func(c noise.Coins) int {
			return audittest.Bit(c.BernoulliScaledExp(big.NewRat(1, 8), big.NewRat(-2, 1)))
		}, []float64{1 - math.Exp(2)/8, math.Exp(2) / 8}},
		{"Pick", func(c noise.Coins) int { return c.Pick([]uint64{0, 1, 1, 4}) }, []float64{0, .25, 0, .75}},
		{"Pick of one", func(c noise.Coins) int {
			return int(c.Uint64n(2)) + c.Pick([]uint64{0, 3, 3}) + int(c.Uint64n(2))
		}, []float64{0, .25, .5, .25}},
		{"Draw", func(c noise.Coins) int {
			return int(c.Draw(noise.TruncatedGeometric{X: half, Cap: 1}).Int64())
		}, []float64{1 - math.Exp(-.5), math.Exp(-.5)}},
		{"two coins", func(c noise.Coins) int { return audittest.Bit(c.Bernoulli(half)) + audittest.Bit(c.Bernoulli(half)) }, []float64{.25, .5, .25}},
	} {
		t.Run(c.name, func(t *testing.T) {
			law := audit.LawOf(t, c.toss, audit.Options{})
			for i, want := range c.want {
				lo, hi := law.Bounds(i)
				if want < lo*(1-1e-14) || want > hi*(1+1e-14)+1e-30 || hi-lo > 1e-12 {
					t.Errorf("P(%d) = %g, enclosed by [%g, %g]", i, want, lo, hi)
				}
			}
		})
	}
}

// A loop that does not call Forget is unrolled, and the remaining probability is in the tail.
func TestEnumerateUnrolls(t *testing.T) {
	third := big.NewRat(1, 3)
	run := func(c noise.Coins) int {
		for !c.Bernoulli(third) {
		}
		return audittest.Bit(c.Bernoulli(third))
	}
	law := audit.LawOf(t, run, audit.Options{Depth: 20})
	left := math.Pow(2./3, 19)
	if math.Abs(law.Tail()-left) > 1e-12 {
		t.Errorf("tail %g, want %g", law.Tail(), left)
	}
	if lo, hi := law.Bounds(1); lo > 1./3 || hi < 1./3 || hi-lo > 1.01*left {
		t.Errorf("enclosed by [%g, %g]", lo, hi)
	}
	if law := audit.LawOf(t, run, audit.Options{Floor: 1e-9}); law.Tail() > 1e-8 || law.Tail() < 1e-10 {
		t.Errorf("tail %g at a floor of 1e-9", law.Tail())
	}
}

func TestEnumerateRefuses(t *testing.T) {
	half := big.NewRat(1, 2)
	side := rand.New(rand.NewPCG(1, 2))
	budget := func(c noise.Coins) int { // stops after five rounds
		start := noise.Mark(c)
		for i := 0; ; i++ {
			noise.Forget(c, start, "round")
			if i == 5 || c.Bernoulli(half) {
				return i / 5
			}
		}
	}
	remembers := func(c noise.Coins) int {
		start := noise.Mark(c)
		first := c.Uint64n(4)
		noise.Forget(c, start, "first")
		return int(first & c.Uint64n(4))
	}
	for _, c := range []struct {
		name string
		run  func(noise.Coins) int
		o    audit.Options
		want error
	}{
		{"wide", func(c noise.Coins) int { return int(c.Uint64n(100)) }, audit.Options{Width: 99}, audit.ErrWidth},
		{"wide choice", func(c noise.Coins) int { return c.Pick([]uint64{1, 2, 3}) }, audit.Options{Width: 2}, audit.ErrWidth},
		{"huge", func(c noise.Coins) int { return c.Below(new(big.Int).Lsh(big.NewInt(1), 70)).BitLen() }, audit.Options{Floor: 1e-300}, audit.ErrWidth},
		{"randomness on the side", func(c noise.Coins) int { return int(c.Uint64n(2 + side.Uint64N(50))) }, audit.Options{}, audit.ErrSide},
		{"paths", func(c noise.Coins) int { return int(c.Uint64n(100)) }, audit.Options{Paths: 10}, audit.ErrPaths},
		{"counts the rounds it forgot", budget, audit.Options{}, audit.ErrMemory},
		{"remembers a draw it forgot", remembers, audit.Options{}, audit.ErrMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := audit.Enumerate(c.run, c.o); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// A panic of the code under audit is passed on.
func TestEnumeratePanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v", r)
		}
	}()
	audit.Enumerate(func(c noise.Coins) int { c.Uint64n(2); panic("mine") }, audit.Options{})
}

// Code that recovers from panics cannot turn a truncated path into an outcome.
func TestEnumerateSwallowed(t *testing.T) {
	law := audit.LawOf(t, func(c noise.Coins) (x string) {
		defer func() {
			if recover() != nil {
				x = "swallowed"
			}
		}()
		n := 0
		for c.Bernoulli(big.NewRat(1, 2)) {
			n++
		}
		return strconv.Itoa(n)
	}, audit.Options{Floor: 1e-3})
	if lo, _ := law.Bounds("swallowed"); lo != 0 {
		t.Errorf("probability %g", lo)
	}
}

// With and without Forget, the distributions agree.
func TestFoldingAgreesWithUnrolling(t *testing.T) {
	type silent struct{ noise.Coins } // hides Forget
	for _, s := range []noise.Sampler{
		noise.Geometric{X: big.NewRat(3, 2)},
		noise.Laplace{Scale: big.NewRat(2, 3)},
		noise.Gaussian{Sigma2: big.NewRat(1, 2)},
		noise.CubeRadius{Dim: 2, A: big.NewRat(3, 1)},
	} {
		folded := audit.LawOf(t, func(c noise.Coins) int64 { return s.Sample(c).Int64() }, audit.Options{})
		unrolled := audit.LawOf(t, func(c noise.Coins) int64 { return s.Sample(silent{c}).Int64() }, audit.Options{Floor: heavy.Pick(1e-4, 1e-5)})
		if unrolled.Tail() > .5 || unrolled.Tail() < 10*folded.Tail() {
			t.Errorf("%v: tails %g and %g", s, folded.Tail(), unrolled.Tail())
		}
		for _, k := range folded.Outcomes() {
			lo, hi := folded.Bounds(k)
			if low, high := unrolled.Bounds(k); lo > high || hi < low {
				t.Errorf("%v: P(%d) in [%g, %g] and in [%g, %g]", s, k, lo, hi, low, high)
			}
		}
	}
}
