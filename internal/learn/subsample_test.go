package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The amplified ε, checked by interval arithmetic, is at least ln(1 + γ(e^ε - 1)) and exceeds it by
// less than 10^-7 of it. The inverse function returns at most the target.
func TestAmplify(t *testing.T) {
	const prec = 200
	one := new(big.Int).Lsh(big.NewInt(1), prec)
	exp := func(x *big.Rat) (lo, hi *big.Int) { return noise.ExpInterval(x.Neg(x), prec) }
	for _, epsilon := range []string{"1e-9", "0.001", "0.1", "0.5", "1", "3", "40", "599", "700"} {
		for _, rate := range []*big.Rat{big.NewRat(1, 1<<31), big.NewRat(1, 1000), big.NewRat(1, 3), big.NewRat(999, 1000), big.NewRat(1, 1)} {
			g, err := learn.Amplify(privacytest.Pure(t, epsilon, privacy.ReplaceOne), rate)
			if err != nil {
				t.Fatal(err)
			}
			got := g.(privacy.Pure).Epsilon()
			// Compare b·(e^got - 1) with a·(e^ε - 1), where γ = a/b.
			bounds := func(x *big.Rat, by *big.Int) (lo, hi *big.Int) {
				lo, hi = exp(x)
				return lo.Sub(lo, one).Mul(lo, by), hi.Sub(hi, one).Mul(hi, by)
			}
			want, most := bounds(privacytest.Decimal(t, epsilon).Rat(), rate.Num())
			low, high := bounds(got.Rat(), rate.Denom())
			if high.Cmp(want) < 0 || low.Cmp(want) < 0 && got != privacytest.Decimal(t, epsilon) {
				t.Errorf("ε = %s, γ = %v: %v is too small", epsilon, rate, got)
			}
			less := new(big.Rat).Mul(got.Rat(), big.NewRat(9999999, 10000000))
			if low, _ = bounds(less, rate.Denom()); low.Cmp(most) > 0 {
				t.Errorf("ε = %s, γ = %v: %v is too large", epsilon, rate, got)
			}

			inner, err := learn.BeforeSampling(privacytest.Decimal(t, epsilon), rate)
			if err != nil {
				t.Fatal(err)
			}
			if g, err = learn.Amplify(privacytest.Pure(t, inner.String(), privacy.ReplaceOne), rate); err != nil {
				t.Fatal(err)
			}
			if back := g.(privacy.Pure).Epsilon(); back.Cmp(privacytest.Decimal(t, epsilon)) > 0 {
				t.Errorf("ε = %s, γ = %v: %v before sampling is %v after", epsilon, rate, inner, back)
			}
		}
	}
}

// δ is multiplied by the sampling rate and rounded up. ε is that of the pure case.
func TestAmplifyDelta(t *testing.T) {
	inner, err := privacy.NewApproximate(privacy.ReplaceOne, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"))
	if err != nil {
		t.Fatal(err)
	}
	third := big.NewRat(1, 3)
	g, err := learn.Amplify(inner, third)
	if err != nil {
		t.Fatal(err)
	}
	same, err := learn.Amplify(privacytest.Pure(t, "1", privacy.ReplaceOne), third)
	if err != nil {
		t.Fatal(err)
	}
	got := g.(privacy.Approximate)
	if got.DeltaAtEpsilon().String() != "0.00000333333334" || got.Epsilon() != same.(privacy.Pure).Epsilon() {
		t.Errorf("ε = %v, δ = %v", got.Epsilon(), got.DeltaAtEpsilon())
	}
}

func TestSubsampleRefuses(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	of := func(r privacy.Relation) *learn.Exponential[record, card] {
		m, err := learn.NewExponential(c, privacytest.Decimal(t, "1"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, size := range [][2]int64{{0, 0}, {5, 0}, {5, 6}, {learn.MostRows + 1, 5}} {
		if _, err := learn.NewSubsample(of(privacy.ReplaceOne), size[0], size[1]); err == nil {
			t.Errorf("%d of %d rows are taken", size[1], size[0])
		}
	}
	if _, err := learn.NewSubsample(of(privacy.AddRemove), 5, 2); err == nil {
		t.Error("a fixed size is taken under add-remove")
	}
	if _, err := learn.NewPoissonSubsample(of(privacy.ReplaceOne), privacytest.Decimal(t, "0.5")); err == nil {
		t.Error("a Poisson rate is taken under replace-one")
	}
	for _, rate := range []string{"0", "1.5"} {
		if _, err := learn.NewPoissonSubsample(of(privacy.AddRemove), privacytest.Decimal(t, rate)); err == nil {
			t.Errorf("the rate %s is taken", rate)
		}
	}
	z, err := privacy.NewZCDP(privacy.ReplaceOne, big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Amplify(z, big.NewRat(1, 2)); err == nil {
		t.Error("zCDP is amplified")
	}
	m, err := learn.NewSubsample(of(privacy.ReplaceOne), 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Release(context.Background(), examples{{X: record{0}, Count: 4}}, nil); !errors.Is(err, learn.ErrSize) {
		t.Errorf("four rows of three: %v", err)
	}
}

// The excess over the whole table is within its bounds.
func TestSubsampleExcess(t *testing.T) {
	c := learntest.Signs(t, []int{3, 3}, 1)
	d, rows, best := learntest.SpreadCosts(c, 10)
	family := stattest.Open(t, "learn/subsample")
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		inner, err := learn.NewExponential(class.Class[record, card](c), privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		var m *learn.Subsample[record, card]
		if r == privacy.ReplaceOne {
			m, err = learn.NewSubsample(inner, rows, rows/2)
		} else {
			m, err = learn.NewPoissonSubsample(inner, privacytest.Decimal(t, "0.5"))
		}
		if err != nil {
			t.Fatal(err)
		}
		const draws = 200
		double, beyond := 0, 0
		bound, coins := m.Excess(rows), noise.Crypto()
		for range draws {
			h, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			excess := float64(learntest.Errors(c, d, h) - best)
			if excess >= 2*bound.Mean {
				double++
			}
			if excess > bound.Most {
				beyond++
			}
		}
		if bound.Mean > bound.Most || bound.Most >= float64(rows) {
			t.Errorf("%v: bounds %v of %d rows", r, bound, rows)
		}
		family.AtMost(t, double, draws, 0.5) // Markov's inequality
		family.AtMost(t, beyond, draws, 1-learn.Confidence)
	}
}

// BenchmarkSubsample releases from samples of the census table at ε = 0.1.
func BenchmarkSubsample(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	for _, share := range []int64{1, 4, 16} {
		b.Run(fmt.Sprintf("1of%d", share), func(b *testing.B) {
			rate := big.NewRat(data.Rows()/share, data.Rows())
			inner, err := learn.BeforeSampling(privacytest.Decimal(b, "0.1"), rate)
			if err != nil {
				b.Fatal(err)
			}
			m, err := learn.NewSubsample(mechanisms["exponential"](b, learntest.Signs(b, data.Sizes(), 1), inner.String()), data.Rows(), data.Rows()/share)
			if err != nil {
				b.Fatal(err)
			}
			learntest.Benchmark(b, m, data, 1)
		})
	}
}
