package profile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// MostLevels is the maximum number of levels, for at most 31 cuts.
const MostLevels = 5

// A Mechanism releases cuts of each column. The first attributes of the data are the columns: the first codes of
// each are the cells of its grid in increasing order, and its last code stands for all values that are not
// numbers, which have no part in the release. Further attributes are ignored.
//
// A part is a range of cells; at level 1 it is the whole grid. For each part of at least two cells the
// mechanism chooses one of its inner edges, with cost |units below the edge - units above it|, and
// divides the part there. From level 2 on it may also stop, with cost (units of the part) - bonus,
// where bonus is public.
//
// Guarantee: ε-differential privacy or ρ-zCDP under the relation. All rows of one person in a part have
// u units together, and change each cost by at most u in either direction. So the range of the privacy
// loss of the choice is at most 2μu, or 2μ(u + v) if rows of v units replace them. The parts of a level are
// disjoint, so the ranges of a level add up to at most 2μcw. Over all columns and levels this gives
// ε = 2μcwLd, or ρ = dL(2μcw)²/8 (docs/explanation/proofs/profile.md).
type Mechanism struct {
	guarantee privacy.Guarantee
	cells     []int
	levels    int
	rate      *big.Rat // μ
	favour    int      // of stopping
}

// New returns the mechanism for grids with these numbers of cells, 2 or more, and for at most 2^levels - 1 cuts of
// each column. Rows is the approximate number of rows or persons, which is public, or 0 if it is unknown. The guarantee is a privacy.Pure or a privacy.ZCDP.
func New(cells []int, levels int, rows int64, g privacy.Guarantee) (*Mechanism, error) {
	if levels < 1 || levels > MostLevels {
		return nil, fmt.Errorf("profile: %d levels are outside 1..%d", levels, MostLevels)
	}
	if len(cells) == 0 {
		return nil, errors.New("profile: there are no columns")
	}
	for j, n := range cells {
		if n < 2 || n >= table.MaxCategories {
			return nil, fmt.Errorf("profile: the grid of column %d has %d cells, outside 2..%d", j+1, n, table.MaxCategories-1)
		}
	}
	rate, err := rateOf(len(cells), levels, g)
	if err != nil {
		return nil, err
	}
	return &Mechanism{g, slices.Clone(cells), levels, rate, favourOf(rate, levels, rows, g)}, nil
}

// rateOf returns μ.
func rateOf(columns, levels int, g privacy.Guarantee) (*big.Rat, error) {
	moved := table.Weight(g.Relation().Persons()) // cw
	if g.Relation().Replaces() {
		moved *= 2
	}
	choices := int64(columns) * int64(levels)
	rate := new(big.Rat)
	switch g := g.(type) {
	case privacy.Pure:
		rate.Quo(g.Epsilon().Rat(), big.NewRat(2*moved*choices, 1))
	case privacy.ZCDP:
		rate = root(new(big.Rat).Quo(g.Rho(), big.NewRat(choices, 2)))
		rate.Quo(rate, big.NewRat(moved, 1))
	default:
		return nil, fmt.Errorf("profile: the guarantee must be pure or zCDP, but it is %T", g)
	}
	if rate.Sign() <= 0 {
		return nil, errors.New("profile: the budget is too small")
	}
	return rate, nil
}

// root returns √x, rounded down to a multiple of 2⁻⁶⁴.
func root(x *big.Rat) *big.Rat {
	const places = 64
	n := new(big.Int).Lsh(x.Num(), 2*places)
	n.Sqrt(n.Quo(n, x.Denom()))
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), places))
}

// unknownLevels is the number of levels if the number of rows is not known.
const unknownLevels = 4

