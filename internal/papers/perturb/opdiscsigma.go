package perturb

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OPDiscSigma2 returns an integer σ², nearly the least, for which N independent
// discrete Gaussians of that parameter, moved by vectors of norm t√R, are worth
// (ε, δ): the least σ for which the bound of docs/explanation/proofs/opdisc.md is at most δ.
// It is computed in floating point, and all roundings are towards more noise.
func OPDiscSigma2(s class.Sphere, t int64, epsilon, delta privacy.Decimal) *big.Int {
	eps, del := below(epsilon), below(delta)
	c2, _ := new(big.Float).SetInt(shiftSquare(s, t)).Float64()
	c, n := math.Sqrt(c2)*(1+slack), float64(s.Dim)
	// The bound falls with σ: no σ up to tooSmall is enough, and all from large on are.
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
		if !secants && high < 1.1*low { // they come close to where the bound is δ, which answers most that follow
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

// shiftSquare returns t²R, the squared norm of the shift.
func shiftSquare(s class.Sphere, t int64) *big.Int {
	c := big.NewInt(t)
	return c.Mul(c, c).Mul(c, big.NewInt(s.Square))
}

// slack is a relative error that no sum or function computed here can reach.
const slack = 1e-9

// below returns a double that is less than a positive decimal.
func below(d privacy.Decimal) float64 {
	f, _ := d.Rat().Float64()
	return math.Nextafter(f, 0)
}

// squareUp returns an integer that is at least σ², with its first 16 bits only, so
// that processors whose floating point differs in the last places agree on it,
// but for about one σ in ten thousand.
func squareUp(sigma float64) *big.Int {
	up, _ := big.NewFloat(sigma * sigma * (1 + slack)).Int(nil)
	drop := uint(max(0, up.BitLen()-16))
	up.Rsh(up, drop).Add(up, big.NewInt(1))
	return up.Lsh(up, drop)
}

// radialDelta bounds E[(1 - exp(ε - q(X+s) - q²/2))⁺] from above for X of the chi
// law with n degrees of freedom: what the Gaussian law of docs/explanation/proofs/opdisc.md
// costs, q being the shift over σ. It is an upper Riemann sum; what lies beyond
// is at most δ·e^{-30}.
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

// chiDensity returns the density of the chi law with n degrees of freedom.
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

// latticeError bounds 2Σ_{i>0} e^{-2π²σ²i²} from above: by how much the law of a
// discrete Gaussian can exceed that of a Gaussian, half a step further out.
func latticeError(sigma float64) float64 {
	return 2.1*math.Exp(-19.7*sigma*sigma) + math.SmallestNonzeroFloat64
}
