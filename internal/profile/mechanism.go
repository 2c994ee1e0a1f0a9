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

// MostLevels is the maximum number L of levels of splits. At this number, a column is split into about 32 bins.
const MostLevels = 5

// extraLevels is the maximum number of levels of splits that a column may have in addition to the planned number L.
const extraLevels = 3

// A Mechanism releases cuts of each column. The columns are the first attributes of the data; further attributes are
// ignored. The last code of a column stands for all values that are not numbers; the release does not depend on them.
// The other codes are the cells of the column's grid, in increasing order.
//
// Cuts are chosen among the candidates of a column, which divide its grid into cells. A part is a range of these
// cells. At level 1 there is one part, the whole grid. At each level, the mechanism splits each part of at least two
// cells at one of the candidates inside it. It samples this edge by the exponential mechanism with a rate μ. The cost
// of an edge is |units below it - units above it|, counted within the part, plus its public penalty. From level 2 on,
// the mechanism may also stop, which means that it leaves the part whole. The cost of stopping is (units of the part)
// - bonus, where bonus is public. Before each level, the mechanism computes how many levels are still needed for
// about 2^L parts (see needed), and gives the level an equal share of the remaining budget of the column.
//
// Guarantee: ε-differential privacy or ρ-zCDP under the relation. Let the rows of one person in a part have u units
// together. They change each cost by at most u in either direction. So the range of the privacy loss of the choice is
// at most 2μu, or 2μ(u + v) if rows of v units replace them. The parts of a level are disjoint, so the ranges of all
// choices of a level sum to at most 2μcw, where w is the number of units of a person, and c is 1 under add-remove and
// 2 under replace. The level therefore consumes ε = 2μcw or ρ = (2μcw)²/8. The budgets of levels may depend on
// earlier choices. Those of a column sum to at most an equal share of the total budget
// (docs/explanation/proofs/profile.md).
type Mechanism struct {
	guarantee privacy.Guarantee
	cells     []int
	levels    int   // L
	most      int   // the maximum number of levels, L or more
	rows      int64 // the number of rows, or 0 if it is unknown
}

// New returns the mechanism for columns whose grids have the given numbers of cells, each at least 2. It releases
// about 2^levels - 1 cuts of each column, and at most MostCuts cuts. rows is the approximate number of rows or
// persons, which is public, or 0 if it is unknown. The guarantee g must be a privacy.Pure or a privacy.ZCDP.
func New(cells []int, levels int, rows int64, g privacy.Guarantee) (*Mechanism, error) {
	if levels < 1 || levels > MostLevels {
		return nil, fmt.Errorf("profile: the number of levels, %d, is outside 1..%d", levels, MostLevels)
	}
	if len(cells) == 0 {
		return nil, errors.New("profile: at least one column is required")
	}
	for j, n := range cells {
		if n < 2 || n >= table.MaxCategories {
			return nil, fmt.Errorf("profile: the grid of column %d has %d cells; it must have 2 to %d", j+1, n, table.MaxCategories-1)
		}
	}
	switch g.(type) {
	case privacy.Pure, privacy.ZCDP:
	default:
		return nil, fmt.Errorf("profile: the guarantee must be pure or zCDP, but it is %T", g)
	}
	if rateOf(len(cells), big.NewRat(1, leastShare), g).Sign() <= 0 {
		return nil, errors.New("profile: the budget is too small; use a larger ε or fewer columns")
	}
	most := levels
	for most < levels+extraLevels && pays(most+1, extraErrors, len(cells), rows, g) {
		most++
	}
	return &Mechanism{g, slices.Clone(cells), levels, most, rows}, nil
}

// leastShare is the reciprocal of a lower bound on the share of a column's budget that a level gets. Each level
// except the last one leaves at least half of the remaining budget. So after k levels at least 2^-k of the budget is
// left, for at most MostLevels + extraLevels - k further levels.
const leastShare = 1 << (MostLevels + extraLevels)

