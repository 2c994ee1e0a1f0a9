package synth

import (
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// BenchmarkNoise samples noise for the pairs of 100 columns with 200 cells each.
func BenchmarkNoise(b *testing.B) {
	s := &session{coins: noise.Crypto()}
	law := roundedUp(privacy.ZCDP{}.NoiseWithin(moved(privacy.AddRemove), decimal(b, "0.000002").Rat()))
	for b.Loop() {
		for range 4950 * 200 {
			s.noisy(7, law)
		}
	}
}
