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

// A DecisionTree is the class of all decision trees up to a depth, given by its public parameters. The tests are "x
// is c" for every category c of an attribute; for an attribute with two categories, only for the second one. For an
// attribute with cuts, there are also the tests "x < cut". If these are more than dectree.MostTests, cuts are left out
// (coarsen).
type DecisionTree struct {
	Depth int // 1 to dectree.MostDepth
}

var decisionTreeKind = Kind{
	Name: "tree", What: "a decision tree: tests on attributes, and a prediction at each leaf", Selection: ByPartition, Outcomes: true,
	Quicker: "a smaller value of {depth}, or fewer categories",
	Ask:     func() Asking { return &askedTree{} }, read: readDecisionTree,
}

// Name returns "tree".
func (DecisionTree) Name() string { return decisionTreeKind.Name }

// Noun returns "decision tree".
func (DecisionTree) Noun() report.Noun { return "decision tree" }

// askedTree is the Asking of the form.
type askedTree struct{ DecisionTree }

// Parameters implements Asking.
func (a *askedTree) Parameters(f *flag.FlagSet) { depth(f, &a.Depth) }

// Form returns the class with the parameters.
func (a *askedTree) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters. If the depth is 0, it sets the default depth.
func (f DecisionTree) Complete(s *table.Schema) (Form, error) {
	if f.Depth == 0 {
		f.Depth = usualDepth(s)
	}
	return f, negative("depth", f.Depth, "a number of questions")
}

// usualTreeWork bounds the work of the default depth for usualTreeRows rows, which takes about 10 seconds on one
// thread. mostTreeWork bounds the work for any depth, which takes some hours.
const (
	usualTreeRows = 1 << 15
	usualTreeWork = 1_000_000_000
	mostTreeWork  = 1_000_000_000_000
)

// usualDepth returns the default depth for a schema: the greatest depth up to 4 whose work is at most usualTreeWork.
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

// trees is the space of a class of decision trees.
type trees struct {
	schema *table.Schema
	class  coarseTrees
}

// Over applies the form to the attributes of the schema.
func (f DecisionTree) Over(s *table.Schema) (Space, error) {
	coarse := coarsen(s)
	c, err := dectree.New(treeAttributes(coarse), f.Depth, s.Outcomes())
	if err != nil {
		return nil, noClass(err)
	}
	if c.Work(s.Records(usualTreeRows)) > mostTreeWork {
		return nil, noClass(fmt.Errorf("%v take too long; use a smaller depth, or group categories", c))
	}
	return trees{s, coarseTrees{c, merged(s, coarse)}}, nil
}

func (t trees) domain() *table.Schema { return t.schema }

// Sampling returns the class, which is sampled through its partition function.
func (t trees) Sampling() Sampling {
	return Sampling{Tractable: class.EraseTractable(t.class.sampled())}
}

// WithLevels returns the space of trees whose leaves predict one of the given number of levels.
func (t trees) WithLevels(levels int) (Space, error) {
	c, err := t.class.WithOutcomes(levels)
	return trees{t.schema, coarseTrees{c, t.class.codes}}, err
}

// Relabel converts a tree that predicts levels to a tree that predicts outcome(level) at each leaf.
func (trees) Relabel(h any, outcome func(level int) int) any {
	return h.(*dectree.Tree).Relabel(outcome)
}

// MostGrades returns the number of leaves that a complete tree of the maximum depth has.
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

// hypothesis converts a tree to the hypothesis with the same tests. It returns an error if the class does not have
// one of the tests.
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
