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

// MostLevels is the maximum number of levels of splits that can be requested. With this number, a column is split into
// about 32 bins.
const MostLevels = 5

// extraLevels is the maximum number of levels of splits that a column may have beyond the requested number.
const extraLevels = 3

// A Mechanism releases cuts of each column. The columns are the first attributes of the data; further attributes are
// ignored. The last code of a column represents all values that are not numbers, and the release does not depend on
// them. The other codes are the cells of the column's grid, in increasing order.
//
// Cuts are chosen among the candidates of a column, which are edges between cells. A part is a range of cells. At level
// 1 there is one part, the whole grid. At each level, the mechanism splits each part of at least two cells at one of
// the candidates inside it. It samples this candidate by the exponential mechanism with a rate μ:
//   - The cost of an edge is |units below it - units above it|, counted within the part, plus its public penalty.
//   - From level 2 on, and in columns with omitted cells from level 1 on, the mechanism may also stop, which leaves the
//     part whole. The cost of stopping is the number of units of the part minus a public bonus.
//
// Let L be the requested number of levels. Before each level, the mechanism computes how many levels are still needed
// for about 2^L parts (see needed). The level receives an equal share of the remaining budget of the column.
//
// Guarantee: ε-differential privacy or ρ-zCDP under the relation (docs/explanation/proofs/profile.md).
//   - One choice: let the rows of one person in a part have u units together. They change each cost by at most u in
//     either direction. So the range of the privacy loss of the choice is at most 2μu, or 2μ(u + v) if rows of v units
//     replace them.
//   - One level: its parts are disjoint, so the ranges of all its choices sum to at most 2μcw. Here w is the number of
//     units of a person, and c is 1 under add-remove and 2 under replace. The level therefore consumes ε = 2μcw or ρ =
//     (2μcw)²/8.
//   - One column: the budgets of its levels sum to at most its share of the total budget. They may depend on earlier
//     choices. All columns have equal shares, except that columns with omitted cells have larger ones (see Candidates).
type Mechanism struct {
	guarantee privacy.Guarantee
	gaussian  privacy.Guarantee // see Gaussian
	cells     []int
	levels    int   // L
	most      int   // the maximum number of levels, L or more
	rows      int64 // the number of rows, or 0 if it is unknown
	mayStop   bool  // whether level 1 may stop
}

// New returns the mechanism for columns with the given numbers of cells, each of which must be at least 2. It releases
// about 2^levels - 1 cuts of each column, and at most MostCuts. The parameter rows is a public approximate number of
// rows or persons, or 0 if it is unknown. The guarantee g must be a privacy.Pure or a privacy.ZCDP.
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
	if rateOf(big.NewRat(1, leastShare*restWeight*int64(len(cells))), g).Sign() <= 0 {
		return nil, errors.New("profile: the budget is too small; use a larger ε or fewer columns")
	}
	most := levels
	part := big.NewRat(1, int64(len(cells)))
	for most < levels+extraLevels && enough(rows, most+1, extraErrors, part, g) {
		most++
	}
	gaussian, err := ranged(g)
	return &Mechanism{g, gaussian, slices.Clone(cells), levels, most, rows, false}, err
}

// leastShare determines the minimum budget of a level, which is 1/leastShare of the column's budget. The reason is that
// each level except the last takes at most half of the remaining budget, and the last takes all of it. So after k
// levels at least 2^-k of the budget remains, and at most MostLevels + extraLevels - k levels share it.
const leastShare = 1 << (MostLevels + extraLevels)

// rateOf returns the rate of the exponential mechanism at one level of splits. The parameter share is the fraction of
// the total budget g that the level consumes.
func rateOf(share *big.Rat, g privacy.Guarantee) *big.Rat {
	moved := table.Weight(g.Relation().Persons()) // cw
	if g.Relation().Replaces() {
		moved *= 2
	}
	if z, ok := g.(privacy.ZCDP); ok {
		rate := new(big.Rat).Mul(share, z.Rho())
		rate = root(rate.Mul(rate, big.NewRat(2, 1)))
		return rate.Quo(rate, big.NewRat(moved, 1))
	}
	return new(big.Rat).Mul(share, new(big.Rat).Quo(g.(privacy.Pure).Epsilon().Rat(), big.NewRat(2*moved, 1)))
}