// rateOf returns the rate μ of the exponential mechanism at a level that consumes the given share of one column's
// budget. columns is the number of columns that share the total budget g.
func rateOf(columns int, share *big.Rat, g privacy.Guarantee) *big.Rat {
	moved := table.Weight(g.Relation().Persons()) // cw
	if g.Relation().Replaces() {
		moved *= 2
	}
	part := new(big.Rat).Mul(share, big.NewRat(1, int64(columns)))
	if z, ok := g.(privacy.ZCDP); ok {
		rate := root(part.Mul(part, new(big.Rat).Mul(z.Rho(), big.NewRat(2, 1))))
		return rate.Quo(rate, big.NewRat(moved, 1))
	}
	return part.Mul(part, new(big.Rat).Quo(g.(privacy.Pure).Epsilon().Rat(), big.NewRat(2*moved, 1)))
}

// root returns the square root of x, rounded down to a multiple of 2⁻⁶⁴.
func root(x *big.Rat) *big.Rat {
	const places = 64
	n := new(big.Int).Lsh(x.Num(), 2*places)
	n.Sqrt(n.Quo(n, x.Denom()))
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), places))
}

// unknownLevels is the default number of levels if the number of rows is not public.
const unknownLevels = 4

// The minimum mean number of rows of a bin, as a multiple of the RankError. partErrors limits the number L of levels,
// and extraErrors the number of levels beyond L.
const (
	partErrors  = 2
	extraErrors = 1.5
)

// Levels returns the default number of levels for the given approximate number of rows or persons. It is the greatest
// number up to MostLevels for which the bins have a mean number of rows of at least partErrors times the RankError,
// but at least 1. If rows is 0, the number is unknown and Levels returns a fixed default.
func Levels(columns int, rows int64, g privacy.Guarantee) int {
	if rows == 0 {
		return unknownLevels
	}
	for levels := MostLevels; levels > 1; levels-- {
		if pays(levels, partErrors, columns, rows, g) {
			return levels
		}
	}
	return 1
}

// pays reports whether 2^levels bins have a mean number of rows of at least errors times the RankError.
func pays(levels int, errors float64, columns int, rows int64, g privacy.Guarantee) bool {
	each := rankError(rateOf(columns, big.NewRat(1, int64(levels)), g), g)
	return float64(rows) >= errors*each*float64(int(1)<<levels)
}

// Guarantee returns the guarantee of each release.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// Levels returns the number L of levels for which the mechanism was made.
func (m *Mechanism) Levels() int { return m.levels }

// MostCuts returns the maximum number of cuts of a column. With L planned levels, it is 2^(L+1) - 1, or 2^L - 1 if
// the mechanism has no levels beyond L.
func (m *Mechanism) MostCuts() int {
	if m.most > m.levels {
		return 2<<m.levels - 1
	}
	return 1<<m.levels - 1
}

// RankError estimates how far a cut is from the median that it approximates: the mean absolute difference of their
// ranks, in rows or persons. The estimate is for columns whose values are spread over many cells.
func (m *Mechanism) RankError() float64 {
	return rankError(rateOf(len(m.cells), big.NewRat(1, int64(m.levels)), m.guarantee), m.guarantee)
}

// rankError returns the RankError for the rate μ of a choice. An edge whose rank differs from that of the median by r
// persons of w units has the cost 2rw. So if the persons are spread evenly over the cells, r has a Laplace
// distribution of scale 1/(2μw).
func rankError(rate *big.Rat, g privacy.Guarantee) float64 {
	mu, _ := rate.Float64()
	return 1 / (2 * mu * float64(table.Weight(g.Relation().Persons())))
}

// Queries returns the queries of a release: the marginal of each column.
func (m *Mechanism) Queries() table.Queries {
	var of table.Queries
	for j := range m.cells {
		of.Columns = append(of.Columns, []int{j})
	}
	return of
}

