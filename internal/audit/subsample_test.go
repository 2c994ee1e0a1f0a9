package audit

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// step is the mechanism that answers 1 with probability p·e^{ε·ones}, ones the
// number of rows with label 1, at most most: its log-ratio is ε wherever a
// record counts at all. Here p = 1/1000.
type step struct {
	guarantee privacy.Guarantee
	epsilon   *big.Rat
	most      int64
}

func newStep(t testing.TB, epsilon string, r privacy.Relation, most int64) step {
	t.Helper()
	e := decimal(t, epsilon)
	g, err := privacy.NewPure(r, e)
	if err != nil {
		t.Fatal(err)
	}
	return step{g, e.Rat(), most}
}

func (m step) Guarantee() privacy.Guarantee { return m.guarantee }

func (m step) Release(_ context.Context, d examples, c noise.Coins) (int, error) {
	ones := int64(0)
	for _, e := range d {
		if e.Label {
			ones += e.Count
		}
	}
	x := new(big.Rat).SetInt64(-min(ones, m.most))
	return bit(c.BernoulliScaledExp(big.NewRat(1, 1000), x.Mul(x, m.epsilon))), nil
}

// telling is a mechanism on the rows of label 0 or 1.
type telling = privacy.Mechanism[examples, int]

// asserted is a mechanism with another guarantee.
type asserted struct {
	telling
	guarantee privacy.Guarantee
}

func (m asserted) Guarantee() privacy.Guarantee { return m.guarantee }

// repeating draws with replacement, which no theorem here covers.
type repeating struct {
	inner telling
	n, k  int64
}

func (m repeating) Guarantee() privacy.Guarantee { return m.inner.Guarantee() }

func (m repeating) Release(ctx context.Context, d examples, c noise.Coins) (int, error) {
	var sample examples
	for range m.k {
		slot := int64(c.Uint64n(uint64(m.n)))
		for _, e := range d {
			if slot -= e.Count; slot < 0 {
				e.Count = 1
				sample = append(sample, e)
				break
			}
		}
	}
	return m.inner.Release(ctx, sample, c)
}

func subsampled(t testing.TB, inner telling, n, k int64) telling {
	t.Helper()
	m, err := learn.NewSubsample(inner, n, k)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func thinned(t testing.TB, inner telling, rate string) telling {
	t.Helper()
	m, err := learn.NewPoissonSubsample(inner, decimal(t, rate))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// claiming lets m claim ε.
func claiming(t testing.TB, m telling, epsilon string) telling {
	t.Helper()
	g, err := privacy.NewPure(m.Guarantee().Relation(), decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return asserted{m, g}
}

// fixed is the world of tables of n rows, which are of a kind or null.
func fixed(kinds examples, n int) World[examples] {
	return WorldOfSize(len(kinds)+1, n, func(counts []int64) (d examples) {
		for i, e := range kinds {
			if e.Count = counts[i]; e.Count > 0 {
				d = append(d, e)
			}
		}
		return d
	})
}

// Sampling amplifies ε to ln(1 + γ(e^ε - 1)), which is attained; γε, and the same
// formula for draws with replacement, are refuted. Null records are rows.
func TestLearnSubsample(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	kinds := examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}}
	attained := Verdict{0.999999, 1}
	for _, v := range []struct {
		name string
		m    telling
		w    World[examples]
		want Verdict
	}{
		{"1 of 3", subsampled(t, newStep(t, "2", replace, 1), 3, 1), fixed(kinds, 3), attained},
		{"2 of 3", subsampled(t, newStep(t, "2", replace, 1), 3, 2), fixed(kinds, 3), Holds},
		{"2 of 4, unbounded", subsampled(t, newStep(t, "1", replace, 9), 4, 2), fixed(kinds, 4), Holds},
		{"3 of 3", subsampled(t, newStep(t, "2", replace, 1), 3, 3), fixed(kinds, 3), attained},
		{"Poisson", thinned(t, newStep(t, "2", addRemove, 1), "0.3"), WorldOf(addRemove, 2, 3, tableOf(kinds)), attained},
		{"Poisson, unbounded", thinned(t, newStep(t, "1", addRemove, 9), "0.3"), WorldOf(addRemove, 2, 4, tableOf(kinds)), attained},
		{"γε", claiming(t, subsampled(t, newStep(t, "2", replace, 1), 4, 1), "0.5"), fixed(kinds, 4), Verdict{1.9, 2}},
		{"γε, Poisson", claiming(t, thinned(t, newStep(t, "2", addRemove, 1), "0.25"), "0.5"), WorldOf(addRemove, 2, 2, tableOf(kinds)), Verdict{1.9, 2}},
		{"with replacement", asserted{
			repeating{newStep(t, "2", replace, 9), 2, 2},
			subsampled(t, newStep(t, "2", replace, 9), 2, 2).Guarantee()}, fixed(kinds, 2), Verdict{1.4, 1.5}},
		{"not sampled", asserted{
			newStep(t, "2", replace, 1),
			subsampled(t, newStep(t, "2", replace, 1), 3, 1).Guarantee()}, fixed(kinds, 3), Verdict{1.7, 1.8}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r, err := CheckMechanism(v.m, func(x int) string { return fmt.Sprint(x) }, v.w, Options{Recheck: Rechecks})
			if err != nil {
				t.Fatal(err)
			}
			Judge(t, v.want, r, Options{Recheck: Rechecks})
		})
	}
}

