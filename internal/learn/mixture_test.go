package learn_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// mixtureOf returns the mechanism with ε = 1 over two parts. The cards have one attribute of two
// categories with points 0 and 1 and the penalty 4, and the given penalty if the attribute is used.
// The trees have depth 1.
func mixtureOf(t *testing.T, penalty int64, l learn.Loss) *learn.Mixture[record, union.Choice[any]] {
	t.Helper()
	cards := learntest.Must(scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1, Penalty: penalty}))
	trees := learntest.Must(dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2))
	u := learntest.Must(union.NewMixed(
		union.MixedMember[record, any]{Searched: class.Erase(cards), Penalty: 4},
		union.MixedMember[record, any]{Tractable: class.EraseTractable[record](trees)},
	))
	return learntest.Must(learn.NewMixture[record, union.Choice[any]](u, privacytest.Decimal(t, "1"), privacy.ReplaceOne, l))
}

// The bounds are those of the proof. λ is 1/2. The four cards have the total weight 4e^-2 and the
// trees 1; the least likely tree has the prior 1/8. With a penalty of 1, a card with two terms has
// the smaller weight e^-2.5.
func TestMixtureExcess(t *testing.T) {
	for _, c := range []struct {
		penalty    int64
		mean, most float64
	}{{0, 5.024192, 11.015657}, {1, 2 * (math.Log(1+4*math.Exp(-2)) + 2.5), 2 * (math.Log(1+4*math.Exp(-2)) + 2.5 + math.Log(20))}} {
		if got := mixtureOf(t, c.penalty, learn.ZeroOne).Excess(1000); math.Abs(got.Mean/c.mean-1) > 1e-6 || math.Abs(got.Most/c.most-1) > 1e-6 {
			t.Errorf("a penalty of %d: %v, want %v and %v", c.penalty, got, c.mean, c.most)
		}
	}
	if got := mixtureOf(t, 0, learn.Loss{FalsePositive: 1, FalseNegative: 3}).Excess(2); got.Mean != 6 || got.Most != 6 {
		t.Errorf("two rows of a loss of at most 3: %v", got)
	}
}

func TestMixtureRefuses(t *testing.T) {
	m := mixtureOf(t, 0, learn.ZeroOne)
	u := m.Class()
	if _, err := learn.NewMixture(u, privacytest.Decimal(t, "0"), privacy.ReplaceOne, learn.ZeroOne); err == nil {
		t.Error("an ε of 0")
	}
	if _, err := learn.NewMixture(u, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.Loss{FalsePositive: 1}); err == nil {
		t.Error("an error that costs nothing")
	}
	d := examples{{X: record{0}, Count: learn.MostRows}, {X: record{1}, Count: 1}}
	if _, err := m.Release(context.Background(), d, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(ended, d[1:], noise.Crypto()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	told := 0
	m.Observe = func(search.Effort) { told++ }
	if h, err := m.Release(context.Background(), d[1:], noise.Crypto()); err != nil || !u.Contains(h) || told != 1 {
		t.Errorf("%v, told %d times: %v", h, told, err)
	}
}

// Whatever the penalties of the parts, a bound on the excess is ln(W/w)/λ, where W is the total weight of all parts
// and w that of the least likely hypothesis. Here two parts of four cards each differ in their penalties only.
func TestMixtureExcessOfHeavyCharges(t *testing.T) {
	cards := learntest.Must(scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1}))
	for _, c := range []struct{ charges [2]int64 }{{[2]int64{0, 40}}, {[2]int64{40, 0}}, {[2]int64{5000, 9000}}, {[2]int64{9000, 5000}}, {[2]int64{1 << 30, 1 << 29}}} {
		u := learntest.Must(union.NewMixed(
			union.MixedMember[record, card]{Searched: cards, Penalty: c.charges[0]},
			union.MixedMember[record, card]{Searched: cards, Penalty: c.charges[1]},
		))
		m := learntest.Must(learn.NewMixture[record, union.Choice[card]](u, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne))
		apart := float64(max(c.charges[0], c.charges[1]) - min(c.charges[0], c.charges[1]))
		want := 2 * (math.Log(4+4*math.Exp(-apart/2)) + apart/2)
		if got := m.Excess(1 << 31).Mean; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("charges of %v: %v, not %v", c.charges, got, want)
		}
	}
}
