package opsamp_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/papers/opsamp"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// scaled is a random source. Its geometric samples are given, and its Laplace samples are a given multiple of
// their scale.
type scaled struct {
	noise.Coins
	terms []int64
	part  []float64
}

func (c *scaled) Draw(s noise.Sampler) *big.Int {
	if l, ok := s.(noise.Laplace); ok {
		k := new(big.Float).SetRat(l.Scale)
		k.Mul(k, big.NewFloat(c.part[0]))
		c.part = c.part[1:]
		n, _ := k.Int(nil)
		return n
	}
	k := c.terms[0]
	c.terms = c.terms[1:]
	return big.NewInt(k)
}

// On an empty table the linear function determines the minimizers, which are corners of the box. OPSamp adds
// noise of scale λ/ε to the mean of the corners, and clips the result to the box.
func TestOPSampMean(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	// The coefficients of a random linear function are geometric samples in units of 1/16, minus 1/η, which
	// is 1,600 units.
	o := opsamp.Perturbation{Bound: 3, Calls: 4, Rate: privacytest.Decimal(t, "0.01"), Slack: privacytest.Decimal(t, "0.1")}
	m, err := opsamp.New(f, o, privacytest.Decimal(t, "50"), privacytest.Decimal(t, "1e-4"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	coins := &scaled{
		terms: []int64{1599, 1601, 1601, 1601, 0, 9999, 1599, 1599},
		part:  []float64{0.5, 40},
	}
	l, err := m.Release(context.Background(), nil, coins)
	if err != nil {
		t.Fatal(err)
	}
	scale, _ := m.Sensitivity().Float64()
	scale /= 50
	if want := 3*(-1+1-1-1)/4.0 + scale/2; len(l.Weights) != 2 || math.Abs(l.Weights[0]-want) > 1e-9 || l.Weights[1] != 3 {
		t.Errorf("weights %v, not %v and 3 (scale %v)", l.Weights, want, scale)
	}
	if len(coins.terms)+len(coins.part) > 0 {
		t.Errorf("samples %v were not used", coins)
	}
}
