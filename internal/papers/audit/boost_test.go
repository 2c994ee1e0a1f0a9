package audit_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// lean is a learner over two cards with constant predictions. Let ones be the number of rows with label 1,
// truncated to most. With probability 1/1000·e^{ε·ones} lean returns the card that predicts 1. Its privacy
// loss is exactly ε, unlike that of the exponential mechanism on few rows.
type lean struct {
	learn.Learner[[]uint16, scorecard.Card]
	audittest.Step
}

func (m lean) Guarantee() privacy.Guarantee { return m.Step.Guarantee() }

func (m lean) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (scorecard.Card, error) {
	x, err := m.Step.Release(ctx, d, c)
	return scorecard.Card{Points: [][]int{{x}}}, err
}

// An overlapping boost is a wrong mechanism. It trains two candidates on all rows, and selects one of them
// by the losses on all rows.
type overlapping struct {
	base   lean
	lambda *big.Rat
	right  audittest.CardMechanism
}

func (m overlapping) Guarantee() privacy.Guarantee { return m.right.Guarantee() }

func (m overlapping) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (scorecard.Card, error) {
	var candidates [2]scorecard.Card
	var costs [2]int64
	for i := range candidates {
		candidates[i], _ = m.base.Release(ctx, d, c)
		for _, e := range d {
			if e.Label != (candidates[i].Points[0][0] == 1) {
				costs[i] += e.Count
			}
		}
	}
	start := noise.Mark(c)
	for {
		i := c.Uint64n(2)
		x := new(big.Rat).SetInt64(costs[i] - min(costs[0], costs[1]))
		if c.BernoulliExp(x.Mul(x, m.lambda)) {
			return candidates[i], nil
		}
		noise.Forget(c, start, "choice", uint64(costs[0]), uint64(costs[1]))
	}
}

// Training and selection each have an ε. The privacy loss of boosting is at most the larger of the two, and
// attains the ε of training. The audit refutes two wrong mechanisms. One uses the rate of add-remove for the
// selection under replace-one; the other has overlapping parts.
func TestLearnBoost(t *testing.T) {
	constants := audittest.NewCorner(t, []int{1}, 0, audittest.Examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}})
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	exponential := func(epsilon string, r privacy.Relation) *learn.Exponential[[]uint16, scorecard.Card] {
		m, err := learn.NewExponential(constants, privacytest.Decimal(t, epsilon), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	boost := func(base learn.Learner[[]uint16, scorecard.Card], rows int64, parts int, validation int64, choice string) *boosting.Boost[[]uint16, scorecard.Card] {
		m, err := boosting.NewBoost(base, boosting.BoostPlan{Rows: rows, Parts: parts, Validation: validation}, privacytest.Decimal(t, choice))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	leaning := func(epsilon string, r privacy.Relation, most int64) lean {
		return lean{exponential("1", r), audittest.NewStep(t, epsilon, r, most)}
	}
	kinds := constants.Kinds
	for _, v := range []struct {
		name string
		m    audittest.CardMechanism
		w    audit.World[audittest.Examples]
		want audit.Verdict
	}{
		{"shipped", boost(exponential("2", replace), 3, 2, 1, "2"), audittest.WorldOfRows(kinds, 3), audit.Holds},
		{"shipped, add-remove", boost(exponential("2", addRemove), 3, 2, 1, "2"), audit.WorldOf(addRemove, 2, 2, constants.Table), audit.Holds},
		{"training leaks more", boost(leaning("3", replace, 9), 6, 2, 2, "1"), audittest.WorldOfRows(kinds, 6), audit.Holds},
		{"choice leaks more", boost(leaning("1", replace, 9), 6, 3, 3, "3"), audittest.WorldOfRows(kinds, 6), audit.Holds},
		{"attained", boost(leaning("2", replace, 9), 2, 1, 0, "1"), audittest.WorldOfRows(kinds, 2), audit.Verdict{Least: 0.999999, Most: 1}},
		{"no rows to choose by", boost(leaning("4", replace, 9), 2, 2, 0, "4"), audittest.WorldOfRows(kinds, 2), audit.Holds},
		{"add-remove, choice leaks more", boost(leaning("1", addRemove, 9), 3, 2, 1, "3"), audit.WorldOf(addRemove, 2, 4, constants.Table), audit.Holds},
		{"add-remove's rates under replace", audittest.Claiming(
			boost(exponential("4", replace), 8, 1, 1, "4"),
			boost(exponential("2", replace), 8, 1, 1, "2").Guarantee()), audittest.WorldOfRows(kinds, 8), audit.Verdict{Least: 1.4, Most: 2}},
		{"parts that overlap", overlapping{
			leaning("1", replace, 9), big.NewRat(1, 2), boost(leaning("1", replace, 9), 3, 2, 1, "1")},
			audittest.WorldOfRows(kinds, 3), audit.Verdict{Least: 1.4, Most: 3}},
	} {
		t.Run(v.name, func(t *testing.T) {
			audittest.Check(t, v.want, v.m, v.w, audit.InFull(1e-6, 1e-9))
		})
	}
}
