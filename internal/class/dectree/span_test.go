package dectree

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/decay"
)

// FuzzKernel compares the kernel of this processor with the portable one. The results must be
// bitwise equal for any numbers.
func FuzzKernel(f *testing.F) {
	for n := range 40 {
		f.Add(uint64(n), uint16(n), int32(1)<<(n%30), 0.5)
	}
	f.Add(uint64(1), uint16(1000), int32(300), 0.01)
	f.Add(uint64(1), uint16(100), int32(1<<29), 1e-7)
	tables := map[float64]*decay.Table{}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, size int32, lambda float64) {
		if lambda < 1e-9 || lambda > 1e9 || size < 1 || size > mostNarrow {
			return
		}
		if tables[lambda] == nil {
			tables[lambda] = decay.New(decayOf(lambda), big.NewRat(1, 1<<20))
		}
		random := rand.New(rand.NewPCG(seed, 0))
		draw := func() []int32 {
			x := make([]int32, 1+n%2000)
			for i := range x {
				x[i] = random.Int32N(2*size) - size
			}
			return x
		}
		x, y := draw(), draw()
		if got, want := fastest().spans(x, tables[lambda]), portableSpan(x, tables[lambda]); got != want {
			t.Errorf("%v at λ = %g: %v, not %v", x, lambda, got, want)
		}
		got, want := make([]int32, len(x)), make([]int32, len(x))
		fastest().subtract(got, x, y)
		portableSubtract(want, x, y)
		if !slices.Equal(got, want) {
			t.Errorf("%v less %v is %v", x, y, got)
		}
	})
}

func BenchmarkSpan(b *testing.B) {
	d := decay.New(decayOf(0.5), big.NewRat(1, 1<<20))
	x := make([]int32, 165)
	random := rand.New(rand.NewPCG(1, 0))
	for i := range x {
		x[i] = random.Int32N(2000) - 1000
	}
	for name, k := range map[string]kernel[int32]{"portable": portable[int32](), "fastest": fastest()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k.spans(x, d)
			}
		})
	}
}
