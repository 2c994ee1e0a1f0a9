package parity_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/oracletest"
)

type minimizer = oracle.Minimizer[record, parity.Parity]

var oracles = map[string]oracletest.New[record, parity.Parity]{
	"exhaustive": oracle.Exhaust[record, parity.Parity],
	"search":     func(c enumerable) (minimizer, error) { return oracle.Search[record, parity.Parity](c), nil },
}

func TestOraclesWeird(t *testing.T) {
	for name, newOracle := range oracles {
		for of, c := range paritytest.Fixed() {
			t.Run(name+"/"+of, func(t *testing.T) {
				oracletest.Run(t, c, newOracle)
				oracletest.Run(t, inTable(t, c), newOracle)
			})
		}
	}
}

func TestSearchRandom(t *testing.T) {
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 2000)
		oracletest.Problem(t, c, c.Random(draw), oracles["search"], "random")
	}
}
