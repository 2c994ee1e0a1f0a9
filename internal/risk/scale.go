package risk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Kind states what the grades of a scale are: totals of points, rules of a list, leaves of a tree, or predictions.
type Kind string

const (
	Total      Kind = "total"      // the sum of a card's points
	Rule       Kind = "rule"       // the number of the first rule that applies, from 0; the last is the default
	Leaf       Kind = "leaf"       // the number of the leaf of a tree, from 1
	Prediction Kind = "prediction" // the number of an outcome, as predicted
)

// A Grade is a range of values, from Least to Most, whose rows are counted together. The Kind of the scale
// determines what the values are, such as totals of points. Predicted is the index of the outcome that the model
// predicts for all of these values.
type Grade struct {
	Least, Most int
	Predicted   int
}

// A Scale lists the grades (see Grade) into which a model divides records. The grades are disjoint and increasing. A
// Scale depends only on the released model and on public parameters, not on counts.
type Scale struct {
	Kind     Kind
	Outcomes int // the number of outcomes of the label; if there are two, outcome 1 is the positive one
	Grades   []Grade
}

// MostGrades is the maximum number of grades of a scale. With more grades, there would be fewer rows at each grade,
// and the intervals of areas and error rates would be wider: each count has its own noise, so the number of rows
// above a threshold has the noise of all grades above the threshold.
const MostGrades = 64

// Totals returns the scale of the totals of a scorecard. A total is the sum of a constant (start) and one number
// from each list of points, such as the points of the categories of an attribute. Totals of at least the threshold
// predict 1. The lists must not be empty, and all totals must fit into int.
//
// If more than MostGrades totals are possible, adjacent totals share a grade. One grade begins at the threshold, and
// all grades have the same width, except that the first and the last may be narrower. The width is the smallest one
// for which there are at most MostGrades grades.
func Totals(start int, points [][]int, threshold int) Scale {
	s := Scale{Kind: Total, Outcomes: 2}
	totals := []int{start}
	least, most := start, start
	for _, own := range points {
		least += slices.Min(own)
		most += slices.Max(own)
		if len(totals) <= MostGrades {
			totals = Sums(totals, own)
		}
	}
	if len(totals) <= MostGrades {
		for _, t := range totals {
			s.Grades = append(s.Grades, Grade{t, t, digit(t >= threshold)})
		}
		return s
	}
	origin := min(max(threshold, least), most+1)
	width := sort.Search(most-least+1, func(w int) bool {
		return w > 0 && over(origin-least, w)+over(most+1-origin, w) <= MostGrades
	})
	for from := origin - width*over(origin-least, width); from <= most; from += width {
		s.Grades = append(s.Grades, Grade{max(from, least), min(from+width-1, most), digit(from >= threshold)})
	}
	return s
}

// digit returns the index of an outcome: 1 if it is positive, and 0 otherwise.
func digit(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// over returns the quotient a/b, rounded up to an integer.
func over(a, b int) int { return (a + b - 1) / b }

// Sums returns, in ascending order, the distinct sums of an element of a and an element of b.
func Sums(a, b []int) []int {
	b = slices.Clone(b)
	slices.Sort(b)
	b = slices.Compact(b)
	out := make([]int, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Rules returns the scale of a decision list, in which each rule is a grade. The parameter predicted states, for
// each rule, whether it predicts 1; its last element is for the default rule. Rules returns an error unless there
// are 1 to MostGrades rules.
func Rules(predicted []bool) (Scale, error) {
	if len(predicted) == 0 || len(predicted) > MostGrades {
		return Scale{}, fmt.Errorf("risk: the number of rules is %d; it must be 1 to %d", len(predicted), MostGrades)
	}
	s := Scale{Kind: Rule, Outcomes: 2}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i, i, digit(p)})
	}
	return s, nil
}

// Leaves returns the scale of a decision tree, in which each leaf is a grade. The parameter predicted holds the
// index of the outcome that each leaf predicts. Leaves returns an error unless there are 1 to MostGrades leaves.
func Leaves(outcomes int, predicted []int) (Scale, error) {
	if len(predicted) == 0 || len(predicted) > MostGrades {
		return Scale{}, fmt.Errorf("risk: the number of leaves is %d; it must be 1 to %d", len(predicted), MostGrades)
	}
	s := Scale{Kind: Leaf, Outcomes: outcomes}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i + 1, i + 1, p})
	}
	return s, nil
}