// Candidates are the edges of one column's grid at which cuts may be placed. They are public, or follow from earlier
// releases.
type Candidates struct {
	Column    int   // among the columns of the mechanism
	Edges     []int // in increasing order, at least one; edge t is the edge between cells t-1 and t
	Penalties []int // by candidate, in bits: the weight of an edge is multiplied by 2^-penalty
}

// Release selects cuts of some of the columns, which share the whole budget. The result has, for each element of
// from, at least one of its edges, in increasing order. Release returns the errors of the data. If the sizes of the
// data differ from those of the mechanism, it returns an error before it uses any randomness.
func (m *Mechanism) Release(ctx context.Context, d table.Counts, from []Candidates, coins noise.Coins) ([][]int, error) {
	if len(d.Sizes()) < len(m.cells) {
		return nil, errors.New("profile: the columns of the data differ from those of the mechanism")
	}
	var of [][]table.Axis
	for _, c := range from {
		n := m.cells[c.Column]
		if d.Sizes()[c.Column] != n+1 {
			return nil, fmt.Errorf("profile: column %d of the data must have one code per cell of its grid, and one for other values", c.Column+1)
		}
		of = append(of, []table.Axis{c.axis(n)})
	}
	counts, err := d.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([][]int, len(counts))
	for i, units := range counts {
		cuts, err := m.cut(ctx, units[:len(units)-1], from[i].Penalties, len(from), coins)
		if err != nil {
			return nil, err
		}
		for _, edge := range cuts {
			all[i] = append(all[i], from[i].Edges[edge-1])
		}
	}
	return all, nil
}

// axis returns an axis of the data whose cells are the ranges between candidates. The column's grid has n cells. The
// axis also has a last cell, for values that are not numbers.
func (c Candidates) axis(n int) table.Axis {
	cells := make([]uint16, n+1)
	merged := 0
	for i := range cells {
		if i == n || merged < len(c.Edges) && c.Edges[merged] == i {
			merged++
		}
		cells[i] = uint16(merged)
	}
	return table.Axis{Column: c.Column, Cells: cells, Size: merged + 1}
}

// A part is the range of a column's cells with indices from to to-1.
type part struct{ from, to int }

// A level holds the public parameters of the choices at one level.
type level struct {
	rate        *big.Rat // μ
	stopLogOdds int      // how probable stopping is, see the function stopLogOdds
	penalties   []int    // by edge, in bits
	mayStop     bool
}

// cut selects the cuts of one column by the exponential mechanism. The candidates are the edges between consecutive
// cells: units has the number of units in each cell, and penalties has a penalty for each edge. columns is the number
// of columns that share the budget. The only error is that of a cancelled context.
func (m *Mechanism) cut(ctx context.Context, units []int64, penalties []int, columns int, coins noise.Coins) (cuts []int, err error) {
	below := make([]int64, len(units)+1) // the units of the cells before each edge
	for i, n := range units {
		below[i+1] = below[i] + n
	}
	parts, left := []part{{0, len(units)}}, big.NewRat(1, 1)
	for done := 0; left.Sign() > 0; done++ {
		needed := m.needed(done, len(parts), len(cuts))
		if needed == 0 {
			break
		}
		share := new(big.Rat).Mul(left, big.NewRat(1, int64(needed)))
		left.Sub(left, share)
		rate := rateOf(columns, share, m.guarantee)
		l := level{rate, stopLogOdds(rate, done+needed, m.rows, m.guarantee), penalties, done > 0}
		var halves []part
		for _, p := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			edge, stopped := l.choose(p, below, coins)
			if stopped {
				continue
			}
			cuts = append(cuts, edge)
			for _, half := range []part{{p.from, edge}, {edge, p.to}} {
				if half.to-half.from > 1 {
					halves = append(halves, half)
				}
			}
		}
		parts = halves
	}
	slices.Sort(cuts)
	return cuts, nil
}

