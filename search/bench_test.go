package search_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

func BenchmarkSampleExplicit(b *testing.B) {
	tree := newExplicit(1, 60, 40, 12)
	coins := noise.Crypto()
	for b.Loop() {
		if _, err := search.Sample(context.Background(), tree, big.NewRat(1, 4), coins); err != nil {
			b.Fatal(err)
		}
	}
}