// root returns the square root of x, rounded down to a multiple of 2⁻⁶⁴.
func root(x *big.Rat) *big.Rat {
	const places = 64
	n := new(big.Int).Lsh(x.Num(), 2*places)
	n.Sqrt(n.Quo(n, x.Denom()))
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), places))
}

// unknownLevels is the default number of levels of splits if the number of rows is not public.
const unknownLevels = 4

// partErrors, restErrors and extraErrors limit the number of bins: on average, a bin must have at least this multiple
// of the RankError of rows. The first limits the requested number of levels, the second the number of levels of a
// column with omitted cells, and the third the number of levels beyond the requested number.
const (
	partErrors  = 2
	restErrors  = 4
	extraErrors = 1.5
)

// Levels returns the default number of levels of splits for an approximate number of rows or persons: the greatest
// number from 1 to MostLevels for which the average bin has at least partErrors times the RankError of rows. It returns
// 1 if no number satisfies this condition. If rows is 0, the number of rows is unknown, and Levels returns
// unknownLevels.
func Levels(columns int, rows int64, g privacy.Guarantee) int {
	if rows == 0 {
		return unknownLevels
	}
	return levelsOf(MostLevels, rows, partErrors, big.NewRat(1, int64(columns)), g)
}

// levelsOf returns the greatest number of levels of splits, from 1 to the parameter most, for which the mean number of
// rows in a bin is at least the RankError, multiplied by the parameter errors. It returns 1 if there is no such number.
// The parameter part is the column's fraction of the total budget g.
func levelsOf(most int, rows int64, errors float64, part *big.Rat, g privacy.Guarantee) int {
	for levels := most; levels > 1; levels-- {
		if enough(rows, levels, errors, part, g) {
			return levels
		}
	}
	return 1
}

// enough reports whether there are enough rows for the given number of levels of splits: the 2^levels bins must have,
// on average, at least the given multiple (errors) of the RankError of rows. The parameter part is the fraction of the
// total budget g that the column has.
func enough(rows int64, levels int, errors float64, part *big.Rat, g privacy.Guarantee) bool {
	each := rankError(rateOf(new(big.Rat).Mul(part, big.NewRat(1, int64(levels))), g), g)
	return float64(rows) >= errors*each*float64(int(1)<<levels)
}

// Guarantee returns the privacy guarantee of each release of the mechanism.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// Gaussian returns the guarantee of each release, including its μ² if it is zCDP.
func (m *Mechanism) Gaussian() privacy.Guarantee { return m.gaussian }

// ranged returns the guarantee g of a sequence of choices, including their μ² if g is zCDP. The squared ranges of the
// privacy losses of all levels sum to at most 8ρ, so their μ² sum to at most that of a single range of √(8ρ).
func ranged(g privacy.Guarantee) (privacy.Guarantee, error) {
	z, ok := g.(privacy.ZCDP)
	if !ok {
		return g, nil
	}
	one, err := privacy.RoundUp(big.NewRat(1, 1), 1)
	if err != nil {
		return nil, err
	}
	square := privacy.RangeSquare(one)
	square.Mul(square, big.NewRat(8, 1))
	return withSquare(z, square.Mul(square, z.Rho()))
}

// Levels returns the number of levels of splits that was requested from New.
func (m *Mechanism) Levels() int { return m.levels }

// MostCuts returns the maximum number of cuts of a column. If L levels were requested, it is 2^L-1, or 2^(L+1)-1 if
// there may be further levels.
func (m *Mechanism) MostCuts() int {
	if m.most > m.levels {
		return 2<<m.levels - 1
	}
	return 1<<m.levels - 1
}

// RankError returns an estimate of the mean absolute difference between the rank of a cut and that of the median that
// the cut approximates, in rows or persons. The estimate is for columns whose values are spread over many cells.
func (m *Mechanism) RankError() float64 {
	return rankError(rateOf(big.NewRat(1, int64(len(m.cells)*m.levels)), m.guarantee), m.guarantee)
}

