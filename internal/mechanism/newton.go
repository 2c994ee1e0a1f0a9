package mechanism

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Newton learns scorecards. It encodes each category by its noisy log-odds, which it computes from counts. Then it
// computes a weight for each attribute by one noisy Newton step of logistic regression. For the form card-or-tree,
// it first selects privately whether to release such a scorecard or a decision tree.
type Newton struct{}

// NewtonName is the name of the mechanism in commands and files.
const NewtonName = "newton"

var newtonKind = Kind{
	Name: NewtonName, What: "computes noisy counts, then one Newton step of logistic regression from noisy sums; δ = 0, or less noise with --delta",
	For: AdditiveOnly(model.NaiveBayes, model.CardOrTree{}.Name()), Persons: true, New: func() Mechanism { return &Newton{} },
	Record: func() any { return &newtonJSON{} }, Recreate: recreateNewton,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*Newton) Parameters(*flag.FlagSet) {}

// newtonJSON is the record of the mechanism in a model file. It states the share of the budget that
// each part of the mechanism consumes. These keys may be missing:
//
//   - the share of a part that was omitted: the Newton step or the residuals
//   - Choice, if the form has only cards, so there is no choice between a card and a tree
//   - Charged, and Rho or Mu, if δ is 0
//
// If δ is positive, the shares are parts of μ²/2. In earlier versions, and for a large ε, they are
// parts of ρ.
//
// Gaussian noise of counts is stated in one of two ways: as Variance, if all counts have the same
// noise, or as Variances, if the noise depends on the attribute.
type newtonJSON struct {
	Name string `json:"name"`
	RhoOrMu
	Charged   string          `json:"charged,omitempty"` // chargedRho; missing for earlier releases, for which an account was charged ε and δ
	Counts    privacy.Decimal `json:"counts"`
	CountRate string          `json:"count_rate,omitempty"`      // the rate of the Laplace noise of the counts
	Variance  string          `json:"count_variance,omitempty"`  // the variance of the Gaussian noise of the counts, in earlier releases
	Variances []string        `json:"count_variances,omitempty"` // by attribute, the variance of the Gaussian noise of its counts
	Choice    privacy.Decimal `json:"choice,omitzero"`
	Start     privacy.Decimal `json:"start"`
	Gradient  privacy.Decimal `json:"gradient,omitzero"`
	Hessian   privacy.Decimal `json:"hessian,omitzero"`
	Residuals privacy.Decimal `json:"residuals,omitzero"`
	Final     privacy.Decimal `json:"final,omitzero"`
}

// chargedRho is the value of the key charged in a model file if the ledger was charged the exact ρ of a release.
const chargedRho = "rho"

// newtonScale is the default scale of a card: the number of points for a weight of 1.
const newtonScale = 10

// newtonDivision divides the budget among the parts of the mechanism newton, in percent. The
// remainder is for the last sample of a release: the sample after the Newton step or, if there is
// no such step, the sample of the starting weights.
type newtonDivision struct{ counts, choice, start, gradient, hessian, residuals int64 }

// newtonParts states which optional parts a release of the mechanism newton includes.
type newtonParts struct {
	step      bool // whether there is a Newton step, because it is expected to improve the model
	residuals bool // whether there are corrections from residuals, for the same reason
	choice    bool // whether the release chooses between a card and a tree
}

// divisions has the shares of ε, and concentratedDivisions the shares of ρ or μ²/2, in percent, for
// each combination of optional parts of a release. The shares are based on measurements in
// docs/measurements.
var (
	divisions = map[newtonParts]newtonDivision{
		{}:                            {counts: 85},
		{step: true}:                  {counts: 45, start: 7, gradient: 20, hessian: 15},
		{step: true, residuals: true}: {counts: 45, start: 5, gradient: 8, hessian: 5, residuals: 30},
		{choice: true}:                {counts: 50, choice: 5},
		{step: true, choice: true}:    {counts: 45, choice: 3, start: 6, gradient: 20, hessian: 14},
		{step: true, residuals: true, choice: true}: {counts: 44, choice: 3, start: 4, gradient: 8, hessian: 5, residuals: 29},
	}
	concentratedDivisions = map[newtonParts]newtonDivision{
		{}:                            {counts: 90},
		{step: true}:                  {counts: 40, start: 5, gradient: 25, hessian: 25},
		{step: true, residuals: true}: {counts: 42, start: 3, gradient: 17, hessian: 13, residuals: 20},
		{choice: true}:                {counts: 50, choice: 5},
		{step: true, choice: true}:    {counts: 40, choice: 2, start: 4, gradient: 25, hessian: 24},
		{step: true, residuals: true, choice: true}: {counts: 42, choice: 2, start: 3, gradient: 17, hessian: 13, residuals: 19},
	}
)

