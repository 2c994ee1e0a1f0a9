package audit_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The points of naive Bayes are a function of noisy counts. Their privacy loss is at most ε, or ρ, on
// tables of every shape, for rows and for persons. Some table attains this bound.
func TestNaiveBayesSweep(t *testing.T) {
	rho, epsilon, shapes := big.NewRat(1, 20), privacytest.Decimal(t, "0.3"), audittest.TwoLabels(audit.Shapes(4))
	for _, r := range audittest.Relations {
		release := func(g privacy.Guarantee) func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error) {
			return func(s audit.Shape, d *table.Table, c noise.Coins) (audit.Release, error) {
				m, err := learn.NewNaiveBayes(s.Sizes, g, 1000)
				if err != nil {
					return audit.Release{}, err
				}
				return audittest.OfCategories(d, c, func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) })
			}
		}
		audittest.CoupleBudgets(t, shapes, r, epsilon, rho, release)
		audittest.CoupleMu(t, shapes, r, privacytest.Decimal(t, "0.2"), release)
	}
}

// orders returns, for attributes of the given sizes, whether their categories have an order: every second attribute.
func orders(sizes []int) []bool {
	ordered := make([]bool, len(sizes))
	for j := range ordered {
		ordered[j] = j%2 == 0
	}
	return ordered
}

// On tables of every shape, the card that WeightedNaiveBayes releases is a function of noisy counts and of one
// choice. The privacy loss of the counts is at most their part of ε, and that of the choice is at most the rest. On
// some table, both together lose nearly all of ε.
func TestWeightedSweep(t *testing.T) {
	epsilon, counts := privacytest.Decimal(t, "2"), privacytest.Decimal(t, "0.5")
	for _, r := range audittest.Relations[:2] { // it does not support persons
		worst := audittest.CoupleEpsilon(t, audittest.TwoLabels(audit.Shapes(7)), r, epsilon.Rat(), func(s audit.Shape, d *table.Table, c noise.Coins) (audit.Release, error) {
			m, err := learn.NewWeightedNaiveBayes(s.Sizes, orders(s.Sizes), epsilon, counts, r, 6, heavy.Pick(27, 729))
			if err != nil {
				return audit.Release{}, err
			}
			out, err := audittest.OfCategories(d, c, func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) })
			out.Choices = 1
			return out, err
		})
		t.Logf("%v: at most %.4f of ε", r, worst)
		if worst < 0.95 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
	}
}