// rankError returns the RankError of the exponential mechanism with the given rate μ. An edge whose rank differs from
// that of the median by r persons, each of w units (see table.Counts), has the cost 2rw. So if the persons are spread
// evenly over the cells, r has a Laplace distribution of scale 1/(2μw).
func rankError(rate *big.Rat, g privacy.Guarantee) float64 {
	mu, _ := rate.Float64()
	return 1 / (2 * mu * float64(table.Weight(g.Relation().Persons())))
}

// Queries returns the queries that a release sends to the data: the marginal of each column.
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

	// Omitted are cells of the grid whose values are left out, like values that are not numbers. If there are some,
	// Units is an estimate of the number of units in all other cells, and the column gets restWeight times the budget
	// of a column without omitted cells.
	Omitted []int
	Units   int64
}

// restWeight is the budget of a column with omitted cells, divided by that of a column without. It is greater than 1
// because the cuts of a column with omitted cells divide only a few of the rows.
const restWeight = 4

// weight returns the column's budget, divided by the budget of a column without omitted cells.
func (c Candidates) weight() int64 {
	if len(c.Omitted) > 0 {
		return restWeight
	}
	return 1
}

// Release selects cuts among the candidates of some columns, which share the whole budget. The parameter from holds the
// candidates of each of these columns, and the result has its cuts in increasing order: at least one, except for
// columns with omitted cells. Release returns the errors of the data d. If the sizes of the data are not those of the
// mechanism, it returns an error before it uses any randomness.
func (m *Mechanism) Release(ctx context.Context, d table.Counts, from []Candidates, coins noise.Coins) ([][]int, error) {
	if len(d.Sizes()) < len(m.cells) {
		return nil, errors.New("profile: the columns of the data differ from those of the mechanism")
	}
	var of [][]table.Axis
	weights := int64(0)
	for _, c := range from {
		weights += c.weight()
		n := m.cells[c.Column]
		if d.Sizes()[c.Column] != n+1 {
			return nil, fmt.Errorf("profile: column %d of the data must have one code for each cell of its grid, and one more for other values", c.Column+1)
		}
		of = append(of, []table.Axis{c.axis(n)})
	}
	counts, err := d.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([][]int, len(counts))
	for i, units := range counts {
		part := big.NewRat(from[i].weight(), weights)
		cuts, err := m.of(from[i], part).cut(ctx, units[:len(units)-1], from[i].Penalties, part, coins)
		if err != nil {
			return nil, err
		}
		for _, edge := range cuts {
			all[i] = append(all[i], from[i].Edges[edge-1])
		}
	}
	return all, nil
}

// of returns the mechanism with the number of levels that suits the column. The parameter part is the fraction of the
// total budget that the column has. A column with omitted cells has as many levels as its estimated number of rows
// permits, and may stop at level 1.
func (m *Mechanism) of(c Candidates, part *big.Rat) *Mechanism {
	if len(c.Omitted) == 0 {
		return m
	}
	own := *m
	own.rows = max(c.Units/table.Weight(m.guarantee.Relation().Persons()), 1)
	own.levels = levelsOf(m.levels, own.rows, restErrors, part, m.guarantee)
	own.most, own.mayStop = own.levels, true
	return &own
}

// axis returns the table.Axis that counts the rows between candidates. Its cells are the ranges between consecutive
// candidates, and a last cell for omitted values and values that are not numbers. The parameter n is the number of
// cells of the column's grid.
func (c Candidates) axis(n int) table.Axis {
	cells := make([]uint16, n+1)
	merged := 0
	for i := range cells {
		if i == n || merged < len(c.Edges) && c.Edges[merged] == i {
			merged++
		}
		cells[i] = uint16(merged)
	}
	for _, i := range c.Omitted {
		cells[i] = uint16(merged)
	}
	return table.Axis{Column: c.Column, Cells: cells, Size: merged + 1}
}

// A part is a range of a column's cells: those whose index is at least from and less than to.
type part struct{ from, to int }

// A level holds the public parameters of the random choices at one level of splits of a column.
type level struct {
	rate        *big.Rat // μ
	stopLogOdds int      // how probable stopping is, see the function stopLogOdds
	penalties   []int    // by edge, in bits
	mayStop     bool
}

