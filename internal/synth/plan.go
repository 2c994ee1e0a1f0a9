package synth

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Budget is a privacy budget for a release of synthetic data, with the public facts that determine how a plan
// divides it.
type Budget struct {
	Relation privacy.Relation

	// The budget is ρ-zCDP or μ-GDP. Either Rho or Mu must be positive, and the other must be 0.
	Rho privacy.Decimal
	Mu  privacy.Decimal

	// Rows is the expected number of rows or, under replace, the stated number. The plan divides the
	// budget for this number of rows. If Rows is 0, the number is unknown, and the plan is for many rows.
	Rows int64
	// Weights has, for pairs (a, b) of columns with a < b, the ratio of their share of the budget to the share of a pair
	// that is not in Weights. A pair with a larger share has less noise.
	Weights map[[2]int]int
	// Pairwise omits the rounds. A release then queries only the marginals of columns and pairs.
	Pairwise bool
	// First selects the division of earlier versions, which never measures columns again with half of their ρ. It serves
	// to compute the guarantee of their releases.
	First bool
	// Counts selects another division of earlier versions: under add-remove, columns have counts instead of contrasts.
	Counts bool
}

// NewPlan divides the budget into wholeParts equal parts: columnParts of them are for columns, roundParts are for
// rounds, and the rest is for pairs. Each round uses half of its budget for the selection of a conjunction, and half
// for counts.
const (
	wholeParts  = 20
	columnParts = 8
	roundParts  = 3

	rounds = 6 // the number of rounds
)

// These constants are the usual weights of pairs of columns, which determine their shares of the budget (see
// Budget.Weights). Most analyses predict the label. If pairs with the label have twice the share of other pairs, they
// have less noise, and the other pairs have hardly more (docs/measurements/synthetic-data.md).
const (
	WantedWeight = 4 // weight of a pair that the user requests
	LabelWeight  = 2 // weight of any other pair with the label
)

// mostWeight is the maximum weight of a pair of columns in Budget.Weights.
const mostWeight = 1000

// These constants are minimum numbers of rows for the usual division of the budget. For fewer rows, the synthetic
// data has smaller errors without rounds, or if columns get a part of the budget for pairs
// (docs/explanation/proofs/synth.md, section 7).
const (
	leastPower = 2e5 // least ρ·rows² for rounds

	// leastClear and leastFaint are minimum numbers of rows for pairs, in standard deviations of the noise that a count
	// of a pair has if pairs get their whole usual share of the budget. With fewer rows than leastClear, columns get a
	// third of this share, and with fewer than leastFaint two thirds.
	leastClear = 10
	leastFaint = 5
)

// A Plan divides a privacy budget among the measurements of a release and determines their noise. It depends only on
// public facts.
type Plan struct {
	Domain   Domain
	Relation privacy.Relation

	// Fewer is the plan for fewer rows than Least. It replaces this plan after the columns are measured, if
	// the released counts of the columns show fewer than Least rows. It has no rounds, or it measures columns again
	// and pairs with more noise. Its ρ is at most that of this plan. Fewer is nil if no other plan is better for fewer
	// rows.
	Fewer *Plan
	Least float64

	// Contrasts reports whether the number of rows is measured, and columns are measured by contrasts instead of
	// counts.
	Contrasts bool

	Column noise.Gaussian   // noise of the counts of each column, of its contrasts divided by its size, and of the number of rows
	Bin    noise.Gaussian   // noise of the counts of bins; its σ² is nil if no column has bins
	Again  noise.Gaussian   // noise of a second measurement of the columns; its σ² is nil if there is none
	Pairs  [][2]int         // all pairs of columns, as Domain.pairs lists them
	Pair   []noise.Gaussian // noise of the contrasts of each pair, divided by their sensitivity: σ² is for γ = 1

	Rounds  int
	Epsilon privacy.Decimal // ε of the selection of a round
	Round   noise.Gaussian  // noise of the counts of a round; its σ² is nil if there are no rounds

	budget privacy.GaussianBudget // the budget that is divided
	cost   Cost                   // cost of all measurements and selections, at least that of Fewer
}

