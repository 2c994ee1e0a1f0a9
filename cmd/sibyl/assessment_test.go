package main

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/learn"
)

// Whatever the true counts and the noise within the half-widths, every interval holds,
// under both relations, and each number lies in its own.
func TestAssessmentHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Int64Range(0, 12).Draw(t, "one")
		two := rapid.Int64Range(0, 2*one).Draw(t, "two")
		var truth [learn.Outcomes]int64
		var off [learn.Outcomes]int64
		noisy := make([]*big.Int, learn.Outcomes)
		rows := int64(0)
		for i := range truth {
			truth[i] = rapid.Int64Range(0, 20).Draw(t, "true")
			off[i] = rapid.Int64Range(-one, one).Draw(t, "noise")
			rows += truth[i]
		}
		for _, pair := range [][2]learn.Outcome{{learn.FalsePositive, learn.FalseNegative}, {learn.TruePositive, learn.TrueNegative}} {
			if sum := off[pair[0]] + off[pair[1]]; sum > two || sum < -two {
				off[pair[0]], off[pair[1]] = 0, 0
			}
		}
		for i := range truth {
			noisy[i] = big.NewInt(truth[i] + off[i])
		}
		public := big.NewInt(rows)
		if rapid.Bool().Draw(t, "private rows") {
			public = nil
		}
		loss := learn.Loss{FalsePositive: 3, FalseNegative: 2}
		a := assess(noisy, big.NewInt(one), big.NewInt(two), public, loss)

		tp, fn, fp, tn := truth[learn.TruePositive], truth[learn.FalseNegative], truth[learn.FalsePositive], truth[learn.TrueNegative]
		for name, c := range map[string]struct {
			got  count
			want int64
		}{
			"inside": {a.inside, tp + fn + fp + tn}, "errors": {a.errors, fp + fn}, "cost": {*a.cost, 3*fp + 2*fn},
			"outside": {a.outcomes[learn.Outside], truth[learn.Outside]}, "true positive": {a.outcomes[learn.TruePositive], tp},
		} {
			if v := big.NewInt(c.want); v.Cmp(c.got.least) < 0 || v.Cmp(c.got.most) > 0 {
				t.Fatalf("%s: %d is not in %v to %v", name, c.want, c.got.least, c.got.most)
			}
			if c.got.value.Cmp(c.got.least) < 0 || c.got.value.Cmp(c.got.most) > 0 {
				t.Fatalf("%s: about %v, in %v to %v", name, c.got.value, c.got.least, c.got.most)
			}
		}
		for name, s := range map[string]struct {
			got  share
			a, b int64
		}{
			"accuracy": {a.accuracy, tp + tn, fp + fn}, "sensitivity": {a.sensitivity, tp, fn}, "specificity": {a.specificity, tn, fp},
		} {
			for _, v := range []*big.Rat{ratio(big.NewInt(s.a), big.NewInt(s.b)), s.got.value} {
				if v != nil && (v.Cmp(s.got.least) < 0 || v.Cmp(s.got.most) > 0) {
					t.Fatalf("%s: %v is not in %v to %v", name, v, s.got.least, s.got.most)
				}
			}
		}
	})
}

// Shares are rounded outward.
func TestShareRounding(t *testing.T) {
	for _, c := range []struct {
		a, b           int64
		down, near, up string
		exactly        bool
	}{
		{a: 2, b: 3, down: "66.66 %", near: "66.67 %", up: "66.67 %"},
		{a: 1, b: 3, down: "33.33 %", near: "33.33 %", up: "33.34 %"},
		{a: 1, b: 1, down: "100.00 %", near: "100.00 %", up: "100.00 %", exactly: true},
		{a: 0, b: 1, down: "0.00 %", near: "0.00 %", up: "0.00 %", exactly: true},
		{a: 99999, b: 100000, down: "99.99 %", near: "100.00 %", up: "100.00 %"},
		{a: 1, b: 8, down: "12.50 %", near: "12.50 %", up: "12.50 %", exactly: true},
	} {
		r := big.NewRat(c.a, c.b)
		if d, n, u := percentage(r, -1), percentage(r, 0), percentage(r, 1); d != c.down || n != c.near || u != c.up {
			t.Errorf("%v: %s, %s, %s", r, d, n, u)
		}
		low, high := new(big.Rat).SetFloat64(below(r)), new(big.Rat).SetFloat64(above(r))
		if low.Cmp(r) > 0 || high.Cmp(r) < 0 || (low.Cmp(high) == 0) != c.exactly {
			t.Errorf("%v: between %v and %v", r, low, high)
		}
	}
}