// newtonShares divides the budget among the parts of the mechanism, and returns the record j with
// these shares. If δ is positive, j already states the ρ or μ of the budget. The division depends
// only on public parameters. The parameter choice reports whether the release selects between a
// card and a tree.
func newtonShares(s *Setting, j newtonJSON, choice bool) (newtonJSON, error) {
	j.Name = NewtonName
	by := divisions
	if !s.Delta.IsZero() {
		j.Charged = chargedRho
		by = concentratedDivisions
	}
	budget, whole, err := j.budget(s)
	if err != nil {
		return j, err
	}
	parts, attributes := newtonParts{choice: choice}, len(s.Schema.Attributes)
	parts.step = s.Rows > 0 && learn.NewtonHelps(attributes, s.Rows, budget)
	parts.residuals = parts.step && learn.CorrectionsHelp(attributes, s.Rows, budget)
	of := by[parts]
	share := func(percent int64) (privacy.Decimal, error) {
		return privacy.RoundDown(new(big.Rat).Mul(whole, big.NewRat(percent, 100)), shareDigits)
	}
	sample := share
	if !s.Delta.IsZero() {
		sample = func(percent int64) (privacy.Decimal, error) {
			return learn.SampleWithin(new(big.Rat).Mul(whole, big.NewRat(percent, 100)), budget)
		}
	}
	for _, part := range []struct {
		of      *privacy.Decimal
		percent int64
		divide  func(percent int64) (privacy.Decimal, error)
	}{{&j.Counts, of.counts, share}, {&j.Choice, of.choice, sample}, {&j.Start, of.start, sample}, {&j.Gradient, of.gradient, share}, {&j.Hessian, of.hessian, share}, {&j.Residuals, of.residuals, share}} {
		if part.percent == 0 {
			continue
		}
		if *part.of, err = part.divide(part.percent); err != nil {
			return j, err
		}
	}
	*j.last(), err = j.remainder(s, budget, whole)
	return j, err
}

// last returns a pointer to the field with the share of ε for the last sample of a release: Final,
// or Start if the release takes no Newton step.
func (j *newtonJSON) last() *privacy.Decimal {
	if j.Gradient.IsZero() {
		return &j.Start
	}
	return &j.Final
}

// remainder returns the ε for the last sample of a release that makes all parts together consume
// exactly the budget. The parameter whole is the budget as a number: ε, ρ or μ²/2.
func (j newtonJSON) remainder(s *Setting, budget privacy.Guarantee, whole *big.Rat) (privacy.Decimal, error) {
	*j.last() = privacy.Decimal{}
	left := new(big.Rat).Sub(whole, j.shares().Consumes(budget))
	if left.Sub(left, learn.SampleConsumes(j.Choice, budget)); left.Sign() < 0 {
		return privacy.Decimal{}, fmt.Errorf("the parts of the mechanism consume %s more than its budget", left.Neg(left).FloatString(shareDigits))
	}
	if s.Delta.IsZero() {
		return exactly(left, s.Epsilon)
	}
	return learn.SampleWithin(left, budget)
}

// budget returns the guarantee that all parts together may consume, and its size as a number
// (learn.Total).
func (j *newtonJSON) budget(s *Setting) (budget privacy.Guarantee, whole *big.Rat, err error) {
	switch pure := s.Delta.IsZero(); {
	case pure && (!j.Rho.IsZero() || !j.Mu.IsZero()):
		return nil, nil, fmt.Errorf("the mechanism must not have the key \"rho\" or \"mu\" if delta is 0")
	case pure:
		budget, err = privacy.NewPure(s.Relation, s.Epsilon)
	default:
		budget, err = privacy.NewGaussianBudget(s.Relation, j.Rho, j.Mu)
	}
	if err != nil {
		return nil, nil, err
	}
	whole, err = learn.Total(budget)
	return budget, whole, err
}

// measured returns a copy of the record that also states the noise of the counts. The parameter
// cards is the mechanism that adds this noise.
func (j newtonJSON) measured(cards *learn.Newton) newtonJSON {
	proportional := j.shares().Proportional
	j.CountRate, j.Variance, j.Variances = "", "", nil
	if rate := cards.CountRate(); rate != nil {
		j.CountRate = rate.RatString()
	}
	for _, v := range cards.CountVariances() {
		j.Variances = append(j.Variances, v.RatString())
	}
	if len(j.Variances) > 0 && !proportional {
		j.Variance, j.Variances = j.Variances[0], nil
	}
	return j
}

