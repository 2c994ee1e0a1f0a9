package learn

import "github.com/sibyl-dp/sibyl/table"

// An Outcome is what becomes of a row when a hypothesis fixed beforehand predicts
// it. Every row has exactly one, null rows included, so the outcomes are the cells
// of a Histogram, from which accuracy, sensitivity and specificity follow.
type Outcome int

// The outcomes, in the order of CountOutcomes.
const (
	TruePositive  Outcome = iota // label 1, predicted
	FalseNegative                // label 1, not predicted
	FalsePositive                // label 0, but 1 predicted
	TrueNegative                 // label 0, predicted
	Outside                      // a null row: the schema has no such record, or no such label

	Outcomes = int(Outside) + 1 // how many there are
)

// CountOutcomes returns the number of rows of each outcome. Replacing a row of the
// table moves at most two of them by one, adding or removing one moves one. predict
// must not depend on the table, or be a release that is paid for.
func CountOutcomes(t *table.Table, predict func(table.Record) bool) []int64 {
	counts := make([]int64, Outcomes)
	counts[Outside] = t.Nulls()
	for i := range t.Len() {
		counts[outcome(t.Label(i), predict(t.Record(i)))] += t.Count(i)
	}
	return counts
}

func outcome(label, predicted bool) Outcome {
	switch {
	case label && predicted:
		return TruePositive
	case label:
		return FalseNegative
	case predicted:
		return FalsePositive
	}
	return TrueNegative
}
