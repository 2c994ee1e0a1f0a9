package synth

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The functions of this file compute the cost of measurements and selections, and the noise for a given cost.
// All computations are exact or rounded towards more noise (docs/explanation/proofs/synth.md).

// moved returns the squared L2 sensitivity of the counts of a marginal. Adding a row changes at most one count by 1,
// so it is 1. Replacing a row changes at most two counts by 1, so it is then 2.
func moved(r privacy.Relation) *big.Rat {
	if r.Replaces() {
		return big.NewRat(2, 1)
	}
	return big.NewRat(1, 1)
}

// unit returns the weight of a row or, if neighbouring tables differ in a person, of all rows of a person. Counts and
// their noise are integer sums of weights, while sensitivities and σ² are stated in rows squared or persons squared,
// so that the formula for ρ is the same for both.
func unit(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// inUnits converts the parameter sigma2 of noise, in rows squared or persons squared, to the distribution of the
// noise that is added to a sum of weights (see unit).
func inUnits(sigma2 *big.Rat, r privacy.Relation) noise.Gaussian {
	u := big.NewRat(unit(r), 1)
	return noise.Gaussian{Sigma2: u.Mul(u, u).Mul(u, sigma2)}
}

// A Cost is the part of a privacy budget that measurements and selections consume, in two notions of privacy: Rho is
// the ρ of zCDP, and Square is the μ² of GDP. Square is nil if the noise is too small for GDP.
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

// guarantee returns the privacy guarantee with this cost: GDP, or zCDP if Square is nil.
func (c Cost) guarantee(r privacy.Relation) (privacy.Guarantee, error) {
	if c.Square == nil {
		return privacy.NewZCDP(r, c.Rho)
	}
	return privacy.NewGDP(r, c.Square, c.Rho)
}

// price returns the cost of releasing integers whose squared L2 sensitivity is c, each with independent discrete
// Gaussian noise with the parameter σ². Its ρ is c/(2σ²).
func price(c, sigma2 *big.Rat) Cost {
	return Cost{new(big.Rat).Quo(c, new(big.Rat).Mul(sigma2, whole(2))), privacy.NoiseSquare(c, sigma2)}
}

// selection returns the cost of selecting a conjunction by an exponential mechanism with bounded range: its privacy
// loss lies in an interval of length epsilon.
func selection(epsilon privacy.Decimal) Cost {
	return Cost{privacy.RangeRho(epsilon), privacy.RangeSquare(epsilon)}
}

// of returns the part of the budget b that the cost consumes: its ρ if b is a budget of zCDP, or its μ²/2 if b is one
// of GDP.
func (c Cost) of(b privacy.GaussianBudget) *big.Rat {
	if _, ok := b.(privacy.GDP); ok {
		return new(big.Rat).Quo(c.Square, whole(2))
	}
	return new(big.Rat).Set(c.Rho)
}

// noiseDigits is the number of binary digits to which roundedUp rounds the numerator of σ². Sampling is fastest with
// this number.
const noiseDigits = 20

// roundedUp returns the discrete Gaussian distribution with the parameter σ², rounded up to few digits. The noise
// consumes at most the budget that σ² itself would consume.
func roundedUp(sigma2 *big.Rat) noise.Gaussian {
	shift := noiseDigits + sigma2.Denom().BitLen() - sigma2.Num().BitLen()
	shift = max(shift, 0)
	up := new(big.Int).Lsh(sigma2.Num(), uint(shift))
	up.Add(up, sigma2.Denom()).Sub(up, big.NewInt(1)).Quo(up, sigma2.Denom())
	return noise.Gaussian{Sigma2: new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), uint(shift)))}
}

// rate returns the parameter λ of the exponential mechanism for which its privacy loss lies in an interval of length
// ε. It is ε/(u·c), where u is the weight of a row or person (see unit), and c is the squared sensitivity (see
// moved).
//
// The proof uses how much a row changes the scores. Each score is the difference between a count, in weights, and a
// public number. Adding a row changes all scores in the same direction, each by 0 or u. Replacing a row changes each
// score by -u, 0 or u.
func rate(r privacy.Relation, epsilon privacy.Decimal) *big.Rat {
	most := big.NewRat(unit(r), 1)
	return most.Quo(epsilon.Rat(), most.Mul(most, moved(r)))
}
