package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// graded learns a hypothesis and counts its grades, with a guarantee for both.
type graded[H any] struct {
	promised privacy.Guarantee
	release  func(context.Context, *table.Table, noise.Coins) (risk.Graded[H], error)
}

func (m graded[H]) Guarantee() privacy.Guarantee { return m.promised }

func (m graded[H]) Release(ctx context.Context, d *table.Table, c noise.Coins) (risk.Graded[H], error) {
	return m.release(ctx, d, c)
}

// heard returns a text for the hypothesis, the counts and the stated number of rows. The counts are truncated to a few
// values, so that no outcome is rare.
func heard[H any](g risk.Graded[H]) string {
	text := fmt.Sprint(g.Hypothesis, " ")
	tell := func(n *big.Int) { text += fmt.Sprint(min(max(n.Int64(), 0), 1)) }
	for i := range g.Counts.Scale.Grades {
		for _, of := range g.Counts.Cells {
			tell(of[i])
		}
	}
	tell(g.Counts.Outside)
	return fmt.Sprint(text, g.Counts.Rows)
}

// A grader is a learner with the grading of its hypotheses.
type grader[H any] struct {
	learner func(epsilon string, r privacy.Relation) privacy.Mechanism[*table.Table, H]
	grades  func(H) risk.Grading
}