// tableOf builds tables of rows of the given kinds.
func tableOf(kinds examples) func([]int64) examples {
	return corner{kinds: kinds}.table
}

// The shipped learner on a sample, as above.
func TestLearnSubsampleExponential(t *testing.T) {
	c := line(t)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		inner, err := learn.NewExponential(c, decimal(t, "3"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		var m mechanism
		w := WorldOf(r, len(c.kinds), 3, c.table)
		if r == privacy.ReplaceOne {
			w = fixed(c.kinds, 3)
			m, err = learn.NewSubsample(inner, 3, 2)
		} else {
			m, err = learn.NewPoissonSubsample(inner, decimal(t, "0.4"))
		}
		if err != nil {
			t.Fatal(err)
		}
		checkMechanism(t, Holds, m, w, InFull(1e-8, 1e-10))
	}
}

// whole is a mechanism that tells its rows: for the law of a sample.
type whole struct{ guarantee privacy.Guarantee }

func (m whole) Guarantee() privacy.Guarantee { return m.guarantee }

func (whole) Release(_ context.Context, d examples, _ noise.Coins) (string, error) {
	var seen [3]int64
	for _, e := range d {
		seen[e.X[0]] += e.Count
	}
	return fmt.Sprint(seen), nil
}

// Samples have the multivariate hypergeometric law, and with Poisson rates the
// product of binomial laws; a row that no example holds is null.
func TestLearnSubsampleLaw(t *testing.T) {
	d := examples{{X: []uint16{0}, Count: 4}, {X: []uint16{1}, Count: 1}, {X: []uint16{2}, Count: 3}}
	const n, k = 10, 4
	ways := map[string]float64{}
	for a := range int64(5) {
		for b := range int64(2) {
			for c := range int64(4) {
				name := fmt.Sprint([3]int64{a, b, c})
				if rest := k - a - b - c; rest >= 0 && rest <= 2 {
					ways[name] = float64(binomial(4, a)*binomial(1, b)*binomial(3, c)*binomial(2, rest)) / float64(binomial(n, k))
				}
			}
		}
	}
	pure, err := privacy.NewPure(privacy.ReplaceOne, decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewSubsample(whole{pure}, n, k)
	if err != nil {
		t.Fatal(err)
	}
	sameLaw(t, m, d, ways)

	if pure, err = privacy.NewPure(privacy.AddRemove, decimal(t, "1")); err != nil {
		t.Fatal(err)
	}
	if m, err = learn.NewPoissonSubsample(whole{pure}, decimal(t, "0.5")); err != nil {
		t.Fatal(err)
	}
	ways = map[string]float64{}
	for a := range int64(5) {
		for b := range int64(2) {
			for c := range int64(4) {
				ways[fmt.Sprint([3]int64{a, b, c})] = float64(binomial(4, a)*binomial(1, b)*binomial(3, c)) / 256
			}
		}
	}
	sameLaw(t, m, d, ways)
}

func sameLaw(t *testing.T, m privacy.Mechanism[examples, string], d examples, want map[string]float64) {
	t.Helper()
	law := LawOf(t, func(c noise.Coins) string {
		x, err := m.Release(context.Background(), d, c)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}, Options{Recheck: Rechecks})
	if got := len(law.Outcomes()); got != len(want) {
		t.Errorf("%d outcomes, want %d", got, len(want))
	}
	for x, p := range want {
		if lo, hi := law.Bounds(x); p < lo*(1-1e-12) || p > hi*(1+1e-12)+1e-12 || hi-lo > 1e-9 {
			t.Errorf("P(%s) = %g, enclosed by [%g, %g]", x, p, lo, hi)
		}
	}
}

func binomial(n, k int64) int64 { return new(big.Int).Binomial(n, k).Int64() }

// leak tells with probability 1/10 whether there is a row of label 1: (0, 1/10)-DP.
type leak struct{ guarantee privacy.Guarantee }

func (m leak) Guarantee() privacy.Guarantee { return m.guarantee }

func (leak) Release(_ context.Context, d examples, c noise.Coins) (int, error) {
	tell := c.Bernoulli(big.NewRat(1, 10))
	for _, e := range d {
		if e.Label && tell {
			return 1, nil
		}
	}
	return 0, nil
}

// The δ of a sample is γδ, and is attained.
func TestLearnSubsampleDelta(t *testing.T) {
	g, err := privacy.NewApproximate(privacy.ReplaceOne, privacy.Decimal{}, decimal(t, "0.1"))
	if err != nil {
		t.Fatal(err)
	}
	m := subsampled(t, leak{g}, 4, 1)
	law := func(d examples) Law[int] {
		return LawOf(t, func(c noise.Coins) int {
			x, err := m.Release(context.Background(), d, c)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}, Options{Recheck: Rechecks})
	}
	lo, hi := Excess(law(nil), law(examples{{X: []uint16{0}, Label: true, Count: 1}}), 0)
	if want := m.Guarantee().Delta(0); want < 0.025 || want > 0.025+1e-9 || hi > want+1e-12 || lo < 0.025-1e-12 {
		t.Errorf("δ of %g to %g, claimed %g", lo, hi, want)
	}
}
