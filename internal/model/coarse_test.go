package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// fineSchema returns a schema whose attributes have more tests than trees support. The first one has n cuts 1000, 1010, ….
func fineSchema(t testing.TB, n int) *table.Schema {
	t.Helper()
	var cuts []string
	for i := range n {
		cuts = append(cuts, fmt.Sprint(1000+10*i))
	}
	return tabletest.Schema(t, fmt.Sprintf(`
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "gain"
cuts = [%s]
other = "missing"
[[attribute]]
column = "job"
values = ["a", "b", "c"]
[[attribute]]
column = "age"
cuts = [25, 37.55]
`, strings.Join(cuts, ", ")))
}

// The trees of a schema with too many cuts are those of the schema with coarse cuts, and have the same costs.
func TestCoarseTrees(t *testing.T) {
	s := fineSchema(t, 900)
	space, err := DecisionTree{Depth: 2}.Over(s)
	if err != nil {
		t.Fatal(err)
	}
	coarse := coarsen(s)
	if n := len(coarse.Attributes[0].Cuts); n != 90 || !slices.Equal(coarse.Attributes[2].Cuts, s.Attributes[2].Cuts) {
		t.Fatalf("%d coarse cuts, and %v of age", n, coarse.Attributes[2].Cuts)
	}
	want, err := dectree.New(treeAttributes(coarse), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var fine, merged class.Listed[table.Record]
	for range 200 {
		x := table.Record{uint16(r.IntN(902)), uint16(r.IntN(3)), uint16(r.IntN(3))}
		of := x[0] // 0 below 1000; ten intervals of 10 for each of 100; missing
		switch {
		case of == 901:
			of = 91
		case of > 0:
			of = (of-1)/10 + 1
		}
		costs := []int64{int64(r.IntN(5)), int64(r.IntN(5))}
		if of > 40 {
			costs[0] += 10
		}
		fine = append(fine, class.Charged[table.Record]{X: x, Costs: costs})
		merged = append(merged, class.Charged[table.Record]{X: table.Record{of, x[1], x[2]}, Costs: costs})
	}
	c := space.Sampling().Tractable
	h, cost, err := c.Least(context.Background(), fine)
	if err != nil {
		t.Fatal(err)
	}
	tree, least, err := want.Least(context.Background(), merged)
	if err != nil {
		t.Fatal(err)
	}
	if cost != least || space.check(h) != nil {
		t.Errorf("cost %d, want %d", cost, least)
	}
	if err := c.Verify(context.Background(), fine, h, cost, nil); err != nil {
		t.Error(err)
	}
	of := space.(trees)
	body := of.tree(h.(*dectree.Tree))
	if read, err := of.hypothesis(body); err != nil || read.String() != tree.String() || h.(*dectree.Tree).String() != tree.String() {
		t.Errorf("read as %v, sampled %v, want %v (%v)", read, h, tree, err)
	}
	for i, record := range fine {
		at := body
		for !at.Leaf() {
			if slices.Contains(at.If.Accepts, record.X[at.If.Attribute]) {
				at = at.Yes
			} else {
				at = at.No
			}
		}
		if want := want.Predict(tree, merged[i].X); c.Predict(h, record.X) != want || at.Predict != want {
			t.Errorf("record %v: predicts %d and %d, want %d", record.X, c.Predict(h, record.X), at.Predict, want)
		}
	}
}

// Cuts are left out only if there are too many tests, and only those of more than two significant digits.
func TestCoarsen(t *testing.T) {
	if s := fineSchema(t, 400); coarsen(s) != s || merged(s, coarsen(s)) != nil {
		t.Error("cuts are left out although there are few tests")
	}
	if _, err := (DecisionTree{Depth: 2}).Over(fineSchema(t, 9000)); err != nil {
		t.Errorf("with 9000 cuts: %v", err)
	}
}

// If a schema has too many tests for trees, the error names the attribute with the most tests.
func TestTooManyTests(t *testing.T) {
	var codes []string
	for i := range 1100 {
		codes = append(codes, fmt.Sprintf("%q", fmt.Sprint("S", i)))
	}
	s := tabletest.Schema(t, fmt.Sprintf(`
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "age"
cuts = [40, 60]
[[attribute]]
column = "school"
values = [%s]
`, strings.Join(codes, ", ")))
	const want = `invalid class: the attributes have 1103 tests, 1100 of them of "school", but trees support at most 1024; group its categories, or leave it out`
	if _, err := (DecisionTree{Depth: 2}).Over(s); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
