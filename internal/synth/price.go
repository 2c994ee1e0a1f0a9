package synth

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The ρ of measurements and selections, and the parameters that a given ρ allows. All computations
// are exact or rounded towards more noise (docs/explanation/proofs/synth.md).

// moved returns c, the squared L2 sensitivity of a marginal: replacing a row changes two counts by
// 1, adding a row changes one count by 1.
func moved(r privacy.Relation) *big.Rat {
	if r.Replaces() {
		return big.NewRat(2, 1)
	}
	return big.NewRat(1, 1)
}

// unit returns the weight of a row, or of all rows of a person, in units. Noise is sampled in
// units. c and σ² are in rows or persons squared, so that ρ has the same formula for both.
func unit(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// inUnits returns the distribution of noise in units, given its parameter σ² in rows or persons.
func inUnits(sigma2 *big.Rat, r privacy.Relation) noise.Gaussian {
	u := big.NewRat(unit(r), 1)
	return noise.Gaussian{Sigma2: u.Mul(u, u).Mul(u, sigma2)}
}

// price returns c/(2σ²): the ρ of integers with squared L2 sensitivity c and noise of parameter σ²
// on each.
func price(c, sigma2 *big.Rat) *big.Rat {
	return new(big.Rat).Quo(c, new(big.Rat).Mul(sigma2, big.NewRat(2, 1)))
}

// noiseDigits is the number of binary digits of the numerator of σ². Sampling is fastest for this
// number.
const noiseDigits = 20

// noiseFor returns noise for values with squared L2 sensitivity c. Its ρ is at most rho, and less
// only because σ² is rounded up.
func noiseFor(c, rho *big.Rat) noise.Gaussian {
	exact := price(c, rho) // σ² is c/(2ρ) as ρ is c/(2σ²)
	shift := noiseDigits + exact.Denom().BitLen() - exact.Num().BitLen()
	shift = max(shift, 0)
	up := new(big.Int).Lsh(exact.Num(), uint(shift))
	up.Add(up, exact.Denom()).Sub(up, big.NewInt(1)).Quo(up, exact.Denom())
	return noise.Gaussian{Sigma2: new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), uint(shift)))}
}

// rate returns λ = ε/(u·c), for which the privacy loss of the exponential mechanism has a range of
// ε. Its costs are differences between counts in units and public numbers, and u is the number of
// units of a row or person. Adding a row changes all costs in the same direction, by 0 or u;
// replacing a row changes them by -u, 0 or u.
func rate(r privacy.Relation, epsilon privacy.Decimal) *big.Rat {
	most := big.NewRat(unit(r), 1)
	return most.Quo(epsilon.Rat(), most.Mul(most, moved(r)))
}
