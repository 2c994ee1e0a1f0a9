package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A Finding is what one oracle found on one problem.
type Finding struct {
	Instance  string  `json:"instance"`
	Class     string  `json:"class"`
	Size      string  `json:"class_size"`
	Oracle    string  `json:"oracle"`
	Certifies string  `json:"certifies"`
	Outcome   Outcome `json:"outcome"`
	Cost      *int64  `json:"cost"` // null where nothing was found
	Unit      int64   `json:"unit"` // the cost of one error
	Seconds   float64 `json:"seconds"`
}

// An Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	Proved   Outcome = "proved"
	Unproved Outcome = "not proved" // by a heuristic
	Endless  Outcome = "no proof"   // within the limit
	Failed   Outcome = "failed"     // by itself
)

// name is what Contest.Only selects by.
func (f Finding) name() string { return f.problem() + "/" + f.Oracle }

// problem is what the answers of all oracles must agree on.
func (f Finding) problem() string { return f.Instance + "/" + f.Class }

// time returns the time for people.
func (f Finding) time() string {
	d := time.Duration(f.Seconds * float64(time.Second))
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// cost returns the cost for people, in errors.
func (f Finding) cost() string {
	if f.Cost == nil {
		return "–"
	}
	if f.Unit == 1 {
		return strconv.FormatInt(*f.Cost, 10)
	}
	return strconv.FormatFloat(float64(*f.Cost)/float64(f.Unit), 'f', 1, 64)
}

// Findings are those of a Contest.
type Findings []Finding

// Table lays them out for people, under a heading.
func (all Findings) Table() [][]string {
	rows := [][]string{{"instance", "class", "hypotheses", "oracle", "certifies", "errors", "time", "outcome"}}
	for _, f := range all {
		rows = append(rows, []string{f.Instance, f.Class, f.Size, f.Oracle, f.Certifies, f.cost(), f.time(), string(f.Outcome)})
	}
	return rows
}

// WriteCSV writes them, costs in units and times in seconds.
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

// Disagreement reports answers that contradict each other: different proofs, or
// one below what is proved.
func (all Findings) Disagreement() error {
	least := map[string]Finding{}
	for _, f := range all {
		if f.Outcome == Proved {
			key := f.problem()
			if other, ok := least[key]; ok && *other.Cost != *f.Cost {
				return fmt.Errorf("on %s %s and %s prove different costs, %d and %d", key, other.Oracle, f.Oracle, *other.Cost, *f.Cost)
			}
			least[key] = f
		}
	}
	for _, f := range all {
		key := f.problem()
		if other, ok := least[key]; ok && f.Cost != nil && *f.Cost < *other.Cost {
			return fmt.Errorf("on %s %s finds a cost of %d, below what %s proves, %d", key, f.Oracle, *f.Cost, other.Oracle, *other.Cost)
		}
	}
	return nil
}
