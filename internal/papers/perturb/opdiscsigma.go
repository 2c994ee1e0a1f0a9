package perturb

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OPDiscSigma2 returns an integer σ² for which the noise of OPDisc gives (ε, δ)-DP. The noise consists of N independent
// discrete Gaussian variables with the parameter σ², where N is the dimension of the sphere s. The privacy proof shifts
// the noise by vectors of norm t√R, where R is the squared norm of the sphere's points.
//
// σ is nearly the least for which bound (2) of docs/explanation/proofs/opdisc.md is at most δ. σ² is computed in
// floating point and rounded towards more noise.
func OPDiscSigma2(s class.Sphere, t int64, epsilon, delta privacy.Decimal) *big.Int {
	eps, del := below(epsilon), below(delta)
	c2, _ := new(big.Float).SetInt(shiftSquare(s, t)).Float64()
	c, n := math.Sqrt(c2)*(1+slack), float64(s.Dim)
	// The bound decreases in σ. It exceeds δ for every σ ≤ tooSmall, and it is at most δ for every
	// σ ≥ large. So enough evaluates it only for σ between tooSmall and large.
	tooSmall, large := 0.0, math.Inf(1)
	bound := func(sigma float64) float64 {
		d := radialDelta(n, eps, c/sigma, math.Sqrt(n)/(2*sigma), del)
		d += n * latticeError(sigma)
		if d <= del {
			large = min(large, sigma)
		} else {
			tooSmall = max(tooSmall, sigma)
		}
		return d
	}
	enough := func(sigma float64) bool {
		if tooSmall < sigma && sigma < large {
			bound(sigma)
		}
		return sigma >= large
	}
	low, high := 0.0, max(1, c/eps)
	for !enough(high) {
		low, high = high, 2*high
	}
	for secants := false; high-low > 1e-9*high; {
		// Near the solution, secant steps move tooSmall and large close together. Most steps of the
		// bisection then need no evaluation of the bound.
		if !secants && high < 1.1*low {
			secants = true
			at, before := math.Log(high), math.Log(low)
			atAt, atBefore := math.Log(bound(high)/del), math.Log(bound(low)/del)
			for range 12 {
				next := at - atAt*(at-before)/(atAt-atBefore)
				if !(math.Abs(next-at) > 1e-10) {
					break
				}
				at, before, atBefore = next, at, atAt
				atAt = math.Log(bound(math.Exp(at)) / del)
			}
			bound(math.Exp(at) * (1 - 1e-10))
			bound(math.Exp(at) * (1 + 1e-10))
		}
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return squareUp(high)
}

// shiftSquare returns t²R, the squared distance by which the privacy proof moves the noise, where R is the squared
// norm of the sphere's points.
func shiftSquare(s class.Sphere, t int64) *big.Int {
	c := big.NewInt(t)
	return c.Mul(c, c).Mul(c, big.NewInt(s.Square))
}

// slack is an upper bound on the relative error of every sum and function that is computed in floating point to
// determine σ.
const slack = 1e-9

// below converts a positive decimal to a float64 that is at most its value.
func below(d privacy.Decimal) float64 {
	f, _ := d.Rat().Float64()
	return math.Nextafter(f, 0)
}

// squareUp returns an integer that is at least σ² and has at most 16 significant bits. The last digits of
// floating-point results may differ between processors; the integer has so few bits that it is nevertheless the same
// on all of them, except for about one σ in ten thousand.
func squareUp(sigma float64) *big.Int {
	up, _ := big.NewFloat(sigma * sigma * (1 + slack)).Int(nil)
	drop := uint(max(0, up.BitLen()-16))
	up.Rsh(up, drop).Add(up, big.NewInt(1))
	return up.Lsh(up, drop)
}

// radialDelta returns an upper bound on the δ of Gaussian noise (docs/explanation/proofs/opdisc.md, section 4). This δ
// is E[(1 - exp(ε - q(X+s) - q²/2))⁺], where X has the chi distribution with n degrees of freedom, and q is the norm of
// the shift divided by σ. The bound is an upper Riemann sum plus a bound on the tail, δ·e^{-30}.
func radialDelta(n, epsilon, q, s, delta float64) float64 {
	const cells = 1 << 13
	beyond := delta * math.Exp(-30)
	low := max(0, (epsilon-q*q/2)/q-s)
	high := math.Sqrt(n) + math.Sqrt(2*(30-math.Log(delta)))
	if low >= high {
		return beyond
	}
	sum, width, left := 0.0, (high-low)/cells, low
	mode := math.Sqrt(n - 1)
	density := chiDensity(n)
	for i := 1; i <= cells; i++ {
		right := low + float64(i)*width
		value := max(0, -math.Expm1(epsilon-q*(right+s)-q*q/2))
		sum += value * density(min(max(mode, left), right))
		left = right
	}
	return sum*width*(1+slack) + beyond
}

// chiDensity returns the density of the chi distribution with n degrees of freedom.
func chiDensity(n float64) func(x float64) float64 {
	gamma, _ := math.Lgamma(n / 2)
	return func(x float64) float64 {
		log := -x*x/2 - (n/2-1)*math.Ln2
		if n > 1 {
			log += (n - 1) * math.Log(x)
		}
		return math.Exp(log - gamma)
	}
}

// latticeError bounds the amount by which a tail probability of a discrete Gaussian variable can exceed that of a
// continuous Gaussian variable that is moved outward by ½: it returns an upper bound on 2Σ_{i>0} e^{-2π²σ²i²}.
func latticeError(sigma float64) float64 {
	return 2.1*math.Exp(-19.7*sigma*sigma) + math.SmallestNonzeroFloat64
}