// needed returns the number of levels that a column still needs after done levels. parts is the number of parts that
// can still be split, and cuts the number of cuts so far. If the number of parts doubles at each further level, it
// must reach at least 3/4 of 2^L. The result is the least such number of levels, but at most m.most - done. It is 0
// if no part is left, or if one more level could lead to more than MostCuts cuts.
func (m *Mechanism) needed(done, parts, cuts int) (more int) {
	if parts == 0 || cuts+parts > m.MostCuts() {
		return 0
	}
	for 4*parts<<more < 3<<m.levels {
		more++
	}
	return min(more, m.most-done)
}

// choose samples the edge inside the part p at which to split it, or reports that the mechanism stops at p. below[t]
// is the number of units in all cells below edge t.
func (l level) choose(p part, below []int64, coins noise.Coins) (edge int, stopped bool) {
	edges := p.to - p.from - 1
	costs := make([]int64, edges, edges+1)
	var penalty [MostPenalty + 1]int64
	for bits := range penalty {
		penalty[bits] = l.units(7 * bits)
	}
	for i := range costs {
		low, high := below[p.from+1+i]-below[p.from], below[p.to]-below[p.from+1+i]
		costs[i] = max(low-high, high-low) + penalty[l.penalties[p.from+i]]
	}
	if l.mayStop {
		costs = append(costs, below[p.to]-below[p.from]-l.units(7*l.weight(p)+l.stopLogOdds))
	}
	i := noise.Gibbs(coins, costs, l.rate)
	return p.from + 1 + i, i == edges
}

// weight returns the binary logarithm, rounded down, of the sum of 2^-penalty over all edges inside the part p.
func (l level) weight(p part) int {
	sum := uint64(0)
	for _, bits := range l.penalties[p.from : p.to-1] {
		sum += 1 << (MostPenalty - bits)
	}
	return bits.Len64(sum) - 1 - MostPenalty
}

// units returns the cost, in units, that multiplies the probability weight of a choice by about e^{-tenths/10}:
// tenths/(10μ), rounded down, where μ is the rate. If the bonus of stopping is units(7·weight + logOdds), the
// mechanism stops at a part without rows with probability of about 1/(1 + e^{-logOdds/10}). Penalties and the bonus
// are functions of public numbers and of earlier choices.
func (l level) units(tenths int) int64 {
	b := big.NewInt(int64(tenths))
	b.Mul(b, l.rate.Denom())
	b.Div(b, new(big.Int).Mul(big.NewInt(10), l.rate.Num()))
	if !b.IsInt64() || b.Int64() > mostBonus {
		return mostBonus
	}
	return max(b.Int64(), -mostBonus)
}

// stopLogOdds returns the field stopLogOdds of a level with the given rate μ. It is ten times the logarithm of the
// odds of stopping at a part without rows: the weight of stopping, divided by the sum of the weights of all edges.
//
// Let m be the mean number of units of the parts that the last level splits. The mechanism must not stop at these
// parts. So the larger m is, the larger the odds may be: stopLogOdds rounds 10(μm/2 - 3) down, and returns the
// nearest number between -10 and 40. If the number of rows is not public, rows is 0 and the result is 10.
func stopLogOdds(rate *big.Rat, levels int, rows int64, g privacy.Guarantee) int {
	if rows == 0 {
		return unknownStopLogOdds
	}
	tens := new(big.Rat).Mul(rate, big.NewRat(5*table.Weight(g.Relation().Persons()), int64(1)<<(levels-1)))
	tens.Mul(tens, new(big.Rat).SetInt64(rows))
	whole := new(big.Int).Quo(tens.Num(), tens.Denom())
	if !whole.IsInt64() {
		return mostStopLogOdds
	}
	return int(min(max(whole.Int64()-30, leastStopLogOdds), mostStopLogOdds))
}

const (
	leastStopLogOdds   = -10
	unknownStopLogOdds = 10
	mostStopLogOdds    = 40
)

// mostBonus is the maximum absolute value of the bonus of stopping. It ensures that differences of costs fit into 64
// bits.
const mostBonus = math.MaxInt64 / 4

// MostPenalty is the maximum penalty of an edge, in bits.
const MostPenalty = 30
