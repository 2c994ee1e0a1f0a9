package sibyl

import (
	"fmt"
	"strconv"
)

// The parameters of classes. Each is of its own type, which says what it goes with.

// PointsOption is what Points returns.
type PointsOption struct{ set setting }

// Points are the points that a category may have, from the least to the most.
func Points(least, most int) PointsOption {
	return PointsOption{setting{"points", fmt.Sprintf("%d..%d", least, most)}}
}

func (o PointsOption) ofScorecard() any { return o.set }
func (o PointsOption) ofHalfspace() any { return o.set }

// ThresholdOption is what Threshold returns.
type ThresholdOption struct{ set setting }

// Threshold is the total from which the prediction is positive.
func Threshold(total int) ThresholdOption {
	return ThresholdOption{setting{"threshold", strconv.Itoa(total)}}
}

func (o ThresholdOption) ofScorecard() any { return o.set }
func (o ThresholdOption) ofHalfspace() any { return o.set }

// MostAttributesOption is what MostAttributes returns.
type MostAttributesOption struct{ set setting }

// MostAttributes has at most k attributes used, or bits of a parity.
func MostAttributes(k int) MostAttributesOption {
	return MostAttributesOption{setting{"attributes", strconv.Itoa(k)}}
}

func (o MostAttributesOption) ofScorecard() any { return o.set }
func (o MostAttributesOption) ofHalfspace() any { return o.set }
func (o MostAttributesOption) ofFormula() any   { return o.set }
func (o MostAttributesOption) ofParity() any    { return o.set }

// NormOption is what Norm returns.
type NormOption struct{ set setting }

// Norm has the squares of all points add up to at most so much.
func Norm(most int) NormOption { return NormOption{setting{"norm", strconv.Itoa(most)}} }

func (o NormOption) ofScorecard() any { return o.set }
func (o NormOption) ofHalfspace() any { return o.set }

// PenaltyOption is what Penalty returns.
type PenaltyOption struct{ set setting }

// Penalty charges so many errors for every attribute, literal, rule, bit or input used.
func Penalty(errors int64) PenaltyOption {
	return PenaltyOption{setting{"penalty", strconv.FormatInt(errors, 10)}}
}

func (o PenaltyOption) ofScorecard() any { return o.set }
func (o PenaltyOption) ofHalfspace() any { return o.set }
func (o PenaltyOption) ofFormula() any   { return o.set }
func (o PenaltyOption) ofList() any      { return o.set }
func (o PenaltyOption) ofParity() any    { return o.set }
func (o PenaltyOption) ofGate() any      { return o.set }

// DistanceOption is what Distance returns.
type DistanceOption struct{ set setting }

// Distance is that of the separator, for RSPM, OPDisc and PRSMA: hypotheses differ in at
// least so many bits.
func Distance(bits int) DistanceOption {
	return DistanceOption{setting{"distance", strconv.Itoa(bits)}}
}

func (o DistanceOption) ofScorecard() any { return o.set }
func (o DistanceOption) ofHalfspace() any { return o.set }
func (o DistanceOption) ofFormula() any   { return o.set }

// RisingOption is what Rising returns.
type RisingOption struct{ set setting }

// Rising keeps an attribute's points from falling along its categories in the schema's
// order. It may be given for several.
func Rising(attribute string) RisingOption {
	return RisingOption{setting{"monotone", attribute + ":up"}}
}

func (o RisingOption) ofScorecard() any { return o.set }

// FallingOption is what Falling returns.
type FallingOption struct{ set setting }

// Falling keeps an attribute's points from rising along its categories in the schema's
// order. It may be given for several.
func Falling(attribute string) FallingOption {
	return FallingOption{setting{"monotone", attribute + ":down"}}
}

func (o FallingOption) ofScorecard() any { return o.set }

// NegatedOption is what Negated returns.
type NegatedOption struct{ set setting }

// Negated has conditions that may also be "is not".
func Negated() NegatedOption { return NegatedOption{setting{"negated", "true"}} }

func (o NegatedOption) ofFormula() any { return o.set }
func (o NegatedOption) ofList() any    { return o.set }

// IntervalsOption is what Intervals returns.
type IntervalsOption struct{ set setting }

// Intervals has conditions on attributes with cuts that may also be intervals.
func Intervals() IntervalsOption { return IntervalsOption{setting{"intervals", "true"}} }

func (o IntervalsOption) ofFormula() any { return o.set }
func (o IntervalsOption) ofList() any    { return o.set }

// PositiveOption is what Positive returns.
type PositiveOption struct{ set setting }

// Positive has, on an attribute of two categories, only the condition that it is the
// second.
func Positive() PositiveOption { return PositiveOption{setting{"positive", "true"}} }

