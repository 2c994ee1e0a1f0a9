package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A Summary is what the trials of a method at an ε have in common.
type Summary struct {
	Instance, Method, Promise, Epsilon string
	Trials                             int
	Mean, Deviation                    float64 // of the accuracy
	Median, Longest                    time.Duration
}

// Summarise takes results in the order of Plan.Run.
func Summarise(results []Result) (out []Summary) {
	same := func(a, b Result) bool {
		return a.Instance == b.Instance && a.Method == b.Method && a.Epsilon == b.Epsilon
	}
	for len(results) > 0 {
		n := 1
		for n < len(results) && same(results[0], results[n]) {
			n++
		}
		out = append(out, summarise(results[:n]))
		results = results[n:]
	}
	return out
}

func summarise(trials []Result) Summary {
	first := trials[0]
	s := Summary{Instance: first.Instance, Method: first.Method, Promise: first.Promise, Epsilon: first.Epsilon, Trials: len(trials)}
	var times []time.Duration
	for _, t := range trials {
		s.Mean += t.Accuracy / float64(len(trials))
		times = append(times, t.Time)
	}
	for _, t := range trials {
		s.Deviation += (t.Accuracy - s.Mean) * (t.Accuracy - s.Mean)
	}
	if s.Trials > 1 {
		s.Deviation = math.Sqrt(s.Deviation / float64(s.Trials-1))
	}
	slices.Sort(times)
	s.Median, s.Longest = times[len(times)/2], times[len(times)-1]
	return s
}

// WriteCSV writes the summaries, times in seconds.
func WriteCSV(w io.Writer, all []Summary) error {
	c := csv.NewWriter(w)
	records := [][]string{{"instance", "method", "promise", "epsilon", "trials", "accuracy", "deviation", "seconds_median", "seconds_most"}}
	for _, s := range all {
		records = append(records, []string{
			s.Instance, s.Method, s.Promise, s.Epsilon, fmt.Sprint(s.Trials),
			fmt.Sprintf("%.5f", s.Mean), fmt.Sprintf("%.5f", s.Deviation),
			fmt.Sprintf("%.4f", s.Median.Seconds()), fmt.Sprintf("%.4f", s.Longest.Seconds()),
		})
	}
	return c.WriteAll(records)
}

// Table lays the accuracies on an instance out: a row for each method, a column
// for each ε; a method that heeds none has the same in all.
func Table(instance string, epsilons []string, all []Summary) [][]string {
	rows := [][]string{append([]string{"method", "promise"}, epsilons...)}
	for _, g := range grouped(instance, all) {
		row := []string{g.summaries[0].Method, g.summaries[0].Promise}
		for _, e := range epsilons {
			cell := ""
			for _, s := range g.summaries {
				if s.Epsilon == e || s.Epsilon == "" {
					cell = fmt.Sprintf("%.4f", s.Mean)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
