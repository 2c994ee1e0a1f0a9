package parity_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
)

func TestOracles(t *testing.T) {
	oracletest.Own(t, suite())
	oracletest.Own(t, tables())
}

func TestSearchRandom(t *testing.T) {
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 2000)
		oracletest.Problem(t, c, c.Random(draw), oracletest.BySearch, "random")
	}
}
