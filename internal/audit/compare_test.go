package audit_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// biased returns 1 with probability p, otherwise 0.
func biased(p *big.Rat) func(noise.Coins) int {
	return func(c noise.Coins) int { return audittest.Bit(c.Bernoulli(p)) }
}

// Randomised response with 3/4 against 1/4: the log-ratio is ln 3, and the privacy curve at e^ε = 2
// is 3/4 - 2/4.
func TestCompareRandomisedResponse(t *testing.T) {
	p := audit.LawOf(t, biased(big.NewRat(3, 4)), audit.Options{})
	q := audit.LawOf(t, biased(big.NewRat(1, 4)), audit.Options{})
	for _, r := range []audit.LogRatio[int]{audit.Compare(p, q), audit.Compare(q, p)} {
		if ln3 := math.Log(3); r.Lower > ln3 || r.Upper < ln3 || r.Upper-r.Lower > 1e-12 || r.Unseen > 1e-36 {
			t.Errorf("%+v, want ln 3", r)
		}
	}
	if lo, hi := audit.Excess(p, q, math.Ln2); lo > .25 || hi < .25 || hi-lo > 1e-12 {
		t.Errorf("δ in [%g, %g], want 0.25", lo, hi)
	}
	if lo, hi := audit.Excess(p, q, math.Log(3)); lo != 0 || hi > 1e-12 {
		t.Errorf("δ in [%g, %g], want 0", lo, hi)
	}
	if r := audit.Compare(p, p); r.Lower != 0 || r.Upper > 1e-12 {
		t.Errorf("a law against itself: %+v", r)
	}
}

// Compare claims nothing about probability in the tails.
func TestCompareTails(t *testing.T) {
	rare := func(p *big.Rat) func(noise.Coins) int {
		return func(c noise.Coins) int {
			if c.Bernoulli(p) {
				return 2
			}
			return audittest.Bit(c.Bernoulli(big.NewRat(1, 2)))
		}
	}
	seen := audit.LawOf(t, rare(big.NewRat(1, 1000)), audit.Options{Floor: 1e-6})
	unseen := audit.LawOf(t, rare(big.NewRat(1, 1_000_000_000)), audit.Options{Floor: 1e-6})
	never := audit.LawOf(t, rare(new(big.Rat)), audit.Options{Floor: 1e-6})
	if r := audit.Compare(seen, never); !math.IsInf(r.Upper, 1) || r.Lower < 50 || r.At != 2 {
		t.Errorf("an outcome of 1/1000 that cannot occur: %+v", r)
	}
	if r := audit.Compare(seen, unseen); !math.IsInf(r.Upper, 1) || r.Lower > math.Log(1e6) || r.Lower < math.Log(1e6)-1e-6 {
		t.Errorf("an outcome in the other tail: %+v, the truth is ln 10^6", r)
	}
	if r := audit.Compare(unseen, never); r.Lower > 1e-8 || r.Unseen < 1e-9 || r.Unseen > 2e-9 {
		t.Errorf("an outcome in the tail: %+v", r)
	}
	if lo, hi := audit.Excess(seen, never, 1); lo > .001 || lo < .000999 || hi < .001 {
		t.Errorf("δ in [%g, %g], want 0.001", lo, hi)
	}
	if _, hi := audit.Excess(unseen, never, 1); hi < 1e-9 {
		t.Errorf("δ ≤ %g, want at least the 1e-9 that was not seen", hi)
	}
}

// If the bounds enclose ε, a report neither confirms nor refutes.
func TestReport(t *testing.T) {
	response := func(table []int64, c noise.Coins) (int, error) {
		p := big.NewRat(1, 4)
		if table[0] > 0 {
			p = big.NewRat(3, 4)
		}
		return audittest.Bit(c.Bernoulli(p)), nil
	}
	w := audit.NewWorld(privacy.ReplaceOne, 2, 1, audittest.Counts)
	for _, c := range []struct {
		epsilon            string
		refuted, confirmed bool
	}{
		{"1.0986122886", true, false},
		{"1.0986122887", false, true},
		{"1", true, false},
		{"2", false, true},
	} {
		r, err := audit.Check(response, privacytest.Decimal(t, c.epsilon), w, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Refuted() != c.refuted || r.Confirmed(1e-12) != c.confirmed {
			t.Errorf("refuted %v, confirmed %v: %v", r.Refuted(), r.Confirmed(1e-12), r)
		}
	}
	if r, _ := audit.Check(response, privacytest.Decimal(t, "1"), audit.World[[]int64]{Relation: privacy.ReplaceOne}, audit.Options{}); r.Confirmed(1) {
		t.Error("an empty world confirms")
	}
}
