package copula

import (
	"math"
	"slices"
	"testing"
)

// The scores of ordered values are conditional means of a standard normal variable. Other values have the score 0.
func TestNormalScores(t *testing.T) {
	scores := NewNormal().Scores([]float64{100, 100, 0, 100, 100, 77}, 5)
	for v, want := range []float64{-1.2711, -.3247, 0, .3247, 1.2711, 0} {
		if math.Abs(scores[v]-want) > .001 {
			t.Errorf("value %d has the score %.4f, not %.4f", v, scores[v], want)
		}
	}
	// A value without rows has the quantile as its score.
	if x := NewNormal().Scores([]float64{100, 0, 300}, 3)[1]; math.Abs(x+.6745) > .001 {
		t.Errorf("the first quartile is %.4f", x)
	}
	if x := NewNormal().Scores([]float64{0, 0, 0}, 3); !slices.Equal(x, []float64{-Most, -Most, -Most}) {
		t.Errorf("values without rows have the scores %v", x)
	}
}

// Probabilities and quantiles are those of the standard normal distribution, up to the error of interpolation.
func TestNormalProbabilities(t *testing.T) {
	n := NewNormal()
	for x := -5.; x <= 5; x += .37 {
		want := math.Erfc(-x/math.Sqrt2) / 2
		if p := n.probability(x); math.Abs(p-want) > 2e-5 {
			t.Errorf("the probability of numbers below %v is %v, not %v", x, p, want)
		}
		if back, _ := n.quantile(n.probability(x)); math.Abs(back-x) > 1e-6 {
			t.Errorf("the quantile at the probability of numbers below %v is %v", x, back)
		}
	}
	if low, high := n.probability(-9), n.probability(9); low != 0 || high != 1 {
		t.Errorf("numbers below -9 and 9 have the probabilities %v and %v", low, high)
	}
}
