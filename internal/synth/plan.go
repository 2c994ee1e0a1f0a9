package synth

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Budget is a privacy budget and the public facts by which a plan divides it.
type Budget struct {
	Relation privacy.Relation
	Rho      privacy.Decimal

	// Rows is the expected or, under replace, the stated number of rows; 0 if it is unknown. The plan is
	// for this number of rows. It is for many rows if the number is unknown.
	Rows int64
	// Wanted lists the pairs (a, b) of columns, a < b, that are measured with less noise.
	Wanted [][2]int
	// Pairwise omits the rounds, so that the counts of columns and pairs suffice as data.
	Pairwise bool
}

// Columns use 8 of 20 parts of the budget, rounds 3 and pairs the rest. The rounds use half of their
// part for selections and half for counts.
const (
	wholeParts  = 20
	columnParts = 8
	roundParts  = 3

	rounds       = 6 // the number of rounds
	wantedWeight = 4 // the ρ of a wanted pair, as a multiple of that of another pair
)

// The numbers of rows from which rounds, and pairs, reduce the error by more than the noise that they leave
// to the columns and pairs adds (docs/explanation/proofs/synth.md, section 7).
const (
	leastPower = 2e5 // least ρ·rows² for rounds
	leastClear = 10  // least number of rows for pairs, in standard deviations of the noise of a count of a pair
)

// A Plan is a division of a budget. It is a function of public facts only.
type Plan struct {
	Domain   Domain
	Relation privacy.Relation

	// Fewer replaces the plan after the columns are measured, if their counts show fewer rows than Least: a
	// plan without rounds, or one that measures columns twice and pairs with more noise. Its ρ is at most
	// that of the plan. It is nil if no plan is better for fewer rows.
	Fewer *Plan
	Least float64

	Twice  bool             // whether the columns are measured twice
	Column noise.Gaussian   // noise of the counts of each column
	Pairs  [][2]int         // all pairs of columns, as Domain.pairs lists them
	Pair   []noise.Gaussian // noise of the contrasts of each pair if their sensitivity γ were 1

	Rounds  int
	Epsilon privacy.Decimal // ε of the selection of a round
	Round   noise.Gaussian  // noise of the counts of a round

	rho *big.Rat
}

// NewPlan divides the budget for a domain. It returns an error if the domain, the relation, ρ, the
// number of rows or a wanted pair is invalid, or if ρ is too small to divide.
func NewPlan(d Domain, b Budget) (*Plan, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if _, err := privacy.NewZCDP(b.Relation, b.Rho.Rat()); err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	if b.Rows < 0 {
		return nil, fmt.Errorf("synth: the number of rows, %d, must not be negative", b.Rows)
	}
	p := &Plan{Domain: d, Relation: b.Relation, Pairs: d.pairs()}
	weights, err := p.weights(b.Wanted)
	if err != nil {
		return nil, err
	}
	columns, pairs, rounds := p.shares(b)
	p.Column = noiseFor(moved(p.Relation), columns.Quo(columns, whole(len(d.Columns))))
	p.Pair = pairLaws(weights, pairs)
	if p.Rounds > 0 {
		half := rounds.Quo(rounds, whole(2*p.Rounds))
		p.Round = noiseFor(moved(p.Relation), half)
		if p.Epsilon, err = privacy.RangeWithin(half); err != nil || p.Epsilon.IsZero() {
			return nil, fmt.Errorf("synth: a ρ of %v is too small to divide among the measurements", b.Rho)
		}
	}
	p.rho = p.total()
	if len(p.Pairs) > 0 {
		p.setFewer(weights)
	}
	if b.Rows > 0 {
		return p.after(float64(b.Rows)), nil
	}
	return p, nil
}

// setFewer sets Fewer and Least.
func (p *Plan) setFewer(weights []int) {
	if p.Rounds == 0 {
		p.Fewer, p.Least = p.withoutRounds(weights, true), leastClear*math.Sqrt(p.pairVariance())
		return
	}
	p.Fewer = p.withoutRounds(weights, false)
	p.Fewer.setFewer(weights)
	rho, _ := p.rho.Float64()
	p.Least = max(math.Sqrt(leastPower/rho), p.Fewer.Least)
}

// withoutRounds returns a plan with the same noise of columns, and the rest of ρ for pairs.
func (p *Plan) withoutRounds(weights []int, twice bool) *Plan {
	of := &Plan{Domain: p.Domain, Relation: p.Relation, Twice: twice, Column: p.Column, Pairs: p.Pairs}
	rest := of.total()
	of.Pair = pairLaws(weights, rest.Sub(p.rho, rest))
	of.rho = of.total()
	return of
}

// after returns the plan for the measurements after the columns, given the number of rows that their
// counts show.
func (p *Plan) after(rows float64) *Plan {
	for p.Fewer != nil && rows < p.Least {
		p = p.Fewer
	}
	return p
}

// pairLaws returns the noise of pairs with these weights, whose ρ is at most rho.
func pairLaws(weights []int, rho *big.Rat) (laws []noise.Gaussian) {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	each := map[int]noise.Gaussian{}
	for _, w := range weights {
		if _, known := each[w]; !known {
			each[w] = noiseFor(whole(1), new(big.Rat).Mul(rho, big.NewRat(int64(w), int64(sum))))
		}
		laws = append(laws, each[w])
	}
	return laws
}

