package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/pairs"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// On tables of every shape, the total privacy loss of synthetic data, from counts, contrasts and
// choices, is at most ρ and nearly reaches it somewhere. Some choices have hundreds of candidates.
func TestSynthSweep(t *testing.T) {
	all, most := audit.Shapes(1), 0
	for i, r := range audittest.Relations {
		shapes := all
		if !heavy.On() { // each under one relation
			shapes = nil
			for j, s := range all {
				if j%len(audittest.Relations) == i {
					shapes = append(shapes, s)
				}
			}
		}
		worst, candidates := audittest.CoupleRho(t, shapes, r, heavy.Pick(2, 4), func(s audit.Shape) (privacy.Guarantee, func(*table.Table) func(noise.Coins) (audit.Release, error)) {
			var d synth.Domain
			for _, n := range append(s.Sizes[:len(s.Sizes):len(s.Sizes)], s.Labels) {
				d.Columns = append(d.Columns, synth.Column{Size: n, Ordered: n > 4})
			}
			d.Outcome = true
			if n := s.Sizes[0]; n > 2 { // the first value of the first column has two bins, and the others have one
				bins := make([]uint16, n)
				for b := range n - 1 {
					bins[b+1] = uint16(b)
				}
				d.Columns[0].Size, d.Bins = n-1, [][]uint16{bins}
			}
			plan, err := synth.NewPlan(d, synth.Budget{Relation: r, Rho: privacytest.Decimal(t, "60"), Rows: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			plan.Rounds = min(plan.Rounds, heavy.Pick(2, 6))
			m := synth.NewMechanism(plan, synth.Fitting{Options: loglinear.Options{Particles: heavy.Pick(20, 100)}})
			return plan.Guarantee(), func(d *table.Table) func(noise.Coins) (audit.Release, error) {
				return func(c noise.Coins) (out audit.Release, err error) {
					made, err := m.Release(context.Background(), d, c)
					if err != nil {
						return out, err
					}
					for _, of := range made.Measured.Columns {
						out.Numbers = append(out.Numbers, audittest.Bigs(of.Counts...)...)
					}
					if of := made.Measured.Number; of != nil {
						out.Numbers = append(out.Numbers, audittest.Bigs(of.Counts...)...)
					}
					for _, of := range made.Measured.Bins {
						out.Numbers = append(out.Numbers, audittest.Bigs(of.Counts...)...)
					}
					for _, of := range made.Measured.Columns {
						out.Numbers = append(out.Numbers, audittest.Bigs(of.Again...)...)
					}
					for _, of := range made.Measured.Pairs {
						out.Numbers = append(out.Numbers, audittest.Bigs(of.Counts...)...)
					}
					for _, round := range made.Measured.Rounds {
						out.Choices++
						out.Rest += fmt.Sprint(round.Fewer, round.Measurement.Axes)
						out.Numbers = append(out.Numbers, audittest.Bigs(round.Measurement.Counts...)...)
					}
					return out, nil
				}
			}
		})
		t.Logf("%v: at most %.4f of ρ, up to %d candidates", r, worst, candidates)
		if most = max(most, candidates); worst < 0.6 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
	if most < 100 {
		t.Errorf("choices are of up to %d candidates", most)
	}
}

// On tables of every shape, the privacy loss of the noisy sums of signs is at most ρ or μ², and nearly
// reaches it somewhere.
func TestPairsSweep(t *testing.T) {
	for _, r := range audittest.Relations {
		for _, g := range []privacy.GaussianBudget{zcdp(t, r, big.NewRat(1, 2)), gdp(t, r, big.NewRat(1, 1))} {
			worst, _ := audittest.CoupleRho(t, audit.Shapes(2), r, 10, func(s audit.Shape) (privacy.Guarantee, func(*table.Table) func(noise.Coins) (audit.Release, error)) {
				m, err := pairs.New(s.Sizes, s.Labels, g)
				if err != nil {
					t.Fatal(err)
				}
				return m.Guarantee(), func(d *table.Table) func(noise.Coins) (audit.Release, error) {
					return func(c noise.Coins) (out audit.Release, err error) {
						out.Numbers, err = m.Release(context.Background(), d, c)
						return out, err
					}
				}
			})
			t.Logf("%v: at most %.4f of the %T", r, worst, g)
			if worst < 0.985 {
				t.Errorf("%v: at most %.4f of the %T is lost", r, worst, g)
			}
		}
	}
}

// On tables of every shape, the privacy loss of the counts of grades and labels is at most ε and
// reaches it somewhere: for rows, persons and null rows, and for many grades and labels.
func TestRiskSweep(t *testing.T) {
	epsilon := privacytest.Decimal(t, "0.7")
	for _, r := range audittest.Relations {
		worst := audittest.CoupleEpsilon(t, audit.Shapes(3), r, epsilon.Rat(), func(s audit.Shape, d *table.Table, c noise.Coins) (audit.Release, error) {
			last := len(s.Sizes) - 1
			var predicted []int // from the values of the last column
			for v := range s.Sizes[last] {
				predicted = append(predicted, v%s.Labels)
			}
			scale, err := risk.Leaves(s.Labels, predicted)
			if err != nil {
				return audit.Release{}, err
			}
			m, err := learn.NewHistogram(scale.Cells(), epsilon, r)
			if err != nil {
				return audit.Release{}, err
			}
			return audittest.Numbers(m.Release(context.Background(), scale.Count(d, func(x table.Record) int { return 1 + int(x[last]) }), c))
		})
		if worst < 1 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
	}
}

// The exponential mechanism satisfies and attains its ε on tables that are large, skewed, of one
// label or empty, under both relations, for rows and persons, and with unequal costs of
// misclassifications.
func TestExponentialSweep(t *testing.T) {
	c := audittest.Line(t)
	skewed := learn.Loss{FalsePositive: 1, FalseNegative: 5}
	for i, r := range heavy.Pick(audittest.Relations[:2], audittest.Relations) {
		losses := []learn.Loss{learn.ZeroOne, skewed}
		for _, l := range heavy.Pick(losses[i%2:i%2+1], losses) { // quick: one under each relation
			m, err := learn.NewExponential(c, privacytest.Decimal(t, "1.3"), r, l)
			if err != nil {
				t.Fatal(err)
			}
			one := learn.Units(r)
			laws := map[string]audit.Law[string]{}
			law := func(counts []int64) audit.Law[string] {
				key := fmt.Sprint(counts)
				if _, known := laws[key]; !known {
					units := make([]int64, len(counts))
					for i, n := range counts {
						units[i] = n * one
					}
					laws[key] = audit.LawOf(t, func(coins noise.Coins) string {
						h, err := m.Release(context.Background(), c.Table(units), coins)
						if err != nil {
							t.Fatal(err)
						}
						return audittest.CardName(h)
					}, audit.InFull(1e-6, 1e-10))
				}
				return laws[key]
			}
			worst := 0.0
			for _, counts := range heavy.Pick([][]int64{{1, 0, 9, 0}, {15, 90, 0, 3}}, [][]int64{{0, 0, 0, 0}, {1, 0, 9, 0}, {150, 149, 0, 3}, {0, 200, 0, 200}, {40, 40, 41, 40}}) {
				for more := range counts {
					for fewer := range counts {
						other := slices.Clone(counts)
						if r.Replaces() {
							if counts[fewer] == 0 || fewer == more {
								continue
							}
							other[fewer]--
						} else if fewer > 0 {
							continue
						}
						other[more]++
						got := audit.Compare(law(counts), law(other))
						if got.Lower > 1.3*(1+1e-9) {
							t.Errorf("%v, %v: %v and %v: a loss of %g", r, l, counts, other, got.Lower)
						}
						worst = max(worst, got.Lower)
					}
				}
			}
			if worst < 0.4*1.3 {
				t.Errorf("%v, %v: at most %g is lost", r, l, worst)
			}
		}
	}
}
