package audit_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/noise"
)

// A toy counts two kinds of records with Gaussian noise, chooses one of them, and counts that again
// with Laplace noise. Its privacy loss for an additional record is known.
type toy struct {
	wrong string
}

func (m toy) release(counts []int64) func(noise.Coins) (audit.Release, error) {
	return func(c noise.Coins) (r audit.Release, err error) {
		law := noise.Gaussian{Sigma2: big.NewRat(5, 1)}
		add := func(n int64, k *big.Int) { r.Numbers = append(r.Numbers, k.Add(k, big.NewInt(n))) }
		for i, n := range counts {
			switch {
			case m.wrong == "no noise" && i == len(counts)-1 && len(counts) > 2:
				add(n, new(big.Int))
			case m.wrong == "one draw for two" && i%2 == 1:
				add(n, new(big.Int).Sub(r.Numbers[i-1], big.NewInt(counts[i-1])))
			case m.wrong == "scale by the data":
				add(n, c.Draw(noise.Gaussian{Sigma2: big.NewRat(5+n, 1)}))
			default:
				add(n, c.Draw(law))
			}
		}
		costs := []int64{}
		for _, n := range counts {
			if m.wrong != "candidates by the data" || n > 0 {
				costs = append(costs, -n)
			}
		}
		at := 0
		if m.wrong == "greatest" {
			for i, x := range costs {
				if x < costs[at] {
					at = i
				}
			}
		} else {
			at = noise.Gibbs(c, costs, big.NewRat(1, 3))
		}
		r.Rest, r.Choices = fmt.Sprint(at), 1
		if m.wrong == "tells" {
			r.Rest += fmt.Sprint(counts)
		}
		add(counts[at], c.Draw(noise.Laplace{Scale: big.NewRat(4, 1)}))
		return r, nil
	}
}

// Couple returns exactly the known loss. It refuses mechanisms that release a number without noise,
// with noise of another distribution, with a scale or candidates that depend on the data, that
// choose without randomness, or that release more than they state.
func TestCouple(t *testing.T) {
	p, q := []int64{4, 0, 7}, []int64{4, 1, 7}
	for seed := range uint64(20) {
		got, err := audit.Couple(noise.Insecure(seed), toy{}.release(p), toy{}.release(q))
		if err != nil {
			t.Fatal(err)
		}
		again := big.NewRat(0, 1) // if the changed kind is chosen
		if got.Epsilon.Sign() != 0 {
			again = big.NewRat(1, 4)
		}
		if got.Draws != 4 || got.Rho.Cmp(big.NewRat(1, 10)) != 0 || got.Epsilon.Cmp(again) != 0 || len(got.Ranges) != 1 || got.Ranges[0].Cmp(big.NewRat(1, 3)) != 0 {
			t.Errorf("seed %d: %v", seed, got)
		}
		if pure := new(big.Rat).Add(big.NewRat(1, 3), again); got.Pure().Cmp(pure) != 0 {
			t.Errorf("ε is %v, not %v", got.Pure(), pure)
		}
	}
	for _, wrong := range []string{"no noise", "one draw for two", "scale by the data", "candidates by the data", "greatest", "tells"} {
		refuted := 0
		for seed := range uint64(5) {
			_, err := audit.Couple(noise.Insecure(seed), toy{wrong}.release(p), toy{wrong}.release(q))
			if err != nil && !errors.Is(err, audit.ErrCouple) {
				t.Errorf("%s: %v", wrong, err)
			}
			if err != nil {
				refuted++
			}
		}
		if refuted == 0 {
			t.Errorf("%s is not refuted", wrong)
		}
	}
}