// mechanism uses the ε hypothesis for the hypothesis and the ε counts for the counts.
func (g grader[H]) mechanism(t *testing.T, hypothesis, counts string, r privacy.Relation) *risk.Mechanism[*table.Table, H] {
	t.Helper()
	m, err := risk.NewMechanism(g.learner(hypothesis, r), privacytest.Decimal(t, counts), g.grades)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shipped returns the mechanism with its own guarantee.
func (g grader[H]) shipped(t *testing.T, hypothesis, counts string, r privacy.Relation) graded[H] {
	m := g.mechanism(t, hypothesis, counts, r)
	return graded[H]{m.Guarantee(), m.Release}
}

// under returns the mechanism with a pure guarantee instead of its own.
func (g grader[H]) under(t *testing.T, epsilon, hypothesis, counts string, r privacy.Relation) graded[H] {
	t.Helper()
	pure, err := privacy.NewPure(r, privacytest.Decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return graded[H]{pure, g.mechanism(t, hypothesis, counts, r).Release}
}

// once is deliberately wrong: it samples under replace-one, but its noise is for one changed cell.
func (g grader[H]) once(t *testing.T, hypothesis, counts string) graded[H] {
	draw, epsilon := g.learner(hypothesis, privacy.ReplaceOne), privacytest.Decimal(t, counts)
	return graded[H]{g.mechanism(t, hypothesis, counts, privacy.ReplaceOne).Guarantee(), func(ctx context.Context, d *table.Table, coins noise.Coins) (out risk.Graded[H], err error) {
		if out.Hypothesis, err = draw.Release(ctx, d, coins); err != nil {
			return out, err
		}
		grading := g.grades(out.Hypothesis)
		scale := grading.Scale
		histogram, err := learn.NewHistogram(scale.Cells(), epsilon, privacy.AddRemove)
		if err != nil {
			return out, err
		}
		cells, err := histogram.Release(ctx, scale.Count(d, grading.Of), coins)
		if err != nil {
			return out, err
		}
		out.Counts, err = risk.Noisy(scale, cells, epsilon, privacy.ReplaceOne)
		return out, err
	}}
}

// told is deliberately wrong: it reveals the exact number of rows outside.
func (g grader[H]) told(t *testing.T, hypothesis, counts string, r privacy.Relation) graded[H] {
	m := g.mechanism(t, hypothesis, counts, r)
	return graded[H]{m.Guarantee(), func(ctx context.Context, d *table.Table, coins noise.Coins) (risk.Graded[H], error) {
		out, err := m.Release(ctx, d, coins)
		out.Counts.Outside = big.NewInt(d.Nulls())
		return out, err
	}}
}

// A gradedCase has a name and a verdict.
type gradedCase[H any] struct {
	name string
	m    graded[H]
	want audit.Verdict
}

// judged checks each case on a world of tables.
func judged[H any](t *testing.T, o audit.Options, world func(privacy.Relation) audit.World[*table.Table], of []gradedCase[H]) {
	for _, v := range of {
		t.Run(v.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(v.m, heard[H], world(v.m.promised.Relation()), o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}

// A card sampled by the exponential mechanism and the histogram of its totals together satisfy the sum of both ε, and
// nearly attain it. The check covers all tables of at most one row or null row, under both relations. The cells of
// the histogram depend on the card. The check refutes three wrong mechanisms: noise for an added row under
// replace-one, noise that ignores the card's share of ε, and the exact number of rows outside.
func TestLearnRisks(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := audittest.Line(t)
	g := grader[scorecard.Card]{
		func(epsilon string, r privacy.Relation) privacy.Mechanism[*table.Table, scorecard.Card] {
			m, err := learn.NewExponential(class.Class[[]uint16, scorecard.Card](c), privacytest.Decimal(t, epsilon), r, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			return learn.OnTable[scorecard.Card]{Mechanism: m}
		},
		func(h scorecard.Card) risk.Grading {
			return risk.GradingOf(rule.Points{Start: 0, Of: h.Points, Threshold: 1}, nil, 2)
		},
	}
	world := func(r privacy.Relation) audit.World[*table.Table] { return evaluations(t, r) }
	judged(t, audit.InFull(1e-7, 1e-9), world, []gradedCase[scorecard.Card]{
		{"replace", g.shipped(t, "1", "8", replace), audit.Verdict{0.9, 1.001}},
	})
	judged(t, audit.InFull(1e-6, 1e-9), world, []gradedCase[scorecard.Card]{
		{"add-remove", g.shipped(t, "1", "4", addRemove), audit.Verdict{0.9, 1.001}},
		{"charged once under replace", g.once(t, "1", "4"), audit.Verdict{1.5, 1e9}},
		{"the counts alone are charged", g.under(t, "8", "4", "8", replace), audit.Verdict{1.1, 1e9}},
		{"outside told", g.told(t, "1", "4", addRemove), audit.Verdict{1.5, 1e9}},
	})
	b := table.NewBuilder([]int{2})
	if err := b.AddNull(3); err != nil {
		t.Fatal(err)
	}
	for relation, want := range map[privacy.Relation]string{replace: "3", addRemove: "<nil>"} {
		out, err := g.mechanism(t, "1", "4", relation).Release(t.Context(), b.Table(), noise.Insecure(1))
		if err != nil || fmt.Sprint(out.Counts.Rows) != want {
			t.Errorf("%v: 3 rows are stated as %v, %v", relation, out.Counts.Rows, err)
		}
	}
}

// A tree for three outcomes that is sampled through its mass, and the histogram of leaves and
// outcomes, together satisfy the sum of both ε, and nearly attain it. The full form of the check
// refutes the wrong mechanisms of TestLearnRisks, and one that counts a row both for its own outcome
// and for the predicted one.
func TestLearnRisksOfOutcomes(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 3)
	grades := func(h *dectree.Tree) risk.Grading {
		predicted := []int{h.Outcome}
		if !h.Leaf() {
			predicted = []int{h.Yes.Outcome, h.No.Outcome}
		}
		s, err := risk.Leaves(3, predicted)
		if err != nil {
			t.Fatal(err)
		}
		return risk.Grading{Scale: s, Of: func(x table.Record) int {
			if h.Leaf() || trees.Tests()[h.Test].Accepts(x[0]) {
				return 1
			}
			return 2
		}}
	}
	g := grader[*dectree.Tree]{
		func(epsilon string, r privacy.Relation) privacy.Mechanism[*table.Table, *dectree.Tree] {
			m, err := learn.NewGibbs(trees, privacytest.Decimal(t, epsilon), r, learn.ByError(3))
			if err != nil {
				t.Fatal(err)
			}
			return learn.OnRecords[*dectree.Tree]{Mechanism: m}
		}, grades,
	}
	twice := func() graded[*dectree.Tree] {
		m := g.mechanism(t, "1", "4", addRemove)
		return graded[*dectree.Tree]{m.Guarantee(), func(ctx context.Context, d *table.Table, coins noise.Coins) (risk.Graded[*dectree.Tree], error) {
			out, err := m.Release(ctx, d, coins)
			for i, leaf := range out.Counts.Scale.Grades {
				own := out.Counts.Cells[leaf.Predicted]
				for o := range 3 {
					if o != leaf.Predicted {
						own[i] = new(big.Int).Add(own[i], exactly(d, grades(out.Hypothesis).Of, leaf.Least, o))
					}
				}
			}
			return out, err
		}}
	}
	world := func(r privacy.Relation) audit.World[*table.Table] { return outcomeTables(t, r) }
	judged(t, audit.InFull(3e-5, 1e-9), world, []gradedCase[*dectree.Tree]{
		{"replace", g.shipped(t, "1", "8", replace), audit.Verdict{0.9, 1.001}},
		{"add-remove", g.shipped(t, "1", "4", addRemove), audit.Verdict{0.9, 1.001}},
	})
	if heavy.On() { // TestLearnRisks refutes most of these for cards
		judged(t, audit.InFull(1e-6, 1e-9), world, []gradedCase[*dectree.Tree]{
			{"charged once under replace", g.once(t, "1", "4"), audit.Verdict{1.5, 1e9}},
			{"the counts alone are charged", g.under(t, "8", "4", "8", replace), audit.Verdict{1.1, 1e9}},
			{"outside told", g.told(t, "1", "4", addRemove), audit.Verdict{1.5, 1e9}},
			{"counted for two outcomes", twice(), audit.Verdict{1.2, 1e9}},
		})
	}
}

// exactly returns the number of rows of a grade with a label.
func exactly(d *table.Table, of func(table.Record) int, grade, outcome int) *big.Int {
	n := int64(0)
	for i := range d.Len() {
		if of(d.Record(i, nil)) == grade && d.Outcome(i) == outcome {
			n += d.Count(i)
		}
	}
	return big.NewInt(n)
}

// outcomeTables returns the world of the empty table and the tables of one row. The row is null, or a
// record with one of two codes and one of three outcomes. The short form omits half of the records.
func outcomeTables(t *testing.T, r privacy.Relation) audit.World[*table.Table] {
	kinds := heavy.Pick([]int{0, 3, 4, 6}, []int{0, 1, 2, 3, 4, 5, 6})
	return audit.WorldOf(r, len(kinds), 1, func(counts []int64) *table.Table {
		b := table.NewBuilderOf([]int{2}, 3)
		for i, n := range counts {
			kind := kinds[i]
			var err error
			if kind == 6 {
				err = b.AddNull(n)
			} else {
				err = b.AddOutcome([]uint16{uint16(kind & 1)}, kind/2, n)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return b.Table()
	})
}
