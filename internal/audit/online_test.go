package audit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A series is a private leader on a stream of batches. It releases every hypothesis: one before
// each batch and one after the last.
type series struct {
	promised privacy.Guarantee
	base     *learn.Exponential[[]uint16, scorecard.Card]
	batch    int64
}

func (m series) Guarantee() privacy.Guarantee { return m.promised }

func (m series) Release(ctx context.Context, stream []audittest.Examples, c noise.Coins) (string, error) {
	l, err := learn.NewLeader(m.base, m.batch)
	if err != nil {
		return "", err
	}
	var heard []string
	for round := range len(stream) + 1 {
		h, err := l.Next(ctx, c)
		if err != nil {
			return "", err
		}
		heard = append(heard, audittest.CardName(h))
		if round < len(stream) {
			if err := l.See(stream[round]); err != nil {
				return "", err
			}
		}
	}
	return strings.Join(heard, " "), nil
}

// streams returns the world of all streams of two batches with rows of two kinds: of exactly the
// given number of rows under replace-one, and of at most that number otherwise. Neighbours have
// neighbouring batches in one position and equal batches in the other.
func streams(r privacy.Relation, rows int, table func([]int64) audittest.Examples) audit.World[[]audittest.Examples] {
	var batches [][]int64
	for _, b := range audit.Multisets(2, rows) {
		if r == privacy.AddRemove || int(b[0]+b[1]) == rows {
			batches = append(batches, b)
		}
	}
	w := audit.World[[]audittest.Examples]{Relation: r}
	var all [][2][]int64
	for _, a := range batches {
		for _, b := range batches {
			for i, s := range all {
				if slices.Equal(s[0], a) && audit.Neighbouring(r, s[1], b) || slices.Equal(s[1], b) && audit.Neighbouring(r, s[0], a) {
					w.Pairs = append(w.Pairs, [2]int{i, len(all)})
				}
			}
			all = append(all, [2][]int64{a, b})
			w.Tables = append(w.Tables, []audittest.Examples{table(a), table(b)})
		}
	}
	return w
}

// The hypotheses of a series together satisfy the sum of their ε, and nearly attain it. Refuted are
// the ε of a single hypothesis, and the rate of add-remove under replace-one.
func TestLearnLeader(t *testing.T) {
	constants := audittest.NewCorner(t, []int{1}, 0, audittest.Examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}})
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	base := func(r privacy.Relation) *learn.Exponential[[]uint16, scorecard.Card] {
		m, err := learn.NewExponential(constants, privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	promise := func(r privacy.Relation, rounds int) privacy.Guarantee {
		l, err := learn.NewLeader(base(r), 3)
		if err != nil {
			t.Fatal(err)
		}
		g, err := l.Guarantee(rounds)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, v := range []struct {
		name string
		m    series
		want audit.Verdict
	}{
		{"shipped", series{promise(replace, 2), base(replace), 3}, audit.Verdict{0.9, 1}},
		{"shipped, add-remove", series{promise(addRemove, 2), base(addRemove), 3}, audit.Holds},
		{"the promise of one", series{promise(replace, 1), base(replace), 3}, audit.Verdict{1.8, 2}},
		{"add-remove's rate under replace", series{promise(replace, 2), base(addRemove), 3}, audit.Verdict{1.8, 2}},
	} {
		t.Run(v.name, func(t *testing.T) {
			o, rows := audit.InFull(1e-6, 1e-9), 3
			if !v.m.promised.Relation().Replaces() {
				rows = heavy.Pick(1, 3)
			}
			if v.want.Least > 1 { // few paths suffice to refute it
				o = audit.InFull(1e-5, 1e-9)
			}
			r, err := audit.CheckMechanism(v.m, func(s string) string { return s }, streams(v.m.promised.Relation(), rows, constants.Table), o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
			if v.want.Most == 1 && !r.Confirmed(0.01) {
				t.Error("not confirmed")
			}
		})
	}
}
