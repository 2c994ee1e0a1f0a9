package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Generated tables are deterministic, and have the shape and the label rule of their name.
func TestGenerate(t *testing.T) {
	for _, rule := range LabelRules() {
		name := rule + ":12x4:2000:7"
		s := generate(t, name)
		if again, err := Generate(name); err != nil || fmt.Sprint(learn.Examples(again.Rows)) != fmt.Sprint(learn.Examples(s.Rows)) {
			t.Errorf("%s: two generations with the same seed differ (error %v)", name, err)
		}
		if len(s.Schema.Attributes) != 12 || s.Rows.Rows() != 2000 || s.Schema.Attributes[0].Len() != 4 || s.Schema.Attributes[1].Len() != 4 {
			t.Errorf("%s: the table has the wrong shape", name)
		}
		positive := int64(0)
		for _, e := range learn.Examples(s.Rows) {
			if e.Label {
				positive += e.Count
			}
		}
		least, most := int64(200), int64(1800)
		switch rule {
		case "constant":
			least, most = 2000, 2000
		case "rare":
			least, most = 10, 200
		}
		if positive < least || positive > most {
			t.Errorf("%s has %d rows with a positive label", name, positive)
		}
	}
	wide, err := Generate("card:3x1000:10")
	if err != nil || wide.Schema.Attributes[0].Len() != 1000 || wide.Schema.Attributes[1].Len() != 4 || wide.Rows.Rows() != 10 {
		t.Errorf("the wide table has the wrong shape (error %v)", err)
	}
	for _, name := range []string{"", "tree", "tree:1x2:5", "tree:201x2:5", "tree:2x1:5", "tree:2x65536:5", "forest:2x2:5", "tree:2x2:5000001", "tree:2x2:99999999999999999999", "tree:2x2:5:1:1"} {
		if _, err := Generate(name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A split is determined by its seed. Each row is either a training row or a test row, and 70% are training rows unless fewer are
// requested.
func TestSplit(t *testing.T) {
	s := generate(t, "noise:3x2:1000:1")
	train, test := split(s, 1, 0)
	if train.Rows() != 700 || test.Rows() != 300 {
		t.Errorf("wrong split: %d training and %d test rows", train.Rows(), test.Rows())
	}
	counts := map[string]int64{}
	for _, of := range []*table.Table{train, test} {
		for _, e := range learn.Examples(of) {
			counts[fmt.Sprint(e.X, e.Label)] += e.Count
		}
	}
	for _, e := range learn.Examples(s.Rows) {
		if counts[fmt.Sprint(e.X, e.Label)] != e.Count {
			t.Errorf("record %v occurs %d times; want %d", e.X, counts[fmt.Sprint(e.X, e.Label)], e.Count)
		}
	}
	if few, others := split(s, 1, 100); few.Rows() != 100 || others.Rows() != 900 {
		t.Errorf("wrong split for at most 100 training rows: %d training and %d test rows", few.Rows(), others.Rows())
	}
	again, _ := split(s, 1, 0)
	other, _ := split(s, 2, 0)
	if fmt.Sprint(learn.Examples(again)) != fmt.Sprint(learn.Examples(train)) || fmt.Sprint(learn.Examples(other)) == fmt.Sprint(learn.Examples(train)) {
		t.Error("splits with the same seed differ, or splits with different seeds are equal")
	}
}

// Accuracy and area agree with values that were computed by hand. In the area a tie counts half.
func TestScore(t *testing.T) {
	s := generate(t, "noise:2x2:0")
	m := &model.Model{Schema: s.Schema, Form: model.Additive{Kind: model.NaiveBayes, Scale: 1}, Hypothesis: learn.Points{Points: [][]int{{0, 2}, {-1, 1}}}}
	rows := func(all ...[4]int) *table.Table {
		b := table.NewBuilder(s.Schema.Sizes())
		for _, r := range all {
			if err := b.Add(table.Record{uint16(r[0]), uint16(r[1])}, r[2] == 1, int64(r[3])); err != nil {
				t.Fatal(err)
			}
		}
		return b.Table()
	}
	for _, c := range []struct {
		rows           *table.Table
		accuracy, area float64
	}{
		// Totals -1, 1, 1, 3 of which the last three are predicted positive.
		{rows([4]int{0, 0, 0, 2}, [4]int{0, 1, 0, 1}, [4]int{1, 0, 1, 1}, [4]int{1, 1, 1, 1}), 4. / 5, (2.5 + 3) / 6},
		{rows([4]int{0, 0, 1, 1}, [4]int{1, 1, 0, 1}), 0, 0},
		{rows([4]int{1, 1, 1, 3}), 1, 0.5},
	} {
		got, err := tested(m, c.rows)
		if err != nil || math.Abs(got.accuracy-c.accuracy) > 1e-12 || math.Abs(got.area-c.area) > 1e-12 {
			t.Errorf("score %v; want %v, %v (error %v)", got, c.accuracy, c.area, err)
		}
	}
}

func generate(t *testing.T, name string) *Sample {
	t.Helper()
	s, err := Generate(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each method is tested on each table at each ε. The result of an unsupported method states the reason. For an empty
// table, the result has times but no accuracy.
func TestTables(t *testing.T) {
	var all []Trials
	p := &Tables{
		Runs:    Runs{Epsilons: []privacy.Decimal{decimal("1"), decimal("3")}, Relation: privacy.AddRemove, Draws: 3, Limit: time.Minute},
		Methods: []string{Chosen, "tree --depth 2", "logistic"}, Tell: func(t Trials) { all = append(all, t) },
	}
	for _, name := range []string{"xor:12x2:400:1", "tree:3x2:0:1"} {
		if err := p.On(t.Context(), generate(t, name)); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) != 2*2*3 {
		t.Fatalf("%d results", len(all))
	}
	for _, one := range all {
		switch {
		case one.Method == "logistic":
			if one.Draws != 0 || !strings.Contains(one.Left, "needs a --delta") {
				t.Errorf("%v", one)
			}
		case one.Draws != 3 || one.Left != "" || one.Slowest < one.Seconds || one.Bytes == 0:
			t.Errorf("%v", one)
		case (one.Rows == 0) != (one.Accuracy == nil):
			t.Errorf("%v", one)
		case one.Rows > 0 && *one.Accuracy < 0.75:
			t.Errorf("%v has the accuracy %v", one.Method, *one.Accuracy)
		case (one.Method == Chosen) != (one.Class != ""):
			t.Errorf("%v", one)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := p.On(stopped, generate(t, "tree:3x2:10")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returned the error %v", err)
	}
}

// A release that exceeds the time limit is cancelled, and its method is not run again.
func TestTablesLimit(t *testing.T) {
	var all []Trials
	p := &Tables{
		Runs:    Runs{Epsilons: []privacy.Decimal{decimal("1")}, Relation: privacy.ReplaceOne, Draws: 2, Limit: time.Nanosecond},
		Methods: []string{"scorecard", "naive-bayes"}, Tell: func(t Trials) { all = append(all, t) },
	}
	if err := p.On(t.Context(), generate(t, "xor:12x2:400:1")); err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Left != errLimit.Error() || all[0].Draws != 0 || all[0].Accuracy != nil {
		t.Errorf("%v", all)
	}
}
