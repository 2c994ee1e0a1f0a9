package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A Finding is the result of one oracle on one problem of a Contest.
type Finding struct {
	Instance  string  `json:"instance"`
	Class     string  `json:"class"`
	Size      string  `json:"class_size"`
	Oracle    string  `json:"oracle"`
	Certifies string  `json:"certifies"`
	Outcome   Outcome `json:"outcome"`
	Cost      *int64  `json:"cost"` // null if the oracle found no hypothesis
	Unit      int64   `json:"unit"` // the cost of one misclassification
	Seconds   float64 `json:"seconds"`
}

// An Outcome describes how the call of an oracle ended.
type Outcome string

// These constants are the possible outcomes of a call.
const (
	Proved   Outcome = "proved"     // the oracle found a proven minimizer
	Unproved Outcome = "not proved" // a heuristic found a hypothesis
	TimedOut Outcome = "no proof"   // the call exceeded the time limit
	Failed   Outcome = "failed"     // the oracle failed before the time limit
)

// name returns the name INSTANCE/CLASS/ORACLE of the measurement, by parts of which Contest.Only selects
// measurements.
func (f Finding) name() string { return f.problem() + "/" + f.Oracle }

// problem returns the name INSTANCE/CLASS of the problem. All oracles that prove an optimum of a problem must find
// the same least cost.
func (f Finding) problem() string { return f.Instance + "/" + f.Class }

// time formats the duration of the call with about three digits.
func (f Finding) time() string {
	d := time.Duration(f.Seconds * float64(time.Second))
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// cost formats the cost of the hypothesis that the oracle found, as a number of misclassifications.
func (f Finding) cost() string {
	if f.Cost == nil {
		return "–"
	}
	if f.Unit == 1 {
		return strconv.FormatInt(*f.Cost, 10)
	}
	return strconv.FormatFloat(float64(*f.Cost)/float64(f.Unit), 'f', 1, 64)
}

// Findings holds the results of a Contest.
type Findings []Finding

// Table returns the findings as text, one row each, with a header row.
func (all Findings) Table() [][]string {
	rows := [][]string{{"instance", "class", "hypotheses", "oracle", "certifies", "errors", "time", "outcome"}}
	for _, f := range all {
		rows = append(rows, []string{f.Instance, f.Class, f.Size, f.Oracle, f.Certifies, f.cost(), f.time(), string(f.Outcome)})
	}
	return rows
}

// WriteCSV writes the findings as CSV. Costs are integers; the column unit contains the cost of one misclassification.
// Times are in seconds.
func (all Findings) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"instance", "class", "class_size", "oracle", "certifies", "outcome", "cost", "unit", "seconds"}}
	for _, f := range all {
		cost := ""
		if f.Cost != nil {
			cost = strconv.FormatInt(*f.Cost, 10)
		}
		rows = append(rows, []string{
			f.Instance, f.Class, f.Size, f.Oracle, f.Certifies, string(f.Outcome), cost,
			strconv.FormatInt(f.Unit, 10), strconv.FormatFloat(f.Seconds, 'g', 4, 64),
		})
	}
	return c.WriteAll(rows)
}

// Disagreement returns an error if two findings contradict each other: if two oracles prove different least costs of
// the same problem, or if one finds a cost less than the least cost that the other proves.
func (all Findings) Disagreement() error {
	least := map[string]Finding{}
	for _, f := range all {
		if f.Outcome == Proved {
			key := f.problem()
			if other, ok := least[key]; ok && *other.Cost != *f.Cost {
				return fmt.Errorf("%s: the oracles %s and %s prove different least costs, %d and %d", key, other.Oracle, f.Oracle, *other.Cost, *f.Cost)
			}
			least[key] = f
		}
	}
	for _, f := range all {
		key := f.problem()
		if other, ok := least[key]; ok && f.Cost != nil && *f.Cost < *other.Cost {
			return fmt.Errorf("%s: the oracle %s finds a hypothesis of cost %d, below the least cost %d that the oracle %s proves", key, f.Oracle, *f.Cost, *other.Cost, other.Oracle)
		}
	}
	return nil
}
