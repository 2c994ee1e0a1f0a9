// Package noise_test compares the times of Sibyl's exact samplers and of the floating-point samplers of
// Google's differential privacy library, in one run:
//
//	go test -bench . -count 6
//
// Google's Gaussian sampler recomputes σ from (ε, δ) in every call. The benchmark SigmaForGaussian measures the time
// of this computation.
package noise_test

import (
	"math/big"
	"testing"

	google "github.com/google/differential-privacy/go/v3/noise"
	"github.com/sibyl-dp/sibyl/noise"
)

// Laplace noise of scale 10: sensitivity 1, ε = 1/10.
func BenchmarkLaplace(b *testing.B) {
	b.Run("sibyl", func(b *testing.B) { draw(b, noise.Laplace{Scale: big.NewRat(10, 1)}) })
	b.Run("google", func(b *testing.B) { add(b, google.Laplace(), 0.1, 0) })
}

// Gaussian noise for ε = 1/10, δ = 1e-5.
func BenchmarkGaussian(b *testing.B) {
	sigma := google.SigmaForGaussian(1, 1, 0.1, 1e-5)
	sigma2 := big.NewRat(int64(sigma*sigma*1000), 1000)
	b.Run("sibyl", func(b *testing.B) { draw(b, noise.Gaussian{Sigma2: sigma2}) })
	b.Run("google", func(b *testing.B) { add(b, google.Gaussian(), 0.1, 1e-5) })
	b.Run("SigmaForGaussian", func(b *testing.B) {
		for b.Loop() {
			google.SigmaForGaussian(1, 1, 0.1, 1e-5)
		}
	})
}

func draw(b *testing.B, law noise.Sampler) {
	b.ReportAllocs()
	for c := noise.Crypto(); b.Loop(); {
		law.Sample(c)
	}
}

func add(b *testing.B, law google.Noise, epsilon, delta float64) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := law.AddNoiseInt64(0, 1, 1, epsilon, delta); err != nil {
			b.Fatal(err)
		}
	}
}
