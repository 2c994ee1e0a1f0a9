package parity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// BenchmarkRSPM learns a parity of 10 bits from 300 random records, of which a tenth have a wrong
// label. It reports the average excess: the number of misclassifications minus the minimum number.
func BenchmarkRSPM(b *testing.B) {
	code, err := parity.Greedy(10, 40, false)
	if err != nil {
		b.Fatal(err)
	}
	for _, separator := range []parity.Code{nil, code} {
		for _, kind := range []perturb.Noise{perturb.Laplace, perturb.Cube} {
			own := bits(b, 10, parity.Options{Code: separator})
			b.Run(fmt.Sprintf("m=%d/h=%d/%v", own.Separator(), own.Distance(), kind), func(b *testing.B) {
				c, err := tabulated.New(own)
				if err != nil {
					b.Fatal(err)
				}
				epsilon := privacytest.Decimal(b, "1")
				m, err := perturb.NewRSPM(oracle.Search(c), kind, epsilon, privacy.ReplaceOne, learn.ZeroOne, 0)
				if err != nil {
					b.Fatal(err)
				}
				rng, coins := rand.New(rand.NewPCG(5, 5)), noise.Crypto()
				excess := int64(0)
				for b.Loop() {
					excess += errorsBeyond(b, c, m, rng, coins)
				}
				b.ReportMetric(float64(excess)/float64(b.N), "errors/op")
			})
		}
	}
}

// errorsBeyond releases a parity for new records and returns its excess, the number of
// misclassifications minus the minimum number.
func errorsBeyond(b *testing.B, c *tabulated.Class[record, parity.Parity], m *perturb.RSPM[record, parity.Parity], rng *rand.Rand, coins noise.Coins) int64 {
	hidden := parity.Parity{Bits: rng.Uint64N(1 << 10)}
	examples := make([]learn.Example[record], 300)
	for i := range examples {
		x := make(record, 10)
		for j := range x {
			x[j] = uint16(rng.IntN(2))
		}
		examples[i] = learn.Example[record]{X: x, Label: c.Predict(hidden, x) != (rng.IntN(10) == 0), Count: 1}
	}
	h, err := m.Release(context.Background(), examples, coins)
	if err != nil {
		b.Fatal(err)
	}
	p, err := learn.Problem(learn.ZeroOne, examples, 1)
	if err != nil {
		b.Fatal(err)
	}
	tree, err := c.Tree(p)
	if err != nil {
		b.Fatal(err)
	}
	_, least := tree.Incumbent()
	return class.Cost(c, p, h) - least
}
