package audit_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A toyFilter is a filter under test. It is immutable: spend returns the next state.
type toyFilter interface {
	// spend returns the state after a charge. ok is false if the filter refuses the charge.
	spend(g privacy.Guarantee) (toyFilter, bool)
	// saw receives the released output.
	saw(output int) toyFilter
	// key encodes the state.
	key() string
}

// shippedFilter is the filter of package privacy, which accounts use.
type shippedFilter struct{ f privacy.Filter }

func (s shippedFilter) spend(g privacy.Guarantee) (toyFilter, bool) {
	_, err := s.f.Spend(g)
	return s, err == nil
}

func (s shippedFilter) saw(int) toyFilter { return s }

func (s shippedFilter) key() string { return s.f.Text(s.f.Spent()) }

// A toyRelease is a mechanism, given by the distributions of its output on two neighbours.
type toyRelease struct {
	p, q []*big.Rat
	g    privacy.Guarantee
}

// A toyAnalyst searches all adaptive strategies against a filter, and finds the one that maximises
// the sum of (P(h) - x·P′(h))⁺ over all transcripts h. P and P′ are the distributions of
// transcripts on two neighbours.
type toyAnalyst struct {
	releases []toyRelease
	x        *big.Rat
	best     map[string]*big.Rat
	cut      bool // whether a path was ended by toyDepth
}

func newToyAnalyst(releases []toyRelease, x *big.Rat) *toyAnalyst {
	return &toyAnalyst{releases: releases, x: x, best: map[string]*big.Rat{}}
}

// toyDepth is the maximum length of a transcript.
const toyDepth = 14

// value is the maximum sum from a state with P = 1 and P′ = ratio. For other P with the same ratio
// it is proportional to P.
func (a *toyAnalyst) value(ratio *big.Rat, f toyFilter, depth int) *big.Rat {
	best := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(a.x, ratio))
	if best.Sign() < 0 {
		best.SetInt64(0)
	}
	if ratio.Sign() == 0 {
		return best
	}
	if depth == toyDepth {
		a.cut = true
		return best
	}
	key := ratio.String() + " " + f.key()
	if known := a.best[key]; known != nil {
		return known
	}
	for _, r := range a.releases {
		next, admitted := f.spend(r.g)
		if !admitted {
			continue
		}
		sum := new(big.Rat)
		for y, p := range r.p {
			if p.Sign() > 0 {
				after := new(big.Rat).Mul(ratio, r.q[y])
				v := a.value(after.Quo(after, p), next.saw(y), depth+1)
				sum.Add(sum, new(big.Rat).Mul(p, v))
			}
		}
		if sum.Cmp(best) > 0 {
			best = sum
		}
	}
	a.best[key] = best
	return best
}

// A toyBudget is a guarantee (ε, δ) with rational bounds of e^ε, and the releases against which it
// is tested.
type toyBudget struct {
	epsilon, delta string
	low, high      *big.Rat
	releases       []toyRelease
	most           bool // for this kind; wrong filters have too many states for the short form
}

func toyBudgets(t *testing.T) map[string]toyBudget {
	coin := func(ratio int64, epsilon string) toyRelease {
		yes, no := big.NewRat(ratio, ratio+1), big.NewRat(1, ratio+1)
		g, err := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return toyRelease{[]*big.Rat{yes, no}, []*big.Rat{no, yes}, g}
	}
	// ln 2 = 0.693147180559945…, ln 3 = 1.098612288668109…
	const ln2, ln3 = "0.69314718056", "1.0986122886682"
	ranged, err1 := privacy.NewBoundedRange(privacy.ReplaceOne, privacytest.Decimal(t, ln3))
	gives, err2 := privacy.NewApproximate(privacy.ReplaceOne, privacy.Decimal{}, privacytest.Decimal(t, "0.02"))
	fails, err3 := privacy.NewApproximate(privacy.ReplaceOne, privacytest.Decimal(t, ln2), privacytest.Decimal(t, "0.01"))
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	skew := toyRelease{ // losses ln 2 and -ln 3/2
		[]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}, []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}, ranged}
	weks := toyRelease{skew.q, skew.p, ranged}
	// The outputs 0 and 1 reveal the table.
	giving := toyRelease{
		[]*big.Rat{big.NewRat(2, 100), new(big.Rat), big.NewRat(98, 100)},
		[]*big.Rat{new(big.Rat), big.NewRat(2, 100), big.NewRat(98, 100)}, gives}
	failing := toyRelease{
		[]*big.Rat{big.NewRat(1, 100), new(big.Rat), big.NewRat(66, 100), big.NewRat(33, 100)},
		[]*big.Rat{new(big.Rat), big.NewRat(1, 100), big.NewRat(33, 100), big.NewRat(66, 100)}, fails}
	two, three := coin(2, ln2), coin(3, ln3)
	return map[string]toyBudget{
		// e^ε slightly exceeds 8, and 8·3.
		"pure, 3 ln 2":        {"2.07944154168", "0", big.NewRat(8, 1), big.NewRat(8_000_001, 1_000_000), []toyRelease{two, three, skew, weks}, false},
		"pure, 3 ln 2 + ln 3": {"3.1780538303482", "0", big.NewRat(24, 1), big.NewRat(24_000_001, 1_000_000), []toyRelease{two, three, skew, weks}, true},
		// e² = 7.38905609893…
		"(2, 0.1)":  {"2", "0.1", big.NewRat(7_389_056_098, 1_000_000_000), big.NewRat(7_389_056_099, 1_000_000_000), []toyRelease{two, skew, weks, giving, failing}, true},
		"(2, 0.05)": {"2", "0.05", big.NewRat(7_389_056_098, 1_000_000_000), big.NewRat(7_389_056_099, 1_000_000_000), []toyRelease{two, skew, weks, giving, failing}, false},
	}
}

