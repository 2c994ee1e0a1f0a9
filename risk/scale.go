package risk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/table"
)

// A Kind says what the grades of a scale are.
type Kind string

const (
	Total      Kind = "total"      // the sum of a card's points
	Rule       Kind = "rule"       // the number of the first rule that applies, from 0; the last is the default
	Leaf       Kind = "leaf"       // the number of the leaf of a tree, from 1
	Prediction Kind = "prediction" // 0 or 1, as predicted
)

// A Grade is a cell of a scale: the values from Least to Most, and what is predicted
// for all of them.
type Grade struct {
	Least, Most int
	Predicted   bool
}

// A Scale is the grades of a model, ascending and disjoint. It follows from the
// model and from public parameters, never from counts.
type Scale struct {
	Kind   Kind
	Grades []Grade
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
	s := Scale{Kind: Total}
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
			s.Grades = append(s.Grades, Grade{t, t, t >= threshold})
		}
		return s
	}
	origin := min(max(threshold, least), most+1)
	width := sort.Search(most-least+1, func(w int) bool {
		return w > 0 && over(origin-least, w)+over(most+1-origin, w) <= MostGrades
	})
	for from := origin - width*over(origin-least, width); from <= most; from += width {
		s.Grades = append(s.Grades, Grade{max(from, least), min(from+width-1, most), from >= threshold})
	}
	return s
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
	s := Scale{Kind: Rule}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i, i, p})
	}
	return s, nil
}

// Leaves returns the scale of leaves that predict so; at least one, at most MostGrades.
func Leaves(predicted []bool) (Scale, error) {
	if len(predicted) == 0 || len(predicted) > MostGrades {
		return Scale{}, fmt.Errorf("risk: %d leaves are outside 1..%d", len(predicted), MostGrades)
	}
	s := Scale{Kind: Leaf}
	for i, p := range predicted {
		s.Grades = append(s.Grades, Grade{i + 1, i + 1, p})
	}
	return s, nil
}

// Predictions returns the scale of a model that says no more than its prediction.
func Predictions() Scale {
	return Scale{Prediction, []Grade{{0, 0, false}, {1, 1, true}}}
}

// Ordered tells whether a greater grade stands for a greater risk, so that thresholds
// mean something.
func (s Scale) Ordered() bool { return s.Kind == Total || s.Kind == Prediction }

// Cells is the number of cells of a histogram: two for each grade, and one for rows
// outside the schema's domain.
func (s Scale) Cells() int { return 2*len(s.Grades) + 1 }

// Equal reports whether both scales have the same grades.
func (s Scale) Equal(u Scale) bool { return s.Kind == u.Kind && slices.Equal(s.Grades, u.Grades) }

// Place returns the place of a value among the grades. One that no grade holds has the
// place of the grade below it, or the first: no value is an error.
func (s Scale) Place(value int) int {
	at, found := slices.BinarySearchFunc(s.Grades, value, func(g Grade, v int) int { return cmp.Compare(g.Least, v) })
	if found {
		return at
	}
	return max(at-1, 0)
}

// Count returns the numbers of rows in the cells: positive and negative of each grade in
// turn, then those outside. Replacing a row of the table moves at most two of them by
// one, adding or removing one moves one. grade must not depend on the table, or be a
// release that is paid for.
func (s Scale) Count(t *table.Table, grade func(table.Record) int) []int64 {
	cells := make([]int64, s.Cells())
	cells[len(cells)-1] = t.Nulls()
	var record table.Record
	for i := range t.Len() {
		record = t.Record(i, record)
		at := 2 * s.Place(grade(record))
		if !t.Label(i) {
			at++
		}
		cells[at] += t.Count(i)
	}
	return cells
}

// check returns what is wrong with a scale that was read.
func (s Scale) check() error {
	n := len(s.Grades)
	if n == 0 || n > MostGrades {
		return fmt.Errorf("there are %d grades, outside 1..%d", n, MostGrades)
	}
	for i, g := range s.Grades {
		switch {
		case g.Least > g.Most:
			return fmt.Errorf("grade %d ends before it begins", i+1)
		case i > 0 && g.Least <= s.Grades[i-1].Most:
			return fmt.Errorf("grade %d begins before the one before it ends", i+1)
		case i > 0 && s.Ordered() && s.Grades[i-1].Predicted && !g.Predicted:
			return fmt.Errorf("grade %d predicts 0 above one that predicts 1", i+1)
		}
	}
	switch s.Kind {
	case Total:
		return nil
	case Prediction:
		if !s.Equal(Predictions()) {
			return fmt.Errorf("the grades of a prediction are 0 and 1")
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
