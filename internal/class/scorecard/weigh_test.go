package scorecard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
)

// Where each slot asks for other offsets, at costs of which a rate makes much, sums are
// not called tight that are made of roundings.
func TestTreeOfLargeCosts(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	for seed := range 20 {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		var p problem
		for _, x := range c.Domain {
			p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{rng.Int64N(300), rng.Int64N(300)}})
		}
		classtest.Tree(t, c, p, classtest.FromSeed(seed))
	}
}
