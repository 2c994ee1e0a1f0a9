package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// A Summary summarizes the trials of one method on one instance with one ε.
type Summary struct {
	Instance, Method, Promise, Epsilon string
	Trials                             int
	Mean, Deviation                    float64       // mean and standard deviation of the accuracy
	Median, Longest                    time.Duration // the median and the maximum time of a trial
}

// Summarise returns a summary of each group of consecutive results with the same instance, method and ε. Plan.Run
// returns results in this order.
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

// WriteCSV writes the summaries as CSV, with times in seconds.
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

// trialColumns is the header of the CSV file that WriteTrials writes.
var trialColumns = []string{"instance", "method", "promise", "epsilon", "accuracy", "seconds"}

// WriteTrials writes all results as CSV, in their order. ReadTrials reads this format.
func WriteTrials(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	if err := c.Write(trialColumns); err != nil {
		return err
	}
	for _, r := range results {
		err := c.Write([]string{
			r.Instance, r.Method, r.Promise, r.Epsilon,
			strconv.FormatFloat(r.Accuracy, 'g', -1, 64), strconv.FormatFloat(r.Time.Seconds(), 'f', 9, 64),
		})
		if err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadTrials reads a CSV file that WriteTrials wrote.
func ReadTrials(r io.Reader) ([]Result, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = len(trialColumns)
	records, err := c.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], trialColumns) {
		return nil, fmt.Errorf("the first line must contain the column names %q", trialColumns)
	}
	var results []Result
	for i, record := range records[1:] {
		accuracy, err := strconv.ParseFloat(record[4], 64)
		if err != nil {
			return nil, fmt.Errorf("trial %d: the accuracy %q must be a number", i+1, record[4])
		}
		took, err := time.ParseDuration(record[5] + "s")
		if err != nil {
			return nil, fmt.Errorf("trial %d: the seconds %q must be a number", i+1, record[5])
		}
		results = append(results, Result{
			Instance: record[0], Method: record[1], Promise: record[2], Epsilon: record[3],
			Accuracy: accuracy, Time: took,
		})
	}
	return results, nil
}

// ByMethod returns the summaries on an instance, grouped by method. All summaries of a method must be consecutive.
func ByMethod(instance string, all []Summary) (methods [][]Summary) {
	for _, s := range all {
		switch last := len(methods) - 1; {
		case s.Instance != instance:
		case last >= 0 && methods[last][0].Method == s.Method:
			methods[last] = append(methods[last], s)
		default:
			methods = append(methods, []Summary{s})
		}
	}
	return methods
}

// Table returns the mean accuracies on an instance as a text table, with a row for each method and a column for
// each ε. A method that does not depend on ε has the same value in all columns.
func Table(instance string, epsilons []string, all []Summary) [][]string {
	rows := [][]string{append([]string{"method", "promise"}, epsilons...)}
	for _, method := range ByMethod(instance, all) {
		row := []string{method[0].Method, method[0].Promise}
		for _, e := range epsilons {
			cell := ""
			for _, s := range method {
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
