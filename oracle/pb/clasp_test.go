package pb_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/network"
	"github.com/sibyl-dp/sibyl/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/oracle/solver"
	"github.com/sibyl-dp/sibyl/oracle/pb"
)

type (
	record    = []uint16
	minimizer = oracle.Minimizer[record, scorecard.Card]
)

// clasp finds the solver.
func clasp(t testing.TB) network.Solver {
	p, err := solver.Find("clasp")
	if err != nil {
		shareddata.Missing(t, "clasp is not installed: "+err.Error())
	}
	return pb.Clasp(p)
}

// cards returns the oracle for classes of scorecards.
func cards(s network.Solver) oracletest.New[record, scorecard.Card] {
	return func(c class.Enumerable[record, scorecard.Card]) (minimizer, error) {
		return network.New(network.Scorecards(c.(*scorecard.Class)), s), nil
	}
}

func TestClaspWeird(t *testing.T) {
	s := clasp(t)
	for name, c := range scorecardtest.Fixed() {
		t.Run(name, func(t *testing.T) { oracletest.Run(t, c, cards(s)) })
	}
}

func TestClaspRandom(t *testing.T) {
	s := clasp(t)
	for seed := range 60 {
		draw := classtest.FromSeed(seed)
		c := scorecardtest.Random(draw, 2000)
		oracletest.Problem(t, c, c.Random(draw), cards(s), "random")
	}
}
