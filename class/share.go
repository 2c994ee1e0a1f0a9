package class

import (
	"math/big"
	"math/bits"
)

// ShareUnit is the unit of Walker.Share: shares are counted in 2^-62.
const ShareUnit = 62

// Share returns the least upper bound on part/whole in units of 2^-ShareUnit,
// for 0 ≤ part ≤ whole and whole > 0.
func Share(part, whole *big.Int) uint64 {
	if part.Sign() == 0 {
		return 0
	}
	if whole.IsUint64() {
		n, w := part.Uint64(), whole.Uint64()
		lo, carry := bits.Add64(n<<ShareUnit, w-1, 0)
		q, _ := bits.Div64(n>>(64-ShareUnit)+carry, lo, w)
		return q
	}
	q := new(big.Int).Lsh(part, ShareUnit)
	q.Add(q, whole).Sub(q, big.NewInt(1))
	return q.Quo(q, whole).Uint64()
}
