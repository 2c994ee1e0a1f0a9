package search

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// logRate is a rate at which a difference of costs of 1 multiplies weights by 2^(2^-16): costs are logarithms
// of weights in units of 2^-16.
var logRate = big.NewRat(1<<16, 6196328019)

// someRates are rates of all sizes.
func someRates() []*big.Rat {
	rates := []*big.Rat{logRate, big.NewRat(1, 3), big.NewRat(3, 2), big.NewRat(1, 1)}
	for e := uint(1); e < 220; e += 6 {
		power := new(big.Int).Lsh(big.NewInt(1), e)
		rates = append(rates, new(big.Rat).SetInt(power), new(big.Rat).SetFrac(big.NewInt(3), power))
	}
	return rates
}

// perLog/2^places is log₂(e^λ), rounded down at 63 significant bits, 102 fractional bits or 16 of them,
// whichever are fewest; it is at least one unit, and at most 2^63 - 1 units.
func TestNewDecay(t *testing.T) {
	for _, lambda := range someRates() {
		d := newDecay(lambda)
		exact := new(big.Rat).Mul(lambda, big.NewRat(6196328019, 1<<32))
		exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), d.places)))
		whole := new(big.Int).Quo(exact.Num(), exact.Denom())
		want := uint64(math.MaxInt64)
		if whole.IsInt64() {
			want = max(1, whole.Uint64())
		}
		if d.places < 16 || d.places > 102 || d.perLog != want ||
			d.places < 102 && d.perLog < 1<<62 || d.places > 16 && d.perLog == math.MaxInt64 {
			t.Errorf("rate 2^%d: %d/2^%d, not %d", lambda.Num().BitLen()-lambda.Denom().BitLen(), d.perLog, d.places, want)
		}
	}
	if d := newDecay(logRate); d.perLog != 1<<62 || d.places != 16+62 {
		t.Errorf("logRate is 2^(%d/2^%d)", d.perLog, d.places)
	}
}

// reach returns ⌊|x|·2^(places-16)/perLog⌋, where |x| is limited to 2^41. It is one less than the opposite
// of this number for negative x.
func TestReach(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 3))
	decays := []*decay{{perLog: 5 << 22, places: 102}} // the quotients of 3 and 4 have 64 bits, and that of 5 is 2^64
	for _, lambda := range someRates() {
		decays = append(decays, newDecay(lambda))
	}
	for _, d := range decays {
		for _, x := range []int64{0, 1, -1, 2, 3, 4, 5, 6, 5 << 16, -5 << 16, mostLog, 2*mostLog - 1, 2 * mostLog, 2*mostLog + 1, -2 * mostLog, 4 * mostLog, math.MaxInt64, -math.MaxInt64, random.Int64N(1 << 41), -random.Int64N(1 << 41), random.Int64N(1 << 20)} {
			most := new(big.Int).Lsh(big.NewInt(min(max(x, -x), 1<<41)), d.places-16)
			most.Quo(most, new(big.Int).SetUint64(d.perLog))
			want := int64(math.MaxInt64)
			if most.IsInt64() {
				want = most.Int64()
			}
			if x < 0 {
				want = -want - 1
			}
			if got := d.reach(x); got != want {
				t.Fatalf("rate %d/2^%d: the reach of %d is %d, not %d", d.perLog, d.places, x, got, want)
			}
		}
	}
}

// log is the inverse of reach up to rounding, and at most mostLog.
func TestLogOfDifferences(t *testing.T) {
	for _, lambda := range someRates() {
		d := newDecay(lambda)
		for _, k := range []int64{0, 1, 7, 1 << 20, 1<<39 - 1, 1 << 39, 1<<40 - 1, 1 << 40, 1<<40 + 1, 1 << 50, math.MaxInt64} {
			n := new(big.Int).Mul(new(big.Int).SetUint64(d.perLog), big.NewInt(k))
			n.Rsh(n, d.places-16)
			want := int64(1 << 40)
			if n.Cmp(big.NewInt(want)) < 0 {
				want = n.Int64()
			}
			if got := d.log(k); got != want {
				t.Fatalf("rate %d/2^%d: the logarithm at %d is %d, not %d", d.perLog, d.places, k, got, want)
			}
		}
	}
}

// at(k) is an upper bound on e^{-λk} with a relative error below 2^-50, for differences with any
// hexadecimal digits.
func TestDecayAt(t *testing.T) {
	random := rand.New(rand.NewPCG(45, 3))
	almostOne := big.NewRat(1<<50+1, 1<<50)
	for range 60 {
		k := random.Int64N(1 << random.IntN(62))
		x := random.Float64() * 30 // λk
		lambda := new(big.Rat).SetFrac64(int64(x*(1<<20)), max(k, 1))
		lambda.Quo(lambda, big.NewRat(1<<20, 1))
		if lambda.Sign() == 0 {
			continue
		}
		d := newDecay(lambda)
		down, up := d.at(k).Rat(), d.at(-k).Rat()
		exponent, _ := new(big.Rat).Mul(lambda, new(big.Rat).SetInt64(k)).Float64()
		if got, _ := down.Float64(); math.Abs(got/math.Exp(-exponent)-1) > 1e-13 {
			t.Fatalf("e^-%g is bounded by %g", exponent, got)
		}
		if product := down.Mul(down, up); product.Cmp(big.NewRat(1, 1)) < 0 || product.Cmp(almostOne) > 0 {
			t.Fatalf("e^-%g·e^%g is bounded by 1%+g", exponent, exponent, func() float64 { f, _ := product.Sub(product, big.NewRat(1, 1)).Float64(); return f }())
		}
	}
	for _, k := range []int64{1, 16, 1 << 40} { // each digit at which λk exceeds 2^28 counts as 2^28
		d := newDecay(big.NewRat(1<<40, 1))
		if got, want := log(d.at(k)), -math.Log2(math.E)*(1<<28)*(1<<16); math.Abs(float64(got)/want-1) > 1e-9 {
			t.Errorf("the bound at %d has the logarithm %d, not %g", k, got, want)
		}
	}
	d := newDecay(big.NewRat(1, 2))
	if d.at(0) != class.One {
		t.Errorf("the bound at 0 is %v", d.at(0))
	}
}

// Powers are computed when they are first used, and then kept.
func TestDecayKeepsPowers(t *testing.T) {
	d := newDecay(big.NewRat(1, 2))
	first := d.at(5)
	if row := d.digits[0][0]; row == nil || row[5] != first || first == class.One || d.digits[1][0] != nil || d.digits[0][1] != nil {
		t.Fatalf("the bound at 5 is %v, and the powers are %v", first, d.digits)
	}
	d.digits[0][0][5] = class.One
	if got := d.at(5); got != class.One {
		t.Errorf("the bound at 5 is %v, and its power is kept as 1", got)
	}
}
