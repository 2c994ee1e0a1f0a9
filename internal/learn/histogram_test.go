package learn_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"reflect"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newHistogram(t *testing.T, cells int, epsilon string, r privacy.Relation) *learn.Histogram {
	t.Helper()
	e := privacytest.Decimal(t, epsilon)
	m, err := learn.NewHistogram(cells, e, r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sumLaw returns the probabilities of the values 0..far of a sum of cells independent discrete Laplace
// variables with the given scale. It computes them by convolution.
func sumLaw(scale float64, cells, far int) []float64 {
	q := math.Exp(-1 / scale)
	one := make([]float64, 2*far+1)
	for i := range one {
		one[i] = (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(i-far)))
	}
	sum := one
	for range cells - 1 {
		next := make([]float64, len(one))
		for i, a := range sum {
			for j, b := range one {
				if k := i + j - far; k >= 0 && k < len(next) {
					next[k] += a * b
				}
			}
		}
		sum = next
	}
	return sum[far:]
}

// The half-width is the least that the exact distribution allows, for one cell and for sums of
// several.
func TestHistogramHalfWidth(t *testing.T) {
	for _, c := range []struct {
		epsilon  string
		relation privacy.Relation
		scale    float64
		far      int
	}{
		{"0.1", privacy.AddRemove, 10, 600},
		{"0.5", privacy.ReplaceOne, 4, 300},
		{"1", privacy.AddRemove, 1, 100},
		{"3", privacy.ReplaceOne, 2. / 3, 100},
		{"8", privacy.AddRemove, 1. / 8, 30},
		{"100", privacy.ReplaceOne, 1. / 50, 10},
	} {
		m := newHistogram(t, 5, c.epsilon, c.relation)
		for _, cells := range []int{1, 2, 3, 6} {
			law := sumLaw(c.scale, cells, c.far)
			for _, miss := range []float64{0.05, 1. / 140} {
				want, inside := 0, law[0]
				for 1-inside > miss {
					want++
					inside += 2 * law[want]
				}
				if got := m.HalfWidth(cells, new(big.Rat).SetFloat64(miss)); got.Int64() != int64(want) {
					t.Errorf("ε = %s, %v, %d cells, miss %.3g: %v, want %d", c.epsilon, c.relation, cells, miss, got, want)
				}
			}
		}
	}
	if got := newHistogram(t, 1, "1e-99", privacy.AddRemove).HalfWidth(2, big.NewRat(1, 20)); got.BitLen() < 320 || got.BitLen() > 340 {
		t.Errorf("ε = 1e-99: %v", got)
	}
}

// A tape records the sampled distributions and returns 1, 2, 3 and so on.
type tape struct {
	noise.Coins
	laws []string
}

func (c *tape) Draw(s noise.Sampler) *big.Int {
	c.laws = append(c.laws, s.String())
	return big.NewInt(int64(len(c.laws)))
}

// Each cell has independent noise, of scale 2/ε under replace-one and 1/ε under add-remove. No
// other randomness is used.
func TestHistogramDraws(t *testing.T) {
	for relation, law := range map[privacy.Relation]string{privacy.ReplaceOne: "Laplace(5)", privacy.AddRemove: "Laplace(5/2)"} {
		coins := &tape{}
		m := newHistogram(t, 3, "0.4", relation)
		got, err := m.Release(context.Background(), []int64{40, 0, 7}, coins)
		want := []*big.Int{big.NewInt(41), big.NewInt(2), big.NewInt(10)}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, %v", relation, got, err)
		}
		if !reflect.DeepEqual(coins.laws, []string{law, law, law}) {
			t.Errorf("%v: drawn from %v", relation, coins.laws)
		}
		ended, end := context.WithCancel(context.Background())
		end()
		if got, err := m.Release(ended, []int64{40, 0, 7}, coins); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := m.Release(context.Background(), []int64{40}, coins); err == nil {
			t.Errorf("one count for three cells: %v", got)
		}
		if len(coins.laws) != 3 {
			t.Errorf("%d draws", len(coins.laws))
		}
	}
}
