package risk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Kind says what the grades of a scale are.
type Kind string

const (
	Total      Kind = "total"      // the sum of a card's points
	Rule       Kind = "rule"       // the number of the first rule that applies, from 0; the last is the default
	Leaf       Kind = "leaf"       // the number of the leaf of a tree, from 1
	Prediction Kind = "prediction" // the number of an outcome, as predicted
)

// A Grade is a cell of a scale: the values from Least to Most, and the number of the
// outcome that is predicted for all of them.
type Grade struct {
	Least, Most int
	Predicted   int
}

// A Scale is the grades of a model, ascending and disjoint, for labels of so many outcomes.
// It follows from the model and from public parameters, never from counts.
type Scale struct {
	Kind     Kind
	Outcomes int // of two, 1 is the positive one
	Grades   []Grade
}

// MostGrades is the greatest number of grades of a scale. Each grade has noise of its
// own, and the number of rows above a threshold has the noise of all grades there:
// with more of them, areas and errors become less sure, and few rows are left at each.
const MostGrades = 64

// Totals returns the scale of the totals that points for each attribute's categories
// can have, added to a start, where those of at least the threshold predict 1. Each
// attribute has a category, and the totals fit an int.
//
// Where more than MostGrades totals are possible, neighbours share a grade: all grades
// are equally wide, as narrow as MostGrades of them allow, and one begins at the
// threshold.
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

// digit is the number of an outcome of two.
func digit(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// over returns a/b rounded up.
func over(a, b int) int { return (a + b - 1) / b }

// Sums returns the distinct sums of a member of each list, ascending.
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

// Rules returns the scale of rules that predict so, the default last; at least one,
// at most MostGrades.
func Rules(predicted []bool) (Scale, error) {
	if len(predicted) == 0 || len(predicted) > MostGrades {
		return Scale{}, fmt.Errorf("risk: %d rules are outside 1..%d", len(predicted), MostGrades)
	}
	s := Scale{Kind: Rule, Outcomes: 2}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i, i, digit(p)})
	}
	return s, nil
}

// Leaves returns the scale of leaves that predict these of so many outcomes; at least one,
// at most MostGrades.
func Leaves(outcomes int, predicted []int) (Scale, error) {
	if len(predicted) == 0 || len(predicted) > MostGrades {
		return Scale{}, fmt.Errorf("risk: %d leaves are outside 1..%d", len(predicted), MostGrades)
	}
	s := Scale{Kind: Leaf, Outcomes: outcomes}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i + 1, i + 1, p})
	}
	return s, nil
}

// Predictions returns the scale of a model that says no more than its prediction, of so
// many outcomes.
func Predictions(outcomes int) Scale {
	s := Scale{Kind: Prediction, Outcomes: outcomes}
	for o := range outcomes {
		s.Grades = append(s.Grades, Grade{o, o, o})
	}
	return s
}

// Ordered tells whether a greater grade stands for a greater risk, so that thresholds
// mean something.
func (s Scale) Ordered() bool {
	return s.Kind == Total || s.Kind == Prediction && s.Outcomes == 2
}

// Cells is the number of cells of a histogram: one for each grade and outcome, and one for
// rows outside the schema's domain.
func (s Scale) Cells() int { return s.Outcomes*len(s.Grades) + 1 }

// Equal reports whether both scales have the same grades, for as many outcomes.
func (s Scale) Equal(u Scale) bool {
	return s.Kind == u.Kind && s.Outcomes == u.Outcomes && slices.Equal(s.Grades, u.Grades)
}

// cell is where the rows of a grade with an outcome are counted: grade by grade, of each the
// last outcome first.
func (s Scale) cell(grade, outcome int) int { return s.Outcomes*(grade+1) - 1 - outcome }

// Place returns the place of a value among the grades. One that no grade holds has the
// place of the grade below it, or the first: no value is an error.
func (s Scale) Place(value int) int {
	at, found := slices.BinarySearchFunc(s.Grades, value, func(g Grade, v int) int { return cmp.Compare(g.Least, v) })
	if found {
		return at
	}
	return max(at-1, 0)
}

// Count returns the numbers of rows in the cells: of each grade in turn those with each
// outcome, the last one first, then those outside. Replacing a row of the table moves at most two of them by
// one, adding or removing one moves one. grade must not depend on the table, or be a
// release that is paid for.
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

// check returns what is wrong with a scale that was read.
func (s Scale) check() error {
	n := len(s.Grades)
	switch {
	case n == 0 || n > MostGrades:
		return fmt.Errorf("there are %d grades, outside 1..%d", n, MostGrades)
	case s.Outcomes > 2 && (s.Kind == Total || s.Kind == Rule):
		return fmt.Errorf("grades of the kind %s are of two outcomes, not %d", s.Kind, s.Outcomes)
	}
	for i, g := range s.Grades {
		switch {
		case g.Least > g.Most:
			return fmt.Errorf("grade %d ends before it begins", i+1)
		case i > 0 && g.Least <= s.Grades[i-1].Most:
			return fmt.Errorf("grade %d begins before the one before it ends", i+1)
		case g.Predicted < 0 || g.Predicted >= s.Outcomes:
			return fmt.Errorf("grade %d predicts %d, not one of 0 to %d", i+1, g.Predicted, s.Outcomes-1)
		case i > 0 && s.Ordered() && s.Grades[i-1].Predicted > g.Predicted:
			return fmt.Errorf("grade %d predicts 0 above one that predicts 1", i+1)
		}
	}
	switch s.Kind {
	case Total:
		return nil
	case Prediction:
		if !s.Equal(Predictions(s.Outcomes)) {
			return fmt.Errorf("the grades of a prediction are the outcomes, 0 to %d", s.Outcomes-1)
		}
		return nil
	case Rule:
		if s.Grades[0].Least != 0 || s.Grades[n-1].Most != n-1 {
			return fmt.Errorf("rules are numbered from 0 on")
		}
		return nil
	case Leaf:
		if s.Grades[0].Least != 1 || s.Grades[n-1].Most != n {
			return fmt.Errorf("leaves are numbered from 1 on")
		}
		return nil
	}
	return fmt.Errorf("the kind of grades must be %s, %s, %s or %s", Total, Rule, Leaf, Prediction)
}
