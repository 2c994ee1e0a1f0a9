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

// RankedTree samples a decision tree by the exponential mechanism, and computes, from noisy counts,
// points that rank records with the same prediction.
type RankedTree struct{}

const rankedTreeName = "tree-and-counts"

var rankedTreeKind = Kind{
	Name: rankedTreeName, What: "samples a tree, and computes points from noisy counts; δ = 0",
	For: AdditiveOnly(model.RankedTree{}.Name()), Persons: true, New: func() Mechanism { return &RankedTree{} },
	Record: func() any { return &rankedTreeJSON{} }, Recreate: recreateRankedTree,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*RankedTree) Parameters(*flag.FlagSet) {}

type rankedTreeJSON struct {
	Name      string          `json:"name"`
	Tree      privacy.Decimal `json:"tree"`       // the share of ε for the sample of a tree
	Rate      string          `json:"rate"`       // the rate λ of this sample
	CountRate string          `json:"count_rate"` // the rate of the noise of the counts
}

// rankedTreeShare returns the share of ε for the sample of the tree. The measurements behind it are
// in docs/measurements/default-learner.md.
func rankedTreeShare() *big.Rat { return big.NewRat(3, 5) }

// A rankedTreeLearner is a learn.RankedTrees with the two mechanisms of which it consists.
type rankedTreeLearner struct {
	*learn.RankedTrees[any]
	trees  *learn.Gibbs[table.Record, any]
	counts *learn.NaiveBayes
}

func (m rankedTreeLearner) Release(ctx context.Context, t *table.Table, coins noise.Coins) (any, error) {
	return m.RankedTrees.Release(ctx, t, coins)
}

// rankedTreeOf returns the mechanism that samples a tree with the ε tree, a part of the setting's
// ε, and the mechanism's record for the model file.
func rankedTreeOf(s *Setting, tree privacy.Decimal) (m rankedTreeLearner, record rankedTreeJSON, err error) {
	rest, err := less(s.Epsilon, tree)
	if err != nil {
		return m, record, err
	}
	budget, err := privacy.NewPure(s.Relation, rest)
	if err != nil {
		return m, record, NotMade(rankedTreeName, err)
	}
	if m.trees, err = learn.NewGibbs(s.Space.Sampling().Tree, tree, s.Relation, learn.ZeroOne.CostMatrix(2)); err != nil {
		return m, record, NotMade(rankedTreeName, err)
	}
	if m.counts, err = learn.NewNaiveBayes(s.Schema.Sizes(), budget, s.Form.(model.RankedTree).Scale); err != nil {
		return m, record, NotMade(rankedTreeName, err)
	}
	m.RankedTrees, err = learn.NewRankedTrees(m.trees, m.counts, inOrder(s.Schema))
	return m, rankedTreeJSON{rankedTreeName, tree, m.trees.Rate().RatString(), m.counts.Rate().RatString()}, err
}

// plannedRankedTree returns the mechanism of rankedTreeOf for a new release: it chooses the part of
// ε for the tree independently of the data.
func plannedRankedTree(s *Setting) (m rankedTreeLearner, record rankedTreeJSON, err error) {
	if err := s.Pure(); err != nil {
		return m, record, err
	}
	tree, err := privacy.RoundDown(new(big.Rat).Mul(s.Epsilon.Rat(), rankedTreeShare()), shareDigits)
	if err != nil {
		return m, record, err
	}
	return rankedTreeOf(s, tree)
}

func (*RankedTree) Over(s *Setting) (*Made, error) {
	m, record, err := plannedRankedTree(s)
	if err != nil {
		return nil, err
	}
	return &Made{Table: m, Record: record, Effort: treeEffort(s)}, nil
}

// treeEffort estimates the time and memory of sampling a tree of the setting's form, from the number of rows.
func treeEffort(s *Setting) *Effort {
	trees := s.Space.Sampling().Tree
	l, distinct := Layout(trees, s.Schema, s.Rows), Records(s.Schema, s.Rows)
	return &Effort{
		Cells: l.Cells, Bytes: s.Schema.Bytes(distinct) + l.Bytes, MostRows: learn.MostRows, Search: Fixed,
		Seconds: workSeconds * float64(trees.Work(distinct)), Quicker: KindOfForm(s.Form).Quicker,
	}
}

func (*RankedTree) Bounds(s *Setting) ([]Bound, error) {
	m, record, err := plannedRankedTree(s)
	if err != nil {
		return nil, err
	}
	width := m.counts.CountWidth()
	most := m.trees.Excess(s.Rows).Most
	return []Bound{{
		Mechanism: rankedTreeName, CountWidth: &width,
		Said: fmt.Sprintf("an ε of %s is for sampling the tree; in 95 of 100 runs, it has at most %.0f more\nmisclassifications than the best tree. The rest is for counts; in 95 of 100 runs,\nthe errors of all counts are at most %.0f.", record.Tree, math.Ceil(most), width),
	}}, err
}

func recreateRankedTree(stored any, s *Setting) (*Recreated, error) {
	m, record, err := rankedTreeOf(s, stored.(*rankedTreeJSON).Tree)
	if err != nil {
		return nil, err
	}
	return &Recreated{Record: record, Guarantee: m.Guarantee()}, nil
}