// Levels returns a number of levels for about this number of rows or persons, or for an unknown number if
// rows is 0: the largest for which each part of the last level has at least two times the RankError.
func Levels(columns int, rows int64, g privacy.Guarantee) (int, error) {
	for levels := MostLevels; levels > 0; levels-- {
		rate, err := rateOf(columns, levels, g)
		if err != nil {
			return 0, err
		}
		if rows == 0 && levels == unknownLevels || rows > 0 && float64(rows) >= 2*rankError(rate, g)*float64(int(1)<<levels) {
			return levels, nil
		}
	}
	return 1, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// Levels returns L.
func (m *Mechanism) Levels() int { return m.levels }

// RankError estimates the mean distance, in rows or persons, between the rank of a cut and the rank that it aims
// at. The estimate is for columns whose values are spread over many cells.
func (m *Mechanism) RankError() float64 { return rankError(m.rate, m.guarantee) }

// rankError is RankError for a rate. An edge that is r persons from the median has the cost 2rw, so r has a
// Laplace distribution of scale 1/(2μw) if the persons are spread evenly.
func rankError(rate *big.Rat, g privacy.Guarantee) float64 {
	mu, _ := rate.Float64()
	return 1 / (2 * mu * float64(table.Weight(g.Relation().Persons())))
}

// Asks returns the queries of a release: the marginal of each column.
func (m *Mechanism) Asks() table.Asks {
	var of table.Asks
	for j := range m.cells {
		of.Columns = append(of.Columns, []int{j})
	}
	return of
}

// Release chooses the cuts of each column: increasing edges, at least one, where edge t lies between cells
// t-1 and t. It returns the errors of the data, or an error before any sampling if the sizes of the data
// differ from the mechanism's.
func (m *Mechanism) Release(ctx context.Context, d table.Counts, coins noise.Coins) ([][]int, error) {
	if len(d.Sizes()) < len(m.cells) {
		return nil, errors.New("profile: the columns of the data differ from those of the mechanism")
	}
	var of [][]table.Axis
	for j, n := range m.cells {
		if d.Sizes()[j] != n+1 {
			return nil, fmt.Errorf("profile: column %d of the data does not have the cells of the mechanism", j+1)
		}
		of = append(of, []table.Axis{{Column: j, Size: n + 1}})
	}
	counts, err := d.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([][]int, len(counts))
	for j, units := range counts {
		if all[j], err = m.cut(ctx, units[:m.cells[j]], coins); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A part is the range of cells from..to-1.
type part struct{ from, to int }

// cut chooses the cuts of a column from the units of its cells. Its only error is the context's.
func (m *Mechanism) cut(ctx context.Context, units []int64, coins noise.Coins) (cuts []int, err error) {
	below := make([]int64, len(units)+1) // the units of the cells before each edge
	for i, n := range units {
		below[i+1] = below[i] + n
	}
	parts := []part{{0, len(units)}}
	for level := 1; level <= m.levels; level++ {
		var halves []part
		for _, p := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if edge, stopped := m.choose(p, below, level > 1, coins); !stopped {
				cuts = append(cuts, edge)
				halves = append(halves, part{p.from, edge}, part{edge, p.to})
			}
		}
		parts = halves
	}
	slices.Sort(cuts)
	return cuts, nil
}

// choose chooses an inner edge of a part, or stops. It stops without a choice if there is no inner edge.
func (m *Mechanism) choose(p part, below []int64, mayStop bool, coins noise.Coins) (edge int, stopped bool) {
	edges := p.to - p.from - 1
	if edges == 0 {
		return 0, true
	}
	costs := make([]int64, edges, edges+1)
	for i := range costs {
		low, high := below[p.from+1+i]-below[p.from], below[p.to]-below[p.from+1+i]
		costs[i] = max(low-high, high-low)
	}
	if mayStop {
		costs = append(costs, below[p.to]-below[p.from]-m.bonus(edges))
	}
	i := noise.Gibbs(coins, costs, m.rate)
	return p.from + 1 + i, i == edges
}

// bonus returns about (ln(edges) + favour/10)/μ units, rounded down. So a part without rows stops with probability
// 1/(1 + e^{-favour/10}). The bonus is a function of public numbers and earlier choices.
func (m *Mechanism) bonus(edges int) int64 {
	b := big.NewInt(int64(7*(bits.Len(uint(edges))-1) + m.favour))
	b.Mul(b, m.rate.Denom())
	b.Div(b, new(big.Int).Mul(big.NewInt(10), m.rate.Num()))
	if !b.IsInt64() || b.Int64() > mostBonus {
		return mostBonus
	}
	return max(b.Int64(), -mostBonus)
}

// favourOf returns ten times the logarithm of the weight of stopping in a part without rows, in units of the weight of all its
// edges. The more rows the parts of the last level have, the larger it may be before parts with rows stop
// too: it is 10(μm/2 - 3), rounded down, for m units in such a part, but at least -10 and at most 40.
func favourOf(rate *big.Rat, levels int, rows int64, g privacy.Guarantee) int {
	if rows == 0 {
		return unknownFavour
	}
	tens := new(big.Rat).Mul(rate, big.NewRat(5*table.Weight(g.Relation().Persons()), int64(1)<<(levels-1)))
	tens.Mul(tens, new(big.Rat).SetInt64(rows))
	whole := new(big.Int).Quo(tens.Num(), tens.Denom())
	if !whole.IsInt64() {
		return mostFavour
	}
	return int(min(max(whole.Int64()-30, leastFavour), mostFavour))
}

const (
	leastFavour   = -10
	unknownFavour = 10
	mostFavour    = 40
)

// mostBonus keeps differences of costs within 64 bits.
const mostBonus = math.MaxInt64 / 4