// Predictions returns the scale of a model whose grades are its predictions.
func Predictions(outcomes int) Scale {
	s := Scale{Kind: Prediction, Outcomes: outcomes}
	for o := range outcomes {
		s.Grades = append(s.Grades, Grade{o, o, o})
	}
	return s
}

// Ordered reports whether greater grades mean greater risks according to the model. Only then are thresholds
// meaningful.
func (s Scale) Ordered() bool {
	return s.Kind == Total || s.Kind == Prediction && s.Outcomes == 2
}

// Cells returns the number of counts: one for each pair of a grade and an outcome, and one for the rows outside the
// schema's domain.
func (s Scale) Cells() int { return s.Outcomes*len(s.Grades) + 1 }

// Equal reports whether both scales have the same kind, the same grades and the same number of outcomes.
func (s Scale) Equal(u Scale) bool {
	return s.Kind == u.Kind && s.Outcomes == u.Outcomes && slices.Equal(s.Grades, u.Grades)
}

// cell returns the index of the count for a grade and an outcome. The counts are ordered by grade and, within a
// grade, by descending outcome.
func (s Scale) cell(grade, outcome int) int { return s.Outcomes*(grade+1) - 1 - outcome }

// Place returns the index of the grade (a range of values) that contains the value. If no grade contains it, Place
// returns the index of the nearest grade below the value, or 0 if there is no such grade.
func (s Scale) Place(value int) int {
	at, found := slices.BinarySearchFunc(s.Grades, value, func(g Grade, v int) int { return cmp.Compare(g.Least, v) })
	if found {
		return at
	}
	return max(at-1, 0)
}

// Count returns the number of rows with each grade (see Grade) and outcome. The numbers are ordered by grade and,
// within a grade, by outcome, the last outcome first. The last number is that of the rows outside the domain.
// Replacing a row of the table changes at most two of the numbers, by one each. Adding or removing a row changes one
// number by one. The function grade must not depend on the table, unless it was released with a guarantee, which is
// added to that of the counts.
func (s Scale) Count(t *table.Table, grade func(table.Record) int) []int64 {
	cells := make([]int64, s.Cells())
	cells[len(cells)-1] = t.Nulls()
	var record table.Record
	for i := range t.Len() {
		record = t.Record(i, record)
		cells[s.cell(s.Place(grade(record)), t.Outcome(i))] += t.Count(i)
	}
	return cells
}

// check returns an error if the scale, which was read from a file, is invalid.
func (s Scale) check() error {
	n := len(s.Grades)
	switch {
	case n == 0 || n > MostGrades:
		return fmt.Errorf("the number of grades is %d; it must be 1 to %d", n, MostGrades)
	case s.Outcomes > 2 && (s.Kind == Total || s.Kind == Rule):
		return fmt.Errorf("grades of kind %s require a label with two outcomes, but the label has %d", s.Kind, s.Outcomes)
	}
	for i, g := range s.Grades {
		switch {
		case g.Least > g.Most:
			return fmt.Errorf("the range of grade %d is empty: the key \"least\", %d, must not exceed the key \"most\", %d", i+1, g.Least, g.Most)
		case i > 0 && g.Least <= s.Grades[i-1].Most:
			return fmt.Errorf("grade %d begins before grade %d ends", i+1, i)
		case g.Predicted < 0 || g.Predicted >= s.Outcomes:
			return fmt.Errorf("grade %d predicts %d, but must predict one of the outcomes 0 to %d", i+1, g.Predicted, s.Outcomes-1)
		case i > 0 && s.Ordered() && s.Grades[i-1].Predicted > g.Predicted:
			return fmt.Errorf("grade %d predicts 0, but a lower grade predicts 1", i+1)
		}
	}
	switch s.Kind {
	case Total:
		return nil
	case Prediction:
		if !s.Equal(Predictions(s.Outcomes)) {
			return fmt.Errorf("grades of kind %s must be the outcomes 0 to %d", s.Kind, s.Outcomes-1)
		}
		return nil
	case Rule:
		if s.Grades[0].Least != 0 || s.Grades[n-1].Most != n-1 {
			return fmt.Errorf("grades of kind %s must be the rule numbers 0 to %d", s.Kind, n-1)
		}
		return nil
	case Leaf:
		if s.Grades[0].Least != 1 || s.Grades[n-1].Most != n {
			return fmt.Errorf("grades of kind %s must be the leaf numbers 1 to %d", s.Kind, n)
		}
		return nil
	}
	return fmt.Errorf("the kind of grades must be %s, %s, %s or %s", Total, Rule, Leaf, Prediction)
}
