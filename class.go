package sibyl

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Class is a set of hypotheses, of which a mechanism releases one. The structs of this package
// implement it, and their zero values are ready to use. A class is public: no parameter of it may be
// derived from the private data.
type Class interface {
	// form returns the internal form of the class for a schema, with the default of each field that is not set.
	form(*table.Schema) (model.Form, error)
}

// Chosen lets the library choose the class and its mechanism. This consumes no privacy budget, because the choice
// depends only on public facts: the schema, ε, δ, the neighbour relation, the costs, and the number of rows if
// Settings.Rows states it.
type Chosen struct{}

func (Chosen) form(*table.Schema) (model.Form, error) {
	return nil, parameter.Errorf("{class}: a union cannot contain Chosen; replace it by the classes that you want")
}

// Points is a range of integers, from Least to Most inclusive. The zero value means the range -1 to
// 1.
type Points struct{ Least, Most int }

// or returns the range p of points, or the default range usual if p is the zero value.
func (p Points) or(usual model.Points) model.Points {
	if p == (Points{}) {
		return usual
	}
	return model.Points(p)
}

// Unlimited, as the value of DecisionList.Rules, removes the limit on the number of rules.
const Unlimited = -1

// Scorecard is the class of scorecards. Each category of each attribute has integer points. The
// prediction is positive if the total of a row's points is at least a threshold.
type Scorecard struct {
	Points     Points
	Threshold  *int     // the least total that predicts positive; nil means 1
	Attributes int      // the maximum number of attributes with non-zero points; 0 means no limit
	Norm       int      // the maximum sum of the squares of all points of the scorecard; 0 means no limit
	Penalty    int64    // added to the cost for each attribute with non-zero points, in misclassifications
	Distance   int      // for the mechanisms of package papers: any two scorecards differ in at least this number of separator bits; 0 uses the separator without an error-correcting code
	Rising     []string // attributes whose points must not decrease in the order of their categories
	Falling    []string // attributes whose points must not increase in the order of their categories
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

// deref returns the value *p or, if p is nil, the default value usual.
func deref[T any](p *T, usual T) T {
	if p == nil {
		return usual
	}
	return *p
}

// Halfspace is the class of discrete halfspaces. A discrete halfspace is a scorecard in which an
// attribute with cuts has a single weight. If a value of this attribute lies in the i-th interval
// between cuts, counted from i = 0, the attribute contributes i times the weight to the total.
type Halfspace struct {
	Points     Points // the range of each weight
	Threshold  *int   // the least total that predicts positive; nil means 1
	Attributes int    // the maximum number of attributes with non-zero points; 0 means no limit
	Norm       int    // the maximum sum of the squares of all weights; 0 means no limit
	Penalty    int64  // added to the cost for each attribute with non-zero points, in misclassifications
	Distance   int    // as in Scorecard
}

func (c Halfspace) form(s *table.Schema) (model.Form, error) {
	f := model.NewHalfspace()
	f.Weights, f.Threshold = c.Points.or(f.Weights), deref(c.Threshold, f.Threshold)
	f.Most, f.Norm, f.Penalty, f.Distance = c.Attributes, c.Norm, c.Penalty, c.Distance
	return f.Complete(s)
}

// Conjunction is the class of conjunctions of conditions "attribute is category". The prediction is
// positive if all conditions hold.
type Conjunction struct {
	Negated    bool  // also allows conditions "attribute is not category"
	Intervals  bool  // also allows interval conditions on attributes with cuts
	Positive   bool  // allows only the condition "is the second category" on attributes with two categories
	Attributes int   // the maximum number of attributes with a condition; 0 means no limit
	Penalty    int64 // added to the cost for each condition, in misclassifications
	Distance   int   // as in Scorecard
}

func (c Conjunction) form(s *table.Schema) (model.Form, error) {
	return model.Conjunction{
		Literals: model.Literals{Negated: c.Negated, Intervals: c.Intervals, Monotone: c.Positive},
		Most:     c.Attributes, Penalty: c.Penalty, Distance: c.Distance,
	}.Complete(s)
}

// Disjunction is the class of disjunctions. The prediction is positive if at least one of the
// conditions holds. The fields are those of Conjunction.
type Disjunction Conjunction

func (c Disjunction) form(s *table.Schema) (model.Form, error) {
	return model.Conjunction{
		Disjunction: true,
		Literals:    model.Literals{Negated: c.Negated, Intervals: c.Intervals, Monotone: c.Positive},
		Most:        c.Attributes, Penalty: c.Penalty, Distance: c.Distance,
	}.Complete(s)
}

// DecisionList is the class of decision lists. A decision list is a sequence of rules, and the first
// rule whose conditions hold makes the prediction.
type DecisionList struct {
	Rules     int   // the maximum number of rules; 0 means 3, and Unlimited sets no limit
	Literals  int   // the maximum number of conditions in a rule, 1 or 2; 0 means 1
	Negated   bool  // as in Conjunction
	Intervals bool  // as in Conjunction
	Positive  bool  // as in Conjunction
	Penalty   int64 // added to the cost for each rule, in misclassifications
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

// Parity is the class of parities. A parity selects some bits of the encoded row. The prediction is
// positive if an odd number of these bits is 1.
type Parity struct {
	Attributes int   // the maximum number of selected bits; 0 means no limit
	Penalty    int64 // added to the cost for each selected bit, in misclassifications
	Affine     bool  // also contains the negations of all parities
	Digits     bool  // encodes an attribute by the binary digits of its category code; otherwise by one bit per category
}

func (c Parity) form(s *table.Schema) (model.Form, error) {
	return model.Parity{Digits: c.Digits, Most: c.Attributes, Penalty: c.Penalty, Affine: c.Affine}.Complete(s)
}

// Majority is the class of formulas built from majority gates with three inputs each. The inputs of the lowest gates
// are conditions on attributes.
type Majority struct {
	Depth   int   // the number of gates on the path from an input to the output; 0 means 1
	Penalty int64 // added to the cost for each input, in misclassifications
}

func (c Majority) form(s *table.Schema) (model.Form, error) {
	return model.ReadOnce{Depth: c.Depth, Penalty: c.Penalty}.Complete(s)
}

// NAND is the class of trees of NAND gates with two inputs each. The inputs of the lowest gates are
// conditions on attributes. A tree of depth 2 is equivalent to "(a and b) or (c and d)".
type NAND struct {
	Depth   int   // the number of gates on the path from an input to the output; 0 means 2
	Penalty int64 // added to the cost for each input, in misclassifications
}

func (c NAND) form(s *table.Schema) (model.Form, error) {
	return model.ReadOnce{NAND: true, Depth: c.Depth, Penalty: c.Penalty}.Complete(s)
}

// Tree is the class of all decision trees up to a depth. The exponential mechanism samples a tree
// without a search.
type Tree struct {
	Depth int // the maximum number of tests on a path; 0 selects the greatest depth up to 4 whose estimated running time is at most about 10 seconds
}

func (c Tree) form(s *table.Schema) (model.Form, error) {
	return model.DecisionTree{Depth: c.Depth}.Complete(s)
}

// Sparse is the class of scorecards on a few attributes. The mechanism samples the set of
// attributes first, and then their points. If an attribute has many categories, the mechanism
// groups categories that are adjacent in the schema, and all categories of a group have equal
// points.
type Sparse struct {
	Attributes int  // the maximum number of attributes in a draw; 0 selects a number for which sampling takes seconds
	Draws      int  // the number of draws, each of which modifies the previous card and uses an equal share of ε; 0 means 1
	Points     int  // points are between -Points and Points; 0 means 1
	Threshold  *int // the least total that predicts positive; nil means 1
}

func (c Sparse) form(s *table.Schema) (model.Form, error) {
	f := model.NewSparse()
	f.Attributes, f.Draws = c.Attributes, cmp.Or(c.Draws, f.Draws)
	f.Points, f.Threshold = cmp.Or(c.Points, f.Points), deref(c.Threshold, f.Threshold)
	return f.Complete(s)
}

// SumScore is the class of sum scores, for attributes that have the same categories, such as the items of a
// questionnaire. The points of a category are the same for all of these attributes. The prediction is positive if the
// sum of a row's points is at least a threshold.
//
// At least three attributes must have the same categories. The mechanism selects the points and the threshold. The
// points are in the range Points, or are the numbers of the categories in ascending or descending order. If several
// groups of attributes have the same categories, the mechanism also selects the group.
type SumScore struct {
	Points Points
}

func (c SumScore) form(s *table.Schema) (model.Form, error) {
	return model.SumScore{Points: c.Points.or(model.NewSumScore().Points)}.Complete(s)
}

// NaiveBayes is the class of naive Bayes models, whose points are computed from noisy counts of
// each attribute with the label.
type NaiveBayes struct {
	Scale int // points per unit of log-odds; 0 means 100, or 4 with Weighted
}

func (c NaiveBayes) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.NaiveBayes, c.Scale)
}

