package sibyl

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// An Interval is an estimate of a share with a confidence interval. Value is the estimate, or NaN if there is none.
// The confidence interval is [Least, Most]. All intervals of an Assessment contain their true shares simultaneously
// with probability at least 0.95.
type Interval struct{ Value, Least, Most float64 }

func interval(s risk.Share) Interval { return Interval{number(s.Value), s.Least, s.Most} }

// number returns the value to which x points, or NaN if x is nil.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// An Assessment estimates the quality of a model's predictions on the rows whose values all lie in the schema's
// domain.
type Assessment struct {
	Accuracy Interval // the share of correctly classified rows

	// For a label with two classes: Sensitivity is the share of the positive rows that are predicted positive,
	// Specificity the share of the negative rows that are predicted negative, and Prevalence the share of positive
	// rows.
	Sensitivity, Specificity, Prevalence Interval
	// AUC is the area under the receiver operating characteristic curve, and Thresholds are the
	// points of this curve. Both are nil if the model has only one threshold.
	AUC        *Interval
	Thresholds []Threshold

	// Outcomes assesses each class of a label with more than two classes. It is nil for a label with two.
	Outcomes []OutcomeAssessment

	from *risk.Assessment
}

// A Threshold assesses a decision rule, which At determines. For a scorecard, the rule predicts
// positive if the total of a row is at least At. For a tree, it predicts positive for rows in leaf
// At and in all leaves with a higher risk.
type Threshold struct {
	At                               int
	Sensitivity, Specificity, Errors Interval // Errors is the share of misclassified rows
}

// An OutcomeAssessment assesses the predictions of one class of the label. Sensitivity is the share of correct
// predictions among the rows of this class. Precision is the share of correct predictions among the rows that are
// predicted to be in this class.
type OutcomeAssessment struct {
	Name                   string
	Sensitivity, Precision Interval
}

// A Calibration compares the risk that the model states with the share of positive rows in the
// table, for the rows whose total, leaf number or rule number is between Least and Most. Stated is
// the risk, and Found is the share.
type Calibration struct {
	Least, Most int
	Stated      float64
	Found       Interval
}

// Best returns the threshold with the least estimated cost, if a false positive costs falsePositive and a false
// negative costs falseNegative. It returns nil if there is no threshold.
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

// newAssessment converts an assessment to its public form. It returns nil if there is no
// assessment.
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
