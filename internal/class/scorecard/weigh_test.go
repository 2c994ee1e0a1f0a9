package scorecard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// If the least costs of the cost tables require different offsets, sums that consist of rounding errors
// must not be reported as tight.
func TestTreeOfLargeCosts(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	for seed := range heavy.Pick(8, 20) {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		var p problem
		for _, x := range c.Domain {
			p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{rng.Int64N(300), rng.Int64N(300)}})
		}
		classtest.Tree(t, c, p, classtest.FromSeed(seed))
	}
}