func (o PositiveOption) ofFormula() any { return o.set }
func (o PositiveOption) ofList() any    { return o.set }

// RulesOption is what Rules returns.
type RulesOption struct{ set setting }

// Rules has lists of at most so many rules; 0 is no limit.
func Rules(most int) RulesOption { return RulesOption{setting{"rules", strconv.Itoa(most)}} }

func (o RulesOption) ofList() any { return o.set }

// LiteralsOption is what Literals returns.
type LiteralsOption struct{ set setting }

// Literals has at most so many conditions for each rule, 1 or 2.
func Literals(most int) LiteralsOption {
	return LiteralsOption{setting{"literals", strconv.Itoa(most)}}
}

func (o LiteralsOption) ofList() any { return o.set }

// AffineOption is what Affine returns.
type AffineOption struct{ set setting }

// Affine has the negations of parities too.
func Affine() AffineOption { return AffineOption{setting{"affine", "true"}} }

func (o AffineOption) ofParity() any { return o.set }

// DigitsOption is what Digits returns.
type DigitsOption struct{ set setting }

// Digits has the binary digits of a category's number for bits, instead of one for each
// category.
func Digits() DigitsOption { return DigitsOption{setting{"digits", "true"}} }

func (o DigitsOption) ofParity() any { return o.set }

// DepthOption is what Depth returns.
type DepthOption struct{ set setting }

// Depth is how many gates there are from an input to the result.
func Depth(gates int) DepthOption { return DepthOption{setting{"depth", strconv.Itoa(gates)}} }

func (o DepthOption) ofGate() any { return o.set }

// ScaleOption is what Scale returns.
type ScaleOption struct{ set setting }

// Scale is how many points stand for a weight of 1, which for naive Bayes and logistic
// models is odds of e.
func Scale(points int) ScaleOption { return ScaleOption{setting{"scale", strconv.Itoa(points)}} }

func (o ScaleOption) ofNaiveBayes() any   { return o.set }
func (o ScaleOption) ofLogistic() any     { return o.set }
func (o ScaleOption) ofSVM() any          { return o.set }
func (o ScaleOption) ofLeastSquares() any { return o.set }

// The parameters of mechanisms.

// SampleOption is what Sample returns.
type SampleOption struct{ set setting }

// Sample draws on a secret random sample of k rows instead of all; it needs
// NumberOfRows.
func Sample(k int64) SampleOption { return SampleOption{setting{"sample", strconv.FormatInt(k, 10)}} }

func (o SampleOption) ofExponential() setting { return o.set }

// SampleRateOption is what SampleRate returns.
type SampleRateOption struct{ set setting }

// SampleRate draws on a secret sample that takes each row with the probability q, an
// exact decimal; it needs AddRemove.
func SampleRate(q string) SampleRateOption { return SampleRateOption{setting{"sample-rate", q}} }

func (o SampleRateOption) ofExponential() setting { return o.set }

// NoiseOption is what Noise returns.
type NoiseOption struct{ set setting }

// Noise is the shape of noise: "laplace" or "cube"; of RSPM also "gauss", which needs
// EpsilonDelta.
func Noise(name string) NoiseOption { return NoiseOption{setting{"noise", name}} }

func (o NoiseOption) ofRSPM() setting  { return o.set }
func (o NoiseOption) ofPRSMA() setting { return o.set }

// OracleOption is what Oracle returns.
type OracleOption struct{ set setting }

// Oracle is who minimises: "search", "exhaustive", "transform", or a solver: "toulbar2",
// "clasp", "cbc", "highs".
func Oracle(name string) OracleOption { return OracleOption{setting{"oracle", name}} }

func (o OracleOption) ofRSPM() setting   { return o.set }
func (o OracleOption) ofOPDisc() setting { return o.set }
func (o OracleOption) ofPRSMA() setting  { return o.set }

// GridOption is what Grid returns.
type GridOption struct{ set setting }

// Grid has noise come in so many steps to an error; 0 chooses.
func Grid(steps int64) GridOption { return GridOption{setting{"grid", strconv.FormatInt(steps, 10)}} }

func (o GridOption) ofRSPM() setting   { return o.set }
func (o GridOption) ofOPDisc() setting { return o.set }
func (o GridOption) ofPRSMA() setting  { return o.set }

// MostCallsOption is what MostCalls returns.
type MostCallsOption struct{ set setting }

// MostCalls calls the oracle at most n times.
func MostCalls(n int64) MostCallsOption {
	return MostCallsOption{setting{"calls", strconv.FormatInt(n, 10)}}
}