// NewPlan returns the plan for a table with the domain d and the budget b. It returns an error if the domain, the
// neighbour relation, ρ or μ, the number of rows or a weight is invalid, or if the budget is too small to divide.
func NewPlan(d Domain, b Budget) (*Plan, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	budget, err := privacy.NewGaussianBudget(b.Relation, b.Rho, b.Mu)
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	if b.Rows < 0 {
		return nil, fmt.Errorf("synth: the number of rows, %d, must not be negative", b.Rows)
	}
	p := &Plan{Domain: d, Relation: b.Relation, Pairs: d.pairs(), budget: budget}
	weights, err := p.weights(b.Weights)
	if err != nil {
		return nil, err
	}
	columns, pairs, rounds := p.shares(b.Pairwise)
	p.chooseContrasts(b)
	p.setColumns(columns)
	p.Pair = p.pairLaws(weights, pairs)
	if rounds != nil {
		half := new(big.Rat).Quo(rounds, whole(2*p.Rounds))
		p.Round = roundedUp(budget.NoiseWithin(moved(p.Relation), half))
		if p.Epsilon, err = budget.RangeWithin(half); err != nil || p.Epsilon.IsZero() {
			return nil, errors.New("synth: the budget is too small to divide among the measurements")
		}
	}
	p.cost = p.total()
	if len(p.Pairs) > 0 {
		p.setFewer(weights, b.First)
		p.coverFewer()
	}
	if b.Rows > 0 {
		return p.after(float64(b.Rows)), nil
	}
	return p, nil
}

// setColumns sets the noise of the counts of columns (Column) and of bins (Bin), given the part of the budget for
// both. The noise of a bin has twice the standard deviation of the noise of a column's count, so a column with bins
// costs about 5/4 as much as a column without.
func (p *Plan) setColumns(share *big.Rat) {
	moves := p.columnsMoved(true)
	n := p.Domain.Binned()
	if n == 0 {
		p.Column = roundedUp(p.budget.NoiseWithin(moves, share))
		return
	}
	binsMoved := new(big.Rat).Mul(moved(p.Relation), whole(n))
	part := new(big.Rat).Quo(binsMoved, whole(4)) // of the bins, if the share were divided into moves + part
	all := new(big.Rat).Add(moves, part)
	ofBins := new(big.Rat).Quo(new(big.Rat).Mul(share, part), all)
	p.Bin = roundedUp(p.budget.NoiseWithin(binsMoved, ofBins))
	p.Column = roundedUp(p.budget.NoiseWithin(moves, new(big.Rat).Sub(share, ofBins)))
}

// setFewer sets Fewer, the plan for fewer rows, and Least, the number of rows below which it replaces the plan p. If
// first is true, it uses the division of earlier versions.
func (p *Plan) setFewer(weights []int, first bool) {
	if p.Rounds == 0 {
		deviation := math.Sqrt(p.pairVariance())
		if p.Least = leastClear * deviation; first {
			p.Fewer = p.withoutRounds(weights, whole(1))
			return
		}
		p.Fewer = p.withoutRounds(weights, whole(2))
		p.Fewer.Fewer, p.Fewer.Least = p.Fewer.withoutRounds(weights, whole(1)), leastFaint*deviation
		return
	}
	p.Fewer = p.withoutRounds(weights, nil)
	p.Fewer.setFewer(weights, first)
	rho, _ := p.cost.Rho.Float64()
	p.Least = max(math.Sqrt(leastPower/rho), p.Fewer.Least)
}

// coverFewer raises the ρ of the plan to the maximum ρ of the plans that may replace it (Fewer, and the plans in
// Fewer). A plan with the same μ² may have a greater ρ, because a selection has a greater μ², relative to its ρ, than
// noise has.
func (p *Plan) coverFewer() {
	if p.Fewer == nil {
		return
	}
	p.Fewer.coverFewer()
	p.cost.Rho = slices.MaxFunc([]*big.Rat{p.cost.Rho, p.Fewer.cost.Rho}, (*big.Rat).Cmp)
}

// withoutRounds returns a variant of p without rounds and with the same noise of columns. If times is not nil,
// columns are measured again, with the parameter σ² of their first noise multiplied by times. Pairs get the rest of
// the budget.
func (p *Plan) withoutRounds(weights []int, times *big.Rat) *Plan {
	of := &Plan{Domain: p.Domain, Relation: p.Relation, Contrasts: p.Contrasts, Column: p.Column, Bin: p.Bin, Pairs: p.Pairs, budget: p.budget}
	if times != nil {
		of.Again.Sigma2 = new(big.Rat).Mul(times, p.Column.Sigma2)
	}
	rest := p.cost.of(p.budget)
	of.Pair = p.pairLaws(weights, rest.Sub(rest, of.total().of(p.budget)))
	of.cost = of.total()
	return of
}

// after returns the plan to use for a table with the given number of rows: p itself, or a plan in Fewer. A release
// calls it after the columns are measured, with the number of rows estimated from their released counts, to choose
// the plan for the pairs and rounds.
func (p *Plan) after(rows float64) *Plan {
	for p.Fewer != nil && rows < p.Least {
		p = p.Fewer
	}
	return p
}

