package sibyl

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Class is a set of hypotheses, of which a mechanism releases one. The structs of this package
// are the classes, and their zero values are ready to use. A class is public: nothing in it may
// follow from the private data.
type Class interface {
	// form returns the class over a schema.
	form(*table.Schema) (model.Form, error)
}

// Chosen leaves the choice of the class to public facts: the schema, ε, δ, the relation, the
// costs, and the number of rows where it is stated. The choice costs no privacy.
type Chosen struct{}

func (Chosen) form(*table.Schema) (model.Form, error) {
	return nil, parameter.Errorf("{class}: Chosen is no member of a union")
}

// Points is a range of whole points, bounds included. The zero value stands for -1 to 1.
type Points struct{ Least, Most int }

// or returns the points, or others for the zero value.
func (p Points) or(usual model.Points) model.Points {
	if p == (Points{}) {
		return usual
	}
	return model.Points(p)
}

// Unlimited, as a number of rules, sets no limit.
const Unlimited = -1

// Scorecard is the class of scorecards: each category of each attribute has whole points, which
// add up, and the prediction is positive from a threshold on.
type Scorecard struct {
	Points     Points
	Threshold  *int     // the least total that predicts positive; nil is 1
	Attributes int      // attributes that may have points, at most; 0 is no limit
	Norm       int      // the sum of the squares of all points, at most; 0 is no limit
	Penalty    int64    // misclassifications charged for each attribute with points
	Distance   int      // bits in which hypotheses differ at least, for separators of package papers; 0 is the plain separator
	Rising     []string // attributes whose points do not fall along their categories
	Falling    []string // attributes whose points do not rise along their categories
}

func (c Scorecard) form(s *table.Schema) (model.Form, error) {
	f := model.NewScorecard()
	f.Points, f.Threshold = c.Points.or(f.Points), deref(c.Threshold, f.Threshold)
	f.Most, f.Norm, f.Penalty, f.Distance = c.Attributes, c.Norm, c.Penalty, c.Distance
	for _, name := range c.Rising {
		f.Monotone = append(f.Monotone, model.Monotone{Attribute: name})
	}
	for _, name := range c.Falling {
		f.Monotone = append(f.Monotone, model.Monotone{Attribute: name, Down: true})
	}
	return f.Complete(s)
}

// deref returns what p points to, or usual for nil.
func deref[T any](p *T, usual T) T {
	if p == nil {
		return usual
	}
	return *p
}

// Halfspace is the class of discrete halfspaces: scorecards in which an attribute with cuts has
// one weight, which is multiplied by the number of the interval.
type Halfspace struct {
	Points     Points // of a weight
	Threshold  *int   // the least total that predicts positive; nil is 1
	Attributes int    // attributes that may have points, at most; 0 is no limit
	Norm       int    // the sum of the squares of all points, at most; 0 is no limit
	Penalty    int64  // misclassifications charged for each attribute with points
	Distance   int    // as of Scorecard
}

func (c Halfspace) form(s *table.Schema) (model.Form, error) {
	f := model.NewHalfspace()
	f.Weights, f.Threshold = c.Points.or(f.Weights), deref(c.Threshold, f.Threshold)
	f.Most, f.Norm, f.Penalty, f.Distance = c.Attributes, c.Norm, c.Penalty, c.Distance
	return f.Complete(s)
}

// Conjunction is the class of conjunctions: positive if all of some conditions "attribute is
// category" hold.
type Conjunction struct {
	Negated    bool  // conditions may also be "is not"
	Intervals  bool  // conditions on attributes with cuts may also be intervals
	Positive   bool  // the only condition on an attribute of two categories is that it is the second
	Attributes int   // attributes with a condition, at most; 0 is no limit
	Penalty    int64 // misclassifications charged for each condition
	Distance   int   // as of Scorecard
}

func (c Conjunction) form(s *table.Schema) (model.Form, error) {
	return model.Conjunction{
		Literals: model.Literals{Negated: c.Negated, Intervals: c.Intervals, Monotone: c.Positive},
		Most:     c.Attributes, Penalty: c.Penalty, Distance: c.Distance,
	}.Complete(s)
}

// Disjunction is the class of disjunctions: positive if at least one of some conditions holds.
type Disjunction Conjunction

func (c Disjunction) form(s *table.Schema) (model.Form, error) {
	return model.Conjunction{
		Disjunction: true,
		Literals:    model.Literals{Negated: c.Negated, Intervals: c.Intervals, Monotone: c.Positive},
		Most:        c.Attributes, Penalty: c.Penalty, Distance: c.Distance,
	}.Complete(s)
}

// DecisionList is the class of decision lists: rules, of which the first that applies decides.
type DecisionList struct {
	Rules     int   // rules, at most; 0 is 3, and Unlimited sets no limit
	Literals  int   // conditions of a rule, at most 1 or 2; 0 is 1
	Negated   bool  // as of Conjunction
	Intervals bool  // as of Conjunction
	Positive  bool  // as of Conjunction
	Penalty   int64 // misclassifications charged for each rule
}

func (c DecisionList) form(s *table.Schema) (model.Form, error) {
	f := model.NewDecisionList()
	f.Literals = model.Literals{Negated: c.Negated, Intervals: c.Intervals, Monotone: c.Positive}
	f.Rules, f.Width, f.Penalty = cmp.Or(c.Rules, f.Rules), cmp.Or(c.Literals, f.Width), c.Penalty
	if c.Rules == Unlimited {
		f.Rules = 0
	}
	return f.Complete(s)
}

// Parity is the class of parities: positive if an odd number of some conditions holds.
type Parity struct {
	Attributes int   // bits, at most; 0 is no limit
	Penalty    int64 // misclassifications charged for each bit
	Affine     bool  // the negations too
	Digits     bool  // the bits are the binary digits of a category's number, not one for each category
}