// shares returns the shares of the budget for the parts that learn a card. The share of the counts
// is divided evenly among the attributes if the budget is pure, or if the record has a Variance.
func (j *newtonJSON) shares() learn.NewtonShares {
	return learn.NewtonShares{
		Counts: j.Counts, Start: j.Start, Gradient: j.Gradient, Hessian: j.Hessian, Residuals: j.Residuals, Final: j.Final,
		Proportional: (!j.Rho.IsZero() || !j.Mu.IsZero()) && j.Variance == "",
	}
}

// A newtonMade is the mechanism newton for one setting. It learns only scorecards, or scorecards
// and trees.
type newtonMade struct {
	cards     *learn.Newton
	either    *learn.NewtonEither[any] // nil for cards alone
	guarantee privacy.Guarantee        // in the form in which the setting states it
	charge    privacy.Guarantee        // what an account is charged; the guarantee follows from it
	whole     *big.Rat                 // the whole budget: ε, ρ or μ²/2
	record    newtonJSON
}

// newtonOf returns the mechanism for the setting, with the budget divided as the record j states.
// It returns an error if the division is not valid for the setting.
func newtonOf(s *Setting, j newtonJSON) (m newtonMade, err error) {
	budget, whole, err := j.budget(s)
	if err != nil {
		return m, err
	}
	switch rest, err := j.remainder(s, budget, whole); {
	case err != nil:
		return m, err
	case *j.last() != rest:
		return m, fmt.Errorf("the last sample of the mechanism has an epsilon of %s, but the steps before it leave %s of the budget", *j.last(), rest)
	}
	switch {
	case j.Charged == "" && !j.Mu.IsZero():
		return m, fmt.Errorf("the mechanism has the key \"mu\", so its key \"charged\" must be %q", chargedRho)
	case j.Charged != "" && s.Delta.IsZero():
		return m, errors.New("the mechanism must not have the key \"charged\" if delta is 0")
	case j.Charged != "" && j.Charged != chargedRho:
		return m, fmt.Errorf("the mechanism's key \"charged\" is %s, but must be %q or missing", quote.Word(j.Charged), chargedRho)
	}
	m.whole, m.guarantee, m.charge = whole, budget, budget
	if g, ok := budget.(privacy.GDP); ok {
		if m.charge, err = j.shares().Spent(g, j.Choice); err != nil {
			return m, err
		}
	}
	if !s.Delta.IsZero() {
		stated := &privacy.Statement{Epsilon: s.Epsilon, Delta: s.Delta, Relation: s.Relation}
		if err := stated.FollowsFrom(budget); err != nil {
			return m, err
		}
		if m.guarantee, err = privacy.NewApproximate(s.Relation, s.Epsilon, s.Delta); err != nil {
			return m, err
		}
		if j.Charged == "" {
			m.charge = m.guarantee
		}
	}
	f, either := s.Form.(model.CardOrTree)
	if f.SumScores {
		return m, parameter.Errorf("{mechanism} %s does not support {sum-scores}; choose {mechanism} %s, or leave {sum-scores} out", NewtonName, WeightedName)
	}
	scale := f.Scale
	if !either {
		scale = s.Scaled(newtonScale).Scale
	}
	if m.cards, err = learn.NewNewton(s.Schema.Sizes(), inOrder(s.Schema), budget, j.shares(), scale); err != nil {
		return m, NotMade(NewtonName, err)
	}
	m.record = j.measured(m.cards)
	if either {
		m.either, err = learn.NewNewtonEither(m.cards, s.Space.Sampling().Tree, j.Choice)
	}
	return m, err
}

// planned returns the mechanism for a new release, with the budget divided by newtonShares.
func (*Newton) planned(s *Setting) (newtonMade, error) {
	if s.Delta.IsZero() {
		return newtonFor(s, newtonJSON{})
	}
	m, _, err := WithLessNoise(s, func(b RhoOrMu) (newtonMade, error) { return newtonFor(s, newtonJSON{RhoOrMu: b}) },
		func(a, b newtonMade) bool { return a.noise().Cmp(b.noise()) < 0 })
	return m, err
}

// newtonFor returns the mechanism for a new release with the budget that the record j states.
func newtonFor(s *Setting, j newtonJSON) (newtonMade, error) {
	_, either := s.Form.(model.CardOrTree)
	j, err := newtonShares(s, j, either)
	if err != nil {
		return newtonMade{}, err
	}
	return newtonOf(s, j)
}

// noise returns a measure of the noise, for comparing two budgets: the sum of the variance
// parameters σ² of the noise of the counts, over the attributes.
func (m newtonMade) noise() *big.Rat {
	sum := new(big.Rat)
	for _, v := range m.cards.CountVariances() {
		sum.Add(sum, v)
	}
	return sum
}

