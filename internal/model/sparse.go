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

// A Sparse is the class (a Form) of scorecards that are sampled in stages, with its public parameters. Each stage,
// also called a draw, does the following:
//   - It selects at most Attributes attributes.
//   - It partitions the categories of each selected attribute into at most sparse.MostGroups groups of adjacent
//     categories.
//   - It gives each group new points, from -Points to Points.
type Sparse struct {
	Attributes int // the maximum number of attributes in a draw
	Draws      int
	Points     int
	Threshold  int // the least total for which a card predicts 1
}

var sparseKind = Kind{
	Name: "sparse", What: "a scorecard on a few attributes, which are selected privately, in one stage or several", Selection: InStages,
	Quicker: "a smaller value of {attributes}, a smaller value of {draws}, or fewer attributes",
	New:     func() FormBuilder { return &sparseBuilder{Sparse: NewSparse(), points: signs} }, read: readSparse,
}

// NewSparse returns the class of sparse scorecards with default parameters.
func NewSparse() Sparse { return Sparse{Draws: 1, Points: signs.Most, Threshold: 1} }

// Name returns "sparse", the name of the class in commands and model files.
func (Sparse) Name() string { return sparseKind.Name }

// Noun returns "scorecard", the noun for a hypothesis of the class in messages.
func (Sparse) Noun() report.Noun { return "scorecard" }

