package synth

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The functions of this file compute the ρ of measurements and selections, and the noise for a given ρ.
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

// price returns c/(2σ²): the ρ of releasing integers whose squared L2 sensitivity is c, each with
// independent noise of the parameter σ².
func price(c, sigma2 *big.Rat) *big.Rat {
	return new(big.Rat).Quo(c, new(big.Rat).Mul(sigma2, big.NewRat(2, 1)))
}

// noiseDigits is the number of binary digits to which the numerator of σ² is rounded up. It is the number for which
// sampling is fastest.
const noiseDigits = 20

// noiseFor returns the noise with which releasing values of squared L2 sensitivity c consumes rho. Because
// σ² is rounded up, it may consume slightly less.
func noiseFor(c, rho *big.Rat) noise.Gaussian {
	exact := price(c, rho) // σ² is c/(2ρ) as ρ is c/(2σ²)
	shift := noiseDigits + exact.Denom().BitLen() - exact.Num().BitLen()
	shift = max(shift, 0)
	up := new(big.Int).Lsh(exact.Num(), uint(shift))
	up.Add(up, exact.Denom()).Sub(up, big.NewInt(1)).Quo(up, exact.Denom())
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
