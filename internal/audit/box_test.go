package audit_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type vectors = []learn.Example[[]int64]

// ranked is a box with another guarantee.
type ranked struct {
	*learn.Box
	other *learn.Box
}

func (m ranked) Guarantee() privacy.Guarantee { return m.other.Guarantee() }

// A sample from a box follows the exponential mechanism exactly, also with a ridge penalty, and
// satisfies its guarantee. The rate for add-remove is refuted under replace-one.
func TestLearnBox(t *testing.T) {
	box := func(s learn.BoxSpace, epsilon string, r privacy.Relation) *learn.Box {
		m, err := learn.NewBox(s, privacytest.Decimal(t, epsilon), r)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	plane := learn.BoxSpace{Dim: 2, Weight: 1, Feature: 1, Loss: learn.Hinge(2, 1), Ridge: 1}
	normed := learn.BoxSpace{Dim: 2, Weight: 1, Feature: 1, Norm: 1, Loss: learn.Hinge(1, 1)}
	axis := learn.BoxSpace{Dim: 1, Weight: 2, Feature: 1, Loss: learn.Hinge(2, 2)}
	kinds := vectors{{X: []int64{1, 0}, Label: true}, {X: []int64{1, 1}}, {X: []int64{-1, 9}, Label: true}}
	table := func(counts []int64) (d vectors) {
		for i, n := range counts {
			if n > 0 {
				e := kinds[i]
				e.Count = n
				d = append(d, e)
			}
		}
		return d
	}

	m, d := box(plane, "3", replace), table([]int64{2, 1, 1})
	law := audit.LawOf(t, func(c noise.Coins) string {
		w, err := m.Release(context.Background(), d, c)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(w)
	}, audit.Options{Floor: 1e-11, Recheck: audit.Rechecks})
	rate, _ := m.Rate().Float64()
	total, weights := 0.0, map[string]float64{}
	for a := int64(-1); a <= 1; a++ {
		for b := int64(-1); b <= 1; b++ {
			w := math.Exp(-rate * float64(m.Cost([]int64{a, b}, d)))
			weights[fmt.Sprint([]int64{a, b})] = w
			total += w
		}
	}
	for x, w := range weights {
		if lo, hi := law.Bounds(x); w/total < lo*(1-1e-12) || w/total > hi*(1+1e-12) || hi-lo > 1e-8 {
			t.Errorf("P(%s) = %g, enclosed by [%g, %g]", x, w/total, lo, hi)
		}
	}

	for _, v := range []struct {
		name string
		m    privacy.Mechanism[vectors, []int64]
		want audit.Verdict
	}{
		{"plane", box(plane, "2", replace), audit.Holds},
		{"plane, add-remove", box(plane, "2", addRemove), audit.Holds},
		{"plane of a norm", box(normed, "2", replace), audit.Holds},
		{"axis", box(axis, "2", replace), audit.Holds},
		{"axis, add-remove", box(axis, "2", addRemove), audit.Holds},
		{"add-remove's rate under replace", ranked{box(axis, "2", addRemove), box(axis, "2", replace)}, audit.Verdict{1.4, 2}},
	} {
		t.Run(v.name, func(t *testing.T) {
			o := audit.Options{Floor: 1e-10, Recheck: audit.Rechecks}
			r, err := audit.CheckMechanism(v.m, func(w []int64) string { return fmt.Sprint(w) }, audit.WorldOf(v.m.Guarantee().Relation(), len(kinds), 2, table), o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}
