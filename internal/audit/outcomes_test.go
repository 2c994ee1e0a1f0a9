package audit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

type recorded = learn.Records[[]uint16]

// distant is the exponential mechanism at the rate for misclassifications, but the cost is the
// distance of the prediction from the class: with three classes, up to 2.
type distant struct {
	*learn.Gibbs[[]uint16, any]
}

func (m distant) Release(ctx context.Context, d recorded, c noise.Coins) (any, error) {
	var records class.Listed[[]uint16]
	for i := range d.Len() {
		r, outcome := class.Charged[[]uint16]{X: d.Record(i, nil), Costs: make([]int64, 3)}, d.Outcome(i)
		for y := range r.Costs {
			r.Costs[y] = d.Count(i) * int64(max(y-outcome, outcome-y))
		}
		records = append(records, r)
	}
	mass, err := m.Class().Mass(ctx, records, search.Decay(m.Rate()))
	if err != nil {
		return nil, err
	}
	return search.Sample(ctx, class.Final(mass), m.Rate(), c)
}

// swift is a mechanism with the rate of another relation.
type swift struct {
	*learn.Gibbs[[]uint16, any]
	promised privacy.Guarantee
}

func (m swift) Guarantee() privacy.Guarantee { return m.promised }

// Trees for three classes satisfy their guarantee for neighbours with another label, another
// record, or one row more. Refuted are the rate for add-remove under replace-one, and costs that
// differ by 2.
func TestGibbsOutcomes(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 3)
	gibbs := func(r privacy.Relation) *learn.Gibbs[[]uint16, any] {
		m, err := learn.NewGibbs(class.EraseTractable(trees), privacytest.Decimal(t, "2"), r, learn.ByError(3))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	world := func(r privacy.Relation) audit.World[recorded] {
		return audit.WorldOf(r, 6, 2, func(counts []int64) recorded {
			var d learntest.Observations[[]uint16]
			for i, n := range counts {
				if n > 0 {
					d = append(d, learntest.Observed[[]uint16]{X: []uint16{uint16(i / 3)}, Outcome: i % 3, Count: n})
				}
			}
			return d
		})
	}
	for _, a := range []struct {
		name string
		m    privacy.Mechanism[recorded, any]
		r    privacy.Relation
		want audit.Verdict
	}{
		{"shipped", gibbs(replace), replace, audit.Holds},
		{"shipped, add-remove", gibbs(addRemove), addRemove, audit.Holds},
		{"the other rate", swift{gibbs(addRemove), gibbs(replace).Guarantee()}, replace, audit.Verdict{1.01, 2}},
		{"distances with the rate of errors", distant{gibbs(replace)}, replace, audit.Verdict{1.01, 2}},
	} {
		t.Run(a.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(a.m, func(h any) string { return fmt.Sprint(h) }, world(a.r), audit.InFull(1e-9, 1e-11))
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, a.want, r, audit.InFull(1e-9, 1e-11))
		})
	}
}

// hasty is the graded mechanism with the guarantee of another relation.
type hasty struct {
	*learn.Gibbs[[]uint16, any]
	promised privacy.Guarantee
}

func (m hasty) Guarantee() privacy.Guarantee { return m.promised }

// doubled has twice the loss at the same rate.
type doubled struct {
	*learn.Gibbs[[]uint16, any]
}

func (m doubled) Release(ctx context.Context, d recorded, c noise.Coins) (any, error) {
	return m.Gibbs.Release(ctx, twice{d}, c)
}

// twice has each row twice.
type twice struct{ recorded }

func (t twice) Count(i int) int64 { return 2 * t.recorded.Count(i) }

// Trees of graded levels satisfy their guarantee. Refuted are the rate for add-remove under
// replace-one, and twice the loss.
func TestGibbsGraded(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, learn.GradedLevels)
	graded := func(r privacy.Relation) *learn.Gibbs[[]uint16, any] {
		m, err := learn.NewGibbs(class.EraseTractable(trees), privacytest.Decimal(t, "2"), r, learn.Graded())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	world := func(r privacy.Relation) audit.World[recorded] {
		return audit.WorldOf(r, 4, 2, func(counts []int64) recorded {
			var d learn.Listed[[]uint16]
			for i, n := range counts {
				if n > 0 {
					d = append(d, learn.Example[[]uint16]{X: []uint16{uint16(i / 2)}, Label: i%2 == 1, Count: n})
				}
			}
			return d
		})
	}
	for _, a := range []struct {
		name string
		m    privacy.Mechanism[recorded, any]
		r    privacy.Relation
		want audit.Verdict
	}{
		{"shipped", graded(replace), replace, audit.Holds},
		{"shipped, add-remove", graded(addRemove), addRemove, audit.Holds},
		{"the other rate", hasty{graded(addRemove), graded(replace).Guarantee()}, replace, audit.Verdict{1.01, 2}},
		{"twice the loss", doubled{graded(replace)}, replace, audit.Verdict{1.01, 2}},
	} {
		t.Run(a.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(a.m, func(h any) string { return fmt.Sprint(h) }, world(a.r), audit.InFull(1e-9, 1e-11))
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, a.want, r, audit.InFull(1e-9, 1e-11))
		})
	}
}
