package audittest

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Step is a mechanism that releases 1 with probability e^{ε·min(ones, most)}/1000, and 0 otherwise. Here ones is
// the number of rows with label 1. If min(ones, most) differs between two neighbours, the privacy loss on them is
// exactly ε.
type Step struct {
	guarantee privacy.Guarantee
	epsilon   *big.Rat
	most      int64
}

// NewStep returns a Step with the given ε and most, whose guarantee is ε-DP under the relation r.
func NewStep(t testing.TB, epsilon string, r privacy.Relation, most int64) Step {
	t.Helper()
	e := privacytest.Decimal(t, epsilon)
	g, err := privacy.NewPure(r, e)
	if err != nil {
		t.Fatal(err)
	}
	return Step{g, e.Rat(), most}
}

func (m Step) Guarantee() privacy.Guarantee { return m.guarantee }

func (m Step) Release(_ context.Context, d Examples, c noise.Coins) (int, error) {
	ones := int64(0)
	for _, e := range d {
		if e.Label {
			ones += e.Count
		}
	}
	x := new(big.Rat).SetInt64(-min(ones, m.most))
	return Bit(c.BernoulliScaledExp(big.NewRat(1, 1000), x.Mul(x, m.epsilon))), nil
}

// WorldOfRows returns the world of all tables of n rows. Each row is one of the kinds or null.
func WorldOfRows(kinds Examples, n int) audit.World[Examples] {
	return audit.WorldOfSize(len(kinds)+1, n, func(counts []int64) (d Examples) {
		for i, e := range kinds {
			if e.Count = counts[i]; e.Count > 0 {
				d = append(d, e)
			}
		}
		return d
	})
}

// ExamplesOf returns a function that builds, from a list counts, the table with counts[i] rows
// equal to kinds[i].
func ExamplesOf(kinds Examples) func([]int64) Examples {
	return Corner{Kinds: kinds}.Table
}
