package learn

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// RankedTrees releases a decision tree together with points. The tree predicts; the points rank the
// records for which the tree predicts the same. The tree is sampled by the exponential mechanism.
// The points are the log-odds of naive Bayes, estimated from noisy counts and smoothed as for
// WeightedNaiveBayes.
//
// Guarantee: pure ε-DP, where ε is the sum of the ε of the sample and the ε of the counts
// (docs/explanation/proofs/rankedtree.md).
type RankedTrees[H any] struct {
	trees     *Gibbs[table.Record, H]
	counts    *NaiveBayes
	ordered   []bool
	guarantee privacy.Guarantee
}

// A RankedTree is a tree, together with points for each category of each attribute. Records with the same prediction
// are ranked by the sum of their points.
type RankedTree[H any] struct {
	Tree   H
	Points [][]int
}

// NewRankedTrees returns the learner that samples a tree by the mechanism trees and computes points
// from the noisy counts of the mechanism counts. The parameter ordered reports for each attribute
// whether its categories have an order. The class of the trees must predict two outcomes, and the
// two mechanisms must have the same neighbour relation.
func NewRankedTrees[H any](trees *Gibbs[table.Record, H], counts *NaiveBayes, ordered []bool) (*RankedTrees[H], error) {
	if n := trees.Class().Outcomes(); n != 2 {
		return nil, fmt.Errorf("learn: points rank records for a label with two outcomes, but the class predicts %d", n)
	}
	g, err := privacy.Compose(trees.Guarantee(), counts.Guarantee())
	if err != nil {
		return nil, err
	}
	return &RankedTrees[H]{trees, counts, ordered, g}, nil
}

// Guarantee returns the guarantee of a release.
func (m *RankedTrees[H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Release counts the rows, samples a tree, and computes points from the noisy counts. It fails with the
// context's error, or with ErrRows before it uses any randomness.
func (m *RankedTrees[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (r RankedTree[H], err error) {
	counts, err := m.counts.marginals.counts(ctx, t)
	if err != nil {
		return r, err
	}
	if r.Tree, err = m.trees.Release(ctx, t, coins); err != nil {
		return r, err
	}
	of, factor := m.counts.encoding(counts, m.ordered, coins), m.counts.factor()
	for _, odds := range expand(of.groups, of.odds) {
		points := make([]int, len(odds))
		for c := range points {
			points[c] = m.counts.round(factor * odds[c])
		}
		r.Points = append(r.Points, points)
	}
	return r, nil
}