// additive returns the form of an additive model of the given kind: naive Bayes or a linear model.
func additive(s *table.Schema, kind string, scale int) (model.Form, error) {
	return model.Additive{Kind: kind, Scale: scale}.Complete(s)
}

// CardOrTree is the union of two classes: the naive Bayes models with weighted attributes (see
// Weighted), and the decision trees. One sample of the exponential mechanism selects a model from
// both. Settings.Rows is required.
type CardOrTree struct {
	Scale     int  // points per unit of log-odds; 0 means 10
	Depth     int  // as in Tree
	SumScores bool // also contains the sum scores (see SumScore), with the mechanism Weighted only
}

func (c CardOrTree) form(s *table.Schema) (model.Form, error) {
	return model.CardOrTree{Scale: c.Scale, Depth: c.Depth, SumScores: c.SumScores}.Complete(s)
}

// RankedTree is the class of decision trees with points. The tree predicts, and the points rank the rows with the
// same prediction. The tree is sampled as for the class Tree. The points are log-odds from noisy counts, smoothed as
// in the mechanism Weighted.
type RankedTree struct {
	Scale int // points per unit of log-odds; 0 means 10
	Depth int // as in Tree
}

func (c RankedTree) form(s *table.Schema) (model.Form, error) {
	return model.RankedTree{Scale: c.Scale, Depth: c.Depth}.Complete(s)
}

