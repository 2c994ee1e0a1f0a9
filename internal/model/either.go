package model

import (
	"encoding/json"
	"flag"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CardOrTree is the form of what is drawn from weighted cards and decision trees together. Its
// hypotheses are union.Choice[any], of the cards as member 0, and of the trees as member 1.
type CardOrTree struct {
	Scale int // of the cards
	Depth int // of the trees
}

var cardOrTreeKind = Kind{
	Name: "card-or-tree", What: "a weighted scorecard or a decision tree; the mechanism selects one of them privately",
	Quicker: decisionTreeKind.Quicker,
	Ask:     func() Asking { return &askedCardOrTree{} }, read: readCardOrTree,
}

// Name returns "card-or-tree".
func (CardOrTree) Name() string { return cardOrTreeKind.Name }

// Noun returns "card or tree".
func (CardOrTree) Noun() report.Noun { return "card or tree" }

// Card and Tree return the forms of either side.
func (f CardOrTree) Card() Additive     { return Additive{NaiveBayes, f.Scale} }
func (f CardOrTree) Tree() DecisionTree { return DecisionTree{f.Depth} }

// askedCardOrTree asks for either.
type askedCardOrTree struct{ CardOrTree }

// Parameters defines the parameters.
func (a *askedCardOrTree) Parameters(f *flag.FlagSet) {
	scale(f, &a.Scale)
	depth(f, &a.Depth)
}

// usualEitherScale is that of weighted cards.
const usualEitherScale = 4

// Form returns the form asked for.
func (a *askedCardOrTree) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters, and chooses those that are 0.
func (f CardOrTree) Complete(s *table.Schema) (Form, error) {
	if err := negative("depth", f.Depth, "a number of questions"); err != nil {
		return nil, err
	}
	if f.Depth == 0 {
		f.Depth = usualDepth(s)
	}
	if f.Scale == 0 {
		f.Scale = usualEitherScale
	}
	if f.Scale < 1 || f.Scale > MostScale {
		return nil, parameter.Errorf("{scale} %d is outside 1..%d", f.Scale, MostScale)
	}
	return f, nil
}

// either is the space of cards and trees.
type either struct {
	joined
	tree SummedClass
}

// Over returns the space over the attributes of the schema.
func (f CardOrTree) Over(s *table.Schema) (Space, error) {
	card, err := f.Card().Over(s)
	if err != nil {
		return nil, err
	}
	tree, err := f.Tree().Over(s)
	if err != nil {
		return nil, err
	}
	return either{joined{searched{form: f, schema: s}, []Space{card, tree}}, tree.Sampling().Summed}, nil
}

// Sampling returns the class of the trees.
func (e either) Sampling() Sampling { return Sampling{Tree: e.tree} }

type cardOrTreeJSON struct {
	Name  string `json:"name"`
	Scale int    `json:"scale"`
	Depth int    `json:"depth"`
}

func (f CardOrTree) parameters() any { return cardOrTreeJSON{f.Name(), f.Scale, f.Depth} }

func readCardOrTree(text json.RawMessage) (Form, error) {
	var j cardOrTreeJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return CardOrTree{j.Scale, j.Depth}, nil
}

// nounOf names a hypothesis of a form, or of one of its parts: the card of a card or tree is no
// more than that to people.
func nounOf(whole, part Form) report.Noun {
	if _, cards := part.(Additive); cards && whole.Name() == cardOrTreeKind.Name {
		return "scorecard"
	}
	return part.Noun()
}

// parts returns the forms of which a form has the hypotheses, nil of one that has its own.
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
