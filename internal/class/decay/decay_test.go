package decay

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/search"
)

// e is an upper bound with e(0) = 1, even if bits are dropped. If no bits are dropped, it is tight
// down to negligible values.
func TestTable(t *testing.T) {
	prior := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(new(big.Int).Exp(big.NewInt(326), big.NewInt(15), nil), 16)) // of a tree of depth 4 over 163 tests
	for _, lambda := range []float64{1e7, 3, 0.5, 0.05, 1e-3, 1e-4, 1e-6, 1e-7, 1e-9, 1e-12} {
		d := New(search.Decay(new(big.Rat).SetFloat64(lambda)), prior)
		loose := 1e-13
		if d.drop > 0 {
			loose = lambda * math.Exp2(float64(d.drop))
		}
		if d.drop > 0 != (lambda < 3e-8) || 8*loose > d.unit+1e-12 {
			t.Errorf("λ = %g: %d bits are dropped, of slack %g", lambda, d.drop, d.unit)
		}
		if last := len(d.Small) - 1; (last < 0) != (lambda < 2e-4) || last > 0 && (d.Small[last] > leastSmall || d.Small[last-1] <= leastSmall) {
			t.Errorf("λ = %g: %d entries are near", lambda, last+1)
		}
		for c, e := range d.Small {
			if e != d.At(int64(c)) {
				t.Fatalf("λ = %g: e(%d) is %g, and nearby %g", lambda, c, d.At(int64(c)), e)
			}
		}
		for i := range 4000 {
			k := int64(math.Exp(float64(i)/100)) - 1 // up to e^40
			e, exact := d.At(k), math.Exp(-lambda*float64(k))
			if e < exact*(1-1e-13) || k == 0 && e != 1 {
				t.Fatalf("λ = %g: e(%d) is %g, below %g", lambda, k, e, exact)
			} else if e > exact*(1+loose)+0x1p-214 {
				t.Fatalf("λ = %g: e(%d) is %g, far above %g", lambda, k, e, exact)
			}
		}
	}
}
