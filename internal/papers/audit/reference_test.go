package audit_test

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/noise"
)

// conjunctions is the class of the conjunctions 1, x₁, x₂ and x₁∧x₂. Its separator consists of the predictions
// on (1,0) and (0,1). The records are (0,0) with label 1, (0,0) with label 0, (1,0) with label 1 and (0,1) with
// label 0. On (0,0), only the conjunction 1 predicts 1.
var conjunctions = audittest.Finite{
	Loss: [][]int64{{0, 1, 0, 1}, {1, 0, 0, 0}, {1, 0, 1, 1}, {1, 0, 1, 0}},
	Phi:  [][]int64{{1, 1}, {1, 0}, {0, 1}, {0, 0}},
}

// constants returns the class of the two constant hypotheses, with a separator of m equal bits.
func constants(m int) audittest.Finite {
	f := audittest.Finite{Loss: [][]int64{{0, 1}, {1, 0}}, Phi: [][]int64{make([]int64, m), make([]int64, m)}}
	for i := range m {
		f.Phi[1][i] = 1
	}
	return f
}

// A tieRule reports, for a table, whether the last of several hypotheses with the minimum noisy cost is
// returned.
type tieRule func(table []int64) (last bool)

func firstWins([]int64) bool { return false }

// parityDecides is a tieRule that depends on the parity of the first count, so that it differs on some
// neighbours.
func parityDecides(table []int64) bool { return table[0]%2 == 0 }

// laplace returns noise on m bits with probability proportional to e^{-ε‖k‖₁/(m·t)}.
func laplace(m int, epsilon, t *big.Rat) func(noise.Coins) []int64 {
	scale := new(big.Rat).Quo(t, epsilon)
	scale.Mul(scale, big.NewRat(int64(m), 1))
	return func(c noise.Coins) []int64 {
		k := make([]int64, m)
		for i := range k {
			k[i] = c.Draw(noise.Laplace{Scale: scale}).Int64()
		}
		return k
	}
}

// cube returns noise on m bits with probability proportional to e^{-ε‖k‖_∞/t}.
func cube(m int, epsilon, t *big.Rat) func(noise.Coins) []int64 {
	rate := new(big.Rat).Quo(epsilon, t)
	return func(c noise.Coins) []int64 {
		k := make([]int64, m)
		for i, v := range (noise.Cube{Dim: m, A: rate}).Sample(c) {
			k[i] = v.Int64()
		}
		return k
	}
}

// rspm returns the mechanism that releases a minimizer of grid·c(q) + <φ(q), k> for noise k.
func rspm(f audittest.Finite, grid int64, perturb func(noise.Coins) []int64, ties tieRule) func([]int64, noise.Coins) (int, error) {
	return func(table []int64, c noise.Coins) (int, error) {
		k := perturb(c)
		lastWins := ties(table)
		best, least := 0, int64(0)
		for q := range f.Loss {
			cost := grid * f.Cost(q, table)
			for i, b := range f.Phi[q] {
				cost += b * k[i]
			}
			if q == 0 || cost < least || cost == least && lastWins {
				best, least = q, cost
			}
		}
		return best, nil
	}
}
