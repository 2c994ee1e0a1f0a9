package learn_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newCount(t *testing.T, epsilon string) *learn.Count {
	t.Helper()
	e, err := privacy.ParseDecimal(epsilon)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewCount(e, privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCountHalfWidth compares the interval with the law summed up term by term.
func TestCountHalfWidth(t *testing.T) {
	for epsilon, e := range map[string]float64{"0.01": 0.01, "0.5": 0.5, "1": 1, "1.5": 1.5, "3": 3, "4": 4, "100": 100} {
		inside, want := math.Tanh(e/2), int64(0) // P(0) = (1-q)/(1+q)
		for inside < learn.Confidence {
			want++
			inside += 2 * math.Tanh(e/2) * math.Exp(-e*float64(want))
		}
		if got := newCount(t, epsilon).HalfWidth(); got.Int64() != want {
			t.Errorf("ε = %s: %v, want %d", epsilon, got, want)
		}
	}
	if got := newCount(t, "1e-99").HalfWidth(); got.BitLen() < 320 {
		t.Errorf("ε = 1e-99: %v", got)
	}
}

// oneDraw are coins that note the laws drawn from, and draw 0.
type oneDraw struct {
	noise.Coins
	laws []string
}

func (c *oneDraw) Draw(s noise.Sampler) *big.Int {
	c.laws = append(c.laws, s.String())
	return new(big.Int)
}

// TestCountLaw checks that the only randomness is one discrete Laplace draw of
// scale 1/ε, whose mass falls by e^{-ε} with each step: hence ε-DP for a number
// that moves by at most one.
func TestCountLaw(t *testing.T) {
	coins := &oneDraw{}
	got, err := newCount(t, "0.4").Release(context.Background(), 41, coins)
	if err != nil || got.Int64() != 41 {
		t.Errorf("%v, %v", got, err)
	}
	if len(coins.laws) != 1 || coins.laws[0] != "Laplace(5/2)" {
		t.Errorf("drawn from %v", coins.laws)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if got, err := newCount(t, "0.4").Release(ended, 41, coins); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
