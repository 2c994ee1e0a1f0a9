package sibyl

import (
	"fmt"
	"strconv"
)

// The parameters of classes and mechanisms. The type of each says what it goes with.

// An option is a parameter, a mechanism or Balanced, of whatever it is offered for.
type option struct{ is any }

func (o option) ofScorecard() any    { return o.is }
func (o option) ofHalfspace() any    { return o.is }
func (o option) ofFormula() any      { return o.is }
func (o option) ofList() any         { return o.is }
func (o option) ofParity() any       { return o.is }
func (o option) ofGate() any         { return o.is }
func (o option) ofTree() any         { return o.is }
func (o option) ofEither() any       { return o.is }
func (o option) ofSparse() any       { return o.is }
func (o option) ofUnion() any        { return o.is }
func (o option) ofNaiveBayes() any   { return o.is }
func (o option) ofLogistic() any     { return o.is }
func (o option) ofSVM() any          { return o.is }
func (o option) ofLeastSquares() any { return o.is }

func (o option) ofExponential() any { return o.is }
func (o option) ofDescent() any     { return o.is }
func (o option) ofBox() any         { return o.is }

// Points are the points that a category may have, from the least to the most.
func Points(least, most int) interface {
	ScorecardOption
	HalfspaceOption
	SparseOption
} {
	return option{setting{"points", fmt.Sprintf("%d..%d", least, most)}}
}

// Threshold is the total from which the prediction is positive.
func Threshold(total int) interface {
	ScorecardOption
	HalfspaceOption
	SparseOption
} {
	return option{setting{"threshold", strconv.Itoa(total)}}
}

// MostAttributes has at most k attributes used, of sparse cards by each draw, or bits of a parity.
func MostAttributes(k int) interface {
	ScorecardOption
	HalfspaceOption
	SparseOption
	FormulaOption
	ParityOption
} {
	return option{setting{"attributes", strconv.Itoa(k)}}
}

// Draws has sparse cards drawn so many times, each time with an equal share of ε.
func Draws(times int) SparseOption { return option{setting{"draws", strconv.Itoa(times)}} }

// Norm has the squares of all points add up to at most so much.
func Norm(most int) interface {
	ScorecardOption
	HalfspaceOption
} {
	return option{setting{"norm", strconv.Itoa(most)}}
}

// Penalty charges so many errors for every attribute, literal, rule, bit or input used.
func Penalty(errors int64) interface {
	ScorecardOption
	HalfspaceOption
	FormulaOption
	ListOption
	ParityOption
	GateOption
} {
	return option{setting{"penalty", strconv.FormatInt(errors, 10)}}
}

// Distance is that of the separator, for RSPM, OPDisc and PRSMA: hypotheses differ in at
// least so many bits.
func Distance(bits int) interface {
	ScorecardOption
	HalfspaceOption
	FormulaOption
} {
	return option{setting{"distance", strconv.Itoa(bits)}}
}

// Rising keeps an attribute's points from falling along its categories in the schema's
// order. It may be given for several.
func Rising(attribute string) ScorecardOption {
	return option{setting{"monotone", attribute + ":up"}}
}

// Falling keeps an attribute's points from rising along its categories in the schema's
// order. It may be given for several.
func Falling(attribute string) ScorecardOption {
	return option{setting{"monotone", attribute + ":down"}}
}

// Negated has conditions that may also be "is not".
func Negated() interface {
	FormulaOption
	ListOption
} {
	return option{setting{"negated", "true"}}
}

// Intervals has conditions on attributes with cuts that may also be intervals.
func Intervals() interface {
	FormulaOption
	ListOption
} {
	return option{setting{"intervals", "true"}}
}

// Positive has, on an attribute of two categories, only the condition that it is the
// second.
func Positive() interface {
	FormulaOption
	ListOption
} {
	return option{setting{"positive", "true"}}
}

// Rules has lists of at most so many rules; 0 is no limit.
func Rules(most int) ListOption {
	return option{setting{"rules", strconv.Itoa(most)}}
}

// Literals has at most so many conditions for each rule, 1 or 2.
func Literals(most int) ListOption {
	return option{setting{"literals", strconv.Itoa(most)}}
}

// Affine has the negations of parities too.
func Affine() ParityOption {
	return option{setting{"affine", "true"}}
}

// Digits has the binary digits of a category's number for bits, instead of one for each
// category.
func Digits() ParityOption {
	return option{setting{"digits", "true"}}
}

// Depth is how many gates there are from an input to the result, or how many questions a
// decision tree asks of a record.
func Depth(levels int) interface {
	GateOption
	TreeOption
	EitherOption
} {
	return option{setting{"depth", strconv.Itoa(levels)}}
}

// ConstantWork does as much for equal rows as for others, so that the time of a draw does
// not tell of them; it needs NumberOfRows.
func ConstantWork() TreeOption {
	return option{setting{"constant-work", "true"}}
}

// GradedLoss prefers trees whose leaves rank people well, by the squared error of four risks,
// to those that err least.
func GradedLoss() TreeOption {
	return option{setting{"loss", "graded"}}
}

// Scale is how many points stand for a weight of 1, which for naive Bayes and logistic
// models is odds of e.
func Scale(points int) interface {
	NaiveBayesOption
	EitherOption
	LogisticOption
	SVMOption
	LeastSquaresOption
} {
	return option{setting{"scale", strconv.Itoa(points)}}
}

// Sample draws on a secret random sample of k rows instead of all; it needs
// NumberOfRows.
func Sample(k int64) ExponentialOption {
	return option{setting{"sample", strconv.FormatInt(k, 10)}}
}

// SampleRate draws on a secret sample that takes each row with the probability q, an
// exact decimal; it needs AddRemove.
func SampleRate(q string) ExponentialOption {
	return option{setting{"sample-rate", q}}
}

// Columns says on what a linear model learns: a column for each category ("one-hot"),
// for each but the first ("reference"), or for each binary digit of its number
// ("binary").
func Columns(encoding string) interface {
	DescentOption
	BoxOption
} {
	return option{setting{"columns", encoding}}
}

// Steps are the steps of the descent; 0 for 400.
func Steps(n int) DescentOption {
	return option{setting{"steps", strconv.Itoa(n)}}
}

// Clip cuts the gradient of a row to this norm, an exact decimal.
func Clip(norm string) DescentOption {
	return option{setting{"clip", norm}}
}

// Share is the probability with which a step takes a row, an exact decimal.
func Share(q string) DescentOption {
	return option{setting{"share", q}}
}

// LearningRate is how far a step goes, as a multiple of the mean gradient; 0 chooses it.
func LearningRate(rate float64) DescentOption {
	return option{setting{"learning-rate", strconv.FormatFloat(rate, 'g', -1, 64)}}
}

// Bound has weights lie within -most..most; with Box they are whole points.
func Bound(most int64) BoxOption {
	return option{setting{"bound", strconv.FormatInt(most, 10)}}
}

// Ridge charges so much times the square of every weight, in thousandths of a logistic
// loss or in points.
func Ridge(charge int64) BoxOption {
	return option{setting{"ridge", strconv.FormatInt(charge, 10)}}
}
