package learn_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/table"
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
		tree, err := learn.NewGibbs[table.Record](trees, learntest.Decimal(t, "0.5"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(c.outcomes))
		if err != nil {
			t.Fatal(err)
		}
		counts, err := learn.NewNaiveBayes([]int{2}, learntest.Pure(t, "0.25", c.relation), 10)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewRankedTrees(tree, counts)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		case err != nil:
			t.Error(err)
		default:
			if s, err := privacy.State(m.Guarantee()); err != nil || s.Epsilon != learntest.Decimal(t, "0.75") {
				t.Errorf("the guarantee is %v, %v", s, err)
			}
		}
	}
}
