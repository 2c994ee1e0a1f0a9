package readonce_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/readonce/readoncetest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	formula = readonce.Formula
	tabular = class.Tabular[record, formula]
)

// forgetful tabulates a modified problem.
type forgetful struct {
	tabular
	forget func(p problem) problem
}

func (c forgetful) Separator() int            { return class.SeparatorBits(c.tabular) }
func (c forgetful) Separate(h formula) []bool { return class.Separate(c.tabular, h) }

func (c forgetful) Tabulate(p problem) ([]int64, error) { return c.tabular.Tabulate(c.forget(p)) }

// shifted returns formula i+1 for index i.
type shifted struct{ tabular }

func (c shifted) Separator() int            { return class.SeparatorBits(c.tabular) }
func (c shifted) Separate(h formula) []bool { return class.Separate(c.tabular, h) }

func (c shifted) At(i int) formula { return c.tabular.At((i + 1) % int(c.Size().Int64())) }

// repeated yields the first formula twice and omits the last one.
type repeated struct{ tabular }

func (c repeated) Separator() int            { return class.SeparatorBits(c.tabular) }
func (c repeated) Separate(h formula) []bool { return class.Separate(c.tabular, h) }

func (c repeated) At(i int) formula { return c.tabular.At(max(0, i-1)) }

// short omits the last separator point and the cost of its term.
type short struct{ tabular }

func (c short) Separator() int { return class.SeparatorBits(c.tabular) - 1 }
func (c short) Separate(q formula) []bool {
	return class.Separate(c.tabular, q)[:class.SeparatorBits(c)]
}
func (c short) Tabulate(p problem) ([]int64, error) {
	if p.Terms != nil {
		p.Terms = append(p.Terms[:len(p.Terms):len(p.Terms)], 0)
	}
	return c.tabular.Tabulate(p)
}

// large returns a size that is 1 too large.
type large struct{ tabular }

func (c large) Separator() int            { return class.SeparatorBits(c.tabular) }
func (c large) Separate(h formula) []bool { return class.Separate(c.tabular, h) }

func (c large) Size() *big.Int   { return new(big.Int).Add(c.tabular.Size(), big.NewInt(1)) }
func (c large) At(i int) formula { return c.tabular.At(min(i, int(c.tabular.Size().Int64())-1)) }
func (c large) Tabulate(p problem) ([]int64, error) {
	costs, err := c.tabular.Tabulate(p)
	return append(costs, costs[len(costs)-1]), err
}

// strict evaluates NAND gates with unequal inputs to 0.
type strict struct{ tabular }

func (c strict) Separator() int            { return class.SeparatorBits(c.tabular) }
func (c strict) Separate(h formula) []bool { return class.Separate(c.tabular, h) }

func (c strict) Predict(q formula, x record) bool {
	label := c.tabular.Predict(q, x)
	for _, i := range q.Inputs {
		label = label && x[i%len(x)] == 0
	}
	return label
}

func TestTreeSuiteFails(t *testing.T) {
	c := readoncetest.Fixed()["categories with penalties"]
	p := problem{Unit: 3, Terms: make([]int64, class.SeparatorBits(c.Class))}
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for i := range p.Terms {
		p.Terms[i] = int64(i%5) - 2
	}
	good := c.Class.(tabular)
	for what, wrong := range map[string]tabular{
		"terms forgotten":        forgetful{good, func(p problem) problem { p.Terms = nil; return p }},
		"the unit forgotten":     forgetful{good, func(p problem) problem { p.Unit = 0; return p }},
		"points forgotten":       forgetful{good, func(p problem) problem { p.Points = p.Points[1:3]; return p }},
		"numbers shifted by one": shifted{good},
		"a formula twice":        repeated{good},
		"a separator point less": short{good},
		"a formula too many":     large{good},
		"predictions of another": strict{good},
	} {
		t.Run(what, func(t *testing.T) {
			made, err := tabulated.New(wrong)
			if err != nil {
				t.Fatal(err)
			}
			p := p
			p.Terms = p.Terms[:class.SeparatorBits(made)]
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				classtest.Tree(r, readoncetest.Case{Class: made, Domain: c.Domain}, p, classtest.FromSeed(1))
			}))
		})
	}
}
