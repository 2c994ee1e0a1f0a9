package sibyl

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// An Interval is an estimate of a share with a confidence interval: Value is the estimate, NaN if
// there is none, and the share lies between Least and Most. All intervals of an Assessment hold
// simultaneously with probability at least 0.95.
type Interval struct{ Value, Least, Most float64 }

func interval(s risk.Share) Interval { return Interval{number(s.Value), s.Least, s.Most} }

// number returns *x, or NaN for nil.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// An Assessment estimates the quality of a model's predictions, on rows inside the schema's domain.
type Assessment struct {
	Accuracy Interval // the share of correctly classified rows

	// For a label with two classes: the share of the positive rows that are predicted positive, the
	// share of the negative rows that are predicted negative, and the share of positive rows.
	Sensitivity, Specificity, Prevalence Interval
	// AUC is the area under the receiver operating characteristic curve, and Thresholds are the
	// points of this curve. Both are nil if the model has only one threshold.
	AUC        *Interval
	Thresholds []Threshold

	// Outcomes assesses each class of a label with more than two classes; else it is nil.
	Outcomes []OutcomeAssessment

	from *risk.Assessment
}

// A Threshold assesses the predictions that are positive for rows whose total is at least At; for a
// tree, for rows in leaf At or in a leaf with a higher risk.
type Threshold struct {
	At                               int
	Sensitivity, Specificity, Errors Interval // Errors is the share of misclassified rows
}

// An OutcomeAssessment assesses the predictions of one class of the label. Sensitivity is the share
// of the class's rows that are predicted to be in it. Precision is the share of the rows predicted to
// be in the class that are in it.
type OutcomeAssessment struct {
	Name                   string
	Sensitivity, Precision Interval
}

// A Calibration compares two shares of positive rows among the rows with totals, leaves or rules
// from Least to Most: the risk that the model states, and the share found in the table.
type Calibration struct {
	Least, Most int
	Stated      float64
	Found       Interval
}

// Best returns the threshold with the least estimated cost, given the cost of a false positive and
// that of a false negative. It returns nil if there is no threshold.
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

// newAssessment returns the public form of an assessment, nil for nil.
func newAssessment(from *risk.Assessment, names report.Heading) *Assessment {
	if from == nil {
		return nil
	}
	a := &Assessment{Accuracy: interval(from.Accuracy), from: from}
	if from.Outcomes() > 2 {
		for i := range from.Sensitivity {
			a.Outcomes = append(a.Outcomes, OutcomeAssessment{names.Outcome(i), interval(from.Sensitivity[i]), interval(from.Precision[i])})
		}
		return a
	}
	a.Sensitivity, a.Specificity, a.Prevalence = interval(from.Sensitivity[1]), interval(from.Sensitivity[0]), interval(from.Prevalence)
	if from.AUC != nil {
		area := interval(*from.AUC)
		a.AUC = &area
	}
	for _, t := range from.Thresholds {
		a.Thresholds = append(a.Thresholds, threshold(t))
	}
	return a
}
