package experiment

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
	"github.com/sibyl-dp/sibyl/noise"
)

// These constants are accuracies of graphical.Fit: roundAccuracy is for models that only serve to select the next
// marginal, and lastAccuracy is for the final model.
const (
	roundAccuracy = 1e-2
	lastAccuracy  = 1e-3
)

// measurement measures the marginal of d on the given columns, with noise at a privacy cost of rho.
func (b budget) measurement(d *flat, columns []int, rho *big.Rat) graphical.Measurement {
	m := graphical.Measurement{Columns: columns, Counts: b.measure(d.marginal(columns...), rho)}
	variance, _ := b.noise(rho).Sigma2.Float64()
	for range m.Counts {
		m.Variances = append(m.Variances, variance)
	}
	return m
}

// A scored is a marginal among the candidates of the exponential mechanism.
type scored struct {
	columns []int
	exact   []int64 // the exact counts of its cells
	weight  int64
}

// score returns the score of a candidate marginal, as an integer in units of 1/scoreGrid. The score is
// weight·(distance - penalty), where distance is the sum of |count - expectation| over all cells. The expectation of
// a cell is the total times the cell's probability (shares), rounded to a multiple of 1/scoreGrid. It is public,
// since both factors are. So if the count of one cell changes by 1, the score changes by at most weight·scoreGrid
// units.
func (s *scored) score(shares []float64, total, penalty float64) int64 {
	sum := -int64(math.Round(penalty * scoreGrid))
	for c, n := range s.exact {
		e := n*scoreGrid - int64(math.Round(shares[c]*total*scoreGrid))
		sum += max(e, -e)
	}
	return s.weight * sum
}

const scoreGrid = 1 << 10

// choose selects one of the candidates by the exponential mechanism, at a privacy cost of rho, and returns its index.
// A candidate with a larger score is more probable.
func (b budget) choose(candidates []*scored, scores []int64, rho *big.Rat) int {
	b.pay(rho)
	costs, most := make([]int64, len(candidates)), int64(0)
	for i, s := range candidates {
		costs[i], most = -scores[i], max(most, s.weight)
	}
	return noise.Gibbs(b.coins, costs, b.rate(rho, most*scoreGrid))
}

// rate returns the rate λ of an exponential mechanism with the privacy cost rho. With this rate, the privacy loss
// lies in an interval of length ε = √(8ρ). The parameter change bounds the change in the cost of a candidate if the
// count of one cell changes by 1.
func (b budget) rate(rho *big.Rat, change int64) *big.Rat {
	epsilon := rootDown(new(big.Rat).Mul(rho, big.NewRat(8, 1)))
	return epsilon.Quo(epsilon, big.NewRat(2*b.moves()*change, 1))
}

// modelRows samples rows from a model: as many as the model estimates that the table has.
func modelRows(m *graphical.Model, b budget) [][]uint16 {
	return m.Rows(int(math.Round(m.Total())), b.random)
}
