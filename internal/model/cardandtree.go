package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CardAndTree is the class (a Form) of scorecards that are combined with a decision tree: a record for which the
// tree predicts 1 receives a bonus, and the sum of the bonus and the card's points decides the prediction.
// Hypotheses have type convex.CardAndTree[any].
type CardAndTree struct {
	Scale int // the number of points for a weight of 1
	Depth int // the maximum depth of the trees
}

var cardAndTreeKind = Kind{
	Name: "card-and-tree", What: "a scorecard with a bonus for the records for which a decision tree predicts 1",
	Quicker: decisionTreeKind.Quicker,
	New:     func() FormBuilder { return &scaledTreeBuilder[CardAndTree]{} }, read: readScaledTree[CardAndTree],
}

// Name returns "card-and-tree", the name of the class in commands and model files.
func (CardAndTree) Name() string { return cardAndTreeKind.Name }

// Noun returns "scorecard with a tree", the noun for a hypothesis of the class in messages.
func (CardAndTree) Noun() report.Noun { return "scorecard with a tree" }

// Complete returns f with defaults in place of parameters that are 0, or an error that names an invalid parameter.
func (f CardAndTree) Complete(s *table.Schema) (Form, error) { return completeTree(f, s) }

// cardsAndTrees is the set (Space) of all hypotheses of the class card-and-tree over the attributes of a schema.
type cardsAndTrees struct {
	form CardAndTree
	pointedTrees
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f CardAndTree) Over(s *table.Schema) (Space, error) {
	of, err := pointedTreesOver(s, f.Depth)
	return cardsAndTrees{f, of}, err
}

func (f CardAndTree) parameters() any { return scaledTreeJSON{f.Name(), f.Scale, f.Depth} }

// rule returns the rule by which the hypothesis h predicts. Its field Double, the number of points that double the
// odds, is set as for logistic regression.
func (c cardsAndTrees) rule(h any) rule.Body {
	of, sizes := h.(convex.CardAndTree[any]), c.domain().Sizes()
	p := rule.Points{Start: of.Card.Prior, Of: of.Card.Points, Threshold: 1, Constant: true, Double: float64(c.form.Scale) * math.Ln2}
	tree := rule.Simplify(c.trees.tree(of.Tree.(*dectree.Tree)), sizes).(*rule.Tree).Merged()
	switch {
	case tree.Leaf() && tree.Predict == 1:
		p.Start += of.Bonus
	case !tree.Leaf() && of.Bonus != 0:
		p.If, p.Bonus = tree.Formula(sizes), of.Bonus
	}
	return p
}

// cardAndTreeJSON is the JSON form of a hypothesis of the class card-and-tree. The scorecard is written like an
// additive model.
type cardAndTreeJSON struct {
	Tree  json.RawMessage `json:"tree"`
	Card  json.RawMessage `json:"card"`
	Bonus int             `json:"bonus"`
}

func (c cardsAndTrees) write(h any) any {
	of := h.(convex.CardAndTree[any])
	card := rule.Points{Start: of.Card.Prior, Of: of.Card.Points, Constant: true}
	return cardAndTreeJSON{mustCompact(rule.JSON(c.domain(), c.trees.rule(of.Tree))), mustCompact(rule.JSON(c.domain(), card)), of.Bonus}
}

func (c cardsAndTrees) read(text json.RawMessage) (any, error) {
	var j cardAndTreeJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the scorecard with a tree is malformed: %w", err)
	}
	tree, err := c.trees.read(j.Tree)
	if err != nil {
		return nil, err
	}
	constant, points, err := rule.ReadConstant(c.domain(), j.Card)
	return convex.CardAndTree[any]{Tree: tree, Card: learn.Points{Prior: constant, Points: points}, Bonus: j.Bonus}, err
}

func (c cardsAndTrees) check(h any) error {
	if err := checkScale(c.form.Scale); err != nil {
		return err
	}
	of, ok := h.(convex.CardAndTree[any])
	if !ok || len(of.Card.Points) != len(c.domain().Attributes) {
		return errors.New("the hypothesis must have a tree, and points for each attribute of the schema")
	}
	if err := checkAdditive(append([][]int{{of.Card.Prior, of.Bonus}}, of.Card.Points...)); err != nil {
		return err
	}
	return c.trees.check(of.Tree)
}
