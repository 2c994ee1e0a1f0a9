package audit

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/risk"
	"github.com/sibyl-dp/sibyl/table"
)

// graded is what learns a card and counts its grades, with what it promises.
type graded struct {
	promised privacy.Guarantee
	release  func(context.Context, *table.Table, noise.Coins) (risk.Graded[scorecard.Card], error)
}

func (m graded) Guarantee() privacy.Guarantee { return m.promised }

func (m graded) Release(ctx context.Context, d *table.Table, c noise.Coins) (risk.Graded[scorecard.Card], error) {
	return m.release(ctx, d, c)
}

// heard names the card and the counts, cut to a few values so that none is rare.
func heard(g risk.Graded[scorecard.Card]) string {
	text := fmt.Sprint(g.Hypothesis.Points, " ")
	tell := func(n *big.Int) { text += fmt.Sprint(min(max(n.Int64(), 0), 1)) }
	for i := range g.Counts.Scale.Grades {
		tell(g.Counts.Positive[i])
		tell(g.Counts.Negative[i])
	}
	tell(g.Counts.Outside)
	return text
}

// A card drawn by the exponential mechanism and then the histogram of its totals, which
// cells there are depending on the card, together keep the sum of both ε on all tables of
// at most one row, null rows among them, under both relations, and nearly attain it. The
// check refutes noise for adding a row where one is replaced, noise that forgets the card's
// share, and the exact number of rows outside.
func TestLearnRisks(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := line(t)
	grades := func(h scorecard.Card) risk.Grading { return risk.GradeTotals(0, h.Points, 1) }
	learner := func(card string, r privacy.Relation) *learn.Exponential[[]uint16, scorecard.Card] {
		l, err := learn.NewExponential(class.Class[[]uint16, scorecard.Card](c), decimal(t, card), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	mechanism := func(card, counts string, r privacy.Relation) *risk.Mechanism[*table.Table, scorecard.Card] {
		m, err := risk.NewMechanism[*table.Table](learn.OnTable[scorecard.Card]{Mechanism: learner(card, r)}, decimal(t, counts), grades)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	// under replaces the guarantee by a pure one.
	under := func(epsilon string, r privacy.Relation, m *risk.Mechanism[*table.Table, scorecard.Card]) graded {
		g, err := privacy.NewPure(r, decimal(t, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return graded{g, m.Release}
	}
	shipped := func(m *risk.Mechanism[*table.Table, scorecard.Card]) graded { return graded{m.Guarantee(), m.Release} }
	// once draws the card under replace, and counts with noise for one cell that moves.
	once := func(card, counts string) graded {
		draw, epsilon := learner(card, replace), decimal(t, counts)
		return graded{mechanism(card, counts, replace).Guarantee(), func(ctx context.Context, d *table.Table, coins noise.Coins) (g risk.Graded[scorecard.Card], err error) {
			if g.Hypothesis, err = draw.Release(ctx, learn.Examples(d), coins); err != nil {
				return g, err
			}
			grading := grades(g.Hypothesis)
			scale := grading.Scale
			histogram, err := learn.NewHistogram(scale.Cells(), epsilon, addRemove)
			if err != nil {
				return g, err
			}
			cells, err := histogram.Release(ctx, scale.Count(d, grading.Of), coins)
			if err != nil {
				return g, err
			}
			g.Counts, err = risk.Noisy(scale, cells, epsilon, replace)
			return g, err
		}}
	}
	told := func(m *risk.Mechanism[*table.Table, scorecard.Card]) graded {
		return graded{m.Guarantee(), func(ctx context.Context, d *table.Table, coins noise.Coins) (risk.Graded[scorecard.Card], error) {
			g, err := m.Release(ctx, d, coins)
			g.Counts.Outside = big.NewInt(d.Nulls())
			return g, err
		}}
	}
	o := inFull(1e-7, 1e-9)
	for _, v := range []struct {
		name string
		m    graded
		want verdict
	}{
		{"replace", shipped(mechanism("1", "8", replace)), verdict{0.9, 1.001}},
		{"add-remove", shipped(mechanism("1", "4", addRemove)), verdict{0.9, 1.001}},
		{"charged once under replace", once("1", "4"), verdict{1.5, 1e9}},
		{"the counts alone are charged", under("8", replace, mechanism("4", "8", replace)), verdict{1.1, 1e9}},
		{"outside told", told(mechanism("1", "4", addRemove)), verdict{1.5, 1e9}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r, err := CheckMechanism(v.m, heard, evaluations(t, v.m.promised.Relation()), o)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, v.want, r, o)
		})
	}
}