// CardAndTree is the class of linear models with a bonus for the rows for which a decision tree predicts positive. The
// tree is sampled as for Tree, and its prediction is one more attribute of a logistic regression. The mechanism is
// Descent, which requires Settings.Delta and Settings.Rows.
type CardAndTree struct {
	Scale int // points per unit of log-odds; 0 means 10
	Depth int // as in Tree
}

func (c CardAndTree) form(s *table.Schema) (model.Form, error) {
	return model.CardAndTree{Scale: c.Scale, Depth: c.Depth}.Complete(s)
}

// Logistic is the class of linear models that are fitted with the logistic loss (logistic
// regression). Its default mechanism is Descent, which requires Settings.Delta and Settings.Rows.
// The mechanism Box is ε-differentially private and requires neither.
type Logistic struct {
	Scale int // points per unit of log-odds; 0 means 100, or 1 with Box
}

func (c Logistic) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.Logistic, c.Scale)
}

// SVM is the class of linear support vector machines. Its mechanisms are Box and papers.OPSamp.
type SVM struct {
	Scale int // points per unit of weight; 0 means 100, or 1 with Box
}

func (c SVM) form(s *table.Schema) (model.Form, error) { return additive(s, model.SVM, c.Scale) }

// LeastSquares is the class of linear models with squared loss. Its mechanism is papers.OPSamp.
type LeastSquares struct {
	Scale int // points per unit of weight; 0 means 100
}

func (c LeastSquares) form(s *table.Schema) (model.Form, error) {
	return additive(s, model.LeastSquares, c.Scale)
}

// Union is the union of several classes. The mechanism selects the class together with the hypothesis, and this
// consumes no additional ε.
//
// A union that contains a Tree or a Sparse has three restrictions:
//   - Its only mechanism is Exponential.
//   - It is always Balanced.
//   - Each Sparse must have one draw.
type Union struct {
	Classes []Class
	// Balanced adds to each class a penalty that depends on the size of the class, so that the prior of Exponential
	// gives all classes about the same probability.
	Balanced bool
}

func (c Union) form(s *table.Schema) (model.Form, error) {
	var forms []model.Form
	for _, of := range c.Classes {
		if of == nil {
			return nil, parameter.Errorf("{class}: a class of the union is nil; leave it out")
		}
		f, err := of.form(s)
		if err != nil {
			return nil, err
		}
		if k, _ := model.KindOf(f.Name()); !k.Joins() {
			return nil, parameter.Errorf("{class}: a union cannot contain %s; leave it out", f.Name())
		}
		forms = append(forms, f)
	}
	if len(forms) == 0 {
		return nil, parameter.Errorf("{class}: the union is empty; it needs at least one class")
	}
	return model.UnionOf(forms), nil
}

// classOf returns the Class of the form f, its internal representation. The form must be one that
// Chosen can choose.
func classOf(f model.Form) Class {
	switch f := f.(type) {
	case model.DecisionTree:
		return Tree{f.Depth}
	case model.CardOrTree:
		return CardOrTree{f.Scale, f.Depth, f.SumScores}
	case model.RankedTree:
		return RankedTree{f.Scale, f.Depth}
	case model.CardAndTree:
		return CardAndTree{f.Scale, f.Depth}
	case model.Union:
		var u Union
		for _, m := range f.Members {
			u.Classes = append(u.Classes, classOf(m.Form))
		}
		return u
	case model.Sparse:
		return Sparse{Attributes: f.Attributes, Draws: f.Draws}
	case model.SumScore:
		return SumScore{Points(f.Points)}
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