func (o MostCallsOption) ofPRSMA() setting { return o.set }

// NodeBudgetOption is what NodeBudget returns.
type NodeBudgetOption struct{ set setting }

// NodeBudget has a call of the oracle fail after so many nodes.
func NodeBudget(nodes int64) NodeBudgetOption {
	return NodeBudgetOption{setting{"node-budget", strconv.FormatInt(nodes, 10)}}
}

func (o NodeBudgetOption) ofPRSMA() setting { return o.set }

// PartsOption is what Parts returns.
type PartsOption struct{ set setting }

// Parts trains on k parts; 0 chooses the parts and the rows to pick by.
func Parts(k int) PartsOption { return PartsOption{setting{"parts", strconv.Itoa(k)}} }

func (o PartsOption) ofBoost() setting { return o.set }

// ValidationOption is what Validation returns.
type ValidationOption struct{ set setting }

// Validation picks, with Parts, on so many rows of their own.
func Validation(rows int64) ValidationOption {
	return ValidationOption{setting{"validation", strconv.FormatInt(rows, 10)}}
}

func (o ValidationOption) ofBoost() setting { return o.set }

// ColumnsOption is what Columns returns.
type ColumnsOption struct{ set setting }

// Columns says on what a linear model learns: a column for each category ("one-hot"),
// for each but the first ("reference"), or for each binary digit of its number
// ("binary").
func Columns(encoding string) ColumnsOption { return ColumnsOption{setting{"columns", encoding}} }

func (o ColumnsOption) ofDescent() setting    { return o.set }
func (o ColumnsOption) ofMinimisers() setting { return o.set }
func (o ColumnsOption) ofBox() setting        { return o.set }

// StepsOption is what Steps returns.
type StepsOption struct{ set setting }

// Steps are the steps of the descent.
func Steps(n int) StepsOption { return StepsOption{setting{"steps", strconv.Itoa(n)}} }

func (o StepsOption) ofDescent() setting { return o.set }

// ClipOption is what Clip returns.
type ClipOption struct{ set setting }

// Clip cuts the gradient of a row to this norm, an exact decimal.
func Clip(norm string) ClipOption { return ClipOption{setting{"clip", norm}} }

func (o ClipOption) ofDescent() setting { return o.set }

// ShareOption is what Share returns.
type ShareOption struct{ set setting }

// Share is the probability with which a step takes a row, an exact decimal.
func Share(q string) ShareOption { return ShareOption{setting{"share", q}} }

func (o ShareOption) ofDescent() setting { return o.set }

// LearningRateOption is what LearningRate returns.
type LearningRateOption struct{ set setting }

// LearningRate is how far a step goes, as a multiple of the mean gradient.
func LearningRate(rate float64) LearningRateOption {
	return LearningRateOption{setting{"learning-rate", strconv.FormatFloat(rate, 'g', -1, 64)}}
}

func (o LearningRateOption) ofDescent() setting { return o.set }

// BoundOption is what Bound returns.
type BoundOption struct{ set setting }

// Bound has weights lie within -most..most; with Box they are whole points.
func Bound(most int64) BoundOption { return BoundOption{setting{"bound", strconv.FormatInt(most, 10)}} }

func (o BoundOption) ofMinimisers() setting { return o.set }
func (o BoundOption) ofBox() setting        { return o.set }

// RidgeOption is what Ridge returns.
type RidgeOption struct{ set setting }

// Ridge charges so much times the square of every weight, in thousandths of a logistic
// loss or in points.
func Ridge(charge int64) RidgeOption {
	return RidgeOption{setting{"ridge", strconv.FormatInt(charge, 10)}}
}

func (o RidgeOption) ofBox() setting { return o.set }

// AveragedOption is what Averaged returns.
type AveragedOption struct{ set setting }

// Averaged averages n minimisers.
func Averaged(n int) AveragedOption { return AveragedOption{setting{"minimisers", strconv.Itoa(n)}} }

func (o AveragedOption) ofMinimisers() setting { return o.set }

// TermRateOption is what TermRate returns.
type TermRateOption struct{ set setting }

// TermRate has the random term of a minimiser have a mean of 1/eta losses, an exact
// decimal; "0" chooses.
func TermRate(eta string) TermRateOption { return TermRateOption{setting{"term-rate", eta}} }

func (o TermRateOption) ofMinimisers() setting { return o.set }

// SlackOption is what Slack returns.
type SlackOption struct{ set setting }

// Slack is how far a minimiser may be off, an exact decimal.
func Slack(losses string) SlackOption { return SlackOption{setting{"slack", losses}} }

func (o SlackOption) ofMinimisers() setting { return o.set }
