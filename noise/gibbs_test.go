package noise

import (
	"math/big"
	"strconv"
	"testing"
)

// Gibbs samples indices with weights e^{-λ·cost}. A constant that is added to all costs changes
// nothing.
func TestGibbsLaw(t *testing.T) {
	lambda := rat("2/5")
	for _, costs := range [][]int64{{7}, {0, 0}, {3, 1, 1, 40}, {-1 << 62, 2 - 1<<62, 5 - 1<<62}} {
		law := func(of []int64) map[string]enclosure {
			weights := make([]enclosure, len(of))
			for i, c := range of {
				weights[i] = expNeg(times(c-of[0]+40, lambda))
			}
			return normalised(weights, exact(0), false)
		}
		draw := func(c Coins) string { return strconv.Itoa(Gibbs(c, costs, lambda)) }
		if err := refute(loop{n: 1}, draw, law(costs)); err != nil {
			t.Errorf("%d: %v", costs, err)
		}
		wrong := append([]int64(nil), costs...)
		wrong[0]--
		if len(costs) > 1 && refute(loop{n: 1}, draw, law(wrong)) == nil {
			t.Errorf("%d: a wrong law passes", costs)
		}
	}
}

// The mean number of proposals is at most the length of the list.
func TestGibbsProposals(t *testing.T) {
	costs := make([]int64, 100)
	for i := range costs {
		costs[i] = 1000
	}
	costs[41] = 0
	tally := &tallied{Coins: Insecure(1)}
	for range 100 {
		if i := Gibbs(tally, costs, big.NewRat(1, 1)); i != 41 {
			t.Fatalf("index %d of cost %d is drawn", i, costs[i])
		}
	}
	if tally.proposals > 20_000 {
		t.Errorf("%d proposals in 100 draws", tally.proposals)
	}
}

// tallied are coins that count the calls of Uint64n.
type tallied struct {
	Coins
	proposals int
}

func (t *tallied) Uint64n(n uint64) uint64 {
	t.proposals++
	return t.Coins.Uint64n(n)
}
