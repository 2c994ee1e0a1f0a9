package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// The refuted shares are exactly those below the lower end, tested on a fine grid: for any noisy
// counts, also negative ones, and any noise, number of cells, and number of rows or persons.
func TestLeastIsBelowAllNotRefuted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	const grid = 400
	refuted := 0
	for range heavy.Pick(500, 1500) {
		scale := math.Exp(4*random.Float64() - 2)
		number := func() float64 {
			return (random.NormFloat64() + random.Float64()) * scale * math.Exp(5*random.Float64())
		}
		x, y := unadjusted(number(), 1+random.IntN(4)), unadjusted(number(), 1+random.IntN(30))
		l := strayer{scale: scale, units: 1, sampling: random.IntN(2) == 0, log: 1 + 8*random.Float64()}
		rows := 0.
		if l.sampling {
			rows = max(l.rows(x.plus(y)), math.Exp(12*random.Float64())) // of persons, part of whose rows may be in other cells
		}
		least := l.least(x, y, rows)
		for i := range grid + 1 {
			p := float64(i) / grid
			switch {
			case p < least-rounding && l.excess(p, x, y, rows) < 0:
				t.Fatalf("%+v of %+v and %+v, %v rows: %v is not refuted and below %v", l, x, y, rows, p, least)
			case p < least:
				refuted++
			case p > least+rounding && y.sum >= 0 && l.excess(p, x, y, rows) >= 0:
				t.Fatalf("%+v of %+v and %+v, %v rows: %v is refuted and above %v", l, x, y, rows, p, least)
			}
		}
	}
	if refuted == 0 {
		t.Error("nothing was refuted")
	}
}

// unadjusted returns the sum of the noisy counts of n cells, which is also the estimate of their number of rows.
func unadjusted(sum float64, n int) cells { return cells{sum, n, sum} }
