package search

import (
	"context"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

func Explore[H any](t *testing.T, tr class.Tree[H], lambda *big.Rat, coins noise.Coins) {
	s := &sampler[H]{frontier: newFrontier(tr.Walker(), newDecay(lambda)), coins: coins, lambda: lambda, ceiling: tr.Ceiling()}
	_, good := tr.Incumbent()
	g := s.decay.at(good - s.floor).log()
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	for a := from; a >= from-40; a -= 2 {
		t0 := time.Now()
		s.build(context.Background(), g+int64(a)<<16)
		W := math.Log2(float64(s.sums[len(s.sums)-1])) + float64(s.unit) - float64(g)/65536
		d := time.Since(t0)
		s.rounds(context.Background(), 300)
		t.Logf("least +%d nodes %d time %v W/g=2^%.2f round %v", a, s.nodes, d, W, (time.Since(t0)-d)/300)
		if d > 8*time.Second {
			break
		}
	}
}

func Depths[H any](t *testing.T, tr class.Tree[H], lambda *big.Rat, coins noise.Coins) {
	s := &sampler[H]{frontier: newFrontier(tr.Walker(), newDecay(lambda)), coins: coins, lambda: lambda, ceiling: tr.Ceiling()}
	_, good := tr.Incumbent()
	g := s.decay.at(good - s.floor).log()
	a, _ := strconv.Atoi(os.Getenv("FROM"))
	s.build(context.Background(), g+int64(a)<<16)
	total := float64(s.sums[len(s.sums)-1])
	wt := make([]float64, 60)
	cnt := make([]int, 60)
	s.walk(nil, func(n leafSet) bool {
		wt[len(n.path)] += float64(n.weight) / total
		cnt[len(n.path)]++
		return true
	})
	for d := range wt {
		if cnt[d] > 0 {
			t.Logf("depth %d: %d nodes weight %.3f", d, cnt[d], wt[d])
		}
	}
}
