package experiment

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
	"github.com/sibyl-dp/sibyl/noise"
)

// The accuracies of fits of graphical models: before the next selection, and at the end.
const (
	roundAccuracy = 1e-2
	lastAccuracy  = 1e-3
)

// measurement measures a marginal at a cost of ρ.
func (b budget) measurement(d *flat, columns []int, rho *big.Rat) graphical.Measurement {
	m := graphical.Measurement{Columns: columns, Counts: b.measure(d.marginal(columns...), rho)}
	variance, _ := b.noise(rho).Sigma2.Float64()
	for range m.Counts {
		m.Variances = append(m.Variances, variance)
	}
	return m
}

// A scored is a marginal that can be selected.
type scored struct {
	columns []int
	exact   []int64 // its counts
	weight  int64
}

// score returns weight·(Σ |count - expectation| - penalty) in units of 1/scoreGrid. The public
// expectations are rounded, so that a row changes the score by at most weight units of 1 for each
// cell that it changes.
func (s *scored) score(shares []float64, total, penalty float64) int64 {
	sum := -int64(math.Round(penalty * scoreGrid))
	for c, n := range s.exact {
		e := n*scoreGrid - int64(math.Round(shares[c]*total*scoreGrid))
		sum += max(e, -e)
	}
	return s.weight * sum
}

const scoreGrid = 1 << 10

// choose selects a candidate by the exponential mechanism at a cost of ρ. It prefers large scores.
func (b budget) choose(of []*scored, scores []int64, rho *big.Rat) int {
	b.pay(rho)
	costs, most := make([]int64, len(of)), int64(0)
	for i, s := range of {
		costs[i], most = -scores[i], max(most, s.weight)
	}
	return noise.Gibbs(b.coins, costs, b.rate(rho, most*scoreGrid))
}

// rate returns the rate of the exponential mechanism at a cost of ρ, if a cell that changes by one
// changes costs by at most the given number. The privacy loss then has the range ε = √(8ρ).
func (b budget) rate(rho *big.Rat, change int64) *big.Rat {
	epsilon := rootDown(new(big.Rat).Mul(rho, big.NewRat(8, 1)))
	return epsilon.Quo(epsilon, big.NewRat(2*b.moves()*change, 1))
}

// modelRows returns as many rows of a model as it estimates that the table has.
func modelRows(m *graphical.Model, b budget) [][]uint16 {
	return m.Rows(int(math.Round(m.Total())), b.random)
}
