package audit

import (
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A finite class is given by what each hypothesis costs on each kind of record
// and by its bits on the separator. Tables are counts of the kinds.
type finite struct {
	loss [][]int64 // hypothesis, kind
	phi  [][]int64 // hypothesis, bit
}

func (f finite) kinds() int { return len(f.loss[0]) }

func (f finite) cost(q int, table []int64) (c int64) {
	for kind, n := range table {
		c += n * f.loss[q][kind]
	}
	return c
}

// oneAgainstMany has a hypothesis 0 that errs where all the others are right.
func oneAgainstMany(others int) finite {
	f := finite{loss: [][]int64{{1, 0, 0, 0}}}
	for q := range others {
		f.loss = append(f.loss, []int64{0, 1, int64(q % 2), 0})
	}
	return f
}

// conjunctions are 1, x₁, x₂ and x₁∧x₂, told apart by the points (1,0) and
// (0,1). Records: (0,0) labelled 1 and 0, on which 1 alone predicts 1; (1,0)
// labelled 1; (0,1) labelled 0.
var conjunctions = finite{
	loss: [][]int64{{0, 1, 0, 1}, {1, 0, 0, 0}, {1, 0, 1, 1}, {1, 0, 1, 0}},
	phi:  [][]int64{{1, 1}, {1, 0}, {0, 1}, {0, 0}},
}

// constants are the two constant hypotheses, told apart by m equal bits.
func constants(m int) finite {
	f := finite{loss: [][]int64{{0, 1}, {1, 0}}, phi: [][]int64{make([]int64, m), make([]int64, m)}}
	for i := range m {
		f.phi[1][i] = 1
	}
	return f
}

// exponential draws q with probability proportional to e^{-λ·c(q)} by adaptive
// rejection on the tree of halved ranges. After the given number of rejections
// it gives up and takes the best hypothesis; 0 never gives up.
func exponential(f finite, lambda *big.Rat, budget int) func([]int64, noise.Coins) (int, error) {
	return func(table []int64, c noise.Coins) (int, error) {
		cost := make([]int64, len(f.loss))
		for q := range cost {
			cost[q] = f.cost(q, table)
		}
		times := func(k int64) *big.Rat { return new(big.Rat).Mul(lambda, big.NewRat(k, 1)) }
		bound := func(from, to int) int64 { // exact at a leaf, loose above
			least := slices.Min(cost[from:to])
			if to-from > 1 {
				least = max(0, least-1)
			}
			return least
		}
		cuts := uint64(1) // bit i: a node of the frontier begins at i
		start := noise.Mark(c)
		for round := 0; budget == 0 || round < budget; round++ {
			noise.Forget(c, start, "round", cuts, uint64(min(round, budget)))
			var from, to int
			inner := noise.Mark(c)
			for {
				noise.Forget(c, inner, "node")
				from = int(c.Uint64n(uint64(len(cost))))
				for cuts>>from&1 == 0 {
					from--
				}
				to = min(len(cost), from+1+bits.TrailingZeros64(cuts>>(from+1)))
				if c.BernoulliExp(times(bound(from, to))) {
					break
				}
			}
			q := from + int(c.Uint64n(uint64(to-from)))
			if c.BernoulliExp(times(cost[q] - bound(from, to))) {
				return q, nil
			}
			cuts |= 1 << ((from + to) / 2)
		}
		return slices.Index(cost, slices.Min(cost)), nil
	}
}

// A tie rule tells which hypothesis comes first among equals.
type tieRule func(table []int64) (last bool)

func firstWins([]int64) bool { return false }

// parityDecides lets ties depend on the table as badly as they can.
func parityDecides(table []int64) bool { return table[0]%2 == 0 }

// laplace is the noise of mass e^{-ε‖k‖₁/(m·t)}.
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

// cube is the noise of mass e^{-ε‖k‖_∞/t}.
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

// rspm releases a minimiser of grid·c(q) + <φ(q), k>.
func rspm(f finite, grid int64, perturb func(noise.Coins) []int64, ties tieRule) func([]int64, noise.Coins) (int, error) {
	return func(table []int64, c noise.Coins) (int, error) {
		k := perturb(c)
		lastWins := ties(table)
		best, least := 0, int64(0)
		for q := range f.loss {
			cost := grid * f.cost(q, table)
			for i, b := range f.phi[q] {
				cost += b * k[i]
			}
			if q == 0 || cost < least || cost == least && lastWins {
				best, least = q, cost
			}
		}
		return best, nil
	}
}

func decimal(t testing.TB, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func counts(c []int64) []int64 { return c }
