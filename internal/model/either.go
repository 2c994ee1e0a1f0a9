package model

import (
	"encoding/json"
	"flag"

	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CardOrTree is the class (a Form) that contains all weighted scorecards and all decision trees, and optionally all sum
// scores. A mechanism privately selects one of these kinds, and a hypothesis of that kind. Hypotheses have type
// union.Choice[any], with these member numbers: 0 for a scorecard, 1 for a tree, and 2 for a sum score.
type CardOrTree struct {
	Scale     int  // the scale of the cards
	Depth     int  // the maximum depth of the trees
	SumScores bool // whether sum scores are included
}

var cardOrTreeKind = Kind{
	Name: "card-or-tree", What: "a weighted scorecard or a decision tree; the mechanism selects one of them privately",
	Quicker: decisionTreeKind.Quicker,
	New:     func() FormBuilder { return &cardOrTreeBuilder{} }, read: readCardOrTree,
}

// Name returns "card-or-tree", the name of the class in commands and model files.
func (CardOrTree) Name() string { return cardOrTreeKind.Name }

// Noun returns "card or tree", the noun for a hypothesis of the class in messages.
func (CardOrTree) Noun() report.Noun { return "card or tree" }

// Card and Tree return the two forms that CardOrTree combines: weighted scorecards and decision trees.
func (f CardOrTree) Card() Additive     { return Additive{NaiveBayes, f.Scale} }
func (f CardOrTree) Tree() DecisionTree { return DecisionTree{f.Depth} }

// cardOrTreeBuilder collects the parameters of CardOrTree from flags. It implements FormBuilder.
type cardOrTreeBuilder struct{ CardOrTree }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (b *cardOrTreeBuilder) Parameters(f *flag.FlagSet) {
	scale(f, &b.Scale, `4 for the mechanism "weighted", 10 for "newton"`)
	treeDepth(f, &b.Depth)
	f.BoolVar(&b.SumScores, "sum-scores", false, "let the mechanism also select sum scores: scorecards in which attributes with the same categories have the same points")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (b *cardOrTreeBuilder) Form(s *table.Schema) (Form, error) { return b.Complete(s) }

// Complete returns f with defaults in place of parameters that are 0, or an error that names an invalid parameter.
func (f CardOrTree) Complete(s *table.Schema) (Form, error) {
	of, err := scaledTree{f.Scale, f.Depth}.complete(s)
	return CardOrTree{of.Scale, of.Depth, f.SumScores}, err
}

// either is the set (Space) of all hypotheses of the form card-or-tree over the attributes of a schema.
type either struct {
	joined
	tree   TractableClass
	scores Enumerated // the space of the sum scores; nil if they are not included
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f CardOrTree) Over(s *table.Schema) (Space, error) {
	card, err := f.Card().Over(s)
	if err != nil {
		return nil, err
	}
	tree, err := f.Tree().Over(s)
	if err != nil {
		return nil, err
	}
	e := either{joined: joined{searched{form: f, schema: s}, []Space{card, tree}}, tree: tree.Sampling().Tractable}
	if f.SumScores {
		scores, err := NewSumScore().Over(s)
		if err != nil {
			return nil, err
		}
		e.members, e.scores = append(e.members, scores), scores.(Enumerated)
	}
	return e, nil
}

// SumScores returns the space of the sum scores that belong to the form card-or-tree. It returns nil if the form has no
// sum scores, or if s is the space of another form.
func SumScores(s Space) Enumerated {
	if e, ok := s.(either); ok {
		return e.scores
	}
	return nil
}

// MemberOf wraps a hypothesis h of the form card-or-tree in a union.Choice, which states whether h is a scorecard, a
// tree or a sum score. If h is nil (nothing was released), the choice states member 0, the scorecards.
func MemberOf(h any) union.Choice[any] {
	switch h.(type) {
	case nil, learn.Points:
		return union.Choice[any]{Hypothesis: h}
	case sumscore.Score:
		return union.Choice[any]{Member: 2, Hypothesis: h}
	}
	return union.Choice[any]{Member: 1, Hypothesis: h}
}

// Sampling implements Space. It returns only the class of the trees, because the points of scorecards are computed from
// statistics instead of sampled.
func (e either) Sampling() Sampling { return Sampling{Tree: e.tree} }

type cardOrTreeJSON struct {
	Name      string `json:"name"`
	Scale     int    `json:"scale"`
	Depth     int    `json:"depth"`
	SumScores bool   `json:"sum_scores,omitempty"`
}

func (f CardOrTree) parameters() any {
	return cardOrTreeJSON{f.Name(), f.Scale, f.Depth, f.SumScores}
}

func readCardOrTree(text json.RawMessage) (Form, error) {
	var j cardOrTreeJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return CardOrTree{j.Scale, j.Depth, j.SumScores}, nil
}

// nounOf returns the noun for a hypothesis in messages, such as "scorecard". The parameter whole is the form of the
// model. If it is a union of several forms, part is the one to which the hypothesis belongs; otherwise part equals
// whole.
func nounOf(whole, part Form) report.Noun {
	if _, cards := part.(Additive); cards && whole.Name() == cardOrTreeKind.Name {
		return "scorecard"
	}
	return part.Noun()
}

// parts returns the forms that are combined in a union or in card-or-tree. It returns nil for other forms.
func parts(f Form) (parts []Form) {
	switch of := f.(type) {
	case Union:
		for _, m := range of.Members {
			parts = append(parts, m.Form)
		}
	case CardOrTree:
		parts = []Form{of.Card(), of.Tree()}
		if of.SumScores {
			parts = append(parts, NewSumScore())
		}
	}
	return parts
}