// pairLaws returns the distribution of the noise of each pair, if the pairs share the given part of the budget in
// proportion to their weights.
func (p *Plan) pairLaws(weights []int, part *big.Rat) (laws []noise.Gaussian) {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	each := map[int]noise.Gaussian{} // of each weight, because many pairs have the same
	for _, w := range weights {
		each[w] = noise.Gaussian{}
	}
	for w := range each {
		each[w] = roundedUp(p.budget.NoiseWithin(whole(1), new(big.Rat).Mul(part, big.NewRat(int64(w), int64(sum)))))
	}
	for _, w := range weights {
		laws = append(laws, each[w])
	}
	return laws
}

// pairVariance returns the maximum of countVariance over all pairs.
func (p *Plan) pairVariance() (most float64) {
	for i := range p.Pair {
		most = max(most, p.countVariance(i))
	}
	return most
}

// countVariance returns the variance of the noise of a count of the given pair if its counts were measured instead of
// its contrasts, at the same ρ.
func (p *Plan) countVariance(pair int) float64 {
	variance, _ := new(big.Rat).Mul(moved(p.Relation), p.Pair[pair].Sigma2).Float64()
	return variance
}

func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// weights returns the weight of each pair in p.Pairs, given the weights of some of them. The others have the weight
// 1.
func (p *Plan) weights(of map[[2]int]int) ([]int, error) {
	weights := slices.Repeat([]int{1}, len(p.Pairs))
	for pair, weight := range of {
		at := slices.Index(p.Pairs, pair)
		switch {
		case at < 0:
			return nil, fmt.Errorf("synth: the pair (%d, %d) must be two columns with numbers from 1 to %d, in increasing order", pair[0]+1, pair[1]+1, len(p.Domain.Columns))
		case weight < 1 || weight > mostWeight:
			return nil, fmt.Errorf("synth: the weight %d of the pair (%d, %d) is outside 1..%d", weight, pair[0]+1, pair[1]+1, mostWeight)
		}
		weights[at] = weight
	}
	return weights, nil
}

// shares divides the budget of the plan. It returns the parts for columns, for pairs, and for rounds (drawn), and
// sets p.Rounds, the number of rounds, which is 0 if pairwise is true.
func (p *Plan) shares(pairwise bool) (columns, pairs, drawn *big.Rat) {
	n := len(p.Domain.Columns)
	part := func(parts int) *big.Rat {
		return new(big.Rat).Mul(p.budget.Total(), big.NewRat(int64(parts), wholeParts))
	}
	switch {
	case n == 1:
		return part(wholeParts), nil, nil
	case n == 2 || pairwise:
		return part(columnParts), part(wholeParts - columnParts), nil
	}
	p.Rounds = rounds
	return part(columnParts), part(wholeParts - columnParts - roundParts), part(roundParts)
}

// total returns the exact cost of all measurements and selections of the plan, in ρ and μ².
func (p *Plan) total() Cost {
	sum := price(p.columnsMoved(true), p.Column.Sigma2)
	if p.Again.Sigma2 != nil {
		sum = sum.plus(price(p.columnsMoved(false), p.Again.Sigma2), 1)
	}
	if p.Bin.Sigma2 != nil {
		sum = sum.plus(price(moved(p.Relation), p.Bin.Sigma2), p.Domain.Binned())
	}
	times := map[*big.Rat]int{} // pairs with the same share have the same law
	for _, g := range p.Pair {
		times[g.Sigma2]++
	}
	for sigma2, n := range times {
		sum = sum.plus(price(whole(1), sigma2), n)
	}
	if p.Round.Sigma2 != nil {
		sum = sum.plus(selection(p.Epsilon), p.Rounds).plus(price(moved(p.Relation), p.Round.Sigma2), p.Rounds)
	}
	return sum
}

// Rho returns the exact ρ of a release according to the plan: that of all measurements and selections or, if it is
// greater, that of the plan Fewer.
func (p *Plan) Rho() *big.Rat { return new(big.Rat).Set(p.cost.Rho) }

// promised returns the cost that the guarantee of the plan states. Its Square is nil if the budget is given as ρ.
func (p *Plan) promised() Cost {
	if _, ok := p.budget.(privacy.GDP); ok {
		return p.cost
	}
	return Cost{Rho: p.cost.Rho}
}

// Guarantee returns the privacy guarantee of a release according to the plan: GDP if the budget is given as μ, and
// zCDP if it is given as ρ.
func (p *Plan) Guarantee() privacy.Guarantee {
	g, err := p.promised().guarantee(p.Relation)
	if err != nil {
		panic(err) // NewPlan checked the relation
	}
	return g
}

// Queries returns the queries that a release sends to the data: the marginals of all columns and pairs and, if there
// are rounds, conjunctions.
func (p *Plan) Queries() table.Queries {
	var of table.Queries
	for j := range p.Domain.Columns {
		of.Columns = append(of.Columns, []int{j})
	}
	for _, pair := range p.Pairs {
		of.Columns = append(of.Columns, pair[:])
	}
	if p.Round.Sigma2 != nil {
		of.Any = mostTerms
	}
	return of
}

