package declist

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// TestShareLarge compares shares of counts far beyond 64 bits with exact
// quotients.
func TestShareLarge(t *testing.T) {
	c := newCounts(70, 70)
	for d := range 70 {
		for s, whole := range c.more[d] {
			for u, part := range c.whole[d+1] {
				if part.n.Cmp(whole.n) > 0 { // no child
					continue
				}
				exact := new(big.Int).Lsh(part.n, class.ShareUnit)
				got := new(big.Int).SetUint64(share(&part, &whole))
				over := new(big.Int).Sub(new(big.Int).Mul(got, whole.n), exact)
				// Rounding up costs less than a unit, and the leading bits less
				// than three parts in 2^63.
				most := new(big.Int).Add(whole.n, new(big.Int).Rsh(exact, 61))
				if over.Sign() < 0 || over.Cmp(most) > 0 {
					t.Fatalf("d %d, s %d, u %d: share %v", d, s, u, got)
				}
				if whole.n.IsUint64() && over.Cmp(whole.n) >= 0 {
					t.Fatalf("d %d, s %d, u %d: share %v is not the least", d, s, u, got)
				}
			}
		}
	}
}
