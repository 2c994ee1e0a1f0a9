package noise

import (
	"math/big"
	"testing"
)

func BenchmarkSample(b *testing.B) {
	big64 := big.NewRat(1234567890123456789, 1234567890123)
	for _, law := range []Sampler{
		Geometric{big.NewRat(1, 10)},
		Geometric{big.NewRat(123456, 1000003)},
		TruncatedGeometric{big.NewRat(1, 10), 50},
		Laplace{big.NewRat(10, 1)},
		Laplace{big.NewRat(12345, 67)},
		Laplace{big64},
		Gaussian{big.NewRat(100, 1)},
		Gaussian{big.NewRat(1234567, 1000)},
		Gaussian{big64},
		CubeRadius{10, big.NewRat(1, 20)},
		CubeRadius{100, big.NewRat(1, 100)},
	} {
		b.Run(law.String(), func(b *testing.B) {
			b.ReportAllocs()
			for c := Crypto(); b.Loop(); {
				law.Sample(c)
			}
		})
	}
}

func BenchmarkTruncatedGeometricUint64(b *testing.B) {
	law := TruncatedGeometric{big.NewRat(1, 10), 50}
	b.ReportAllocs()
	for c := Crypto(); b.Loop(); {
		law.SampleUint64(c)
	}
}

func BenchmarkCube(b *testing.B) {
	law := Cube{100, big.NewRat(1, 100)}
	b.ReportAllocs()
	for c := Crypto(); b.Loop(); {
		law.Sample(c)
	}
}

func BenchmarkCoins(b *testing.B) {
	x, large := big.NewRat(1, 3), new(big.Rat).SetFrac(new(big.Int).Lsh(one, 70), new(big.Int).Exp(big.NewInt(3), big.NewInt(45), nil))
	p := new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(3), big.NewInt(40), nil), new(big.Int).Lsh(one, 30))
	far := big.NewRat(9999, 3)
	near := big.NewRat(235, 10)
	for _, bench := range []struct {
		name string
		toss func(Coins)
	}{
		{"Uint64n", func(c Coins) { c.Uint64n(1000) }},
		{"Below", func(c Coins) { c.Below(p.Num()) }},
		{"Bernoulli", func(c Coins) { c.Bernoulli(x) }},
		{"BernoulliExp", func(c Coins) { c.BernoulliExp(x) }},
		{"BernoulliExpBig", func(c Coins) { c.BernoulliExp(large) }},
		{"BernoulliScaledExpNear", func(c Coins) { c.BernoulliScaledExp(p, near) }},
		{"BernoulliScaledExpFar", func(c Coins) { c.BernoulliScaledExp(p, far) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for c := Crypto(); b.Loop(); {
				bench.toss(c)
			}
		})
	}
}