func (n *Newton) Over(s *Setting) (*Made, error) {
	m, err := n.planned(s)
	if err != nil {
		return nil, err
	}
	made := &Made{Record: m.record, Effort: m.effort(s), Charge: m.charge}
	if m.either != nil {
		made.Table = guaranteed[*table.Table]{newtonChoice{m.either}, m.guarantee}
		return made, nil
	}
	card := Releasing[table.Counts, learn.Points]{m.cards, func(p learn.Points) (any, error) { return p, nil }}
	made.Counted, made.Queries = guaranteed[table.Counts]{card, m.guarantee}, m.cards.Queries()
	return made, nil
}

// A guaranteed runs another mechanism and states a guarantee that follows from the other
// mechanism's guarantee, such as (ε, δ)-DP instead of ρ-zCDP.
type guaranteed[D any] struct {
	privacy.Mechanism[D, any]
	guarantee privacy.Guarantee
}

func (g guaranteed[D]) Guarantee() privacy.Guarantee { return g.guarantee }

// newtonChoice is a learn.NewtonEither whose hypotheses have type union.Choice[any], as the form card-or-tree
// requires.
type newtonChoice struct{ *learn.NewtonEither[any] }

func (c newtonChoice) Release(ctx context.Context, d *table.Table, coins noise.Coins) (any, error) {
	h, err := c.NewtonEither.Release(ctx, d, coins)
	return model.MemberOf(h), err
}

// effort estimates the time and memory of a release. It returns nil if the setting states no number of rows.
func (m newtonMade) effort(s *Setting) *Effort {
	if s.Rows == 0 {
		return nil
	}
	distinct := Records(s.Schema, s.Rows)
	e := &Effort{
		Cells: m.cards.Totals(), Bytes: s.Schema.Bytes(distinct) + 8*m.cards.Totals(), MostRows: learn.MostRows,
		Search: Fixed, Seconds: additionSeconds * float64(m.cards.Work(distinct)), Quicker: "fewer attributes",
	}
	if m.either != nil {
		l := Layout(LaidOut(s.Space), s.Schema, s.Rows)
		_, steps := m.either.Work(distinct)
		e.Cells, e.Bytes = e.Cells+l.Cells, e.Bytes+l.Bytes
		e.Seconds, e.Quicker = e.Seconds+workSeconds*float64(steps), KindOfForm(s.Form).Quicker
	}
	return e
}

func (n *Newton) Bounds(s *Setting) ([]Bound, error) {
	if f, _ := s.Form.(model.CardOrTree); f.SumScores {
		return []Bound{}, nil
	}
	m, err := n.planned(s)
	if err != nil {
		return nil, err
	}
	width := m.cards.CountWidth()
	j := m.record
	said := fmt.Sprintf("%s of the budget is for counts; in 95 of 100 runs, the errors of all counts are\nat most %.0f. ", m.percent(j.Counts.Rat()), width)
	if j.Final.IsZero() {
		said += "On so few rows a Newton step would be mostly noise, so all attributes\nget the same weight."
	} else {
		said += fmt.Sprintf("%s + %s is for one Newton step, which weights each attribute.", m.percent(j.Gradient.Rat()), m.percent(j.Hessian.Rat()))
	}
	if !j.Residuals.IsZero() {
		said += fmt.Sprintf("\n%s is for correcting the points of each category.", m.percent(j.Residuals.Rat()))
	}
	if m.either != nil {
		said += fmt.Sprintf("\n%s selects between such a card and a tree.", m.percent(learn.SampleConsumes(j.Choice, m.cards.Guarantee())))
	}
	if e := m.effort(s); e != nil {
		said += fmt.Sprintf("\nTime: about %.0f s of one processor.", math.Ceil(e.Seconds))
	}
	return []Bound{{Mechanism: NewtonName, CountWidth: &width, Said: said}}, nil
}

// percent formats a part of the mechanism's budget as a percentage of the whole budget.
func (m newtonMade) percent(part *big.Rat) string {
	percent, _ := new(big.Rat).Quo(part, m.whole).Float64()
	return fmt.Sprintf("%.0f %%", 100*percent)
}

func recreateNewton(stored any, s *Setting) (*Recreated, error) {
	m, err := newtonOf(s, *stored.(*newtonJSON))
	if err != nil {
		return nil, err
	}
	return &Recreated{m.record, m.guarantee, m.charge}, nil
}

// inOrder reports, for each attribute of the schema, whether its categories have an order.
func inOrder(s *table.Schema) []bool {
	ordered := make([]bool, len(s.Attributes))
	for j := range ordered {
		ordered[j] = s.Attributes[j].IsOrdered()
	}
	return ordered
}
