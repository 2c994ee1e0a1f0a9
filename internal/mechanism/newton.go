package mechanism

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Newton encodes categories by noisy counts, and weights attributes by one noisy Newton step of logistic
// regression. With the form card-or-tree it first selects between such a card and a tree.
type Newton struct{}

// NewtonName is the name of the mechanism.
const NewtonName = "newton"

var newtonKind = Kind{
	Name: NewtonName, What: "noisy counts, then one noisy Newton step of logistic regression; pure",
	For: AdditiveOnly(model.NaiveBayes, model.CardOrTree{}.Name()), Ask: func() Mechanism { return &Newton{} },
	Record: func() any { return &newtonJSON{} }, Again: newtonAgain,
}

// Parameters defines no parameters.
func (*Newton) Parameters(*flag.FlagSet) {}

// newtonJSON states the division of ε. Shares of an omitted Newton step are missing, and so is the share of the
// choice if there are only cards.
type newtonJSON struct {
	Name      string          `json:"name"`
	Counts    privacy.Decimal `json:"counts"`
	CountRate string          `json:"count_rate"` // of the noise of counts
	Choice    privacy.Decimal `json:"choice,omitzero"`
	Start     privacy.Decimal `json:"start"`
	Gradient  privacy.Decimal `json:"gradient,omitzero"`
	Hessian   privacy.Decimal `json:"hessian,omitzero"`
	Final     privacy.Decimal `json:"final,omitzero"`
}

// newtonScale is the default scale of a card.
const newtonScale = 10

// newtonDivision is a division of ε in percent. The last sample, of the step or else of the start, gets the rest.
type newtonDivision struct{ counts, choice, start, gradient, hessian int64 }

// divisions by whether a step is expected to pay, and whether there is a choice. docs/measurements has the
// measurements behind them.
var divisions = map[[2]bool]newtonDivision{
	{false, false}: {counts: 85},
	{true, false}:  {counts: 45, start: 7, gradient: 20, hessian: 15},
	{false, true}:  {counts: 50, choice: 5},
	{true, true}:   {counts: 45, choice: 3, start: 6, gradient: 20, hessian: 14},
}

// newtonShares divides ε exactly, by public numbers. The last sample gets the remainder.
func newtonShares(s *Setting, choice bool) (newtonJSON, error) {
	pays := s.Rows > 0 && learn.NewtonPays(len(s.Schema.Attributes), s.Rows, s.Epsilon, s.Relation)
	of := divisions[[2]bool{pays, choice}]
	j := newtonJSON{Name: NewtonName}
	left, last := s.Epsilon, &j.Start
	if pays {
		last = &j.Final
	}
	for _, part := range []struct {
		share   *privacy.Decimal
		percent int64
	}{{&j.Counts, of.counts}, {&j.Choice, of.choice}, {&j.Start, of.start}, {&j.Gradient, of.gradient}, {&j.Hessian, of.hessian}} {
		if part.share == last {
			continue
		}
		var err error
		if *part.share, err = privacy.RoundDown(new(big.Rat).Mul(s.Epsilon.Rat(), big.NewRat(part.percent, 100)), shareDigits); err != nil {
			return j, err
		}
		if left, err = less(left, *part.share); err != nil {
			return j, err
		}
	}
	*last = left
	return j, nil
}

// sum returns the sum of all parts of ε.
func (j newtonJSON) sum() *big.Rat {
	sum := new(big.Rat)
	for _, part := range []privacy.Decimal{j.Counts, j.Choice, j.Start, j.Gradient, j.Hessian, j.Final} {
		sum.Add(sum, part.Rat())
	}
	return sum
}

// newton returns the cards of package learn for the shares, and the scale.
func newton(s *Setting, j *newtonJSON, scale int) (*learn.Newton, error) {
	epsilon, err := less(s.Epsilon, j.Choice)
	if err != nil {
		return nil, err
	}
	var ordered []bool
	for i := range s.Schema.Attributes {
		ordered = append(ordered, s.Schema.Attributes[i].IsOrdered())
	}
	m, err := learn.NewNewton(s.Schema.Sizes(), ordered, epsilon, learn.NewtonShares{
		Counts: j.Counts, Start: j.Start, Gradient: j.Gradient, Hessian: j.Hessian, Final: j.Final,
	}, s.Relation, scale)
	if err != nil {
		return nil, NotMade(NewtonName, err)
	}
	j.CountRate = m.CountRate().RatString()
	return m, nil
}

