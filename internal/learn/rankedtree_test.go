package learn_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A ranked tree needs trees that predict two outcomes, and two mechanisms with the same neighbour relation. Its
// guarantee is the sum of their guarantees.
func TestRankedTrees(t *testing.T) {
	for _, c := range []struct {
		outcomes int
		relation privacy.Relation // of the counts
		want     string
	}{
		{2, privacy.ReplaceOne, ""},
		{3, privacy.ReplaceOne, "the class predicts 3"},
		{2, privacy.AddRemove, "under the relation"},
	} {
		trees, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, c.outcomes)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := learn.NewGibbs[table.Record](trees, privacytest.Decimal(t, "0.5"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(c.outcomes))
		if err != nil {
			t.Fatal(err)
		}
		counts, err := learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "0.25", c.relation), 10)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewRankedTrees(tree, counts, []bool{false})
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		case err != nil:
			t.Error(err)
		default:
			if s, err := privacy.State(m.Guarantee()); err != nil || s.Epsilon != privacytest.Decimal(t, "0.75") {
				t.Errorf("the guarantee is %v, %v", s, err)
			}
		}
	}
}

// With little noise, the tree is the best one, and the points are the log-odds that a category adds, times the scale.
func TestRankedTreesWithLittleNoise(t *testing.T) {
	b := table.NewBuilder([]int{2, 2})
	for _, x := range []table.Record{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		rows := []int64{4000, 1000} // with label 0 and 1
		if x[0] == 1 {
			rows = []int64{1000, 4000}
		}
		for y, n := range rows {
			if err := b.Add(x, y == 1, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	trees, err := dectree.New([]dectree.Attribute{{Categories: 2}, {Categories: 2}}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := learn.NewGibbs[table.Record](trees, privacytest.Decimal(t, "100"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2))
	if err != nil {
		t.Fatal(err)
	}
	counts, err := learn.NewNaiveBayes([]int{2, 2}, privacytest.Pure(t, "100", privacy.ReplaceOne), 10)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewRankedTrees(tree, counts, []bool{false, true})
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.Release(t.Context(), b.Table(), noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	for y := range 2 {
		if got := trees.Predict(h.Tree, table.Record{uint16(y), 0}); got != y {
			t.Errorf("the tree predicts %d for category %d", got, y)
		}
	}
	if want := [][]int{{-14, 14}, {0, 0}}; !reflect.DeepEqual(h.Points, want) { // 10·ln 4 is 13.9
		t.Errorf("the points are %v, not %v", h.Points, want)
	}
}
