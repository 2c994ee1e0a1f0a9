package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// A corner is a small class of scorecards with the kinds of records that make
// its worlds.
type corner struct {
	*scorecard.Class
	kinds []record
}

type record struct {
	x     []uint16
	label int
}

func newCorner(t testing.TB, o scorecard.Options, kinds []record, attributes ...scorecard.Attribute) corner {
	t.Helper()
	c, err := scorecard.New(attributes, o)
	if err != nil {
		t.Fatal(err)
	}
	return corner{c, kinds}
}

// problem charges a card g for every error, and the given terms.
func (c corner) problem(table []int64, g int64, terms []int64) class.Problem[[]uint16] {
	p := class.Problem[[]uint16]{Terms: terms, Unit: g}
	for i, n := range table {
		pt := class.Point[[]uint16]{X: c.kinds[i].x}
		pt.Cost[1-c.kinds[i].label] = n * g
		p.Points = append(p.Points, pt)
	}
	return p
}

// cards returns all cards, for attributes of two categories with points 0 or 1.
func (c corner) cards(attributes int) (all []scorecard.Card) {
	for bits := range 1 << (2 * attributes) {
		var h scorecard.Card
		for j := range attributes {
			h.Points = append(h.Points, []int{bits >> (2 * j) & 1, bits >> (2*j + 1) & 1})
		}
		if c.Contains(h) {
			all = append(all, h)
		}
	}
	return all
}

func (c corner) exponential(lambda *big.Rat) func([]int64, noise.Coins) (string, error) {
	return func(table []int64, coins noise.Coins) (string, error) {
		tree, err := c.Tree(c.problem(table, 1, nil))
		if err != nil {
			return "", err
		}
		h, err := search.Sample(context.Background(), tree, lambda, coins)
		return fmt.Sprint(h), err
	}
}

func (c corner) rspm(grid int64, perturb func(noise.Coins) []int64) func([]int64, noise.Coins) (string, error) {
	return func(table []int64, coins noise.Coins) (string, error) {
		tree, err := c.Tree(c.problem(table, grid, perturb(coins)))
		if err != nil {
			return "", err
		}
		s, err := search.Minimize(context.Background(), tree, search.Options{})
		return fmt.Sprint(s.Hypothesis), err
	}
}

// square has 16 cards, and a penalty on those that use attributes.
func square(t testing.TB) corner {
	return newCorner(t, scorecard.Options{Threshold: 1, Penalty: 1},
		[]record{{[]uint16{0, 0}, 1}, {[]uint16{0, 1}, 0}, {[]uint16{1, 1}, 1}, {[]uint16{1, 1}, 0}},
		scorecard.OneHot(2, 0, 1), scorecard.OneHot(2, 0, 1))
}

// line has 4 cards, and all its kinds of records.
func line(t testing.TB) corner {
	return newCorner(t, scorecard.Options{Threshold: 1},
		[]record{{[]uint16{0}, 0}, {[]uint16{0}, 1}, {[]uint16{1}, 0}, {[]uint16{1}, 1}},
		scorecard.OneHot(2, 0, 1))
}

// The shipped sampler has the law e^{-λ·c(q)} on every table: bounds, gauge,
// frontier and rounds.
func TestSearchSampleLaw(t *testing.T) {
	c := square(t)
	all := c.cards(2)
	for _, table := range [][]int64{{0, 0, 0, 0}, {1, 2, 0, 0}, {1, 0, 1, 3}} {
		run := c.exponential(big.NewRat(3, 2))
		law := enumerate(t, func(coins noise.Coins) string {
			h, err := run(table, coins)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}, Options{Floor: 1e-11})
		total := 0.0
		weight := func(h scorecard.Card) float64 {
			return math.Exp(-1.5 * float64(class.Cost(c.Class, c.problem(table, 1, nil), h)))
		}
		for _, h := range all {
			total += weight(h)
		}
		for _, h := range all {
			lo, hi := law.Bounds(fmt.Sprint(h))
			if want := weight(h) / total; want < lo*(1-1e-12) || want > hi*(1+1e-12) || hi-lo > 1e-8 {
				t.Errorf("table %v: P(%v) = %g, enclosed by [%g, %g]", table, h, want, lo, hi)
			}
		}
	}
}

// The exponential mechanism as in TestExponentialMechanism, by the shipped
// trees and sampler.
func TestSearchSample(t *testing.T) {
	for _, c := range []struct {
		lambda *big.Rat
		r      privacy.Relation
		want   verdict
	}{
		{big.NewRat(1, 1), privacy.ReplaceOne, holds},
		{big.NewRat(2, 1), privacy.ReplaceOne, verdict{1.9, 2}},
		{big.NewRat(2, 1), privacy.AddRemove, holds},
	} {
		t.Run(fmt.Sprint(c.lambda, c.r), func(t *testing.T) {
			cards := square(t)
			check(t, c.want, cards.exponential(c.lambda), len(cards.kinds), "2", c.r, 3, Options{Floor: 1e-11})
		})
	}
}

// RSPM as in TestNeelRothWuTheorem6, by the shipped trees and minimiser, whose
// ties nobody controls.
func TestSearchMinimize(t *testing.T) {
	cards := line(t)
	epsilon := big.NewRat(3, 1)
	for _, c := range []struct {
		name    string
		perturb func(noise.Coins) []int64
		grid    int64
		r       privacy.Relation
		want    verdict
	}{
		{"laplace", laplace(2, epsilon, big.NewRat(3, 1)), 1, privacy.ReplaceOne, holds},
		{"laplace, grid 2, add-remove", laplace(2, epsilon, big.NewRat(3, 1)), 2, privacy.AddRemove, holds},
		{"cube", cube(2, epsilon, big.NewRat(3, 1)), 1, privacy.ReplaceOne, holds},
		{"cube, half the shift", cube(2, epsilon, big.NewRat(1, 1)), 1, privacy.ReplaceOne, verdict{1.3, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.want, cards.rspm(c.grid, c.perturb), len(cards.kinds), "3", c.r, 2, Options{Floor: 1e-10})
		})
	}
}