// newtonMade is a mechanism for a setting: for cards, or for cards and trees.
type newtonMade struct {
	cards  *learn.Newton
	either *learn.NewtonEither[any] // nil for cards alone
	record newtonJSON
}

// newtonOf returns the mechanism with the shares of the record.
func newtonOf(s *Setting, j newtonJSON) (m newtonMade, err error) {
	if err := s.Pure(); err != nil {
		return m, err
	}
	if sum := j.sum(); sum.Cmp(s.Epsilon.Rat()) != 0 {
		return m, fmt.Errorf("the parts of epsilon sum to %s, not to %s", sum.FloatString(shareDigits), s.Epsilon)
	}
	f, either := s.Form.(model.CardOrTree)
	scale := f.Scale
	if !either {
		scale = s.Scaled(newtonScale).Scale
	}
	if m.cards, err = newton(s, &j, scale); err != nil {
		return m, err
	}
	m.record = j
	if either {
		m.either, err = learn.NewNewtonEither(m.cards, s.Space.Sampling().Tree, s.Epsilon, j.Choice)
	}
	return m, err
}

// planned returns the mechanism with shares by public numbers.
func (*Newton) planned(s *Setting) (newtonMade, error) {
	_, either := s.Form.(model.CardOrTree)
	j, err := newtonShares(s, either)
	if err != nil {
		return newtonMade{}, err
	}
	return newtonOf(s, j)
}

func (n *Newton) Over(s *Setting) (*Made, error) {
	m, err := n.planned(s)
	if err != nil {
		return nil, err
	}
	made := &Made{Record: m.record, Effort: m.effort(s)}
	if m.either != nil {
		made.Records = newtonChoice{m.either}
	} else {
		made.Records = Releasing[learn.Records[table.Record], learn.Points]{m.cards, func(p learn.Points) (any, error) { return p, nil }}
	}
	return made, nil
}

// newtonChoice releases union.Choice[any], the type of the space's hypotheses.
type newtonChoice struct{ *learn.NewtonEither[any] }

func (c newtonChoice) Release(ctx context.Context, d learn.Records[table.Record], coins noise.Coins) (any, error) {
	h, err := c.NewtonEither.Release(ctx, d, coins)
	return choiceOf(h), err
}

// effort returns the effort of a release over the stated rows, or nil if they are not stated.
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
	m, err := n.planned(s)
	if err != nil {
		return nil, err
	}
	width, err := m.cards.CountWidth()
	if err != nil {
		return nil, err
	}
	said := fmt.Sprintf("%s of ε is for counts; in 95 of 100 runs, the errors of all counts are\nat most %.0f. ", percentOf(m.record.Counts, s.Epsilon), width)
	if m.record.Final.IsZero() {
		said += "On so few rows a Newton step would be mostly noise, so all attributes\nget the same weight."
	} else {
		said += fmt.Sprintf("%s is for one Newton step, which weights each attribute.", percentOf(m.record.Gradient, s.Epsilon)+" + "+percentOf(m.record.Hessian, s.Epsilon))
	}
	if m.either != nil {
		said += fmt.Sprintf("\n%s selects between such a card and a tree.", percentOf(m.record.Choice, s.Epsilon))
	}
	if e := m.effort(s); e != nil {
		said += fmt.Sprintf("\nTime: about %.0f s of one processor.", math.Ceil(e.Seconds))
	}
	return []Bound{{Mechanism: NewtonName, CountWidth: &width, Said: said}}, nil
}

// percentOf writes a share of ε in percent.
func percentOf(share, epsilon privacy.Decimal) string {
	percent, _ := new(big.Rat).Quo(share.Rat(), epsilon.Rat()).Float64()
	return fmt.Sprintf("%.0f %%", 100*percent)
}

func newtonAgain(said any, s *Setting) (any, privacy.Guarantee, error) {
	m, err := newtonOf(s, *said.(*newtonJSON))
	if err != nil {
		return nil, nil, err
	}
	if m.either != nil {
		return m.record, m.either.Guarantee(), nil
	}
	return m.record, m.cards.Guarantee(), nil
}
