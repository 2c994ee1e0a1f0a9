package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// telling is a mechanism on rows of label 0 or 1.
type telling = privacy.Mechanism[audittest.Examples, int]

// repeating samples with replacement, which no theorem here covers.
type repeating struct {
	inner telling
	n, k  int64
}

func (m repeating) Guarantee() privacy.Guarantee { return m.inner.Guarantee() }

func (m repeating) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (int, error) {
	var sample audittest.Examples
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
	m, err := learn.NewPoissonSubsample(inner, privacytest.Decimal(t, rate))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// claiming returns m with a guarantee of ε.
func claiming(t testing.TB, m telling, epsilon string) telling {
	t.Helper()
	g, err := privacy.NewPure(m.Guarantee().Relation(), privacytest.Decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return audittest.Claiming(m, g)
}

// Sampling amplifies ε to ln(1 + γ(e^ε - 1)), which is attained. γε is refuted, and so is the same
// formula for sampling with replacement. Null records are rows.
func TestLearnSubsample(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	kinds := audittest.Examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}}
	attained := audit.Verdict{0.999999, 1}
	for _, v := range []struct {
		name string
		m    telling
		w    audit.World[audittest.Examples]
		want audit.Verdict
	}{
		{"1 of 3", subsampled(t, audittest.NewStep(t, "2", replace, 1), 3, 1), audittest.WorldOfRows(kinds, 3), attained},
		{"2 of 3", subsampled(t, audittest.NewStep(t, "2", replace, 1), 3, 2), audittest.WorldOfRows(kinds, 3), audit.Holds},
		{"2 of 4, unbounded", subsampled(t, audittest.NewStep(t, "1", replace, 9), 4, 2), audittest.WorldOfRows(kinds, 4), audit.Holds},
		{"3 of 3", subsampled(t, audittest.NewStep(t, "2", replace, 1), 3, 3), audittest.WorldOfRows(kinds, 3), attained},
		{"Poisson", thinned(t, audittest.NewStep(t, "2", addRemove, 1), "0.3"), audit.WorldOf(addRemove, 2, 3, audittest.ExamplesOf(kinds)), attained},
		{"Poisson, unbounded", thinned(t, audittest.NewStep(t, "1", addRemove, 9), "0.3"), audit.WorldOf(addRemove, 2, 4, audittest.ExamplesOf(kinds)), attained},
		{"γε", claiming(t, subsampled(t, audittest.NewStep(t, "2", replace, 1), 4, 1), "0.5"), audittest.WorldOfRows(kinds, 4), audit.Verdict{1.9, 2}},
		{"γε, Poisson", claiming(t, thinned(t, audittest.NewStep(t, "2", addRemove, 1), "0.25"), "0.5"), audit.WorldOf(addRemove, 2, 2, audittest.ExamplesOf(kinds)), audit.Verdict{1.9, 2}},
		{"with replacement", audittest.Claiming[audittest.Examples, int](
			repeating{audittest.NewStep(t, "2", replace, 9), 2, 2},
			subsampled(t, audittest.NewStep(t, "2", replace, 9), 2, 2).Guarantee()), audittest.WorldOfRows(kinds, 2), audit.Verdict{1.4, 1.5}},
		{"not sampled", audittest.Claiming[audittest.Examples, int](
			audittest.NewStep(t, "2", replace, 1),
			subsampled(t, audittest.NewStep(t, "2", replace, 1), 3, 1).Guarantee()), audittest.WorldOfRows(kinds, 3), audit.Verdict{1.7, 1.8}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(v.m, func(x int) string { return fmt.Sprint(x) }, v.w, audit.Options{Recheck: audit.Rechecks})
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, audit.Options{Recheck: audit.Rechecks})
		})
	}
}

// The shipped learner on a sample satisfies the same guarantee.
func TestLearnSubsampleExponential(t *testing.T) {
	c := audittest.Line(t)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		inner, err := learn.NewExponential(c, privacytest.Decimal(t, "3"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		var m audittest.CardMechanism
		w := audit.WorldOf(r, len(c.Kinds), 3, c.Table)
		if r == privacy.ReplaceOne {
			w = audittest.WorldOfRows(c.Kinds, 3)
			m, err = learn.NewSubsample(inner, 3, 2)
		} else {
			m, err = learn.NewPoissonSubsample(inner, privacytest.Decimal(t, "0.4"))
		}
		if err != nil {
			t.Fatal(err)
		}
		audittest.Check(t, audit.Holds, m, w, audit.InFull(1e-8, 1e-10))
	}
}

// whole releases its rows, to enumerate the distribution of a sample.
type whole struct{ guarantee privacy.Guarantee }

func (m whole) Guarantee() privacy.Guarantee { return m.guarantee }

func (whole) Release(_ context.Context, d audittest.Examples, _ noise.Coins) (string, error) {
	var seen [3]int64
	for _, e := range d {
		seen[e.X[0]] += e.Count
	}
	return fmt.Sprint(seen), nil
}

// Samples have the multivariate hypergeometric distribution, or for independent rows the product of
// binomial ones. A row that no example describes is null.
func TestLearnSubsampleLaw(t *testing.T) {
	d := audittest.Examples{{X: []uint16{0}, Count: 4}, {X: []uint16{1}, Count: 1}, {X: []uint16{2}, Count: 3}}
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
	pure, err := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewSubsample(whole{pure}, n, k)
	if err != nil {
		t.Fatal(err)
	}
	sameLaw(t, m, d, ways)

	if pure, err = privacy.NewPure(privacy.AddRemove, privacytest.Decimal(t, "1")); err != nil {
		t.Fatal(err)
	}
	if m, err = learn.NewPoissonSubsample(whole{pure}, privacytest.Decimal(t, "0.5")); err != nil {
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

func sameLaw(t *testing.T, m privacy.Mechanism[audittest.Examples, string], d audittest.Examples, want map[string]float64) {
	t.Helper()
	law := audit.LawOf(t, func(c noise.Coins) string {
		x, err := m.Release(context.Background(), d, c)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}, audit.Options{Recheck: audit.Rechecks})
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

// leak reveals with probability 1/10 whether there is a row of label 1: (0, 1/10)-DP.
type leak struct{ guarantee privacy.Guarantee }

func (m leak) Guarantee() privacy.Guarantee { return m.guarantee }

func (leak) Release(_ context.Context, d audittest.Examples, c noise.Coins) (int, error) {
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
	g, err := privacy.NewApproximate(privacy.ReplaceOne, privacy.Decimal{}, privacytest.Decimal(t, "0.1"))
	if err != nil {
		t.Fatal(err)
	}
	m := subsampled(t, leak{g}, 4, 1)
	law := func(d audittest.Examples) audit.Law[int] {
		return audit.LawOf(t, func(c noise.Coins) int {
			x, err := m.Release(context.Background(), d, c)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}, audit.Options{Recheck: audit.Rechecks})
	}
	lo, hi := audit.Excess(law(nil), law(audittest.Examples{{X: []uint16{0}, Label: true, Count: 1}}), 0)
	if want := m.Guarantee().Delta(0); want < 0.025 || want > 0.025+1e-9 || hi > want+1e-12 || lo < 0.025-1e-12 {
		t.Errorf("δ of %g to %g, claimed %g", lo, hi, want)
	}
}
