package statquery_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Queries beyond the budget and invalid queries are rejected before the table is read, and consume no
// budget.
func TestStatisticalRefuses(t *testing.T) {
	touched := statquery.Predicate(func(record, bool) bool {
		t.Error("the query was evaluated on the table before it was refused")
		return false
	})
	ctx := context.Background()
	d := examples{{X: record{0}, Count: 3}}
	s, err := statquery.NewStatistical(privacytest.Pure(t, "0.5", privacy.ReplaceOne), d, noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	gaussian, err := privacy.NewGDP(privacy.ReplaceOne, big.NewRat(1, 2), big.NewRat(1, 4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := statquery.NewStatistical(gaussian, d, noise.Crypto()); err == nil {
		t.Error("a budget of μ is not refused")
	}
	if _, err := s.Ask(ctx, touched, big.NewRat(51, 100)); !errors.Is(err, statquery.ErrBudget) {
		t.Errorf("a price of 0.51 with a budget of 0.5: error %v", err)
	}
	for _, q := range []statquery.Statistic[record]{{}, {Cells: 1}, {Cells: 1, Most: 2}, {Cells: learn.MostCells + 1, Most: 1}} {
		if _, err := s.Ask(ctx, q, big.NewRat(1, 10)); err == nil {
			t.Errorf("Ask accepted a statistic with %d cells and up to %d cells per row", q.Cells, q.Most)
		}
	}
	for _, price := range []*big.Rat{new(big.Rat), big.NewRat(-1, 10)} {
		if _, err := s.Ask(ctx, touched, price); err == nil {
			t.Errorf("Ask accepted the price %v", price)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := s.Ask(ended, touched, big.NewRat(1, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled context: error %v", err)
	}
	if got := s.Left().RatString(); got != "1/2" {
		t.Errorf("the remaining budget is %s; want 1/2", got)
	}
	always := statquery.Predicate(func(record, bool) bool { return true })
	for range 5 {
		if a, err := s.Ask(ctx, always, big.NewRat(1, 10)); err != nil || len(a) != 1 {
			t.Fatalf("%v, %v", a, err)
		}
	}
	if _, err := s.Ask(ctx, touched, big.NewRat(1, 1000000)); !errors.Is(err, statquery.ErrBudget) {
		t.Errorf("a query after the whole budget was used: error %v", err)
	}
	ranged, err := privacy.NewBoundedRange(privacy.ReplaceOne, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := statquery.NewStatistical(ranged, d, noise.Crypto()); err == nil {
		t.Error("NewStatistical accepted a bounded range as a budget")
	}
	if _, err := statquery.NewStatistical(privacytest.Pure(t, "1", privacy.ReplaceOne), examples{{Count: learn.MostRows + 1}}, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("a table with too many rows: error %v", err)
	}
}

// A table of MostRows rows and a statistic of MostCells cells are accepted: in this test, the only reason for a
// refusal is a price that exceeds the budget.
func TestStatisticalBounds(t *testing.T) {
	d := examples{{X: record{0}, Count: learn.MostRows - 5}, {X: record{1}, Count: 5}}
	s, err := statquery.NewStatistical(privacytest.Pure(t, "1", privacy.AddRemove), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for cells, want := range map[int]bool{1: true, learn.MostCells/2 + 1: true, learn.MostCells: true, learn.MostCells + 1: false} {
		_, err := s.Ask(context.Background(), statquery.Statistic[record]{Cells: cells, Most: 1}, big.NewRat(2, 1))
		if errors.Is(err, statquery.ErrBudget) != want {
			t.Errorf("%d cells: %v", cells, err)
		}
	}
}

// zeros is a random source whose noise is 0.
type zeros struct{ noise.Coins }

func (zeros) Draw(noise.Sampler) *big.Int { return new(big.Int) }

// For any result of In, a row is counted in at most Most cells, at most once in each cell, and only in cells of
// the statistic.
func TestStatisticalCountsARowOnce(t *testing.T) {
	const cells = 3
	var all [][]int
	for length, last := 0, [][]int{nil}; length <= 4; length++ {
		all = append(all, last...)
		var longer [][]int
		for _, l := range last {
			for cell := -1; cell <= cells; cell++ {
				longer = append(longer, append(l[:len(l):len(l)], cell))
			}
		}
		last = longer
	}
	for most := 1; most <= cells; most++ {
		for _, said := range all {
			s, err := statquery.NewStatistical(privacytest.Pure(t, "1", privacy.AddRemove), examples{{Count: 10}}, zeros{})
			if err != nil {
				t.Fatal(err)
			}
			q := statquery.Statistic[record]{Cells: cells, Most: most, In: func(record, bool) []int { return said }}
			answers, err := s.Ask(context.Background(), q, big.NewRat(1, 1))
			if err != nil {
				t.Fatal(err)
			}
			for cell, got := range answers {
				want := int64(0)
				if slices.Contains(said[:min(len(said), most)], cell) {
					want = 10
				}
				if got.Int64() != want {
					t.Fatalf("In returned the cells %v and Most is %d, but the counts are %v", said, most, answers)
				}
			}
		}
	}
}

// A predicate counts exactly the rows for which it holds.
func TestPredicate(t *testing.T) {
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{0}, Count: 7}, {X: record{1}, Label: true, Count: 11}}
	s, err := statquery.NewStatistical(privacytest.Pure(t, "1", privacy.AddRemove), d, zeros{})
	if err != nil {
		t.Fatal(err)
	}
	q := statquery.Predicate(func(x record, label bool) bool { return x[0] == 0 && label })
	if a, err := s.Ask(context.Background(), q, big.NewRat(1, 1)); err != nil || len(a) != 1 || a[0].Int64() != 5 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestStatisticalTranscript(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 3}}
	ask := func(budget privacy.Guarantee, most int, price *big.Rat, more ...int) func(noise.Coins) (any, error) {
		return func(c noise.Coins) (any, error) {
			s, err := statquery.NewStatistical(budget, d, c)
			if err != nil {
				return nil, err
			}
			in := func(x record, _ bool) []int { return append([]int{int(x[0])}, more...) }
			q := statquery.Statistic[record]{Cells: 3, Most: most, In: in}
			a, err := s.Ask(context.Background(), q, price)
			return fmt.Sprint(a, ", ", s.Left().RatString(), " left"), err
		}
	}
	concentrated := func(r privacy.Relation) privacy.Guarantee {
		return learntest.Must(privacy.NewZCDP(r, big.NewRat(1, 2)))
	}
	learntest.Transcripts(t, map[string][]learntest.Step{
		"statistical": {
			learntest.Script("pure, price 1/2, replace, a row in 2 of 3 cells: three draws of scale 2·2/(1/2) = 8 on the counts 5, 3, 8", ask(privacytest.Pure(t, "1", replace), 2, big.NewRat(1, 2), 2)),
			learntest.Script("pure, price 1, add-remove: scale 2", ask(privacytest.Pure(t, "1", addRemove), 2, big.NewRat(1, 1), 2)),
			learntest.Script("a row in 1 of 3 cells, so not in the last: scale 1, the counts 5, 3, 0", ask(privacytest.Pure(t, "1", addRemove), 1, big.NewRat(1, 1), 2)),
			learntest.Script("a row in 3 of 3 cells, one of them named twice and one that is none: scale 3, the counts 5, 3, 8", ask(privacytest.Pure(t, "1", addRemove), 3, big.NewRat(1, 1), 2, 2, 3, -1)),
			learntest.Script("ρ = 1/4 of 1/2, replace: σ² = 4/(2·1/4) = 8", ask(concentrated(replace), 2, big.NewRat(1, 4), 2)),
			learntest.Script("ρ = 1/2, add-remove: σ² = 2", ask(concentrated(addRemove), 2, big.NewRat(1, 2), 2)),
		},
	})
}
