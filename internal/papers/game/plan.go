package game

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// ShareEpsilon divides a budget ρ of zCDP equally among the answers of a game with the given number T of rounds. It
// returns the ε of an answer, rounded down to nine significant digits:
//
//   - If ranged is true, ε = √(8ρ/T). Use it for mechanisms of bounded range (ExponentialResponse).
//   - If ranged is false, ε = √(2ρ/T). Use it for any other ε-DP mechanism (RSPM).
//
// ShareEpsilon returns an error if ρ is not positive or too small.
func ShareEpsilon(rho *big.Rat, rounds int, ranged bool) (privacy.Decimal, error) {
	square := int64(2)
	if ranged {
		square = 8
	}
	// most is the maximum of ε².
	most := new(big.Rat).Mul(rho, big.NewRat(square, int64(rounds)))
	f, _ := most.Float64()
	guess := new(big.Rat).SetFloat64(math.Sqrt(f) * (1 + 0x1p-40)) // no less than the root
	if guess == nil || guess.Sign() <= 0 {
		return privacy.Decimal{}, fmt.Errorf("game: ρ = %s is too small to divide among %d answers", rho.RatString(), rounds)
	}
	for {
		e, err := privacy.RoundDown(guess, 9)
		if err != nil {
			return privacy.Decimal{}, err
		}
		if r := e.Rat(); r.Mul(r, r).Cmp(most) <= 0 {
			return e, nil
		}
		guess.Mul(guess, big.NewRat(1<<30-1, 1<<30))
	}
}

// ErrNoPlan is returned by Best if the function newGame fails for every number of rounds that Best tries.
var ErrNoPlan = errors.New("game: no number of rounds satisfies the budget; use a larger ε, ρ or δ")

// Best selects the number of rounds of a game. It calls the function newGame for several numbers of rounds from 1 to
// most: small ones, and then each about a fifth larger than the previous one. It returns the game with the least
// bound on the error (Bound) for a table of n rows. It skips a number for which newGame fails, and returns ErrNoPlan
// if newGame fails for all of them. The result depends on public parameters only.
func Best[H any](n int64, most int, newGame func(rounds int) (*OracleQuery[H], error)) (best *OracleQuery[H], err error) {
	least := math.Inf(1)
	var failed error
	for rounds := 1; rounds <= min(most, MostRounds); rounds += 1 + rounds/5 {
		m, err := newGame(rounds)
		if err != nil {
			failed = err
			continue
		}
		if sum := m.Bound(n).Sum(); best == nil || sum < least {
			best, least = m, sum
		}
	}
	if best == nil {
		return nil, errors.Join(ErrNoPlan, failed)
	}
	return best, nil
}
