package model

import (
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CardOrTree is the form whose hypotheses are all weighted scorecards and all decision trees. A mechanism selects
// one of them privately. Hypotheses have type union.Choice[any]: member 0 is a card, and member 1 is a tree.
type CardOrTree struct {
	Scale int // the scale of the cards
	Depth int // the maximum depth of the trees
}

var cardOrTreeKind = Kind{
	Name: "card-or-tree", What: "a weighted scorecard or a decision tree; the mechanism selects one of them privately",
	Quicker: decisionTreeKind.Quicker,
	New:     func() FormBuilder { return &scaledTreeBuilder[CardOrTree]{} }, read: readScaledTree[CardOrTree],
}

// Name returns "card-or-tree".
func (CardOrTree) Name() string { return cardOrTreeKind.Name }

// Noun returns "card or tree".
func (CardOrTree) Noun() report.Noun { return "card or tree" }

// Card and Tree return the two forms of which CardOrTree consists.
func (f CardOrTree) Card() Additive     { return Additive{NaiveBayes, f.Scale} }
func (f CardOrTree) Tree() DecisionTree { return DecisionTree{f.Depth} }

// Complete returns the form, with defaults for parameters that are 0, or an error if a parameter is invalid.
func (f CardOrTree) Complete(s *table.Schema) (Form, error) { return completeTree(f, s) }

// either is the Space of the form card-or-tree over a schema.
type either struct {
	joined
	tree TractableClass
}

// Over implements Form: it applies the form to a schema.
func (f CardOrTree) Over(s *table.Schema) (Space, error) {
	card, err := f.Card().Over(s)
	if err != nil {
		return nil, err
	}
	tree, err := f.Tree().Over(s)
	if err != nil {
		return nil, err
	}
	return either{joined{searched{form: f, schema: s}, []Space{card, tree}}, tree.Sampling().Tractable}, nil
}

// Sampling implements Space. It returns only the class of the trees, because mechanisms compute the cards from
// statistics.
func (e either) Sampling() Sampling { return Sampling{Tree: e.tree} }

func (f CardOrTree) parameters() any { return scaledTreeJSON{f.Name(), f.Scale, f.Depth} }

// nounOf returns the noun for a hypothesis in messages. whole is the form of the model. If whole has members, part
// is the form of the member that contains the hypothesis; otherwise part is whole too. A card of the form
// card-or-tree is called a scorecard.
func nounOf(whole, part Form) report.Noun {
	if _, cards := part.(Additive); cards && whole.Name() == cardOrTreeKind.Name {
		return "scorecard"
	}
	return part.Noun()
}

// parts returns the forms of which a union or card-or-tree consists, or nil for other forms.
func parts(f Form) (parts []Form) {
	switch of := f.(type) {
	case Union:
		for _, m := range of.Members {
			parts = append(parts, m.Form)
		}
	case CardOrTree:
		parts = []Form{of.Card(), of.Tree()}
	}
	return parts
}
