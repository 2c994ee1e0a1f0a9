package opsamp

import (
	"math"
	"math/big"
)

// fix converts the numbers x to fixed point in units of 2^-bits, rounded towards zero. It returns nil
// unless all numbers are finite.
func fix(x []float64, bits uint) []*big.Int {
	v := make([]*big.Int, len(x))
	for j := range x {
		if math.IsNaN(x[j]) || math.IsInf(x[j], 0) {
			return nil
		}
		f := new(big.Float).SetFloat64(x[j])
		v[j], _ = f.SetMantExp(f, int(bits)).Int(nil)
	}
	return v
}

// unfix converts v, a fixed-point number in units of 2^-bits, to floating point.
func unfix(v *big.Int, bits uint) float64 {
	f := new(big.Float).SetPrec(64).SetInt(v)
	x, _ := f.SetMantExp(f, -int(bits)).Float64()
	return x
}

// inner returns the inner product of a and b.
func inner(a, b []*big.Int) *big.Int {
	sum, product := new(big.Int), new(big.Int)
	for j := range a {
		sum.Add(sum, product.Mul(a[j], b[j]))
	}
	return sum
}

// norm returns the maximum norm of the vector v, the greatest absolute value of its entries.
func norm(v []*big.Int) *big.Int {
	most := new(big.Int)
	for j := range v {
		if v[j].CmpAbs(most) > 0 {
			most.Abs(v[j])
		}
	}
	return most
}
