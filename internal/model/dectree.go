package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A DecisionTree is the class (a Form) of all decision trees up to a maximum depth. An inner node of a tree is one
// of these tests:
//   - whether the attribute x has the category c; if x has only two categories, c is the second one
//   - for an attribute with cuts, also whether x is less than a cut
//
// If there would be more than dectree.MostTests tests, some cuts are not tested (see coarsen).
type DecisionTree struct {
	Depth int // 1 to dectree.MostDepth
}

var decisionTreeKind = Kind{
	Name: "tree", What: "a decision tree: tests on attributes, and a prediction at each leaf", Selection: ByPartition, Outcomes: true,
	Quicker: "a smaller value of {depth}, or fewer categories",
	New:     func() FormBuilder { return &treeBuilder{} }, read: readDecisionTree,
}

// Name returns "tree", the name of the class in commands and model files.
func (DecisionTree) Name() string { return decisionTreeKind.Name }

// Noun returns "decision tree", the noun for a hypothesis of the class in messages.
func (DecisionTree) Noun() report.Noun { return "decision tree" }

// treeBuilder collects the parameters of decision trees from flags. It implements FormBuilder.
type treeBuilder struct{ DecisionTree }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *treeBuilder) Parameters(f *flag.FlagSet) { treeDepth(f, &a.Depth) }

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *treeBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete returns the form with its depth, which is the default if the field Depth is 0. It returns an error if the
// depth is negative.
func (f DecisionTree) Complete(s *table.Schema) (Form, error) {
	if f.Depth == 0 {
		f.Depth = usualDepth(s)
	}
	return f, negative("depth", f.Depth, "a number of questions")
}

// Limits of the work of sampling a tree, as estimated for a table of usualTreeRows rows. Work up to usualTreeWork,
// the limit for the default depth, takes about 10 seconds on one thread. Work up to mostTreeWork, the limit for any
// depth, takes some hours.
const (
	usualTreeRows = 1 << 15
	usualTreeWork = 1_000_000_000
	mostTreeWork  = 1_000_000_000_000
)

// usualDepth returns the default depth of trees for a schema: the greatest depth from 1 to 4 for which the estimated
// work of sampling is at most usualTreeWork. It returns 1 if the work exceeds this limit for all depths.
func usualDepth(s *table.Schema) int {
	depth := 4
	for ; depth > 1; depth-- {
		if c, err := dectree.New(treeAttributes(coarsen(s)), depth, s.Outcomes()); err == nil && c.Work(s.Records(usualTreeRows)) <= usualTreeWork {
			break
		}
	}
	return depth
}

func treeAttributes(s *table.Schema) (all []dectree.Attribute) {
	for _, a := range s.Attributes {
		ordered := 0
		if len(a.Cuts) > 0 {
			ordered = len(a.Cuts) + 1
		}
		all = append(all, dectree.Attribute{Categories: a.Len(), Ordered: ordered})
	}
	return all
}

// trees is the set (Space) of all decision trees over the attributes of a schema.
type trees struct {
	schema *table.Schema
	class  coarseTrees
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f DecisionTree) Over(s *table.Schema) (Space, error) {
	coarse := coarsen(s)
	if err := checkTests(coarse); err != nil {
		return nil, noClass(err)
	}
	c, err := dectree.New(treeAttributes(coarse), f.Depth, s.Outcomes())
	if err != nil {
		return nil, noClass(err)
	}
	if c.Work(s.Records(usualTreeRows)) > mostTreeWork {
		return nil, noClass(fmt.Errorf("sampling from %v takes too long; use a smaller depth, or group categories", c))
	}
	return trees{s, coarseTrees{c, merged(s, coarse)}}, nil
}

