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
)

// Either selects a scorecard or a decision tree. It estimates a naive Bayes model from noisy counts. Then one sample
// of the exponential mechanism selects either a weight for each attribute of this model, or a tree.
type Either struct{}

var eitherKind = Kind{
	Name: WeightedName, What: "computes noisy counts, then samples one of all weighted scorecards and trees; δ = 0",
	For: AdditiveOnly(model.CardOrTree{}.Name()), Persons: true, New: func() Mechanism { return &Either{} },
	Record: func() any { return &weightedJSON{} }, Recreate: recreateEither,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*Either) Parameters(*flag.FlagSet) {}

// eitherCounts returns the share of ε that the noisy counts of the naive Bayes model consume.
func eitherCounts() *big.Rat { return big.NewRat(1, 2) }

// eitherLearner is a learn.Either that releases hypotheses of the form card-or-tree, which have type
// union.Choice[any].
type eitherLearner struct{ *learn.Either[any] }

func (l eitherLearner) Release(ctx context.Context, d learn.Records[table.Record], coins noise.Coins) (any, error) {
	h, err := l.Either.Release(ctx, d, coins)
	return model.MemberOf(h), err
}

// plannedEither returns the learner of a new release, which selects from the cards and from the
// trees of the setting's form, and the learner's record for the model file.
func plannedEither(s *Setting) (m eitherLearner, record weightedJSON, err error) {
	cards, record, err := planned(s, s.Form.(model.CardOrTree).Scale, eitherCounts())
	if err != nil {
		return m, record, err
	}
	var more []learn.Sampled[any]
	if scores := model.SumScores(s.Space); scores != nil {
		more = append(more, learn.Uniform(scores.Enumeration(), scores.Sampling().Class.Size()))
	}
	m.Either, err = learn.NewEither(cards, s.Space.Sampling().Tree, more...)
	return m, record, err
}

func (*Either) Over(s *Setting) (*Made, error) {
	m, record, err := plannedEither(s)
	if err != nil {
		return nil, err
	}
	return &Made{Table: learn.OnRecords[any]{Mechanism: m}, Record: record, Effort: eitherEffort(s, m)}, nil
}

// weightBytes is the memory, in bytes, for the sampling weight of a candidate card, in addition to the memory for
// its cost.
const weightBytes = 8

// eitherEffort estimates the time and memory of releasing a scorecard or a tree from the setting's number of rows.
func eitherEffort(s *Setting, m eitherLearner) *Effort {
	e := weightedEffort(s, m.WeightedNaiveBayes)
	l, distinct := Layout(LaidOut(s.Space), s.Schema, s.Rows), Records(s.Schema, s.Rows)
	if scores := model.SumScores(s.Space); scores != nil {
		l = l.And(Layout(scores.Sampling().Class, s.Schema, s.Rows))
	}
	_, steps := m.Work(distinct)
	// The costs of cards are computed before trees are built.
	e.Cells, e.Bytes = e.Cells+l.Cells, s.Schema.Bytes(distinct)+max(m.WeightedNaiveBayes.Bytes(distinct), l.Bytes)+weightBytes*int64(m.Cards())
	e.Seconds, e.Quicker = e.Seconds+workSeconds*float64(steps), KindOfForm(s.Form).Quicker
	return e
}

func (*Either) Bounds(s *Setting) ([]Bound, error) {
	if scale := s.Form.(model.CardOrTree).Scale; scale < learn.LeastWeightedScale || scale > learn.MostWeightedScale {
		return []Bound{}, nil
	}
	m, _, err := plannedEither(s)
	if err != nil {
		return nil, err
	}
	width := m.CountWidth()
	orScore := ""
	if model.SumScores(s.Space) != nil {
		orScore = ", a sum score"
	}
	return []Bound{{
		Mechanism: WeightedName, CountWidth: &width,
		Said: fmt.Sprintf("half of ε is for counts; in 95 of 100 runs, the errors of all counts are\nat most %.0f. The other half is for sampling one of %d cards%s or a tree.\nTime: about %.0f s of one processor.", width, m.Cards(), orScore, math.Ceil(eitherEffort(s, m).Seconds)),
	}}, nil
}

func recreateEither(stored any, s *Setting) (*Recreated, error) {
	return weightedOf(s, stored.(*weightedJSON), s.Form.(model.CardOrTree).Scale)
}