func (c Parity) form(s *table.Schema) (model.Form, error) {
	return model.Parity{Digits: c.Digits, Most: c.Attributes, Penalty: c.Penalty, Affine: c.Affine}.Complete(s)
}

// Majority is the class of majority formulas: positive if two of three conditions hold, or two of
// three such formulas.
type Majority struct {
	Depth   int   // gates from an input to the result; 0 is 1
	Penalty int64 // misclassifications charged for each input
}

func (c Majority) form(s *table.Schema) (model.Form, error) {
	return model.ReadOnce{Depth: c.Depth, Penalty: c.Penalty}.Complete(s)
}

// NAND is the class of trees of NAND gates over conditions: of depth 2, "a and b, or c and d".
type NAND struct {
	Depth   int   // gates from an input to the result; 0 is 2
	Penalty int64 // misclassifications charged for each input
}

func (c NAND) form(s *table.Schema) (model.Form, error) {
	return model.ReadOnce{NAND: true, Depth: c.Depth, Penalty: c.Penalty}.Complete(s)
}

// Tree is the class of all decision trees of a depth. Sampling one needs no search.
type Tree struct {
	Depth int // questions asked of a record, at most; 0 is the most, up to 4, that take seconds
}

func (c Tree) form(s *table.Schema) (model.Form, error) {
	return model.DecisionTree{Depth: c.Depth}.Complete(s)
}

// Sparse is the class of scorecards on a few attributes, which are sampled first. Attributes of
// many categories have points by groups of categories that are neighbours in the schema.
type Sparse struct {
	Attributes int  // attributes of a draw, at most; 0 is what takes seconds
	Draws      int  // draws, each of which changes the card of the one before with an equal share of ε; 0 is 1
	Points     int  // points lie within -Points..Points; 0 is 1
	Threshold  *int // the least total that predicts positive; nil is 1
}

func (c Sparse) form(s *table.Schema) (model.Form, error) {
	f := model.NewSparse()
	f.Attributes, f.Draws = c.Attributes, cmp.Or(c.Draws, f.Draws)
	f.Points, f.Threshold = cmp.Or(c.Points, f.Points), deref(c.Threshold, f.Threshold)
	return f.Complete(s)
}

// NaiveBayes is the form of naive Bayes models, which are computed from noisy counts.
type NaiveBayes struct {
	Scale int // points that stand for odds of e; 0 is 100, or 4 with Weighted
}

func (c NaiveBayes) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.NaiveBayes, c.Scale)
}

// additive returns the form of additive models of a kind.
func additive(s *table.Schema, kind string, scale int) (model.Form, error) {
	return model.Additive{Kind: kind, Scale: scale}.Complete(s)
}

// CardOrTree is the form of a naive Bayes model with weighted attributes, as Weighted makes it,
// or a decision tree: one draw takes what fits the data. It needs Settings.Rows.
type CardOrTree struct {
	Scale int // points that stand for odds of e; 0 is 4
	Depth int // as of Tree
}

func (c CardOrTree) form(s *table.Schema) (model.Form, error) {
	return model.CardOrTree{Scale: c.Scale, Depth: c.Depth}.Complete(s)
}

// Logistic is the form of logistic regression. Its usual mechanism is Descent, which needs
// Settings.Delta and Settings.Rows; Box is pure.
type Logistic struct {
	Scale int // points that stand for odds of e; 0 is 100, or 1 with Box
}

func (c Logistic) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.Logistic, c.Scale)
}

// SVM is the form of linear support vector machines. Box is pure; package papers has another
// mechanism.
type SVM struct {
	Scale int // points that stand for a weight of 1; 0 is 100, or 1 with Box
}

func (c SVM) form(s *table.Schema) (model.Form, error) { return additive(s, model.SVM, c.Scale) }

// LeastSquares is the form of least squares. Its mechanism is in package papers.
type LeastSquares struct {
	Scale int // points that stand for a weight of 1; 0 is 100
}

func (c LeastSquares) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.LeastSquares, c.Scale)
}

// Union is the union of classes, of which the mechanism chooses one too, for the same ε. With a
// Tree or a Sparse in it, which has one draw then, Exponential is its only mechanism, and it is
// Balanced.
type Union struct {
	Classes []Class
	// Balanced charges each class for its size, so that Exponential gives all about the same
	// probability before it sees data.
	Balanced bool
}

func (c Union) form(s *table.Schema) (model.Form, error) {
	var forms []model.Form
	for _, of := range c.Classes {
		if of == nil {
			return nil, parameter.Errorf("{class}: a union has a class that is nil")
		}
		f, err := of.form(s)
		if err != nil {
			return nil, err
		}
		if k, _ := model.KindOf(f.Name()); !k.Joins() {
			return nil, parameter.Errorf("{class}: a union has no member of the kind %s", f.Name())
		}
		forms = append(forms, f)
	}
	if len(forms) == 0 {
		return nil, parameter.Errorf("{class}: a union needs at least one class")
	}
	return model.UnionOf(forms), nil
}

// classOf returns the class of a form that public facts may choose.
func classOf(f model.Form) Class {
	switch f := f.(type) {
	case model.DecisionTree:
		return Tree{f.Depth}
	case model.CardOrTree:
		return CardOrTree{f.Scale, f.Depth}
	case model.Sparse:
		return Sparse{Attributes: f.Attributes, Draws: f.Draws}
	case model.Scorecard:
		return Scorecard{}
	case model.Additive:
		if f.Kind == model.Logistic {
			return Logistic{f.Scale}
		}
		return NaiveBayes{f.Scale}
	}
	return nil
}
