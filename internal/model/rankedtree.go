package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// RankedTree is the class (a Form) of decision trees with points. The tree predicts the outcome, and the points rank
// the records that have the same prediction. Hypotheses have type learn.RankedTree[any].
type RankedTree struct {
	Scale int // the number of points for a log-odds of 1
	Depth int // the maximum depth of the trees
}

var rankedTreeKind = Kind{
	Name: "ranked-tree", What: "a decision tree that predicts, and a scorecard that ranks records with the same prediction",
	Quicker: decisionTreeKind.Quicker,
	New:     func() FormBuilder { return &scaledTreeBuilder[RankedTree]{} }, read: readScaledTree[RankedTree],
}

// Name returns "ranked-tree", the name of the class in commands and model files.
func (RankedTree) Name() string { return rankedTreeKind.Name }

// Noun returns "ranked tree", the noun for a hypothesis of the class in messages.
func (RankedTree) Noun() report.Noun { return "ranked tree" }

// Complete returns f with defaults in place of parameters that are 0, or an error that names an invalid parameter.
func (f RankedTree) Complete(s *table.Schema) (Form, error) { return completeTree(f, s) }

// rankedTrees is the set (Space) of all hypotheses of the form ranked-tree over the attributes of a schema.
type rankedTrees struct {
	form RankedTree
	pointedTrees
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f RankedTree) Over(s *table.Schema) (Space, error) {
	of, err := pointedTreesOver(s, f.Depth)
	return rankedTrees{f, of}, err
}

func (f RankedTree) parameters() any { return scaledTreeJSON{f.Name(), f.Scale, f.Depth} }

// rule returns the rule by which the hypothesis h predicts, as a sum of points. Its constant and its bonus for records
// for which the tree predicts 1 are chosen so that the total of a record is at least 1 if the tree predicts 1, and at
// most 0 otherwise, whatever the record's points are.
func (r rankedTrees) rule(h any) rule.Body {
	of, sizes := h.(learn.RankedTree[any]), r.domain().Sizes()
	p := rule.Points{Of: of.Points, Threshold: 1, Constant: true}
	least, most := p.Span()
	p.Start, p.Bonus = -most, most-least+1
	tree := rule.Simplify(r.trees.tree(of.Tree.(*dectree.Tree)), sizes).(*rule.Tree).Merged()
	switch {
	case !tree.Leaf():
		p.If = tree.Formula(sizes)
		return p
	case tree.Predict == 1:
		p.Start += p.Bonus
	}
	p.Bonus = 0
	return p
}

// rankedTreeJSON is the JSON form of a hypothesis of the form ranked-tree.
type rankedTreeJSON struct {
	Tree   json.RawMessage `json:"tree"`
	Points json.RawMessage `json:"points"`
}

// write returns the JSON form of the hypothesis h. It contains the tree itself, because the tree cannot be recovered
// from the rule.
func (r rankedTrees) write(h any) any {
	of := h.(learn.RankedTree[any])
	return rankedTreeJSON{mustCompact(rule.JSON(r.domain(), r.trees.rule(of.Tree))), mustCompact(rule.JSON(r.domain(), rule.Points{Of: of.Points}))}
}

func (r rankedTrees) read(text json.RawMessage) (any, error) {
	var j rankedTreeJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the ranked tree is malformed: %w", err)
	}
	tree, err := r.trees.read(j.Tree)
	if err != nil {
		return nil, err
	}
	points, err := rule.ReadPoints(r.domain(), j.Points, "points are")
	return learn.RankedTree[any]{Tree: tree, Points: points}, err
}

func (r rankedTrees) check(h any) error {
	if err := checkScale(r.form.Scale); err != nil {
		return err
	}
	of, ok := h.(learn.RankedTree[any])
	if !ok || len(of.Points) != len(r.domain().Attributes) {
		return errors.New("the hypothesis must have a tree, and points for each attribute of the schema")
	}
	if err := checkAdditive(of.Points); err != nil {
		return err
	}
	return r.trees.check(of.Tree)
}
