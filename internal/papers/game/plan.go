package game

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// ShareEpsilon returns the ε of each of so many answers that together have at most ρ, as many
// of nine digits as there are: √(8ρ/T) where it is a range (Exponential), √(2ρ/T) otherwise
// (RSPM). It fails for a ρ that leaves none.
func ShareEpsilon(rho *big.Rat, rounds int, ranged bool) (privacy.Decimal, error) {
	square := int64(2)
	if ranged {
		square = 8
	}
	// ε² is at most this.
	most := new(big.Rat).Mul(rho, big.NewRat(square, int64(rounds)))
	f, _ := most.Float64()
	guess := new(big.Rat).SetFloat64(math.Sqrt(f) * (1 + 0x1p-40)) // no less than the root
	if guess == nil || guess.Sign() <= 0 {
		return privacy.Decimal{}, fmt.Errorf("game: a ρ of %s leaves no ε for each of %d answers", rho.RatString(), rounds)
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

// ErrNoPlan reports that no number of rounds can be planned for.
var ErrNoPlan = errors.New("game: no number of rounds can be planned for")

// Best returns the game of least Bound on a table of n rows, of those that make returns for
// numbers of rounds up to most: each number about a fifth more than the one before. Numbers for
// which make fails are left out, and ErrNoPlan is returned where none is left. All of it is
// public.
func Best[H any](n int64, most int, make func(rounds int) (*OracleQuery[H], error)) (best *OracleQuery[H], err error) {
	least := math.Inf(1)
	var failed error
	for rounds := 1; rounds <= min(most, MostRounds); rounds += 1 + rounds/5 {
		m, err := make(rounds)
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
