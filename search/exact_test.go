package search_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A lazyTree returns, for a child that it does not enter, an arbitrary valid bound that depends on
// the limit.
type lazyTree struct{ *explicitTree }

type lazyWalker struct{ explicitWalker }

func (t lazyTree) Walker() class.Walker[int] {
	return &lazyWalker{explicitWalker{path: []*explicit{t.root}}}
}

func (w *lazyWalker) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.explicitWalker.Down(i, limit)
	if !entered {
		bound += int64(rand.New(rand.NewPCG(uint64(limit), uint64(i))).Uint64N(uint64(w.at().children[i].bound - limit)))
	}
	return bound, entered
}

// An enumeration of the randomness shows that samples of small trees have exactly the weights e^{-λc}.
// The cases include several rounds per frontier, joined blocks, lazy bounds, costs of either sign and
// poor incumbents.
func TestSampleSmallExactly(t *testing.T) {
	for _, seed := range []uint64{0, 3, 4, 6, 8, 9} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			tree := lazyTree{newExplicit(seed, 3+int(seed%3), 6, 3)}
			lambda := []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 3), big.NewRat(3, 2)}[seed%3]
			got, err := audit.Enumerate(func(coins noise.Coins) int {
				h, _, err := search.SampleSmall(context.Background(), tree, lambda, coins)
				if err != nil {
					t.Fatal(err)
				}
				return h
			}, audit.Options{Floor: 1e-6, Paths: 1 << 20, Recheck: heavy.Pick(30, 2000)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Tail() > .03 {
				t.Errorf("%g is not enumerated", got.Tail())
			}
			for h, want := range law(lambda, tree.costs) {
				if lo, hi := got.Bounds(h); want < lo*(1-1e-12) || want > hi*(1+1e-12) {
					t.Errorf("P(%d) = %g, enclosed by [%g, %g]", h, want, lo, hi)
				}
			}
		})
	}
}
