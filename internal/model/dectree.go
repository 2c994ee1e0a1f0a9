package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A DecisionTree is the class of all decision trees of at most a depth, by its public
// parameters. The tests are "x is c" for every category c, of attributes of two
// categories for the second alone, and of those with cuts also "x < cut".
type DecisionTree struct {
	Depth int // 1 to dectree.MostDepth
}

var decisionTreeKind = Kind{
	Name: "tree", What: "a few questions, each asked depending on the answers before, and a prediction at the end of each way", Summed: true, Outcomes: true,
	Quicker: "a smaller --depth, or fewer categories",
	Ask:     func() Asking { return &askedTree{} }, read: readDecisionTree,
}

// Name returns "tree".
func (DecisionTree) Name() string { return decisionTreeKind.Name }

// Noun returns "decision tree".
func (DecisionTree) Noun() report.Noun { return "decision tree" }

// askedTree asks for decision trees.
type askedTree struct{ DecisionTree }

// Parameters defines the parameters.
func (a *askedTree) Parameters(f *flag.FlagSet) { depth(f, &a.Depth) }

// Form returns the class asked for.
func (a *askedTree) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters, and chooses a depth of 0.
func (f DecisionTree) Complete(s *table.Schema) (Form, error) {
	if f.Depth == 0 {
		f.Depth = usualDepth(s)
	}
	return f, negative("depth", f.Depth, "a number of questions")
}

// usualTreeWork is how much work is done unasked, over usualTreeRows: 10 seconds on one
// thread, about. mostTreeWork is how much is done at all: some hours.
const (
	usualTreeRows = 1 << 15
	usualTreeWork = 1_000_000_000
	mostTreeWork  = 1_000_000_000_000
)