// cut selects the cuts of one column by the exponential mechanism. The parameter units holds the number of units (see
// table.Counts) in each cell. The candidates are the edges between consecutive cells, and the parameter penalties holds
// the penalty of each. The parameter budget is the fraction of the total budget that the column has. The only possible
// error is that of a canceled context.
func (m *Mechanism) cut(ctx context.Context, units []int64, penalties []int, budget *big.Rat, coins noise.Coins) (cuts []int, err error) {
	below := make([]int64, len(units)+1) // the units of the cells before each edge
	for i, n := range units {
		below[i+1] = below[i] + n
	}
	parts, left := []part{{0, len(units)}}, budget
	for done := 0; left.Sign() > 0; done++ {
		needed := m.needed(done, len(parts), len(cuts))
		if needed == 0 {
			break
		}
		share := new(big.Rat).Mul(left, big.NewRat(1, int64(needed)))
		left = new(big.Rat).Sub(left, share)
		rate := rateOf(share, m.guarantee)
		l := level{rate, stopLogOdds(rate, done+needed, m.rows, m.guarantee), penalties, m.mayStop || done > 0}
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

// needed returns the number of levels that a column still needs. The parameter done is the number of its levels so far,
// parts is the number of parts (ranges of cells) that can still be split, and cuts is the number of cuts so far. Each
// further level can double the number of parts. The result is the least number of levels with which the number of parts
// reaches 3/4 of 2^L, where L is the requested number of levels, but at most m.most - done. It is 0 if no part is left,
// or if one more level could lead to more than MostCuts cuts.
func (m *Mechanism) needed(done, parts, cuts int) (more int) {
	if parts == 0 || cuts+parts > m.MostCuts() {
		return 0
	}
	for 4*parts<<more < 3<<m.levels {
		more++
	}
	return min(more, m.most-done)
}

// choose samples the edge at which to split the part p, which is a range of cells, or reports that the mechanism stops,
// which leaves the part whole. The parameter below holds, for each edge, the number of units (see table.Counts) in all
// cells below it.
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

// weight returns the binary logarithm, rounded down, of the total weight of the edges inside the part p (a range of
// cells), where an edge with a penalty has the weight 2^-penalty.
func (l level) weight(p part) int {
	sum := uint64(0)
	for _, bits := range l.penalties[p.from : p.to-1] {
		sum += 1 << (MostPenalty - bits)
	}
	return bits.Len64(sum) - 1 - MostPenalty
}

// units returns a cost, in units (see table.Counts), that makes a choice less probable: it multiplies the probability
// weight of the choice by about e^{-tenths/10}. The cost is tenths/(10μ), rounded down, where μ is the rate of the
// exponential mechanism. Penalties and the bonus of stopping are costs of this kind; they depend only on public numbers
// and on earlier choices. If the bonus is units(7·weight + logOdds), the mechanism stops at a part (a range of cells)
// without rows with a probability of about 1/(1 + e^{-logOdds/10}).
func (l level) units(tenths int) int64 {
	b := big.NewInt(int64(tenths))
	b.Mul(b, l.rate.Denom())
	b.Div(b, new(big.Int).Mul(big.NewInt(10), l.rate.Num()))
	if !b.IsInt64() || b.Int64() > mostBonus {
		return mostBonus
	}
	return max(b.Int64(), -mostBonus)
}

// stopLogOdds returns ten times the logarithm of the odds of not splitting a part (a range of cells) without rows,
// called stopping, for a level whose exponential mechanism has the rate μ. The odds are the weight of stopping, divided
// by the sum of the weights of all edges.
//
// Let m be the mean number of units (see table.Counts) of a part at the last level. The mechanism should not stop at a
// part with as many units, so the larger m is, the larger the odds may be. The result is 10(μm/2 - 3), rounded down,
// but not below -10 and not above 40. If the number of rows is not public, rows is 0 and the result is
// unknownStopLogOdds.
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

// mostBonus is the maximum absolute value, in units (see table.Counts), of the bonus for not splitting a range of cells
// and of the penalties of edges. It ensures that differences of costs fit into 64 bits.
const mostBonus = math.MaxInt64 / 4

// MostPenalty is the maximum penalty, in bits, of an edge between two cells of a column's grid. A cut at an edge with a
// large penalty is less likely.
const MostPenalty = 30
