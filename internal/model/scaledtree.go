package model

import (
	"encoding/json"
	"flag"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A scaledTree holds the common parameters of the classes RankedTree and CardAndTree, whose hypotheses have points and
// a tree.
type scaledTree struct {
	Scale int // the number of points for a weight of 1
	Depth int // the maximum depth of the trees
}

// scaledTreeForm is the type constraint for the classes that have the parameters of a scaledTree.
type scaledTreeForm interface {
	RankedTree | CardAndTree
	Form
}

// scaledTreeBuilder collects the parameters of RankedTree or CardAndTree from flags. It implements FormBuilder.
type scaledTreeBuilder[F scaledTreeForm] struct{ scaledTree }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (b *scaledTreeBuilder[F]) Parameters(f *flag.FlagSet) {
	scale(f, &b.Scale, "10")
	treeDepth(f, &b.Depth)
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (b *scaledTreeBuilder[F]) Form(s *table.Schema) (Form, error) {
	return completeTree(F(b.scaledTree), s)
}

// usualTreeScale is the default scale, the number of points for a weight of 1, if points are released together with a
// tree.
const usualTreeScale = 10

// completeTree sets a scale or a depth of 0 to its default, and returns an error if one of them is invalid.
func completeTree[F scaledTreeForm](form F, s *table.Schema) (Form, error) {
	of, err := scaledTree(form).complete(s)
	return F(of), err
}

// complete sets a scale or a depth of 0 to its default, and returns an error if one of them is invalid.
func (of scaledTree) complete(s *table.Schema) (scaledTree, error) {
	if err := negative("depth", of.Depth, "a number of questions"); err != nil {
		return of, err
	}
	if of.Depth == 0 {
		of.Depth = usualDepth(s)
	}
	if of.Scale == 0 {
		of.Scale = usualTreeScale
	}
	if of.Scale < 1 || of.Scale > MostScale {
		return of, parameter.Errorf("{scale} %d is outside 1..%d", of.Scale, MostScale)
	}
	return of, nil
}

// scaledTreeJSON is the JSON form of the classes RankedTree and CardAndTree: their name and their parameters.
type scaledTreeJSON struct {
	Name  string `json:"name"`
	Scale int    `json:"scale"`
	Depth int    `json:"depth"`
}

func readScaledTree[F scaledTreeForm](text json.RawMessage) (Form, error) {
	var j scaledTreeJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return F(scaledTree{j.Scale, j.Depth}), nil
}

// pointedTrees is the set of trees of a Space whose hypotheses consist of a tree and points. The points are computed by
// the mechanism.
type pointedTrees struct{ trees trees }

// pointedTreesOver returns the trees over a schema that have at most the given depth.
func pointedTreesOver(s *table.Schema, depth int) (pointedTrees, error) {
	of, err := DecisionTree{depth}.Over(s)
	if err != nil {
		return pointedTrees{}, err
	}
	return pointedTrees{of.(trees)}, nil
}

func (p pointedTrees) domain() *table.Schema { return p.trees.schema }

// Sampling implements Space. It returns the class of the trees only, because the points are computed from statistics.
func (p pointedTrees) Sampling() Sampling { return Sampling{Tree: p.trees.Sampling().Tractable} }

// MostGrades returns the limit risk.MostGrades, because the grade of a record is its total.
func (pointedTrees) MostGrades() (risk.Kind, int) { return risk.Total, risk.MostGrades }
