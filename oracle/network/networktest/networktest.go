// Package networktest holds the suite that every solver of networks passes.
package networktest

import (
	"context"
	"errors"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/network"
	"github.com/sibyl-dp/sibyl/oracle/oracletest"
)

type (
	record   = []uint16
	instance = class.Problem[record]
	// Cards is an oracle for scorecards.
	Cards = oracle.Minimizer[record, scorecard.Card]
)

// Scorecards returns the oracle by the solver for classes of scorecards.
func Scorecards(s network.Solver) oracletest.New[record, scorecard.Card] {
	return func(c class.Enumerable[record, scorecard.Card]) (Cards, error) {
		return network.New(network.Scorecards(c.(*scorecard.Class)), s), nil
	}
}

// Run tries the solver on small classes. It must give a proven answer, without a
// budget, where no cost of a problem exceeds most.
func Run(t *testing.T, s network.Solver, most int64) {
	for name, c := range scorecardtest.Fixed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oracletest.Run(t, c, Scorecards(s))
			for name, p := range c.Weird() {
				answered(t, c, p, s, most, name)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		for seed := range 40 {
			draw := classtest.FromSeed(seed)
			c := scorecardtest.Random(draw, 2000)
			p := c.Random(draw)
			oracletest.Problem(t, c, p, Scorecards(s), "random")
			answered(t, c, p, s, most, "random")
		}
	})
}

// answered calls the oracle, which must answer, for a problem of small costs.
func answered(t *testing.T, c scorecardtest.Case, p instance, s network.Solver, most int64, name string) {
	t.Helper()
	if bound, ok := p.Range(); !ok || bound > most {
		return
	}
	o, err := Scorecards(s)(c.Class)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Minimize(context.Background(), p, oracle.Budget{}); err != nil {
		t.Errorf("%v, problem %q: %v", c.Class, name, err)
	}
}
