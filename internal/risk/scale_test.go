package risk_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// totals visits the total of every record.
func totals(start int, points [][]int, visit func(int)) {
	if len(points) == 0 {
		visit(start)
		return
	}
	for _, p := range points[0] {
		totals(start+p, points[1:], visit)
	}
}

// Every possible total is a grade of its own, in increasing order, if there are at most MostGrades.
// Otherwise grades have equal width, and one begins at the threshold.
func TestTotals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shared := 0
	for range 500 {
		start, threshold := r.IntN(9)-4, r.IntN(60)-30
		spread := []int{1, 3, 40, 3000}[r.IntN(4)]
		points := make([][]int, 1+r.IntN(4))
		for j := range points {
			points[j] = make([]int, 1+r.IntN(5))
			for c := range points[j] {
				points[j][c] = r.IntN(2*spread+1) - spread
			}
		}
		if r.IntN(3) == 0 {
			threshold *= spread
		}
		var possible []int
		totals(start, points, func(v int) { possible = append(possible, v) })
		slices.Sort(possible)
		possible = slices.Compact(possible)
		s := risk.Totals(start, points, threshold)
		if len(s.Grades) > risk.MostGrades {
			t.Fatalf("%d grades", len(s.Grades))
		}
		if own := len(possible) <= risk.MostGrades; own != (len(s.Grades) == len(possible) && s.Grades[0].Least == s.Grades[0].Most) && own {
			t.Fatalf("%d totals have %d grades", len(possible), len(s.Grades))
		} else if !own {
			shared++
			widths := map[int]bool{}
			for i := 1; i < len(s.Grades)-1; i++ {
				widths[s.Grades[i].Most-s.Grades[i].Least] = true
				if s.Grades[i].Least != s.Grades[i-1].Most+1 {
					t.Fatalf("%v: a gap", s.Grades)
				}
			}
			if len(widths) != 1 || 2*len(s.Grades) < risk.MostGrades {
				t.Fatalf("%v: %d grades of %d widths", s.Grades, len(s.Grades), len(widths))
			}
		}
		for _, v := range possible {
			g := s.Grades[s.Place(v)]
			if v < g.Least || v > g.Most || (g.Predicted == 1) != (v >= threshold) {
				t.Fatalf("%d with the threshold %d is in %+v", v, threshold, g)
			}
		}
		if s.Grades[0].Least != possible[0] || s.Grades[len(s.Grades)-1].Most != possible[len(possible)-1] {
			t.Fatalf("grades from %d to %d, totals from %d to %d", s.Grades[0].Least, s.Grades[len(s.Grades)-1].Most, possible[0], possible[len(possible)-1])
		}
	}
	if shared < 20 {
		t.Errorf("totals shared grades in %d cases", shared)
	}
	far := risk.Totals(0, [][]int{{-1 << 28, 1 << 28}, {0, 1, 2}, make([]int, 3), {-5, 5}, {7, 70, 700, 7000}, {1, 11, 111}}, 1)
	if n := len(far.Grades); n < risk.MostGrades/2 || n > risk.MostGrades {
		t.Errorf("%d grades", n)
	}
}

// Every value has a grade, also values between or beyond the totals.
func TestPlace(t *testing.T) {
	s := risk.Scale{Kind: risk.Total, Grades: []risk.Grade{{Least: -4, Most: -4}, {Least: 0, Most: 2}, {Least: 5, Most: 9, Predicted: 1}}}
	for v, want := range map[int]int{math.MinInt: 0, -5: 0, -4: 0, -1: 0, 0: 1, 2: 1, 4: 1, 5: 2, 9: 2, math.MaxInt: 2} {
		if got := s.Place(v); got != want {
			t.Errorf("%d: %d, want %d", v, got, want)
		}
	}
}