// keepsItsPromise fails the test if some adaptive strategy exceeds (ε, δ).
func keepsItsPromise(t failer, b toyBudget, f toyFilter) {
	t.Helper()
	delta := mustRat(b.delta)
	if got := newToyAnalyst(b.releases, b.high).value(big.NewRat(1, 1), f, 0); got.Cmp(delta) > 0 {
		t.Fatalf("an adaptive strategy has δ ≥ %s at ε = %s", got.FloatString(6), b.epsilon)
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func mustRat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// TestFilterKeepsItsPromise enumerates all adaptive strategies against the filter of accounts, with
// releases of known distributions, and then against wrong filters.
func TestFilterKeepsItsPromise(t *testing.T) {
	for name, b := range toyBudgets(t) {
		t.Run(name, func(t *testing.T) {
			f, err := privacy.NewFilter(privacy.ReplaceOne, privacytest.Decimal(t, b.epsilon), privacytest.Decimal(t, b.delta))
			if err != nil {
				t.Fatal(err)
			}
			keepsItsPromise(t, b, shippedFilter{*f})
			// With the lower bound of e^ε, the result is a proof for these releases.
			a := newToyAnalyst(b.releases, b.low)
			got := a.value(big.NewRat(1, 1), shippedFilter{*f}, 0)
			if got.Cmp(mustRat(b.delta)) > 0 {
				t.Errorf("at most %s is not shown: δ = %s", b.delta, got.FloatString(6))
			}
			if a.cut {
				t.Error("some strategies are longer than all that were tried")
			}
			t.Logf("limit %s: worst δ %s of %s, in %d states", f.Text(f.Limit()), got.FloatString(6), b.delta, len(a.best))

			for twin, wrong := range wrongFilters(*f) {
				if twin == "forgets failures" && b.delta == "0" || !heavy.On() && b.most {
					continue
				}
				t.Run(twin, func(t *testing.T) {
					t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { keepsItsPromise(r, b, wrong) }))
				})
			}
		})
	}
}

// wrongFilters returns filters that are deliberately wrong.
func wrongFilters(f privacy.Filter) map[string]toyFilter {
	return map[string]toyFilter{
		"looks before it adds": lateFilter{f, 0},
		"gives back":           refundingFilter{f, f},
		"forgets failures":     forgetfulFilter{f},
	}
}

// A lateFilter refuses only if nothing is left, so it admits one release too many.
type lateFilter struct {
	f    privacy.Filter
	over int
}

func (l lateFilter) spend(g privacy.Guarantee) (toyFilter, bool) {
	if _, err := l.f.Spend(g); err != nil {
		l.over++
	}
	return l, l.over < 2
}

func (l lateFilter) saw(int) toyFilter { return l }

func (l lateFilter) key() string { return shippedFilter{l.f}.key() + string(rune('0'+l.over)) }

// A refundingFilter refunds the charge if the output is the second, as if that output were
// harmless.
type refundingFilter struct{ f, before privacy.Filter }

func (r refundingFilter) spend(g privacy.Guarantee) (toyFilter, bool) {
	r.before = r.f
	_, err := r.f.Spend(g)
	return r, err == nil
}

func (r refundingFilter) saw(output int) toyFilter {
	if output == 1 {
		r.f = r.before
	}
	return r
}

func (r refundingFilter) key() string { return shippedFilter{r.f}.key() }

// A forgetfulFilter does not charge failures.
type forgetfulFilter struct{ f privacy.Filter }

func (f forgetfulFilter) spend(g privacy.Guarantee) (toyFilter, bool) {
	if a, ok := g.(privacy.Approximate); ok {
		if a.Epsilon().IsZero() {
			return f, true
		}
		g, _ = privacy.NewPure(g.Relation(), a.Epsilon())
	}
	_, err := f.f.Spend(g)
	return f, err == nil
}

func (f forgetfulFilter) saw(int) toyFilter { return f }

func (f forgetfulFilter) key() string { return shippedFilter(f).key() }