// usualDepth returns the greatest depth up to 4 that takes no more than usualTreeWork over
// the attributes of the schema.
func usualDepth(s *table.Schema) int {
	depth := 4
	for ; depth > 1; depth-- {
		if c, err := dectree.New(treeAttributes(s), depth, s.Outcomes()); err == nil && c.Work(s.Records(usualTreeRows)) <= usualTreeWork {
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
	class  *dectree.Class
}

// Over returns the class over the attributes of the schema.
func (f DecisionTree) Over(s *table.Schema) (Space, error) {
	c, err := dectree.New(treeAttributes(s), f.Depth, s.Outcomes())
	if err != nil {
		return nil, noClass(err)
	}
	if c.Work(s.Records(usualTreeRows)) > mostTreeWork {
		return nil, noClass(fmt.Errorf("%v take too long; take a smaller depth, or make groups of categories", c))
	}
	return trees{s, c}, nil
}

// Class returns nil: nothing is searched.
func (trees) Class() Class { return nil }

// Summed returns the class.
func (t trees) Summed() SummedClass { return class.EraseSummed[table.Record](t.class) }

// Leveled returns the trees that predict levels.
func (t trees) Leveled(levels int) (Summed, error) {
	c, err := t.class.Telling(levels)
	return trees{t.schema, c}, err
}

// Told returns a tree that predicts levels with outcomes for them.
func (trees) Told(h any, outcome func(level int) int) any { return h.(*dectree.Tree).Told(outcome) }

// Grades returns the leaves at which a record can end.
func (t trees) Grades(h any) risk.Grading {
	reduced := t.class.Reduce(h.(*dectree.Tree))
	scale, err := risk.Leaves(t.class.Outcomes(), outcomes(reduced))
	if err != nil {
		panic(err) // no tree has more leaves than risk.MostGrades
	}
	g := risk.Grading{Scale: scale, Of: t.Grader(h)}
	t.grades(&g, reduced, map[int]int{}, nil)
	return g
}

// grades adds the leaves of a tree, in order, below nodes that gave these terms. Axes are where
// the tests that were met have theirs: cell 1 is what a test accepts.
func (t trees) grades(g *risk.Grading, h *dectree.Tree, axes map[int]int, terms []table.Term) {
	if h.Leaf() {
		g.Leaves = append(g.Leaves, terms)
		return
	}
	at, known := axes[h.Test]
	if !known {
		test := t.class.Tests()[h.Test]
		a := table.Axis{Column: test.Attribute, Cells: make([]uint16, t.schema.Attributes[test.Attribute].Len()), Size: 2}
		for code := range a.Cells {
			if test.Accepts(uint16(code)) {
				a.Cells[code] = 1
			}
		}
		at = len(g.Axes)
		axes[h.Test], g.Axes = at, append(g.Axes, a)
	}
	t.grades(g, h.Yes, axes, append(slices.Clip(terms), table.Term{Axis: at, Cell: 1}))
	t.grades(g, h.No, axes, append(slices.Clip(terms), table.Term{Axis: at}))
}

// outcomes returns what the leaves predict, in order.
func outcomes(h *dectree.Tree) []int {
	if h.Leaf() {
		return []int{h.Outcome}
	}
	return append(outcomes(h.Yes), outcomes(h.No)...)
}

// MostGrades returns the leaves of a complete tree.
func (t trees) MostGrades() (risk.Kind, int) { return risk.Leaf, 1 << t.class.Depth() }

// Grade returns "leaf".
func (trees) Grade() string { return "leaf" }

// Grader returns the function that tells at which leaf a record ends, from 1, of those at
// which one can.
func (t trees) Grader(h any) func(table.Record) int {
	reduced := t.class.Reduce(h.(*dectree.Tree))
	return func(r table.Record) int { return 1 + t.class.LeafOf(reduced, r) }
}

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

// A treeJSON predicts, or asks and goes on to one of two trees.
type treeJSON struct {
	If      *literalJSON    `json:"if,omitempty"`
	Yes     json.RawMessage `json:"yes,omitempty"`
	No      json.RawMessage `json:"no,omitempty"`
	Predict *int            `json:"predict,omitempty"` // the number of an outcome
}

func (t trees) write(h any) any { return t.writeTree(h.(*dectree.Tree)) }

func (t trees) writeTree(h *dectree.Tree) treeJSON {
	if h.Leaf() {
		return treeJSON{Predict: &h.Outcome}
	}
	asked := t.class.Tests()[h.Test]
	condition := writeLiteral(t.schema, asked.Attribute, t.accepted(asked))
	return treeJSON{If: &condition, Yes: mustCompact(t.writeTree(h.Yes)), No: mustCompact(t.writeTree(h.No))}
}

// accepted returns the categories of which a test is true.
func (t trees) accepted(of dectree.Test) (accepted []uint16) {
	for c := range t.schema.Attributes[of.Attribute].Len() {
		if of.Accepts(uint16(c)) {
			accepted = append(accepted, uint16(c))
		}
	}
	return accepted
}

func (t trees) read(text json.RawMessage) (any, error) {
	h, err := t.readTree(text, t.class.Depth())
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (t trees) readTree(text json.RawMessage, depth int) (*dectree.Tree, error) {
	var j treeJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the decision tree is malformed: %w", err)
	}
	switch asks := j.If != nil || j.Yes != nil || j.No != nil; {
	case asks == (j.Predict != nil):
		return nil, errors.New(`a node of the decision tree needs either "predict" or "if", "yes" and "no"`)
	case !asks:
		if n := t.class.Outcomes(); *j.Predict < 0 || *j.Predict >= n {
			return nil, fmt.Errorf("a prediction is %d, not one of 0 to %d", *j.Predict, n-1)
		}
		return &dectree.Tree{Outcome: *j.Predict}, nil
	case j.If == nil || depth == 0:
		return nil, fmt.Errorf("the decision tree is none of depth %d that asks at each node", t.class.Depth())
	}
	a, accepted, err := j.If.read(t.schema)
	if err != nil {
		return nil, err
	}
	h := &dectree.Tree{Test: slices.IndexFunc(t.class.Tests(), func(of dectree.Test) bool {
		return of.Attribute == a && slices.Equal(t.accepted(of), accepted)
	})}
	if h.Test < 0 {
		return nil, fmt.Errorf("a condition on attribute %s is none that trees ask", quote.Word(t.schema.Attributes[a].Name))
	}
	if h.Yes, err = t.readTree(j.Yes, depth-1); err != nil {
		return nil, err
	}
	h.No, err = t.readTree(j.No, depth-1)
	return h, err
}

func (t trees) predictor(h any) (func(table.Record) bool, error) {
	predict, err := t.outcome(h)
	if err != nil {
		return nil, err
	}
	return func(r table.Record) bool { return predict(r) == 1 }, nil
}

func (t trees) outcome(h any) (func(table.Record) int, error) {
	tree, ok := h.(*dectree.Tree)
	if !ok || !t.class.Contains(tree) {
		return nil, fmt.Errorf("the hypothesis is not of the stated class (%s): it breaks one of its parameters", decisionTreeKind.Name)
	}
	return func(r table.Record) int { return t.class.Predict(tree, r) }, nil
}

func (t trees) layOut(heading report.Heading, h any) report.Body {
	reduced := t.class.Reduce(h.(*dectree.Tree))
	possible := make([][]uint16, len(t.schema.Attributes))
	for j := range possible {
		possible[j] = all(t.schema.Attributes[j].Len())
	}
	return report.Body{Rule: report.NewTree(heading, t.branch(reduced), t.leaves(reduced, possible, nil))}
}

// all lists so many categories.
func all(n int) []uint16 {
	list := make([]uint16, n)
	for c := range list {
		list[c] = uint16(c)
	}
	return list
}

// branch returns the tree for people.
func (t trees) branch(h *dectree.Tree) *report.Branch {
	if h.Leaf() {
		return &report.Branch{Outcome: h.Outcome}
	}
	of := t.class.Tests()[h.Test]
	condition := report.Condition(&t.schema.Attributes[of.Attribute], t.accepted(of))
	return &report.Branch{Condition: condition, Yes: t.branch(h.Yes), No: t.branch(h.No)}
}

// leaves returns the leaves of a reduced tree, with the categories that each attribute may
// have there; asked lists the attributes that were asked for.
func (t trees) leaves(h *dectree.Tree, possible [][]uint16, asked []int) []report.Leaf {
	if h.Leaf() {
		l := report.Leaf{If: []report.Accepting{}}
		for _, j := range asked {
			l.Require(&t.schema.Attributes[j], possible[j])
		}
		return []report.Leaf{l}
	}
	of := t.class.Tests()[h.Test]
	if !slices.Contains(asked, of.Attribute) {
		asked = append(slices.Clip(asked), of.Attribute)
	}
	side := func(h *dectree.Tree, is bool) []report.Leaf {
		narrowed := slices.Clone(possible)
		narrowed[of.Attribute] = slices.DeleteFunc(slices.Clone(possible[of.Attribute]), func(c uint16) bool { return of.Accepts(c) != is })
		return t.leaves(h, narrowed, asked)
	}
	return append(side(h.Yes, true), side(h.No, false)...)
}