// Each row is in exactly one cell, also null rows.
func TestCount(t *testing.T) {
	b := table.NewBuilder([]int{3})
	for _, row := range []struct {
		code  uint16
		label bool
		count int64
	}{{0, true, 7}, {0, false, 5}, {1, false, 3}, {2, true, 2}, {2, false, 1}} {
		if err := b.Add([]uint16{row.code}, row.label, row.count); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(11); err != nil {
		t.Fatal(err)
	}
	points := []int{-1, -1, 4}
	s := risk.Totals(0, [][]int{points}, 1)
	got := s.Count(b.Table(), func(x table.Record) int { return points[x[0]] })
	if want := []int64{7, 8, 2, 1, 11}; !slices.Equal(got, want) || s.Cells() != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Counting the grades of totals agrees with grading each record, and queries only the attributes
// that have points.
func TestGradingOfTotals(t *testing.T) {
	b := table.NewBuilder([]int{3, 2, 2})
	for i := range 12 {
		if err := b.Add([]uint16{uint16(i % 3), uint16(i / 3 % 2), uint16(i / 6)}, i%5 < 2, int64(1+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(11); err != nil {
		t.Fatal(err)
	}
	d := b.Table()
	g := risk.GradingOf(rule.Points{Start: 2, Of: [][]int{{-1, 0, 1}, {0, 0}, {0, -3}}, Threshold: 1}, nil, 2)
	got, err := g.Count(t.Context(), tabletest.Scan{Table: d})
	if want := g.Scale.Count(d, g.Of); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if queries := g.Queries(3); !reflect.DeepEqual(queries, table.Queries{Columns: [][]int{{0, 2, 3}}}) {
		t.Errorf("queries %+v", queries)
	}
	records := risk.Grading{Scale: g.Scale, Of: g.Of}
	if got, err = records.Count(t.Context(), d); err != nil || !slices.Equal(got, g.Scale.Count(d, g.Of)) || !records.Queries(3).Records {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := records.Count(t.Context(), tabletest.Scan{Table: d}); !errors.Is(err, risk.ErrRecords) {
		t.Error(err)
	}
}

// A total includes the bonus. Counting the grades of such totals requires the records.
func TestGradingOfBonus(t *testing.T) {
	b := table.NewBuilder([]int{3, 2})
	for i := range 6 {
		if err := b.Add([]uint16{uint16(i % 3), uint16(i / 3)}, i%2 == 0, int64(1+i)); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Table()
	p := rule.Points{Start: -2, Of: [][]int{{-1, 0, 1}, nil}, If: rule.Any{rule.All{rule.Condition{Attribute: 1, Accepts: []uint16{1}}}}, Bonus: 4, Threshold: 1}
	g := risk.GradingOf(p, []int{3, 2}, 2)
	var grades []risk.Grade
	for i, total := range []int{-3, -2, -1, 1, 2, 3} {
		grades = append(grades, risk.Grade{Least: total, Most: total, Predicted: i / 3})
	}
	if want := (risk.Scale{Kind: risk.Total, Outcomes: 2, Grades: grades}); !g.Scale.Equal(want) {
		t.Errorf("%+v, want %+v", g.Scale, want)
	}
	// The builder adds record (i % 3, i / 3) 1 + i times, with outcome 1 if i is even; its grade is i.
	got, err := g.Count(t.Context(), d)
	if want := []int64{1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0, 6, 0}; err != nil || !slices.Equal(got, want) || !g.Queries(2).Records {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := g.Count(t.Context(), tabletest.Scan{Table: d}); !errors.Is(err, risk.ErrRecords) {
		t.Error(err)
	}
}

// The start of the totals and the threshold are independent parameters.
func TestGradingOfTotalsStart(t *testing.T) {
	b := table.NewBuilder([]int{3, 2})
	for i := range 6 {
		if err := b.Add([]uint16{uint16(i % 3), uint16(i / 3)}, i%2 == 0, int64(1+i)); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Table()
	points := [][]int{{-1, 0, 2}, {0, 5}}
	for start := -3; start <= 3; start++ {
		for threshold := -3; threshold <= 6; threshold++ {
			g := risk.GradingOf(rule.Points{Start: start, Of: points, Threshold: threshold}, nil, 2)
			if want := risk.Totals(start, points, threshold); !g.Scale.Equal(want) {
				t.Fatalf("%+v, want %+v", g.Scale, want)
			}
			got, err := g.Count(t.Context(), tabletest.Scan{Table: d})
			want := g.Scale.Count(d, func(x table.Record) int { return start + points[0][x[0]] + points[1][x[1]] })
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v, %v, want %v", got, err, want)
			}
		}
	}
}

// Counting the grades of conjunctions agrees with grading each record, for data that provides
// table.Counts only. It queries only the columns of the terms and the label, and does not modify
// its arguments or memory beyond them.
func TestGradeLeaves(t *testing.T) {
	for _, outcomes := range []int{2, 4} {
		b := table.NewBuilderOf([]int{3, 2, 4}, outcomes)
		for i := range 24 {
			x := []uint16{uint16(i % 3), uint16(i / 3 % 2), uint16(i / 6)}
			for o := range outcomes {
				if x[0] == 2 && x[2] >= 2 {
					continue // no leaf contains it
				}
				if err := b.AddOutcome(x, o, int64(1+i*i*(o+1))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := b.AddNull(11); err != nil {
			t.Fatal(err)
		}
		d := b.Table()
		beyond := table.Axis{Column: 1, Size: 2}
		axes := []table.Axis{{Column: 2, Cells: []uint16{0, 0, 1, 1}, Size: 2}, {Column: 0, Size: 3}, {Column: 2, Cells: []uint16{0, 1, 0, 1}, Size: 2}, beyond}
		spare := table.Term{Axis: 1, Cell: 2}
		terms := []table.Term{{Axis: 0, Cell: 0}, {Axis: 2, Cell: 1}, {Axis: 0, Cell: 0}, {Axis: 2, Cell: 0}, spare}
		g := risk.Grading{
			Scale: leavesOf(t, outcomes, 1, 0, 1, 0), Axes: axes[:3],
			Leaves: [][]table.Term{{{Axis: 0, Cell: 1}, {Axis: 1, Cell: 0}}, terms[0:2], terms[2:4], {{Axis: 0, Cell: 1}, {Axis: 1, Cell: 1}}},
			Of: func(x table.Record) int {
				switch {
				case x[2] < 2 && x[2]%2 == 1:
					return 2
				case x[2] < 2:
					return 3
				case x[0] == 0:
					return 1
				}
				return 4
			},
		}
		got, err := g.Count(t.Context(), tabletest.Scan{Table: d})
		if want := g.Scale.Count(d, g.Of); err != nil || !slices.Equal(got, want) || len(got) != 4*outcomes+1 || got[len(got)-1] != 11 {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		if terms[4] != spare || !reflect.DeepEqual(axes[3], beyond) {
			t.Errorf("changed what is not its own: %+v, %+v", terms[4], axes[3])
		}
		if queries := g.Queries(3); !reflect.DeepEqual(queries, table.Queries{Columns: [][]int{{0, 2, 3}, {2, 3}, {2, 3}, {0, 2, 3}}}) {
			t.Errorf("queries %+v", queries)
		}
		whole := risk.Grading{Scale: leavesOf(t, outcomes, 1), Axes: nil, Leaves: [][]table.Term{{}}, Of: func(table.Record) int { return 1 }}
		got, err = whole.Count(t.Context(), tabletest.Scan{Table: d})
		if want := whole.Scale.Count(d, whole.Of); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}

// The grade of a record under lists and trees is the index that the rule gives, and counting grades
// agrees with grading each record. Repeated conditions of a tree share their axes.
func TestGradingOfListsAndTrees(t *testing.T) {
	sizes := []int{3, 2, 4}
	r := rand.New(rand.NewPCG(5, 6))
	pool := []rule.Condition{
		{Attribute: 0, Accepts: []uint16{0, 2}}, {Attribute: 1, Accepts: []uint16{1}},
		{Attribute: 2, Accepts: []uint16{1, 2}}, {Attribute: 2, Accepts: []uint16{3}},
	}
	for trial := range 60 {
		outcomes := 2 + 2*(trial%2)
		b := table.NewBuilderOf(sizes, outcomes)
		for i := range 24 {
			x := []uint16{uint16(i % 3), uint16(i / 3 % 2), uint16(i / 6)}
			if err := b.AddOutcome(x, r.IntN(outcomes), int64(1+i)); err != nil {
				t.Fatal(err)
			}
		}
		d := b.Table()

		tree, leaves := &rule.Tree{Predict: r.IntN(outcomes)}, 1
		for range r.IntN(14) {
			at := tree.Leaves()[r.IntN(leaves)]
			leaves++
			*at = rule.Tree{If: pool[r.IntN(len(pool))], Yes: &rule.Tree{Predict: r.IntN(outcomes)}, No: &rule.Tree{Predict: r.IntN(outcomes)}}
		}
		for i, leaf := range tree.Leaves() {
			leaf.Number = i + 1
		}
		bodies := []rule.Body{tree}
		if outcomes == 2 {
			list := rule.List{Otherwise: r.IntN(2)}
			for range r.IntN(4) {
				list.Steps = append(list.Steps, rule.Step{If: []rule.Condition{pool[r.IntN(len(pool))]}, Predict: r.IntN(2)})
			}
			bodies = append(bodies, list)
		}
		for _, body := range bodies {
			g := risk.GradingOf(body, sizes, outcomes)
			own := func(x table.Record) int {
				grade := body.Grade(x)
				if list, ok := body.(rule.List); ok { // the scale numbers steps from 0, the default last
					grade = (grade + len(list.Steps)) % (len(list.Steps) + 1)
				}
				return grade
			}
			for i := range d.Len() {
				x := d.Record(i, nil)
				if grade := g.Of(x); grade != own(x) || g.Scale.Grades[g.Scale.Place(grade)].Predicted != body.Outcome(x) {
					t.Fatalf("%+v: record %v has grade %d, want %d", body, x, grade, own(x))
				}
			}
			var data table.Counts = d
			if body.Measure() == rule.Leaf {
				data = tabletest.Scan{Table: d} // provides table.Counts only
			}
			got, err := g.Count(t.Context(), data)
			if want := g.Scale.Count(d, own); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%+v: %v, %v, want %v", body, got, err, want)
			}
			seen := map[string]bool{}
			for _, a := range g.Axes {
				key := fmt.Sprint(a)
				if seen[key] || a.Size != 2 {
					t.Fatalf("%+v: axis %+v is there twice or has not two cells", body, a)
				}
				seen[key] = true
			}
		}
	}
}

func TestRules(t *testing.T) {
	s, err := risk.Rules([]bool{true, false, true})
	want := []risk.Grade{{Least: 0, Most: 0, Predicted: 1}, {Least: 1, Most: 1}, {Least: 2, Most: 2, Predicted: 1}}
	if err != nil || !reflect.DeepEqual(s.Grades, want) || s.Ordered() {
		t.Errorf("%+v, %v", s, err)
	}
	for _, n := range []int{0, risk.MostGrades + 1} {
		if _, err := risk.Rules(make([]bool, n)); err == nil || err.Error() != fmt.Sprintf("risk: the number of rules is %d; it must be 1 to 64", n) {
			t.Errorf("%d rules: %v", n, err)
		}
	}
}
