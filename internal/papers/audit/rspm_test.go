package audit_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// searching is a branch-and-bound oracle; the order of its search determines ties.
type searching struct{ audittest.Corner }

func (o searching) Class() class.Class[[]uint16, scorecard.Card] { return o.Corner }

func (searching) Kind() oracle.Kind { return oracle.Exhaustive }

func (o searching) Minimize(ctx context.Context, p class.Problem[[]uint16], b oracle.Budget) (oracle.Solution[scorecard.Card], error) {
	t, err := o.Tree(p)
	if err != nil {
		return oracle.Solution[scorecard.Card]{}, err
	}
	s, err := search.Minimize(ctx, t, search.Options{})
	return oracle.Solution[scorecard.Card]{Hypothesis: s.Hypothesis, Cost: s.Cost}, err
}

// malicious is an exhaustive oracle that breaks ties by the parity of the cost of predicting 1 on all rows,
// which one record can change.
type malicious struct{ audittest.Corner }

func (o malicious) Class() class.Class[[]uint16, scorecard.Card] { return o.Corner }

func (malicious) Kind() oracle.Kind { return oracle.Exhaustive }

func (o malicious) Minimize(_ context.Context, p class.Problem[[]uint16], b oracle.Budget) (best oracle.Solution[scorecard.Card], err error) {
	sum := int64(0)
	for _, pt := range p.Points {
		sum += pt.Cost[1] / p.PenaltyUnit()
	}
	for i, h := range o.Cards() {
		if cost := class.Cost(o.Class(), p, h); i == 0 || cost < best.Cost || cost == best.Cost && sum%2 == 0 {
			best = oracle.Solution[scorecard.Card]{Hypothesis: h, Cost: cost}
		}
	}
	return best, nil
}

// The shipped RSPM on scorecards satisfies its ε, both with a search oracle and with an oracle that breaks ties
// depending on the data. The test refutes the shift of add-remove, g + 1, under replace-one, which requires 2g + 1.
func TestLearnRSPM(t *testing.T) {
	rspm := func(o oracle.Minimizer[[]uint16, scorecard.Card], kind perturb.Noise, r privacy.Relation, l learn.Loss, grid int64) audittest.CardMechanism {
		m, err := perturb.NewRSPM(o, kind, privacytest.Decimal(t, heavy.Pick("6", "3")), r, l, grid)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	plain, skewed := learn.ZeroOne, learn.Loss{FalsePositive: 1, FalseNegative: 2}
	c, l := audittest.Disjunction(t), audittest.Line(t)
	for _, v := range []struct {
		name string
		c    audittest.Corner
		m    audittest.CardMechanism
		want audit.Verdict
	}{
		{"line", l, rspm(searching{l}, perturb.Laplace, replace, plain, 1), audit.Holds},
		{"line, cube", l, rspm(malicious{l}, perturb.Cube, replace, plain, 1), audit.Holds},
		{"laplace", c, rspm(searching{c}, perturb.Laplace, replace, plain, 1), audit.Holds},
		{"laplace, bad ties", c, rspm(malicious{c}, perturb.Laplace, replace, plain, 1), audit.Holds},
		{"laplace, bad ties, grid 2", c, rspm(malicious{c}, perturb.Laplace, replace, plain, 2), audit.Holds},
		{"laplace, bad ties, skewed loss", c, rspm(malicious{c}, perturb.Laplace, replace, skewed, 1), audit.Holds},
		{"laplace, bad ties, add-remove", c, rspm(malicious{c}, perturb.Laplace, addRemove, plain, 1), audit.Holds},
		{"cube, bad ties", c, rspm(malicious{c}, perturb.Cube, replace, plain, 1), audit.Holds},
		{"cube, bad ties, add-remove", c, rspm(malicious{c}, perturb.Cube, addRemove, plain, 1), audit.Holds},
		{"laplace, add-remove's shift under replace", c, audittest.Claiming(
			rspm(malicious{c}, perturb.Laplace, addRemove, plain, 1),
			rspm(malicious{c}, perturb.Laplace, replace, plain, 1).Guarantee()), audit.Verdict{Least: 1.49, Most: 1.5}},
		{"cube, add-remove's shift under replace", c, audittest.Claiming(
			rspm(malicious{c}, perturb.Cube, addRemove, plain, 1),
			rspm(malicious{c}, perturb.Cube, replace, plain, 1).Guarantee()), audit.Verdict{Least: 1.2, Most: 1.5}},
		{"laplace, add-remove's shift under replace, skewed loss", c, audittest.Claiming(
			rspm(malicious{c}, perturb.Laplace, addRemove, skewed, 1),
			rspm(malicious{c}, perturb.Laplace, replace, skewed, 1).Guarantee()), audit.Verdict{Least: 1.3, Most: 1.5}},
	} {
		t.Run(v.name, func(t *testing.T) {
			audittest.Check(t, v.want, v.m, v.c.World(v.m.Guarantee().Relation(), heavy.Pick(2, 3)), audit.InFull(1e-6, 1e-10))
		})
	}
}
