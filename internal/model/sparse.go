package model

import (
	"encoding/json"
	"errors"
	"flag"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Sparse is a class of scorecards that are sampled in stages, given by its public parameters. Each stage, called a
// draw, selects at most Attributes attributes, partitions the categories of each of them into at most
// sparse.MostGroups groups of adjacent categories, and gives each group new points in -Points..Points.
type Sparse struct {
	Attributes int // the maximum number of attributes in a draw
	Draws      int
	Points     int
	Threshold  int // the least total for which a card predicts 1
}

var sparseKind = Kind{
	Name: "sparse", What: "a scorecard on a few attributes, which are selected privately, in one stage or several", Selection: InStages,
	Quicker: "a smaller value of {attributes}, a smaller value of {draws}, or fewer attributes",
	Ask:     func() Asking { return &askedSparse{Sparse: NewSparse(), points: signs} }, read: readSparse,
}

// NewSparse returns the class with the default parameters.
func NewSparse() Sparse { return Sparse{Draws: 1, Points: signs.Most, Threshold: 1} }

// Name returns "sparse".
func (Sparse) Name() string { return sparseKind.Name }

// Noun returns "scorecard".
func (Sparse) Noun() report.Noun { return "scorecard" }

// askedSparse is the Asking of the form.
type askedSparse struct {
	Sparse
	points Points
}

// Parameters implements Asking.
func (a *askedSparse) Parameters(f *flag.FlagSet) {
	pointRange(f, &a.points)
	least(f, &a.Threshold)
	attributes(f, &a.Attributes)
	f.IntVar(&a.Draws, "draws", a.Draws, "the number `T` of stages; each stage uses a part of epsilon and changes points of the card of the stage before")
}

// Form returns the class with the parameters.
func (a *askedSparse) Form(s *table.Schema) (Form, error) {
	f := a.Sparse
	if a.points.Least != -a.points.Most {
		return nil, parameter.Errorf("{points} %v: the range of sparse cards must be symmetric, such as -1..1", &a.points)
	}
	f.Points = a.points.Most
	return f.Complete(s)
}

// Complete checks the parameters. If the number of attributes is 0, it sets the default.
func (f Sparse) Complete(s *table.Schema) (Form, error) {
	if err := errors.Join(negative("attributes", f.Attributes, "a number of attributes, or 0 for what takes seconds"), negative("draws", f.Draws, "a number of draws")); err != nil {
		return nil, err
	}
	if f.Attributes == 0 {
		f.Attributes = UsualSparse(s, usualRows, 0).Attributes
		if f.Draws > 1 {
			f.Attributes = min(f.Attributes, laterAttributes)
		}
	}
	return f, nil
}

// usualRows is used if the number of rows is unknown.
const usualRows = 30_000

// Limits up to which sampling takes seconds and is worthwhile, according to docs/measurements/classes.md:
//
//   - setsOfFour and setsOfThree bound the number of attribute sets with four, and with at most three attributes.
//   - setRows bounds the number of attribute sets times the number of rows.
//   - If the number of rows times λ is at least strong, strongDraws draws of laterAttributes attributes each are
//     better than one draw of more attributes.
const (
	setsOfFour      = 1_500
	setsOfThree     = 10_000
	setRows         = 300_000_000
	strong          = 5_000
	strongDraws     = 3
	laterAttributes = 2
)

// UsualSparse returns the default parameters for a schema and a number of rows: the greatest class that is sampled in
// seconds. lambda is the rate for the whole ε if every misclassification costs 1. At a large rate, several draws are
// better. All arguments are public.
func UsualSparse(s *table.Schema, rows int64, lambda float64) Sparse {
	f := Sparse{Attributes: 4, Draws: 1, Points: 1, Threshold: 1}
	if float64(rows)*lambda >= strong {
		f.Attributes, f.Draws = laterAttributes, strongDraws
	}
	for ; f.Attributes > 1; f.Attributes-- {
		if space, err := f.Over(s); err == nil && space.Sampling().Staged.Quick(rows) {
			break
		}
	}
	return f
}

// Over applies the form to the attributes of the schema.
func (f Sparse) Over(s *table.Schema) (Space, error) {
	space := sparseCards{options: sparse.Options{
		Sizes: s.Sizes(), Most: f.Attributes, Points: f.Points, Threshold: f.Threshold, Draws: f.Draws,
	}}
	var err error
	if space.first, err = sparse.New(space.options); err != nil {
		return nil, noClass(err)
	}
	made, err := scorecard.New(scorecard.Uniform(s.Sizes(), -f.Points, f.Points), scorecard.Options{
		Threshold: f.Threshold, Most: min(f.Attributes*f.Draws, len(s.Attributes)),
	})
	if err != nil {
		return nil, noClass(err)
	}
	space.cards = cards{searched: searched{form: f, schema: s}, plain: made, threshold: f.Threshold}
	return space, nil
}

// sparseCards is the space of the form.
type sparseCards struct {
	cards
	options sparse.Options
	first   *sparse.Class // the class of the first stage without penalties
}

// Sampling returns the stages.
func (c sparseCards) Sampling() Sampling { return Sampling{Staged: c} }

// Draws returns the number of stages.
func (c sparseCards) Draws() int { return c.options.Draws }

// First returns the class of the first stage without penalties.
func (c sparseCards) First() Class { return class.Erase(c.first) }

// Weight returns the total prior weight of the first stage at the rate lambda, in units of the weight of a card
// without a penalty.
func (c sparseCards) Weight(lambda *big.Rat) (*big.Int, error) {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		return nil, err
	}
	return stage.TotalWeight(), nil
}

