package audit_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// onListed releases from listed records with one attribute of two categories.
type onListed struct {
	*learn.NewtonEither[*dectree.Tree]
}

func (m onListed) Release(ctx context.Context, d learn.Records[[]uint16], coins noise.Coins) (any, error) {
	b := table.NewBuilder([]int{2})
	for i := range d.Len() {
		if err := b.AddOutcome(d.Record(i, nil), d.Outcome(i), d.Count(i)); err != nil {
			return nil, err
		}
	}
	return m.NewtonEither.Release(ctx, b.Table(), coins)
}

// Given the noisy counts, the selection between a card and a tree, and the sample from the selected side,
// lose at most their shares, and nearly all of them, for rows and for persons.
func TestLearnNewtonEither(t *testing.T) {
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	loss := func(m *learn.NewtonEither[*dectree.Tree], r privacy.Relation) float64 {
		units := learn.Units(r)
		counts, other, answers := []int64{3 * units, 0, 0, 0}, []int64{2 * units, 0, 0, 0}, []int64{40, 9, -7, 35}
		if r.Replaces() {
			other[1] += units
		}
		o := audit.InFull(1e-7, 1e-10)
		return leastLoss(lawGivenAnswers(t, onListed{m}, counts, answers, o), lawGivenAnswers(t, onListed{m}, other, answers, o))
	}
	either := func(counts, choice, start string, r privacy.Relation) *learn.NewtonEither[*dectree.Tree] {
		cards, err := learn.NewNewton([]int{2}, []bool{false}, privacytest.Pure(t, "60", r), learn.NewtonShares{
			Counts: privacytest.Decimal(t, counts), Start: privacytest.Decimal(t, start),
		}, 4)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewNewtonEither[*dectree.Tree](cards, trees, privacytest.Decimal(t, choice))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	persons := privacy.AddRemove.OfPersons(2)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, persons} {
		if r.Replaces() && !heavy.On() {
			continue // the last check uses the relation
		}
		if got := loss(either("1", "0.5", "1.5", r), r); got > 2 || got < 1 {
			t.Errorf("%v: selection and sample lose %g of 2", r, got)
		}
		if !heavy.On() {
			continue // the last check refutes too
		}
		if got := loss(either("1", "1", "3", r), r); got <= 2 {
			t.Errorf("%v: twice the shares lose %g only", r, got)
		}
	}
	if got := loss(either("1", "0.5", "1.5", privacy.AddRemove), privacy.ReplaceOne); got <= 2 {
		t.Errorf("the rate of add-remove loses %g only under replace-one", got)
	}
	if got := loss(either("1", "0.5", "1.5", privacy.AddRemove), persons); got <= 2 {
		t.Errorf("the rate for rows loses %g only for persons", got)
	}
}
