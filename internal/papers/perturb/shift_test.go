package perturb_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The sum of the shifts on the bits in which two hypotheses differ exceeds the change of costs by one
// record by at least one unit. With a smaller shift it does not, so that another hypothesis can have
// the same noisy cost.
func TestShift(t *testing.T) {
	for _, l := range []learn.Loss{learn.ZeroOne, {FalsePositive: 3, FalseNegative: 5}} {
		for grid := int64(1); grid <= 20; grid++ {
			for distance := 1; distance <= 7; distance++ {
				for r, moved := range map[privacy.Relation]int64{privacy.AddRemove: grid * l.Range(), privacy.ReplaceOne: 2 * grid * l.Range()} {
					shift := perturb.Shift(r, l, grid, distance)
					if h := int64(distance); h*shift <= moved || h*(shift-1) > moved {
						t.Errorf("%v, loss %v, grid %d, distance %d: wrong shift %d", r, l, grid, distance, shift)
					}
				}
			}
		}
	}
}

// A mechanism for a coded class uses the shift for the distance of the code, and the noise for this
// shift.
func TestShiftOfACode(t *testing.T) {
	cards, err := scorecard.New(scorecard.Uniform([]int{2, 2}, -1, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := coded.New(cards, 2)
	if err != nil {
		t.Fatal(err)
	}
	if class.Distance(c) != 2 || class.SeparatorBits(c) != 12 {
		t.Fatalf("wrong distance %d or number of bits %d", class.Distance(c), class.SeparatorBits(c))
	}
	for _, v := range []struct {
		r           privacy.Relation
		kind        perturb.Noise
		shift, over int64
	}{
		{privacy.ReplaceOne, perturb.Laplace, 17, 12 * 17}, // ⌈(2·16 + 1)/2⌉
		{privacy.AddRemove, perturb.Laplace, 9, 12 * 9},    // ⌈(16 + 1)/2⌉
		{privacy.ReplaceOne, perturb.Cube, 17, 17},
		{privacy.AddRemove, perturb.Cube, 9, 9},
	} {
		m, err := perturb.NewRSPM(oracle.Search(c), v.kind, privacytest.Decimal(t, "1"), v.r, learn.ZeroOne, 16)
		if err != nil {
			t.Fatal(err)
		}
		if rate := m.Rate(); m.Shift() != v.shift || !rate.Num().IsInt64() || rate.Num().Int64() != 1 || rate.Denom().Int64() != v.over {
			t.Errorf("%v, %v noise: wrong shift %d or rate %s", v.r, v.kind, m.Shift(), rate.RatString())
		}
	}
}
