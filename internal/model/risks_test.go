package model

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// The grade of every record is on the scale, and the scale predicts the same as the model for this
// grade. If grades are totals, they equal the totals that the card shows. No hypothesis has more
// grades than its space states.
func TestGrades(t *testing.T) {
	schema := tabletest.Schema(t, `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "a"
cuts = [1, 2]
[[attribute]]
column = "b"
values = ["x", "y"]
[[attribute]]
column = "c"
values = ["p", "q"]
`)
	r := rand.New(rand.NewPCG(1, 2))
	folded := false
	for _, f := range []Form{
		Scorecard{Points: Points{-1, 2}, Threshold: 2},
		Scorecard{Points: Points{-40, 40}, Threshold: 1},
		Scorecard{Points: Points{-1, 1}, Threshold: 1, Most: 2},
		Halfspace{Weights: Points{-2, 2}, Threshold: 1},
		DecisionList{Rules: 2, Width: 1},
		Conjunction{},
		UnionOf([]Form{Conjunction{}, Scorecard{Points: Points{-1, 1}, Threshold: 0}}),
	} {
		space, err := f.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		_, most := space.MostGrades()
		seen := 0
		for h := range space.Sampling().Class.(class.Enumerable[table.Record, any]).All() {
			if seen > 0 && r.IntN(40) > 0 {
				continue
			}
			if seen++; seen > 60 {
				break
			}
			m := &Model{Schema: schema, Form: f, Space: space, Hypothesis: h}
			grading, err := m.Grades()
			if err != nil {
				t.Fatal(err)
			}
			scale, grade := grading.Scale, grading.Of
			predict, err := m.Outcome()
			if err != nil {
				t.Fatal(err)
			}
			if len(scale.Grades) > most {
				t.Fatalf("%s: %d grades, at most %d were said", f.Name(), len(scale.Grades), most)
			}
			card := m.Sheet().Card
			for a := range uint16(3) {
				for b := range uint16(4) {
					record := table.Record{a, b & 1, b >> 1}
					v := grade(record)
					g := scale.Grades[scale.Place(v)]
					if v < g.Least || v > g.Most || g.Predicted != predict(record) {
						t.Fatalf("%s %v: %v has grade %d, which is placed in %+v, and is predicted %v", f.Name(), h, record, v, g, predict(record))
					}
				}
			}
			if scale.Kind != risk.Total {
				continue
			}
			folded = folded || len(card.Folded) > 0
			if shown := card.Totals; len(scale.Grades) == len(shown) {
				for i, total := range shown {
					if scale.Grades[i].Least != total.Total {
						t.Fatalf("%s %v: grade %d is %+v, the card shows %d", f.Name(), h, i, scale.Grades[i], total.Total)
					}
				}
			} else if len(shown) <= risk.MostGrades {
				t.Fatalf("%d grades, %d totals", len(scale.Grades), len(shown))
			}
		}
		if seen == 0 {
			t.Errorf("%s: none was tried", f.Name())
		}
	}
	if !folded {
		t.Error("no card was folded")
	}
}
