// Package portable has elementary functions, and eigenvalues of matrices, whose results are equal, bit for bit, on all
// machines.
//
// The functions Exp and Log of package math use assembly on some machines and fused operations on others. The functions
// here round each product by a conversion before an addition.
package portable

import "math"

const (
	ln2Hi = 0x1.62e42fee00000p-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Exp returns e^x with a relative error of about 1e-15, and identical bits on all platforms. It returns 0 for x below
// -700, and e^700 for x above 700.
func Exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	x = min(x, 700)
	k := math.Floor(float64(x*math.Log2E) + .5)
	r := x - float64(k*ln2Hi)
	r -= float64(k * ln2Lo)
	// |r| ≤ ln 2 / 2, so thirteen terms of the Taylor series suffice.
	s := 1.0
	for i := 13; i > 0; i-- {
		s = 1 + float64(r*s)/float64(i)
	}
	return math.Float64frombits(math.Float64bits(s) + uint64(int64(k))<<52)
}

// Log returns the natural logarithm of a positive normal number with an error of about 1e-15, and identical bits on
// all platforms.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	k := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	// log m = 2 artanh((m-1)/(m+1)), and |m-1|/(m+1) ≤ .172.
	t := (m - 1) / (m + 1)
	t2 := float64(t * t)
	s := 0.0
	for i := 21; i > 0; i -= 2 {
		s = 1/float64(i) + float64(t2*s)
	}
	return float64(float64(k)*ln2Hi) + (float64(float64(k)*ln2Lo) + float64(2*float64(t*s)))
}
