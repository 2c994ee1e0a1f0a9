package convex

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// TreeDPSGD releases a scorecard together with a decision tree: records for which the tree predicts
// 1 get additional points, the bonus. It samples the tree by the exponential mechanism. Then it
// runs DPSGD on the records with one more attribute, the prediction of the tree. So the descent
// finds the size of the bonus along with the points of the other attributes.
//
// Guarantee: that of the descent, (ε, δ)-DP, which covers the sample of the tree
// (docs/explanation/proofs/dpsgd.md, section 5).
type TreeDPSGD[H any] struct {
	trees   *learn.Gibbs[[]uint16, H]
	descent *DPSGD
}

// A TreeLinear is a tree together with a linear classifier, whose records have the prediction of
// the tree as one more attribute.
type TreeLinear[H any] struct {
	Tree H
	Linear
}

// A CardAndTree is a scorecard with a bonus for the records for which a tree predicts 1.
type CardAndTree[H any] struct {
	Card  learn.Points
	Tree  H
	Bonus int
}

// WithTree returns the numbers of categories of the attributes of TreeDPSGD: the given sizes of the
// schema's attributes, and 2 for the prediction of the tree.
func WithTree(sizes []int) []int { return append(sizes[:len(sizes):len(sizes)], 2) }

// NewTreeDPSGD returns the mechanism that samples a tree by the mechanism trees and then runs the
// descent. The class of the trees must have two outcomes. The features of the descent must be for
// the attributes that WithTree returns, and the parameter Tree of the descent must be the ε of
// trees.
func NewTreeDPSGD[H any](trees *learn.Gibbs[[]uint16, H], descent *DPSGD) (*TreeDPSGD[H], error) {
	g, ok := trees.Guarantee().(privacy.BoundedRange)
	switch ones := descent.features.ones; {
	case trees.Class().Outcomes() != 2:
		return nil, errors.New("convex: the trees must predict two outcomes")
	case !ok || g.Epsilon() != descent.descent.Tree || g.Relation() != descent.guarantee.Relation():
		return nil, errors.New("convex: the guarantee of the descent must cover the sample of the tree")
	case len(ones) == 0 || len(ones[len(ones)-1]) != 2:
		return nil, errors.New("convex: the last attribute of the features must have two categories, for the prediction of the tree")
	}
	return &TreeDPSGD[H]{trees, descent}, nil
}

// Guarantee returns (ε, δ)-DP, which holds for every release.
func (m *TreeDPSGD[H]) Guarantee() privacy.Guarantee { return m.descent.guarantee }

// Release samples a tree, and runs the gradient descent. It fails with learn.ErrRows before it uses
// any randomness, or later with the context's error.
func (m *TreeDPSGD[H]) Release(ctx context.Context, d []learn.Example[[]uint16], coins noise.Coins) (r TreeLinear[H], err error) {
	if r.Tree, err = m.trees.Release(ctx, learn.Listed[[]uint16](d), coins); err != nil {
		return r, err
	}
	features := m.descent.features
	data := make([]Point, len(d))
	var record []uint16
	for i, e := range d {
		record = append(append(record[:0], e.X...), uint16(m.trees.Class().Predict(r.Tree, e.X)))
		data[i] = Point{features.Row(nil, record), e.Label, e.Count}
	}
	r.Linear, err = m.descent.descend(ctx, data, coins)
	return r, err
}

// Points converts the classifier r to a scorecard with integer points and a bonus for the records
// for which the tree predicts 1, with the given scale (see Linear.Points).
func (r TreeLinear[H]) Points(f *Features, scale int) CardAndTree[H] {
	card := r.Linear.Points(f, scale)
	last := len(card.Points) - 1
	bonus := card.Points[last][1]
	card.Points = card.Points[:last]
	return CardAndTree[H]{card, r.Tree, bonus}
}