// Work returns the approximate number of steps, of about 10 ns each, that counting takes in all draws.
func (c sparseCards) Work(records int64) int64 {
	return class.Product(c.first.Work(records), int64(c.options.Draws))
}

// Quick reports whether all draws take only seconds for the given number of rows, according to measurements.
func (c sparseCards) Quick(rows int64) bool {
	sets, most := int64(c.first.Sets()), int64(setsOfThree)
	if c.options.Most > 3 {
		most = setsOfFour
	}
	return sets <= most && rows <= setRows/sets && (c.options.Draws == 1 || c.options.Most <= laterAttributes)
}

// stage returns the class of the draw that follows the draws with the given samples.
func (c sparseCards) stage(lambda *big.Rat, drawn []any) (*sparse.Class, error) {
	o := c.options
	o.Rate = lambda
	stage, err := sparse.New(o)
	if err != nil {
		return nil, noClass(err)
	}
	for _, h := range drawn {
		stage = stage.Next(h.(sparse.Card))
	}
	return stage, nil
}

// Stage returns the class of the draw that follows the draws with the given samples, at the rate lambda.
func (c sparseCards) Stage(lambda *big.Rat, drawn []any) (Class, error) {
	stage, err := c.stage(lambda, drawn)
	if err != nil {
		return nil, err
	}
	return class.Erase(stage), nil
}

// mostCounted is the maximum total number of cells, over all sets of attributes, that are queried as counts.
const mostCounted = 1 << 22

// Counted returns the stages for data that answers only queries for counts.
func (c sparseCards) Counted() learn.CountedStages[table.Record, any] {
	if c.options.Draws > 1 || c.first.Cells() > mostCounted {
		return nil
	}
	return countedCards{c}
}

// countedCards is the space of sparse cards with one draw.
type countedCards struct{ sparseCards }

// Tables returns the axes of the marginal for each set of attributes.
func (c countedCards) Tables() [][]table.Axis {
	axes := make([]table.Axis, len(c.options.Sizes))
	for j := range axes {
		n, of := c.first.Groups(j)
		axes[j] = table.Axis{Column: j, Cells: of, Size: n}
	}
	var all [][]table.Axis
	for _, set := range c.first.SetsOf() {
		var own []table.Axis
		for _, j := range set {
			own = append(own, axes[j])
		}
		all = append(all, own)
	}
	return all
}

// Given returns the class of the draw with costs that were computed from the counts.
func (c countedCards) Given(lambda *big.Rat, costs [][]int64) (Class, error) {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		return nil, err
	}
	return class.Erase(stage.Given(costs)), nil
}

// LeastPrior returns the least prior probability of a card in any stage.
func (c sparseCards) LeastPrior(lambda *big.Rat) float64 {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		panic(err) // the mechanism has made it before
	}
	return stage.LeastPrior(lambda)
}

// Join returns the scorecard that the samples of all draws add up to.
func (c sparseCards) Join(drawn []any) (any, error) {
	last := c.first
	for _, h := range drawn[:len(drawn)-1] {
		last = last.Next(h.(sparse.Card))
	}
	return last.Points(drawn[len(drawn)-1].(sparse.Card)), nil
}

func (c sparseCards) check(h any) error {
	card, ok := h.(scorecard.Card)
	if !ok || !c.plain.Contains(card) || !c.first.Reaches(card) {
		return notOf(Sparse{})
	}
	return nil
}

type sparseJSON struct {
	Name       string `json:"name"`
	Attributes int    `json:"attributes"` // the maximum number of attributes in a draw
	Draws      int    `json:"draws"`
	Points     int    `json:"points"` // the greatest points
	Threshold  int    `json:"threshold"`
}

func (f Sparse) parameters() any {
	return sparseJSON{f.Name(), f.Attributes, f.Draws, f.Points, f.Threshold}
}

func readSparse(text json.RawMessage) (Form, error) {
	var j sparseJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Sparse{j.Attributes, j.Draws, j.Points, j.Threshold}, nil
}
