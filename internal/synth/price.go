package synth

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The functions of this file compute the cost of measurements and selections, and the noise for a given cost.
// All computations are exact or rounded towards more noise (docs/explanation/proofs/synth.md).

// moved returns c, the squared L2 sensitivity of the counts of a marginal. Replacing a row changes at most
// two counts by 1 each, so c is 2. Adding a row changes at most one count by 1, so c is 1.
func moved(r privacy.Relation) *big.Rat {
	if r.Replaces() {
		return big.NewRat(2, 1)
	}
	return big.NewRat(1, 1)
}

// unit returns the weight of a row, or of all rows of a person, in units. Noise is sampled in units. But
// c and σ² are in rows squared or persons squared, so that the formula for ρ is the same for both.
func unit(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// inUnits returns the distribution of noise in units, given its parameter sigma2 in rows squared or
// persons squared.
func inUnits(sigma2 *big.Rat, r privacy.Relation) noise.Gaussian {
	u := big.NewRat(unit(r), 1)
	return noise.Gaussian{Sigma2: u.Mul(u, u).Mul(u, sigma2)}
}

// A Cost is the part of the budget that measurements and selections consume: a ρ of zCDP and a μ² of GDP. Square is nil if
// the noise is too small for GDP.
type Cost struct{ Rho, Square *big.Rat }

// noCost returns the cost of no measurements, which is 0.
func noCost() Cost { return Cost{new(big.Rat), new(big.Rat)} }

// plus returns the sum c + times·d of costs.
func (c Cost) plus(d Cost, times int) Cost {
	sum := func(x, y *big.Rat) *big.Rat {
		if x == nil || y == nil {
			return nil
		}
		s := new(big.Rat).Mul(y, whole(times))
		return s.Add(s, x)
	}
	return Cost{sum(c.Rho, d.Rho), sum(c.Square, d.Square)}
}

// guarantee returns the guarantee of the cost: GDP, or zCDP if Square is nil.
func (c Cost) guarantee(r privacy.Relation) (privacy.Guarantee, error) {
	if c.Square == nil {
		return privacy.NewZCDP(r, c.Rho)
	}
	return privacy.NewGDP(r, c.Square, c.Rho)
}

// price returns the cost of releasing integers whose squared L2 sensitivity is c, each with independent noise of the
// parameter σ². Its ρ is c/(2σ²).
func price(c, sigma2 *big.Rat) Cost {
	return Cost{new(big.Rat).Quo(c, new(big.Rat).Mul(sigma2, whole(2))), privacy.NoiseSquare(c, sigma2)}
}

// selection returns the cost of selecting a conjunction by an exponential mechanism whose privacy loss has the range
// epsilon.
func selection(epsilon privacy.Decimal) Cost {
	return Cost{privacy.RangeRho(epsilon), privacy.RangeSquare(epsilon)}
}

// of returns the part of the budget b that the cost consumes: a part of ρ or of μ²/2.
func (c Cost) of(b privacy.GaussianBudget) *big.Rat {
	if _, ok := b.(privacy.GDP); ok {
		return new(big.Rat).Quo(c.Square, whole(2))
	}
	return new(big.Rat).Set(c.Rho)
}

// noiseDigits is the number of binary digits to which the numerator of σ² is rounded up. It is the number for which
// sampling is fastest.
const noiseDigits = 20

// roundedUp returns noise with a parameter that is σ², rounded up. It may consume slightly less of a budget.
func roundedUp(sigma2 *big.Rat) noise.Gaussian {
	shift := noiseDigits + sigma2.Denom().BitLen() - sigma2.Num().BitLen()
	shift = max(shift, 0)
	up := new(big.Int).Lsh(sigma2.Num(), uint(shift))
	up.Add(up, sigma2.Denom()).Sub(up, big.NewInt(1)).Quo(up, sigma2.Denom())
	return noise.Gaussian{Sigma2: new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), uint(shift)))}
}

// rate returns the parameter λ of the exponential mechanism for which its privacy loss has a range of ε. This
// parameter is ε/(u·c), where u is the number of units of a row or person.
//
// The proof uses how much a row changes the costs. Each cost is the difference between a count, in units, and a
// public number. Adding a row changes all costs in the same direction, each by 0 or u. Replacing a row changes each
// cost by -u, 0 or u.
func rate(r privacy.Relation, epsilon privacy.Decimal) *big.Rat {
	most := big.NewRat(unit(r), 1)
	return most.Quo(epsilon.Rat(), most.Mul(most, moved(r)))
}
