package sibyl

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// An Interval is an estimate of a share, NaN where there is none, and the bounds between which
// the share lies. All intervals of an Assessment hold together with a probability of 0.95.
type Interval struct{ Value, Least, Most float64 }

func interval(s risk.Share) Interval { return Interval{number(s.Value), s.Least, s.Most} }

// number returns a number that may be unknown.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// An Assessment is how good the predictions of a model are.
type Assessment struct {
	Accuracy Interval

	// Of a label of two outcomes: of the positive rows those predicted positive, of the negative
	// rows those predicted negative, and of all rows the positive ones.
	Sensitivity, Specificity, Prevalence Interval
	// AUC is the area under the receiver operating characteristic. It and Thresholds are there
	// where the model has more than one threshold.
	AUC        *Interval
	Thresholds []Threshold

	// Of a label of more than two: for each, of the rows with that outcome those predicted so, and
	// of those predicted so the rows with that outcome.
	Outcomes []OutcomeAssessment

	from *risk.Assessment
}

// A Threshold is how good the predictions are if they are positive from a total on, or from a leaf
// on in the order of the risks.
type Threshold struct {
	At                               int
	Sensitivity, Specificity, Errors Interval // Errors is the share of misclassified rows
}

// An OutcomeAssessment is how good the predictions of one outcome are.
type OutcomeAssessment struct {
	Name                   string
	Sensitivity, Precision Interval
}

// A Calibration compares the risk that a model states for the totals, leaves or rules Least to
// Most with the share that was found.
type Calibration struct {
	Least, Most int
	Stated      float64
	Found       Interval
}

// Best returns the threshold of the least expected cost, where a wrong positive and a wrong
// negative prediction cost so much; nil where there is no threshold.
func (a *Assessment) Best(falsePositive, falseNegative int64) *Threshold {
	if a.from == nil || len(a.Thresholds) == 0 {
		return nil
	}
	best := a.from.Best(learn.Loss{FalsePositive: falsePositive, FalseNegative: falseNegative})
	if best == nil {
		return nil
	}
	t := threshold(*best)
	return &t
}

func threshold(t risk.Threshold) Threshold {
	return Threshold{t.At, interval(t.Sensitivity), interval(t.Specificity), interval(t.Errors)}
}

// assessed returns the assessment of two outcomes, nil for nil.
func assessed(from *risk.Assessment) *Assessment {
	if from == nil {
		return nil
	}
	a := &Assessment{
		Accuracy: interval(from.Accuracy), Sensitivity: interval(from.Sensitivity),
		Specificity: interval(from.Specificity), Prevalence: interval(from.Prevalence), from: from,
	}
	if from.AUC != nil {
		area := interval(*from.AUC)
		a.AUC = &area
	}
	for _, t := range from.Thresholds {
		a.Thresholds = append(a.Thresholds, threshold(t))
	}
	return a
}

// compared returns the assessment of more than two outcomes.
func compared(from *risk.Comparison, names report.Heading) *Assessment {
	a := &Assessment{Accuracy: interval(from.Accuracy)}
	for i := range from.Sensitivity {
		a.Outcomes = append(a.Outcomes, OutcomeAssessment{names.Outcome(i), interval(from.Sensitivity[i]), interval(from.Precision[i])})
	}
	return a
}
