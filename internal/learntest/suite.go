package learntest

import (
	"context"
	"errors"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A New function returns a mechanism over the class of scorecards c, with the given ε, under
// replace-one. The cost of a card is its number of misclassifications.
type New func(t testing.TB, c *scorecard.Class, epsilon string) Mechanism

// Mechanisms holds constructors of mechanisms, by the name of the mechanism.
type Mechanisms map[string]New

// ExcessBounds tests, for every mechanism, the bounds that Excess returns: it makes many releases
// from a table on which the costs of cards differ greatly (see SpreadCosts).
func (all Mechanisms) ExcessBounds(t *testing.T) {
	c := Signs(t, []int{3, 3}, 1)
	d, rows, best := SpreadCosts(c, 1)
	const draws = 400
	for name, newMechanism := range all {
		for _, epsilon := range []string{"0.1", "1"} {
			m := newMechanism(t, c, epsilon)
			bound := m.Excess(rows)
			sum, beyond := 0.0, 0
			coins := noise.Crypto()
			for range draws {
				h, err := m.Release(context.Background(), d, coins)
				if err != nil {
					t.Fatal(err)
				}
				excess := float64(Errors(c, d, h) - best)
				sum += excess
				if excess > bound.Most {
					beyond++
				}
			}
			if bound.Mean > bound.Most || bound.Most > float64(rows) || bound.Mean <= 0 {
				t.Errorf("%s, ε = %s: the bounds on the excess must satisfy 0 < Mean ≤ Most ≤ the number of rows, but are %v", name, epsilon, bound)
			}
			// The mean is far below its bound, and so is the tail, so chance does not reach either.
			if sum/draws > bound.Mean || beyond > draws/10 {
				t.Errorf("%s, ε = %s: the releases exceed the bounds on the excess: their mean excess is %g, and %d of %d releases exceed Most; the bounds are %v", name, epsilon, sum/draws, beyond, draws, bound)
			}
		}
	}
}

// ExcessCountsPenalties checks that the bounds of Excess do not exceed the greatest possible cost
// of a table, including penalties.
func (all Mechanisms) ExcessCountsPenalties(t *testing.T) {
	c, err := scorecard.New(scorecard.Uniform([]int{3, 2}, -1, 1), scorecard.Options{Threshold: 1, Penalty: 5})
	if err != nil {
		t.Fatal(err)
	}
	for name, newMechanism := range all {
		if e := newMechanism(t, c, "0.001").Excess(2); e.Mean != 12 || e.Most != 12 {
			t.Errorf("%s: for two rows, both bounds on the excess must be 12 (2 rows and 2 penalties of 5), but the bounds are %v", name, e)
		}
	}
}

// Release tests the function Release of this package with every mechanism of the map.
func (all Mechanisms) Release(t *testing.T) {
	c := Signs(t, []int{2}, 1)
	for name, newMechanism := range all {
		t.Run(name, func(t *testing.T) { Release(t, newMechanism(t, c, "1"), c.Contains) })
	}
}

// Release tests three properties of a mechanism:
//
//   - It rejects a table with more than learn.MostRows rows, before it uses any randomness.
//   - It fails if its context has ended.
//   - It releases a valid result from an empty table.
//
// The attribute of the test records has two codes, 0 and 1.
func Release[T any](t *testing.T, m privacy.Mechanism[Examples, T], valid func(T) bool) {
	t.Helper()
	if _, err := m.Release(context.Background(), Examples{{X: Record{0}, Count: learn.MostRows}, {X: Record{1}, Count: 1}}, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(ended, nil, noise.Crypto()); !errors.Is(err, context.Canceled) {
		t.Errorf("a release with an ended context must fail with context.Canceled, but returned the error %v", err)
	}
	if h, err := m.Release(context.Background(), nil, noise.Crypto()); err != nil || !valid(h) {
		t.Errorf("an empty table: %v, %v", h, err)
	}
}