// pairVariance returns the maximum over pairs of the variance of the noise that a count would have.
func (p *Plan) pairVariance() (most float64) {
	for i := range p.Pair {
		most = max(most, p.countVariance(i))
	}
	return most
}

// countVariance returns the variance of the noise that a count of a pair would have.
func (p *Plan) countVariance(pair int) float64 {
	variance, _ := new(big.Rat).Mul(moved(p.Relation), p.Pair[pair].Sigma2).Float64()
	return variance
}

func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// weights returns the weight of each pair.
func (p *Plan) weights(wanted [][2]int) ([]int, error) {
	weights := make([]int, len(p.Pairs))
	for i := range weights {
		weights[i] = 1
	}
	for _, pair := range wanted {
		at := slices.Index(p.Pairs, pair)
		if at < 0 {
			return nil, fmt.Errorf("synth: the wanted pair (%d, %d) must be two different columns of %d, in increasing order", pair[0]+1, pair[1]+1, len(p.Domain.Columns))
		}
		weights[at] = wantedWeight
	}
	return weights, nil
}

// shares returns the parts of ρ for columns, pairs and rounds, and sets p.Rounds.
func (p *Plan) shares(b Budget) (columns, pairs, drawn *big.Rat) {
	n := len(p.Domain.Columns)
	part := func(parts int) *big.Rat { return new(big.Rat).Mul(b.Rho.Rat(), big.NewRat(int64(parts), wholeParts)) }
	switch {
	case n == 1:
		return part(wholeParts), nil, nil
	case n == 2 || b.Pairwise:
		return part(columnParts), part(wholeParts - columnParts), nil
	}
	p.Rounds = rounds
	return part(columnParts), part(wholeParts - columnParts - roundParts), part(roundParts)
}

// total returns the exact sum of the ρ of all measurements and selections.
func (p *Plan) total() *big.Rat {
	rho := new(big.Rat).Mul(whole(len(p.Domain.Columns)), price(moved(p.Relation), p.Column.Sigma2))
	if p.Twice {
		rho.Add(rho, rho)
	}
	for _, g := range p.Pair {
		rho.Add(rho, price(whole(1), g.Sigma2))
	}
	if p.Rounds > 0 {
		each := new(big.Rat).Add(privacy.RangeRho(p.Epsilon), price(moved(p.Relation), p.Round.Sigma2))
		rho.Add(rho, each.Mul(each, whole(p.Rounds)))
	}
	return rho
}

// Rho returns the exact ρ of all measurements and selections, which is at most the budget's.
func (p *Plan) Rho() *big.Rat { return new(big.Rat).Set(p.rho) }

// Guarantee returns the plan's guarantee under its relation.
func (p *Plan) Guarantee() privacy.ZCDP {
	g, err := privacy.NewZCDP(p.Relation, p.rho)
	if err != nil {
		panic(err) // NewPlan made one
	}
	return g
}

// Asks returns the queries of a release: the marginals of all columns and pairs, and conjunctions
// if there are rounds.
func (p *Plan) Asks() table.Asks {
	var of table.Asks
	for j := range p.Domain.Columns {
		of.Columns = append(of.Columns, []int{j})
	}
	for _, pair := range p.Pairs {
		of.Columns = append(of.Columns, pair[:])
	}
	if p.Rounds > 0 {
		of.Any = mostTerms
	}
	return of
}

// columns returns the marginals of all columns.
func (p *Plan) columns() [][]table.Axis {
	of := make([][]table.Axis, len(p.Domain.Columns))
	for j, c := range p.Domain.Columns {
		of[j] = []table.Axis{{Column: j, Size: c.Size}}
	}
	return of
}

// ColumnDeviation returns the standard deviation of the noise of the counts of columns, in rows.
func (p *Plan) ColumnDeviation() float64 {
	variance, _ := p.Column.Sigma2.Float64()
	if p.Twice {
		variance /= 2
	}
	return math.Sqrt(variance)
}

// columnLaws returns the noise of each column, which is the same for all.
func (p *Plan) columnLaws() []noise.Gaussian {
	laws := make([]noise.Gaussian, len(p.Domain.Columns))
	for j := range laws {
		laws[j] = p.Column
	}
	return laws
}

// pairs returns the marginals of all pairs over cells that are a function of the columns' released
// counts. The number of cells is about optimal if the contrasts, divided by their number of cells,
// have the sensitivity c of counts. This holds approximately if there are many cells.
func (p *Plan) pairs(pools []*cells.Pooling) [][]table.Axis {
	of := make([][]table.Axis, len(p.Pairs))
	for i, pair := range p.Pairs {
		for _, a := range cells.Pair(pair[0], pair[1], pools, p.countVariance(i)) {
			of[i] = append(of[i], unpooled(a, pools))
		}
	}
	return of
}

// open starts a session on private data with the plan's ρ. It returns ErrDomain if the data does
// not match the plan.
func (p *Plan) open(d table.Counts, coins noise.Coins) (*session, error) {
	sizes := d.Sizes()
	if p.Domain.Outcome {
		sizes = append(slices.Clone(sizes), d.Outcomes())
	}
	own := make([]int, len(p.Domain.Columns))
	for j, c := range p.Domain.Columns {
		own[j] = c.Size
	}
	if !slices.Equal(sizes, own) || d.Weight() != unit(p.Relation) {
		return nil, ErrDomain
	}
	return &session{d, p.Relation, p.Rho(), coins}, nil
}
