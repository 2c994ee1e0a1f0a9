package synth

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A session measures private data within a privacy budget. Measurements may be chosen adaptively: they may depend on
// all earlier results.
type session struct {
	data     table.Counts // the codes of a column with bins are those of its bins
	domain   Domain
	relation privacy.Relation
	budget   privacy.GaussianBudget
	left     *big.Rat // the remaining part of the budget
	coins    noise.Coins
}

// pay subtracts the cost of a measurement from the remaining budget of the session. It panics if the cost exceeds
// that budget, which is a programming error and does not depend on the data.
func (s *session) pay(c Cost) {
	if s.left.Sub(s.left, c.of(s.budget)); s.left.Sign() < 0 {
		panic("synth: more is asked of a table than its budget has")
	}
}

// measure returns noisy counts of several marginals. The slice of holds the axes of each marginal, and laws holds the
// distribution of the independent noise of its counts, whose σ² is in rows squared or persons squared. measure
// returns an error if reading the data fails or the context ends.
func (s *session) measure(ctx context.Context, of [][]table.Axis, laws []noise.Gaussian) ([]Measurement, error) {
	measured := make([]Measurement, len(of))
	for i, axes := range of {
		measured[i] = Measurement{Axes: axes, Sigma2: laws[i].Sigma2}
	}
	return measured, s.fill(ctx, measured)
}

// fill measures the private data: it sets the noisy counts or contrasts of the given measurements, whose axes and
// noise are already set, and subtracts their cost from the budget. It returns an error if reading the data fails or
// the context ends.
func (s *session) fill(ctx context.Context, of []Measurement) error {
	axes := make([][]table.Axis, len(of))
	for i, m := range of {
		if axes[i] = m.Axes; !m.Bins {
			axes[i] = s.overBins(m.Axes)
		}
		s.pay(m.Cost(s.relation))
	}
	exact, err := s.data.Marginals(ctx, axes)
	if err != nil {
		return err
	}
	for i, counts := range exact {
		m := &of[i]
		if m.Contrasts {
			counts = contrasts(counts, m.sizes()...)
		}
		law := inUnits(m.Sigma2, s.relation)
		for k, n := range counts {
			counts[k] = s.noisy(n, law)
		}
		m.Counts = counts
	}
	return ctx.Err()
}

// contrast returns noisy contrasts of several pairs of columns. The slice of holds the axes of each pair. Each
// contrast has independent noise, whose parameter is γ times that of the pair's distribution in laws, where γ is the
// squared L2 sensitivity of the pair's contrasts (see contrastMoved). contrast returns an error if reading the data
// fails or the context ends.
func (s *session) contrast(ctx context.Context, of [][]table.Axis, laws []noise.Gaussian) ([]Measurement, error) {
	measured := make([]Measurement, len(of))
	for i, axes := range of {
		measured[i] = contrastsOf(axes, laws[i], s.relation)
	}
	return measured, s.fill(ctx, measured)
}

// overBins converts axes over the values of columns to axes over the codes of the private data. In a column with
// bins, these codes are the numbers of bins.
func (s *session) overBins(axes []table.Axis) []table.Axis {
	of := slices.Clone(axes)
	for i, a := range axes {
		bins := s.domain.bins(a.Column)
		if bins == nil {
			continue
		}
		of[i].Cells = make([]uint16, len(bins))
		for b, v := range bins {
			of[i].Cells[b] = uint16(a.Cell(int(v)))
		}
	}
	return of
}

// farCount is the maximum absolute value to which exact counts, contrasts and noise are clamped, so that their sums
// do not overflow. It is much greater than MostCount.
const farCount = 1 << 60

// noisy adds noise to a count, or to a contrast within ±farCount, and clamps the sum to ±MostCount.
func (s *session) noisy(n int64, law noise.Gaussian) int64 {
	sum := min(n, farCount)
	switch k := s.coins.Draw(law); {
	case k.IsInt64():
		sum += min(max(k.Int64(), -2*farCount), 2*farCount)
	default:
		sum = int64(k.Sign()) * farCount
	}
	return min(max(sum, -MostCount), MostCount)
}

// draw selects one of the conjunctions privately, by the exponential mechanism, and returns its index. The privacy
// loss of the selection lies in an interval of length epsilon.
//
// The score of a conjunction is the number of rows of the table that satisfy it, minus the number that the model
// expects. If fewer is true, the score is the negative of this difference. draw returns an error if reading the data
// fails.
func (s *session) draw(ctx context.Context, of []loglinear.Conjunction, pools []*cells.Pooling, fewer bool, epsilon privacy.Decimal) (int, error) {
	s.pay(selection(epsilon))
	costs, err := s.supports(ctx, of, pools)
	if err != nil {
		return 0, err
	}
	for i, n := range costs {
		costs[i] = expected(of[i], unit(s.relation)) - min(n, MostCount)
		if fewer {
			costs[i] = -costs[i]
		}
	}
	return noise.Gibbs(s.coins, costs, rate(s.relation, epsilon)), nil
}

// supports returns, for each conjunction, the total weight of the rows that satisfy all its terms. The terms are
// conditions on pooled values.
func (s *session) supports(ctx context.Context, of []loglinear.Conjunction, pools []*cells.Pooling) ([]int64, error) {
	axes := make([]table.Axis, len(pools))
	for j, pool := range pools {
		axes[j] = table.Axis{Column: j, Cells: pool.Cells, Size: pool.Size}
	}
	terms := make([][]table.Term, len(of))
	for i, c := range of {
		for _, t := range c.Terms {
			terms[i] = append(terms[i], table.Term{Axis: t.Column, Cell: t.Value})
		}
	}
	return s.data.Supports(ctx, s.overBins(axes), terms)
}

// expected returns the number of rows that satisfy a conjunction according to the model, multiplied by the weight of
// a row or person (unit) and rounded to an integer in 0..MostCount.
func expected(c loglinear.Conjunction, unit int64) int64 {
	if !(c.Expected > 0) {
		return 0
	}
	return int64(math.Round(min(c.Expected*float64(unit), MostCount)))
}
