package boosting_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newBoost(t testing.TB, p boosting.BoostPlan, training, choice string) (*boosting.Boost[record, card], error) {
	t.Helper()
	base, err := learn.NewExponential(class.Class[record, card](learntest.Signs(t, []int{3, 2}, 1)), privacytest.Decimal(t, training), privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		t.Fatal(err)
	}
	return boosting.NewBoost(base, p, privacytest.Decimal(t, choice))
}

func TestBoostPlans(t *testing.T) {
	for _, p := range []boosting.BoostPlan{
		{}, {Rows: 10}, {Rows: 10, Parts: 11}, {Rows: 10, Parts: 5, Validation: 6},
		{Rows: 10, Parts: 1, Validation: -1}, {Rows: learn.MostRows + 1, Parts: 1, Validation: 1},
		{Rows: 10, Parts: 1, Validation: math.MaxInt64}, {Rows: 10, Parts: 1, Validation: 10},
	} {
		if _, err := newBoost(t, p, "1", "1"); err == nil {
			t.Errorf("NewBoost accepted the plan %+v", p)
		}
	}
	if _, err := newBoost(t, boosting.BoostPlan{Rows: 10, Parts: 1, Validation: 5}, "1", "0"); err == nil {
		t.Error("NewBoost accepted a selection with ε = 0")
	}
	m, err := newBoost(t, boosting.BoostPlan{Rows: 10, Parts: 3, Validation: 3}, "1", "2")
	if err != nil {
		t.Fatal(err)
	}
	if m.Plan().Train() != 2 || m.Guarantee().Delta(2) != 0 || m.Guarantee().Delta(1.99) == 0 {
		t.Errorf("parts of %d rows; δ(2) = %g, δ(1.99) = %g", m.Plan().Train(), m.Guarantee().Delta(2), m.Guarantee().Delta(1.99))
	}
	if _, err := m.Release(context.Background(), examples{{X: record{0, 0}, Count: 11}}, nil); !errors.Is(err, learn.ErrSize) {
		t.Errorf("eleven rows where ten were planned: error %v", err)
	}
	inexact, err := perturb.NewOPDisc(oracle.Search(class.Class[record, card](learntest.Signs(t, []int{3, 2}, 1))), privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.01"), privacy.ReplaceOne, learn.ZeroOne, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := boosting.NewBoost(inexact, m.Plan(), privacytest.Decimal(t, "2")); err != nil || m.Guarantee().Delta(2) < 0.01 || m.Guarantee().Delta(2) > 0.0101 {
		t.Errorf("a base learner with δ = 0.01: %v, error %v", m, err)
	}
	if math.IsInf(m.Risk(0.05), 1) {
		t.Error("Risk returned no finite bound")
	}
}

// watched is a learner that records the tables on which it is trained.
type watched struct {
	learn.Learner[record, card]
	tables *[]examples
}

func (w watched) Release(ctx context.Context, d examples, c noise.Coins) (card, error) {
	*w.tables = append(*w.tables, d)
	return w.Learner.Release(ctx, d, c)
}

// Each of eight rows is in exactly one part: three training parts have two rows each, and the validation
// part has two rows.
func TestBoostPartsAreDisjoint(t *testing.T) {
	base, err := learn.NewExponential(class.Class[record, card](learntest.Signs(t, []int{4, 2}, 1)), privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		t.Fatal(err)
	}
	var d examples
	for i := range uint16(8) {
		d = append(d, learn.Example[record]{X: record{i % 4, i / 4}, Count: 1})
	}
	var tables []examples
	m, err := boosting.NewBoost(watched{base, &tables}, boosting.BoostPlan{Rows: 8, Parts: 3, Validation: 2}, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int64{}
	for _, part := range tables {
		rows := int64(0)
		for _, e := range part {
			rows += e.Count
			seen[fmt.Sprint(e.X)] += e.Count
		}
		if rows != 2 {
			t.Errorf("a training part has %d rows", rows)
		}
	}
	for x, n := range seen {
		if n > 1 {
			t.Errorf("row %s is in %d parts; want 1", x, n)
		}
	}
	if len(tables) != 3 || len(seen) != 6 {
		t.Errorf("%d parts with %d rows", len(tables), len(seen))
	}
}

// The bound on the risk holds for rows from a distribution for which the error rate of the best scorecard
// is 1/5. The bound that PlanBoost returns is that of the mechanism with the returned plan.
func TestBoostRisk(t *testing.T) {
	const n, beta, draws = 6000, 0.1, 30
	c := learntest.Signs(t, []int{3, 2}, 1)
	base, err := learn.NewExponential(class.Class[record, card](c), privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		t.Fatal(err)
	}
	plan, bound := boosting.PlanBoost(base, n, privacytest.Decimal(t, "1"), beta)
	m, err := boosting.NewBoost(base, plan, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if risk := m.Risk(beta); risk != bound || risk >= 1 || m.Risk(0.001) <= risk {
		t.Errorf("Risk returned %g; PlanBoost returned %g", risk, bound)
	}
	coins := noise.Crypto()
	beyond, sum := 0, 0.0
	for range draws {
		counts := map[[3]bool]int64{}
		for range n {
			a, b := coins.Uint64n(2) == 1, coins.Uint64n(2) == 1
			counts[[3]bool{a, b, a != (coins.Uint64n(5) == 0)}]++
		}
		var d examples
		for k, count := range counts {
			x := record{0, 0}
			for i := range x {
				if k[i] {
					x[i] = 1
				}
			}
			d = append(d, learn.Example[record]{X: x, Label: k[2], Count: count})
		}
		h, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		excess := 0.0 // the excess risk of h relative to the card that predicts a
		for a := range uint16(2) {
			for b := range uint16(2) {
				if c.Predict(h, record{a, b}) != (a == 1) {
					excess += 0.6 / 4
				}
			}
		}
		sum += excess
		if excess > bound {
			beyond++
		}
	}
	t.Logf("plan %+v: risk %.3f, mean excess %.4f", plan, bound, sum/draws)
	stattest.Open(t, "papers/boosting").AtMost(t, beyond, draws, beta)
}

// Relations whose neighbours differ in a person are rejected, since all rows of a person must be in the same part.
func TestBoostRefusesPersons(t *testing.T) {
	for _, kind := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, r := range []privacy.Relation{kind.OfPersons(1), kind.OfPersons(3)} {
			base, err := learn.NewExponential(class.Class[record, card](learntest.Signs(t, []int{2}, 1)), privacytest.Decimal(t, "1"), r, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := boosting.NewBoost(base, boosting.BoostPlan{Rows: 10, Parts: 2, Validation: 2}, privacytest.Decimal(t, "1")); err == nil || !strings.Contains(err.Error(), "row") {
				t.Errorf("%v: %v", r, err)
			}
		}
	}
}