// sparseBuilder collects the parameters of sparse scorecards from flags. It implements FormBuilder.
type sparseBuilder struct {
	Sparse
	points Points
}

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *sparseBuilder) Parameters(f *flag.FlagSet) {
	pointRange(f, &a.points)
	least(f, &a.Threshold)
	attributes(f, &a.Attributes, "the maximum number `K` of attributes that each stage selects; 0 means the greatest number with which learning takes only a few seconds")
	f.IntVar(&a.Draws, "draws", a.Draws, "the number `T` of stages of learning; each stage uses a part of ε to change some points of the scorecard that the stage before it released")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one is
// invalid. The range of points must be symmetric, such as -1..1.
func (a *sparseBuilder) Form(s *table.Schema) (Form, error) {
	f := a.Sparse
	if a.points.Least != -a.points.Most {
		return nil, parameter.Errorf("{points} %v must be a symmetric range for sparse cards, such as -1..1", &a.points)
	}
	f.Points = a.points.Most
	return f.Complete(s)
}

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter. If
// Attributes is 0, Complete sets it to the default.
func (f Sparse) Complete(s *table.Schema) (Form, error) {
	if err := errors.Join(negative("attributes", f.Attributes, "a number of attributes, or 0 for a number with which learning takes only a few seconds"), negative("draws", f.Draws, "a number of draws")); err != nil {
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

// usualRows is the number of rows for which default parameters are chosen if the actual number is unknown.
const usualRows = 30_000

// Limits within which sampling takes only seconds, according to docs/measurements/classes.md. The number of sets of
// attributes is at most setsOfFour if a set may have four attributes, and at most setsOfThree otherwise. This number
// times the number of rows is at most setRows.
//
// Let λ be the rate of the exponential mechanism. If the number of rows times λ is at least strong, several draws are
// better than one draw of more attributes, and the default is strongDraws draws of at most laterAttributes attributes
// each.
const (
	setsOfFour      = 1_500
	setsOfThree     = 10_000
	setRows         = 300_000_000
	strong          = 5_000
	strongDraws     = 3
	laterAttributes = 2
)

// UsualSparse returns the default parameters for a schema and a number of rows: those of the largest class from which
// sampling takes only seconds. The parameter lambda is the rate of an exponential mechanism that consumes the whole
// ε, if each misclassification costs 1. If the rate is large, the default is several draws instead of one. All
// arguments are public.
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

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
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

// sparseCards is the set (Space) of all sparse scorecards over the attributes of a schema.
type sparseCards struct {
	cards
	options sparse.Options
	first   *sparse.Class // the class of the first stage without penalties
}

// Sampling implements Space. It returns the space itself, from which mechanisms sample a scorecard in stages.
func (c sparseCards) Sampling() Sampling { return Sampling{Staged: c} }

// Draws returns the number of stages in which a sparse scorecard is sampled.
func (c sparseCards) Draws() int { return c.options.Draws }

// First implements Staged: it returns the class of the first stage without penalties. Penalties depend on the rate of
// the exponential mechanism.
func (c sparseCards) First() Class { return class.Erase(c.first) }

// Weight implements Staged: it returns approximately the sum of the prior weights of all scorecards of the first
// stage, with the penalties for the given rate of the exponential mechanism. A scorecard without a penalty has weight
// 1.
func (c sparseCards) Weight(lambda *big.Rat) (*big.Int, error) {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		return nil, err
	}
	return stage.TotalWeight(), nil
}

// Work implements Staged: it returns the approximate number of steps for counting records in all stages. A step takes
// about 10 ns.
func (c sparseCards) Work(records int64) int64 {
	return class.Product(c.first.Work(records), int64(c.options.Draws))
}

// Quick implements Staged: it reports whether all stages together take only seconds for the given number of rows,
// according to measurements.
func (c sparseCards) Quick(rows int64) bool {
	sets, most := int64(c.first.Sets()), int64(setsOfThree)
	if c.options.Most > 3 {
		most = setsOfFour
	}
	return sets <= most && rows <= setRows/sets && (c.options.Draws == 1 || c.options.Most <= laterAttributes)
}

// stage returns the class of the next stage, given the samples of the earlier stages. The parameter lambda is the
// rate of the exponential mechanism.
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

// Stage returns the class of the next stage, given the samples of the earlier stages. The parameter lambda is the
// rate of the exponential mechanism.
func (c sparseCards) Stage(lambda *big.Rat, drawn []any) (Class, error) {
	stage, err := c.stage(lambda, drawn)
	if err != nil {
		return nil, err
	}
	return class.Erase(stage), nil
}

// mostSummed is the maximum work of a complete enumeration, in steps of about 10 ns.
const mostSummed = 200_000_000

// Summed implements Staged: it reports whether there is only one stage, and a complete enumeration of its scorecards
// takes at most a few seconds.
func (c sparseCards) Summed() bool {
	return c.options.Draws == 1 && c.first.SumWork(0) <= mostSummed
}

// Sum implements Staged: it returns the partition function of the scorecards of the only stage, with the penalties
// for lambda, the rate of the exponential mechanism.
func (c sparseCards) Sum(lambda *big.Rat) (class.Summed[table.Record, any], error) {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		return nil, err
	}
	return erasedSum[sparse.Card]{stage}, nil
}

// mostCounted is the maximum total number of cells of the marginals to query from a data source that can answer only
// queries for counts.
const mostCounted = 1 << 22

// Counted returns the stages for a data source that can answer only queries for counts. It returns nil if there are
// several stages, or if the marginals to query have too many cells.
func (c sparseCards) Counted() learn.CountedStages[table.Record, any] {
	if c.options.Draws > 1 || c.first.Cells() > mostCounted {
		return nil
	}
	return countedCards{c}
}

// countedCards is the Space of sparse scorecards with one stage, for a data source that can answer only queries for
// counts.
type countedCards struct{ sparseCards }

// Tables returns the marginals to query, each as a list of axes. There is one marginal for each set of attributes
// that a scorecard may use.
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

// Given returns the class of the only stage, with the penalties for lambda, the rate of the exponential mechanism.
// The parameter costs holds the costs that were computed from the marginals that Tables returns.
func (c countedCards) Given(lambda *big.Rat, costs [][]int64) (Class, error) {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		return nil, err
	}
	return class.Erase(stage.Given(costs)), nil
}

// LeastPrior returns approximately the natural logarithm of the smallest prior probability of a scorecard. The
// parameter lambda is the rate of the exponential mechanism.
func (c sparseCards) LeastPrior(lambda *big.Rat) float64 {
	stage, err := c.stage(lambda, nil)
	if err != nil {
		panic(err) // the mechanism has made it before
	}
	return stage.LeastPrior(lambda)
}

// Join implements Staged: it combines the samples of all stages to one scorecard. An attribute has the points of the
// last sample that uses it, or no points if no sample uses it.
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
