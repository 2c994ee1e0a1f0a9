package synth

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// What counts and draws cost in ρ, and what can be had for so much. All of it is exact; what
// cannot be is rounded to more noise (docs/explanation/proofs/synth.md).

// moved returns c: replacing a row moves two counts of a marginal by one, adding a row one.
func moved(r privacy.Relation) *big.Rat {
	if r.Replaces() {
		return big.NewRat(2, 1)
	}
	return big.NewRat(1, 1)
}

// unit returns how many units of what is counted a row weighs, or a person. Noise is drawn in
// units; c, σ² and what is made of counts are in rows, or persons, so that prices are alike.
func unit(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// inUnits returns the law of noise in units whose parameter in rows is σ².
func inUnits(sigma2 *big.Rat, r privacy.Relation) noise.Gaussian {
	u := big.NewRat(unit(r), 1)
	return noise.Gaussian{Sigma2: u.Mul(u, u).Mul(u, sigma2)}
}

// price is the ρ of whole numbers that a row moves by c in all, squared, with noise of
// parameter σ² on each: c/(2σ²).
func price(c, sigma2 *big.Rat) *big.Rat {
	return new(big.Rat).Quo(c, new(big.Rat).Mul(sigma2, big.NewRat(2, 1)))
}

// noiseDigits is the number of binary digits of the numerator of σ², for which noise is
// drawn fastest.
const noiseDigits = 20

// noiseFor returns the law of noise whose ρ is at most price, and hardly less, for what a row
// moves by c, squared.
func noiseFor(c, rho *big.Rat) noise.Gaussian {
	exact := price(c, rho) // σ² is c/(2ρ) as ρ is c/(2σ²)
	shift := noiseDigits + exact.Denom().BitLen() - exact.Num().BitLen()
	shift = max(shift, 0)
	up := new(big.Int).Lsh(exact.Num(), uint(shift))
	up.Add(up, exact.Denom()).Sub(up, big.NewInt(1)).Quo(up, exact.Denom())
	return noise.Gaussian{Sigma2: new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), uint(shift)))}
}

// drawPrice is the ρ of a draw whose privacy loss has a range of ε: ε²/8.
func drawPrice(epsilon privacy.Decimal) *big.Rat {
	e := epsilon.Rat()
	return e.Mul(e, e).Quo(e, big.NewRat(8, 1))
}

// drawDigits is the number of digits of the ε of a draw.
const drawDigits = 6

// drawFor returns an ε whose draw has a ρ of at most price, and hardly less. It fails only
// for a price that no decimal is small enough for.
func drawFor(price *big.Rat) (privacy.Decimal, error) {
	square := new(big.Rat).Mul(price, big.NewRat(8, 1))
	const places = 100 // binary digits after the point
	root := new(big.Int).Lsh(square.Num(), 2*places)
	root.Sqrt(root.Quo(root, square.Denom()))
	return privacy.RoundDown(new(big.Rat).SetFrac(root, new(big.Int).Lsh(big.NewInt(1), places)), drawDigits)
}

// rate returns λ, for which differences between counts in units and public numbers are drawn
// with a range of ε: a row moves them all by 0 or 1 one way under add-remove, and by -1, 0 or
// 1 under replace; a person by so many units at most.
func rate(r privacy.Relation, epsilon privacy.Decimal) *big.Rat {
	most := big.NewRat(unit(r), 1)
	return most.Quo(epsilon.Rat(), most.Mul(most, moved(r)))
}