// columns returns measurements of all columns, without values yet. The parameter law is the noise of each count, or
// of each contrast divided by the column's size.
func (p *Plan) columns(law noise.Gaussian) []Measurement {
	of := make([]Measurement, len(p.Domain.Columns))
	for j, c := range p.Domain.Columns {
		of[j] = Measurement{Axes: []table.Axis{{Column: j, Size: c.Size}}, Sigma2: law.Sigma2, Contrasts: p.contrasted(c)}
		if of[j].Contrasts {
			square := whole(c.Size * c.Size)
			of[j].Sigma2 = square.Mul(square, law.Sigma2)
		}
	}
	return of
}

// bins returns measurements of the bins of all columns that have bins, without values yet.
func (p *Plan) bins() (of []Measurement) {
	for j := range p.Domain.Columns {
		if bins := p.Domain.bins(j); bins != nil {
			of = append(of, binsOf(j, len(bins), p.Bin.Sigma2))
		}
	}
	return of
}

// columnsMoved returns the squared L2 sensitivity of the measured counts of all columns, and of their contrasts
// divided by the columns' sizes. If first is true and the number of rows is measured, it is included.
func (p *Plan) columnsMoved(first bool) *big.Rat {
	sum := new(big.Rat)
	for _, c := range p.Domain.Columns {
		if !p.contrasted(c) {
			sum.Add(sum, moved(p.Relation))
			continue
		}
		of := contrastMoved(p.Relation, c.Size)
		sum.Add(sum, of.Quo(of, whole(c.Size*c.Size)))
	}
	if first && p.Contrasts {
		sum.Add(sum, moved(p.Relation))
	}
	return sum
}

// chooseContrasts decides whether contrasts of columns are measured instead of counts: it sets Contrasts if contrasts
// have at most the noise of counts for the same ρ.
func (p *Plan) chooseContrasts(b Budget) {
	if b.Counts {
		return
	}
	counts := p.columnsMoved(true)
	p.Contrasts = true
	p.Contrasts = p.columnsMoved(true).Cmp(counts) <= 0
}

// contrasted reports whether contrasts of the column are measured instead of counts. For a column with many values,
// counts are measured, because they are smaller numbers and their sensitivity is nearly as low.
func (p *Plan) contrasted(c Column) bool {
	return p.Contrasts && c.Size > 1 && c.Size <= cells.MostCells
}

// ColumnDeviation returns the standard deviation, in rows, of the noise of the number of rows with a value of a
// column.
func (p *Plan) ColumnDeviation() float64 {
	variance, _ := p.Column.Sigma2.Float64()
	if p.Again.Sigma2 != nil {
		variance = meanVariance(variance, p.Again.Sigma2)
	}
	return math.Sqrt(variance)
}

// BinDeviation returns the standard deviation, in rows, of the noise of the number of rows in a bin. It returns 0 if
// no column has bins.
func (p *Plan) BinDeviation() float64 {
	if p.Bin.Sigma2 == nil {
		return 0
	}
	variance, _ := p.Bin.Sigma2.Float64()
	return math.Sqrt(variance)
}

// pairs returns the axes of the marginals of all pairs of columns. A cell is a group of values. The groups depend
// only on the released counts of the columns.
//
// The number of cells is chosen as if counts were measured, whose squared sensitivity is 1 or 2 (see moved). This is
// nearly optimal for contrasts too: if there are many cells, contrasts divided by the number of cells have about the
// same sensitivity.
func (p *Plan) pairs(pools []*cells.Pooling) [][]table.Axis {
	of := make([][]table.Axis, len(p.Pairs))
	for i, pair := range p.Pairs {
		for _, a := range cells.Pair(pair[0], pair[1], pools, p.countVariance(i)) {
			of[i] = append(of[i], unpooled(a, pools))
		}
	}
	return of
}

// open starts a session that measures the private data d within the budget of the plan. It returns ErrDomain if d
// does not match the plan.
func (p *Plan) open(d table.Counts, coins noise.Coins) (*session, error) {
	sizes := d.Sizes()
	if p.Domain.Outcome {
		sizes = append(slices.Clone(sizes), d.Outcomes())
	}
	own := make([]int, len(p.Domain.Columns))
	for j, c := range p.Domain.Columns {
		if own[j] = c.Size; p.Domain.bins(j) != nil {
			own[j] = len(p.Domain.bins(j))
		}
	}
	if !slices.Equal(sizes, own) || d.Weight() != unit(p.Relation) {
		return nil, ErrDomain
	}
	return &session{d, p.Domain, p.Relation, p.budget, p.cost.of(p.budget), coins}, nil
}
