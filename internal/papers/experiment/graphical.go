package experiment

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
	"github.com/sibyl-dp/sibyl/noise"
)

// The accuracies with which graphical.Fit fits a model: roundAccuracy if another selection follows, and
// lastAccuracy for the final model.
const (
	roundAccuracy = 1e-2
	lastAccuracy  = 1e-3
)

// measurement measures the marginal of the given columns of d with noise. The measurement consumes rho.
func (b budget) measurement(d *flat, columns []int, rho *big.Rat) graphical.Measurement {
	m := graphical.Measurement{Columns: columns, Counts: b.measure(d.marginal(columns...), rho)}
	variance, _ := b.noise(rho).Sigma2.Float64()
	for range m.Counts {
		m.Variances = append(m.Variances, variance)
	}
	return m
}

// A scored is a marginal that the exponential mechanism can select.
type scored struct {
	columns []int
	exact   []int64 // the exact counts of its cells
	weight  int64
}

// score returns weight·(Σ |count - expectation| - penalty) in units of 1/scoreGrid. The sum is over all cells. The
// expectation of a cell is its share times total, which are public; it is rounded to a multiple of
// 1/scoreGrid. So a row changes the score, for each cell whose count it changes by 1, by at most weight·scoreGrid units.
func (s *scored) score(shares []float64, total, penalty float64) int64 {
	sum := -int64(math.Round(penalty * scoreGrid))
	for c, n := range s.exact {
		e := n*scoreGrid - int64(math.Round(shares[c]*total*scoreGrid))
		sum += max(e, -e)
	}
	return s.weight * sum
}

const scoreGrid = 1 << 10

// choose selects one of the candidates by the exponential mechanism at a cost of rho, and returns its index. Large
// scores are more probable.
func (b budget) choose(of []*scored, scores []int64, rho *big.Rat) int {
	b.pay(rho)
	costs, most := make([]int64, len(of)), int64(0)
	for i, s := range of {
		costs[i], most = -scores[i], max(most, s.weight)
	}
	return noise.Gibbs(b.coins, costs, b.rate(rho, most*scoreGrid))
}

// rate returns the rate λ at which the exponential mechanism costs rho. The argument change bounds how much a cost
// changes if the count of one cell changes by 1. The privacy loss then has the range ε = √(8ρ).
func (b budget) rate(rho *big.Rat, change int64) *big.Rat {
	epsilon := rootDown(new(big.Rat).Mul(rho, big.NewRat(8, 1)))
	return epsilon.Quo(epsilon, big.NewRat(2*b.moves()*change, 1))
}

// modelRows samples rows from a model. It samples as many rows as the table has according to the model's estimate.
func modelRows(m *graphical.Model, b budget) [][]uint16 {
	return m.Rows(int(math.Round(m.Total())), b.random)
}