// checkTests returns an error if decision trees would have more possible tests than they support. The error names
// the attribute with the most tests.
func checkTests(s *table.Schema) error {
	sum, most, name := 0, 0, ""
	for j, a := range treeAttributes(s) {
		n := a.Tests()
		if sum += n; n > most {
			most, name = n, s.Attributes[j].Name
		}
	}
	if sum <= dectree.MostTests {
		return nil
	}
	return fmt.Errorf("the attributes have %d tests, %d of them of %s, but trees support at most %d; group its categories, or leave it out", sum, most, quote.Word(name), dectree.MostTests)
}

func (t trees) domain() *table.Schema { return t.schema }

// Sampling implements Space. It returns the class of trees, from which mechanisms sample through its partition
// function.
func (t trees) Sampling() Sampling {
	return Sampling{Tractable: class.EraseTractable(t.class.sampled())}
}

// WithLevels implements Multilevel: it returns the space of trees whose leaves predict one of several levels of
// risk, numbered from 0, instead of an outcome. The parameter is the number of levels.
func (t trees) WithLevels(levels int) (Space, error) {
	c, err := t.class.WithOutcomes(levels)
	return trees{t.schema, coarseTrees{c, t.class.codes}}, err
}

// Relabel implements Multilevel: it returns a copy of the tree h whose leaves predict outcomes. The function outcome
// converts the level of risk that a leaf of h predicts to an outcome.
func (trees) Relabel(h any, outcome func(level int) int) any {
	return h.(*dectree.Tree).Relabel(outcome)
}

// MostGrades returns the maximum number of leaves of a tree. The grade of a record is the leaf that it reaches.
func (t trees) MostGrades() (risk.Kind, int) { return risk.Leaf, 1 << t.class.Depth() }

type treeClassJSON struct {
	Name  string `json:"name"`
	Depth int    `json:"depth"`
}

func (f DecisionTree) parameters() any { return treeClassJSON{f.Name(), f.Depth} }

func readDecisionTree(text json.RawMessage) (Form, error) {
	var j treeClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return DecisionTree{j.Depth}, nil
}

func (t trees) rule(h any) rule.Body { return t.tree(h.(*dectree.Tree)) }

func (t trees) tree(h *dectree.Tree) *rule.Tree {
	if h.Leaf() {
		return &rule.Tree{Predict: h.Outcome}
	}
	return &rule.Tree{If: t.condition(t.class.Tests()[h.Test]), Yes: t.tree(h.Yes), No: t.tree(h.No)}
}

func (t trees) condition(of dectree.Test) rule.Condition {
	c := rule.Condition{Attribute: of.Attribute}
	for code := range t.schema.Attributes[of.Attribute].Len() {
		if of.Accepts(t.class.code(of.Attribute, uint16(code))) {
			c.Accepts = append(c.Accepts, uint16(code))
		}
	}
	return c
}

func (t trees) read(text json.RawMessage) (any, error) {
	read, err := rule.ReadTree(t.schema, text, t.class.Depth())
	if err != nil {
		return nil, err
	}
	return t.hypothesis(read)
}

// hypothesis converts a tree that was read from a model file to a hypothesis of the class. It returns an error if a
// condition of the tree is not one of the tests of the class.
func (t trees) hypothesis(of *rule.Tree) (h *dectree.Tree, err error) {
	if of.Leaf() {
		return &dectree.Tree{Outcome: of.Predict}, nil
	}
	h = &dectree.Tree{Test: slices.IndexFunc(t.class.Tests(), func(test dectree.Test) bool {
		return test.Attribute == of.If.Attribute && slices.Equal(t.condition(test).Accepts, of.If.Accepts)
	})}
	if h.Test < 0 {
		return nil, fmt.Errorf("a condition on attribute %s is not a test of the class", quote.Word(t.schema.Attributes[of.If.Attribute].Name))
	}
	if h.Yes, err = t.hypothesis(of.Yes); err != nil {
		return nil, err
	}
	h.No, err = t.hypothesis(of.No)
	return h, err
}

func (t trees) check(h any) error {
	if tree, ok := h.(*dectree.Tree); !ok || !t.class.Contains(tree) {
		return notOf(DecisionTree{})
	}
	return nil
}
