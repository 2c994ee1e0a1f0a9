package synth

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A session is private data that is opened to counts and draws as long as they fit a budget.
// What is asked may depend on all that was answered before.
type session struct {
	data     table.Counts
	relation privacy.Relation
	left     *big.Rat // of ρ
	coins    noise.Coins
}

// pay takes a price from what is left. To ask for more is a defect of the program, and
// depends on prices only.
func (s *session) pay(price *big.Rat) {
	if s.left.Sub(s.left, price); s.left.Sign() < 0 {
		panic("synth: more is asked of a table than its budget has")
	}
}

// measure returns the counts of marginals, each cell with noise of its own of the marginal's
// law. It fails as the data does.
func (s *session) measure(ctx context.Context, of [][]table.Axis, laws []noise.Gaussian) ([]Measurement, error) {
	for _, law := range laws {
		s.pay(price(moved(s.relation), law.Sigma2))
	}
	exact, err := s.data.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	measured := make([]Measurement, len(of))
	for i, counts := range exact {
		law := inUnits(laws[i].Sigma2, s.relation)
		for k, n := range counts {
			counts[k] = s.noisy(n, law)
		}
		measured[i] = Measurement{of[i], laws[i].Sigma2, counts}
	}
	return measured, ctx.Err()
}

// contrast returns the contrasts of pairs, each with noise of its own: of the pair's law, as
// many times as a row moves them, squared. It fails with the context's error.
func (s *session) contrast(ctx context.Context, of [][]table.Axis, laws []noise.Gaussian) ([]Contrasts, error) {
	measured := make([]Contrasts, len(of))
	for i, axes := range of {
		moves := contrastMoved(s.relation, axes[0].Size, axes[1].Size)
		measured[i] = Contrasts{Axes: axes, Sigma2: moves.Mul(moves, laws[i].Sigma2)}
		s.pay(measured[i].Rho(s.relation))
	}
	exact, err := s.data.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	for i, counts := range exact {
		c := &measured[i]
		c.Values = contrasts(counts, c.Axes[0].Size, c.Axes[1].Size)
		law := inUnits(c.Sigma2, s.relation)
		for k, n := range c.Values {
			c.Values[k] = s.noisy(n, law)
		}
	}
	return measured, ctx.Err()
}

// farCount is beyond what is released, however far noise brings it back.
const farCount = 1 << 60

// noisy returns a count, or a contrast within ±farCount, with noise, brought into ±MostCount.
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

// draw draws one of the candidates by how many rows more of the table satisfy it than are
// expected, or fewer, with a range of ε. It fails as the data does.
func (s *session) draw(ctx context.Context, of []loglinear.Conjunction, pools []*cells.Pooling, fewer bool, epsilon privacy.Decimal) (int, error) {
	s.pay(drawPrice(epsilon))
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

// supports returns how many rows satisfy all terms, of pooled values, of each conjunction.
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
	return s.data.Supports(ctx, axes, terms)
}

// expected is the whole number of units that a model expects of a conjunction, where rows have
// so many.
func expected(c loglinear.Conjunction, unit int64) int64 {
	if !(c.Expected > 0) {
		return 0
	}
	return int64(math.Round(min(c.Expected*float64(unit), MostCount)))
}
