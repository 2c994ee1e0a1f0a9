package synth

import (
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// BenchmarkNoise draws the noise of as many counts as 100 columns have pairs with 200 cells.
func BenchmarkNoise(b *testing.B) {
	s := &session{coins: noise.Crypto()}
	law := noiseFor(moved(privacy.AddRemove), decimal(b, "0.000002").Rat())
	for b.Loop() {
		for range 4950 * 200 {
			s.noisy(7, law)
		}
	}
}
