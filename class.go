package sibyl

import (
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// A Class is what is learned, and by which mechanism: the form of what is released, of
// which one hypothesis is chosen. It is public.
type Class struct {
	names     []string // of the kinds; several for a union
	settings  []setting
	balanced  bool
	mechanism string    // empty: the usual one
	by        Mechanism // in place of a name; else nil
}

// A setting is a parameter with its value, as text.
type setting struct{ name, value string }

// Options are typed by what they go with: what does not go together does not compile.

// A ScorecardOption is one that scorecards have.
type ScorecardOption interface{ ofScorecard() any }

// A HalfspaceOption is one that halfspaces have.
type HalfspaceOption interface{ ofHalfspace() any }

// A FormulaOption is one that conjunctions and disjunctions have.
type FormulaOption interface{ ofFormula() any }

// A ListOption is one that decision lists have.
type ListOption interface{ ofList() any }

// A TreeOption is one that decision trees have.
type TreeOption interface{ ofTree() any }

// An EitherOption is one that what is a card or a tree has.
type EitherOption interface{ ofEither() any }

// A SparseOption is one that sparse cards have.
type SparseOption interface{ ofSparse() any }

// A ParityOption is one that parities have.
type ParityOption interface{ ofParity() any }

// A GateOption is one that majority and NAND formulas have.
type GateOption interface{ ofGate() any }

// A UnionOption is one that unions have.
type UnionOption interface{ ofUnion() any }

// A NaiveBayesOption, LogisticOption, SVMOption or LeastSquaresOption is one that such
// models have.
type (
	NaiveBayesOption   interface{ ofNaiveBayes() any }
	LogisticOption     interface{ ofLogistic() any }
	SVMOption          interface{ ofSVM() any }
	LeastSquaresOption interface{ ofLeastSquares() any }
)

// newClass returns the class of a kind with its options, of which as tells the settings.
func newClass[O any](kind string, options []O, as func(O) any) Class {
	c := Class{names: []string{kind}}
	for _, o := range options {
		c.take(as(o))
	}
	return c
}

// take takes an option: a setting, a mechanism, or Balanced.
func (c *Class) take(option any) {
	switch o := option.(type) {
	case setting:
		c.settings = append(c.settings, o)
	case chooser:
		c.mechanism, c.by = o.name, o.by
		c.settings = append(c.settings, o.settings...)
	case balanced:
		c.balanced = true
	}
}

// Chosen has public facts choose the class, as the command does where none is named: the
// schema, the budget, AddRemove, Costs, and NumberOfRows, without which a usual number stands
// for it. Nothing of the data is looked at, so that the choice costs no privacy.
func Chosen() Class { return Class{names: []string{chosenName}} }

const chosenName = "chosen"

// isChosen tells whether it is what Chosen returns.
func (c Class) isChosen() bool {
	return len(c.names) == 1 && c.names[0] == chosenName && c.mechanism == "" && c.by == nil && !c.balanced
}

// Scorecard is the class of scorecards: whole points for each category of each attribute,
// from -1 to 1 unless Points says otherwise, which add up; from a threshold on, 1 unless
// Threshold says otherwise, the prediction is positive.
func Scorecard(options ...ScorecardOption) Class {
	return newClass("scorecard", options, ScorecardOption.ofScorecard)
}

// Halfspace is the class of halfspaces: scorecards with one weight for all intervals of an
// attribute with cuts, which is multiplied by the number of the interval.
func Halfspace(options ...HalfspaceOption) Class {
	return newClass("halfspace", options, HalfspaceOption.ofHalfspace)
}

// Conjunction is the class of conjunctions: positive if all of some conditions hold.
func Conjunction(options ...FormulaOption) Class {
	return newClass("conjunction", options, FormulaOption.ofFormula)
}

// Disjunction is the class of disjunctions: positive if at least one of some conditions
// holds.
func Disjunction(options ...FormulaOption) Class {
	return newClass("disjunction", options, FormulaOption.ofFormula)
}

// DecisionList is the class of decision lists: a few rules, three unless Rules says
// otherwise, of which the first that applies decides.
func DecisionList(options ...ListOption) Class {
	return newClass("decision-list", options, ListOption.ofList)
}

// Parity is the class of parities: positive if an odd number of some conditions holds.
func Parity(options ...ParityOption) Class {
	return newClass("parity", options, ParityOption.ofParity)
}

// Majority is the class of majority formulas: positive if two of three conditions hold, or
// of three such formulas.
func Majority(options ...GateOption) Class {
	return newClass("majority", options, GateOption.ofGate)
}

// NAND is the class of trees of NAND gates over conditions: with a depth of 2, "a and b,
// or c and d".
func NAND(options ...GateOption) Class { return newClass("nand", options, GateOption.ofGate) }

// DecisionTree is the class of all decision trees of a depth, which usually follows from
// the number of tests: Exponential, its mechanism, draws one without a search, in a time
// that the data does not tell.
func DecisionTree(options ...TreeOption) Class { return newClass("tree", options, TreeOption.ofTree) }

// Sparse is the class of scorecards on a few attributes, which Exponential, its mechanism,
// chooses first: MostAttributes a draw, or else what takes seconds, and Draws draws, each of
// which changes the card before. Attributes of many categories have points by groups of
// neighbours in the schema's order.
func Sparse(options ...SparseOption) Class { return newClass("sparse", options, SparseOption.ofSparse) }

// NaiveBayes is the form of naive Bayes models, made of noisy counts.
func NaiveBayes(options ...NaiveBayesOption) Class {
	return newClass(model.NaiveBayes, options, NaiveBayesOption.ofNaiveBayes)
}

// CardOrTree is the form of what is a naive Bayes model whose attributes are weighed, as by
// Weighted, or a decision tree: one draw takes whichever fits the table. It needs NumberOfRows.
func CardOrTree(options ...EitherOption) Class {
	return newClass("card-or-tree", options, EitherOption.ofEither)
}

// Logistic is the form of logistic regression. Its usual mechanism is Descent, which needs
// EpsilonDelta and NumberOfRows; LogisticBox is pure.
func Logistic(options ...LogisticOption) Class {
	return newClass(model.Logistic, options, LogisticOption.ofLogistic)
}

// SVM is the form of support vector machines. Its usual mechanism is Minimisers, which
// needs EpsilonDelta and NumberOfRows.
func SVM(options ...SVMOption) Class { return newClass(model.SVM, options, SVMOption.ofSVM) }

// LeastSquares is the form of least squares, for which Minimisers is the only mechanism.
func LeastSquares(options ...LeastSquaresOption) Class {
	return newClass(model.LeastSquares, options, LeastSquaresOption.ofLeastSquares)
}

// Union is the union of classes, of which the mechanism chooses one too, inside the same
// ε. Its mechanism is an option of the union, not of its members. With decision trees or
// sparse cards in it, of one draw, Exponential is the only one, and the union is balanced.
func Union(classes []Class, options ...UnionOption) Class {
	var u Class
	for _, c := range classes {
		u.names = append(u.names, c.names...)
		u.settings = append(u.settings, c.settings...)
	}
	for _, o := range options {
		u.take(o.ofUnion())
	}
	return u
}

// Balanced charges each class of a union for its size, so that the exponential mechanism
// gives all about the same chance at the start.
func Balanced() UnionOption { return option{balanced{}} }

type balanced struct{}

// request puts the class into the request.
func (c Class) request(r *release.Request) error {
	if len(c.names) == 0 {
		return fmt.Errorf("there is no class; take one such as sibyl.Scorecard(), or sibyl.Chosen()")
	}
	var forms []model.Form
	var kinds []model.Kind
	for _, name := range c.names {
		kind, known := model.KindOf(name)
		if !known || len(c.names) > 1 && !kind.Joins() {
			return fmt.Errorf("a union of %s: it is no class of which a mechanism chooses", name)
		}
		ask := kind.Ask()
		if err := c.set(ask.Parameters); err != nil {
			return err
		}
		form, err := ask.Form(r.Schema)
		if err != nil {
			return err
		}
		forms, kinds = append(forms, form), append(kinds, kind)
	}
	kind := kinds[0]
	if len(kinds) > 1 {
		kind = model.UnionKind(kinds)
	}
	r.Form, r.Balanced, r.Mechanism = forms[0], c.balanced, c.by
	if len(forms) > 1 {
		r.Form = model.UnionOf(forms)
	}
	if c.by != nil {
		return nil
	}
	takes, err := mechanism.Usual(kind)
	if c.mechanism != "" {
		takes, err = mechanism.Named(kind, c.mechanism)
	}
	if err != nil {
		return err
	}
	r.Mechanism = takes.Ask()
	return c.set(r.Mechanism.Parameters)
}

// set gives to what defines its parameters those of the settings that it has.
func (c Class) set(define func(*flag.FlagSet)) error {
	return model.SetParameters(define, func(yield func(name, value string) bool) {
		for _, s := range c.settings {
			if !yield(s.name, s.value) {
				return
			}
		}
	})
}
