package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// An Advantage compares one engine with the best other engine in each setting, for one measure of error. A setting is
// a table and an ε. The best other engine is the one with the least mean error in this setting. The same results are
// used to choose it and for the comparison, so the comparison favours the other engines.
type Advantage struct {
	Measure  string
	Settings int
	Smaller  int // settings in which the engine's error is smaller by at least 10%
	Larger   int // settings in which it is larger

	// Below and Above list the differences beyond chance, by a test of all settings and measures together.
	Below []Difference
	Above []Difference
}

// A Difference compares the mean errors of two engines in one setting.
type Difference struct {
	Table   string
	Epsilon string
	Engine  string  // the other engine
	Own     float64 // the mean of the first engine
	Other   float64 // the mean of the other engine
	Errors  float64 // the difference of the means, Own - Other, in standard errors
}

// falseFindings is the probability with which Advantages reports any difference at all if no true means differ.
const falseFindings = 0.05

// measures are the measures of error that Advantages compares. For all of them, smaller is better.
var measures = []struct {
	name string
	of   func(Synthesized) (mean, err *float64)
}{
	{"worst", func(s Synthesized) (mean, err *float64) { return s.Worst, s.WorstError }},
	{"ones", func(s Synthesized) (mean, err *float64) { return s.Ones, s.OnesError }},
	{"pairs", func(s Synthesized) (mean, err *float64) { return s.Pairs, s.PairsError }},
	{"triples", func(s Synthesized) (mean, err *float64) { return s.Triples, s.TriplesError }},
	{"1 − AUC", func(s Synthesized) (mean, err *float64) {
		if s.Area == nil {
			return nil, nil
		}
		loss := 1 - *s.Area
		return &loss, s.AreaError
	}},
}

// Advantages compares the given engine with all other private engines, for each measure of error. It uses only
// results with at least two draws. It tests all differences of means together by the method of Holm (1979), under a
// normal approximation.
//
// The variance of a mean is estimated from its draws. With few draws, this estimate can be much too small by chance.
// So Advantages computes a second estimate from the mean relative variance of the measure over all results, and uses
// the larger of the two.
func Advantages(engine string, results []Synthesized) []Advantage {
	type test struct {
		measure int
		Difference
	}
	var tests []test
	all := make([]Advantage, len(measures))
	for i, measure := range measures {
		all[i].Measure = measure.name
		usable := slices.DeleteFunc(slices.Clone(results), func(s Synthesized) bool {
			_, err := measure.of(s)
			return err == nil || s.Engine == "bootstrap"
		})
		relative := 0.0
		for _, s := range usable {
			mean, err := measure.of(s)
			relative += float64(s.Draws) * *err * *err / max(*mean**mean, math.SmallestNonzeroFloat64) / float64(len(usable))
		}
		variance := func(s Synthesized) float64 {
			mean, err := measure.of(s)
			return max(*err**err, relative**mean**mean/float64(s.Draws))
		}
		for _, own := range usable {
			if own.Engine != engine {
				continue
			}
			rivals := slices.DeleteFunc(slices.Clone(usable), func(s Synthesized) bool {
				return s.Engine == engine || s.Table != own.Table || s.Epsilon != own.Epsilon
			})
			if len(rivals) == 0 {
				continue
			}
			best := slices.MinFunc(rivals, func(a, b Synthesized) int {
				x, _ := measure.of(a)
				y, _ := measure.of(b)
				return cmp.Compare(*x, *y)
			})
			x, _ := measure.of(own)
			y, _ := measure.of(best)
			all[i].Settings++
			if *x <= 0.9**y {
				all[i].Smaller++
			}
			if *x > *y {
				all[i].Larger++
			}
			d := Difference{own.Table, own.Epsilon, best.Engine, *x, *y, 0}
			if *x != *y {
				d.Errors = (*x - *y) / math.Sqrt(variance(own)+variance(best))
			}
			tests = append(tests, test{i, d})
		}
	}
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(math.Abs(b.Errors), math.Abs(a.Errors)) })
	for n, t := range tests {
		if math.Erfc(math.Abs(t.Errors)/math.Sqrt2) > falseFindings/float64(len(tests)-n) {
			break
		}
		a := &all[t.measure]
		if t.Errors < 0 {
			a.Below = append(a.Below, t.Difference)
		} else {
			a.Above = append(a.Above, t.Difference)
		}
	}
	return all
}

// Line returns the advantage as a row of a text table with the columns AdvantageColumns.
func (a Advantage) Line() []string {
	return []string{a.Measure, fmt.Sprint(a.Settings), fmt.Sprint(a.Smaller), fmt.Sprint(a.Larger), fmt.Sprint(len(a.Below)), fmt.Sprint(len(a.Above))}
}

// AdvantageColumns returns the header of the rows of Advantage.Line.
func AdvantageColumns() []string {
	return []string{"measure", "settings", "smaller by 10%", "larger", "smaller beyond chance", "larger beyond chance"}
}

// Line returns the difference as a row of a text table with the columns DifferenceColumns. The parameter measure is
// the name of the measure of error.
func (d Difference) Line(measure string) []string {
	return []string{d.Table, d.Epsilon, measure, fmt.Sprintf("%.4f", d.Own), d.Engine, fmt.Sprintf("%.4f", d.Other), fmt.Sprintf("%+.1f", d.Errors)}
}

// DifferenceColumns returns the header of the rows of Difference.Line. The parameter engine is the name of the engine
// that is compared with the others.
func DifferenceColumns(engine string) []string {
	return []string{"table", "ε", "measure", engine, "best other", "error", "standard errors"}
}
