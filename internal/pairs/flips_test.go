package pairs

import (
	"context"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// flipped is the bound of theorem 2 for t columns whose values u sum to sum.
func flipped(d, t int, sum, largest float64) float64 {
	return float64(d+1-t)*(float64(t)+sum)/2 + (float64(t*(t-1))-sum*sum+largest*sum)/4
}

// The result of flips is the maximum of the bound over the number of changed columns and over all sums between the
// extreme ones. It is at least every value on a fine grid, and close to the greatest of them. The arguments are not
// modified.
func TestFlips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	within := [2]int{} // the numbers of maxima inside the range of sums, and at its ends
	for range 300 {
		var u []*big.Rat
		var values []float64
		for range 1 + r.IntN(7) {
			signs := int64(1)<<(1+r.IntN(5)) - 1
			if r.IntN(3) == 0 {
				signs = 1
			}
			u = append(u, big.NewRat(1, signs))
			values = append(values, 1/float64(signs))
		}
		given := slices.Clone(u)
		exact := flips(u)
		got, _ := exact.Float64()
		if !slices.Equal(given, u) {
			t.Errorf("the columns are in another order")
		}
		slices.Sort(values)
		d := len(u)
		const steps = 400
		most, at := 0.0, 0
		for changed := 1; changed <= d; changed++ {
			least, largest := 0.0, 0.0
			for i := range changed {
				least, largest = least+values[i], largest+values[d-1-i]
			}
			for k := range steps + 1 {
				if f := flipped(d, changed, least+(largest-least)*float64(k)/steps, values[d-1]); f > most {
					most, at = f, k
				}
			}
		}
		if at > 0 && at < steps {
			within[0]++
		} else {
			within[1]++
		}
		// Near its maximum the bound has a curvature of at most ½.
		if got < most-1e-12 || got > most+float64(d*d)/(steps*steps) {
			t.Errorf("%v: %g, where the bound is at most %g", u, got, most)
		}
	}
	if within[0] == 0 || within[1] == 0 {
		t.Errorf("the largest is between the ends of sums %d times, and at one %d times", within[0], within[1])
	}
}

// The queries that a release announces are those that it makes.
func TestAsks(t *testing.T) {
	for _, c := range []struct {
		sizes    []int
		outcomes int
	}{{[]int{2}, 0}, {[]int{2, 1, 5}, 0}, {[]int{3, 4, 2, 9}, 3}, {[]int{1, 1}, 2}} {
		m := mechanism(t, c.sizes, c.outcomes, privacy.AddRemove, big.NewRat(1, 2))
		d := &tabletest.Asked{Counts: made(t, c.sizes, max(c.outcomes, 2), 30, 1)}
		if _, err := m.Release(context.Background(), d, noise.Insecure(1)); err != nil {
			t.Fatal(err)
		}
		if got := m.Queries().Columns; !reflect.DeepEqual(got, d.Columns) || len(got) == 0 {
			t.Errorf("%d: %v is asked, and %v said", c.sizes, d.Columns, got)
		}
	}
}
