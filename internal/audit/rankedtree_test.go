package audit_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The tree and the points together satisfy the sum of the two ε. They violate a guarantee that counts only the ε of
// the tree.
func TestLearnRankedTrees(t *testing.T) {
	kinds := audittest.Examples{{X: []uint16{0}}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}}
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		tree, err := learn.NewGibbs[table.Record](trees, privacytest.Decimal(t, "1"), r, learn.ZeroOne.CostMatrix(2))
		if err != nil {
			t.Fatal(err)
		}
		counts, err := learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "3", r), 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewRankedTrees(tree, counts, []bool{false})
		if err != nil {
			t.Fatal(err)
		}
		w := audit.WorldOf(r, len(kinds), 1, func(counts []int64) *table.Table {
			b := table.NewBuilder([]int{2})
			for i, n := range counts {
				if err := b.Add(kinds[i].X, kinds[i].Label, n); err != nil {
					t.Fatal(err)
				}
			}
			return b.Table()
		})
		o := audit.InFull(1e-8, 1e-13)
		check := func(want audit.Verdict, m privacy.Mechanism[*table.Table, learn.RankedTree[*dectree.Tree]]) {
			t.Helper()
			report, err := audit.CheckMechanism(m, func(h learn.RankedTree[*dectree.Tree]) string {
				return fmt.Sprint(trees.Predict(h.Tree, []uint16{0}), trees.Predict(h.Tree, []uint16{1}), h.Points[0][0] < h.Points[0][1])
			}, w, o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, want, report, o)
		}
		check(audit.Verdict{Least: 0.5, Most: 1}, m)
		check(audit.Verdict{Least: 1.5, Most: 4}, promising{m, tree.Guarantee()})
	}
}

// promising is a mechanism that states another guarantee than its own.
type promising struct {
	*learn.RankedTrees[*dectree.Tree]
	of privacy.Guarantee
}

func (p promising) Guarantee() privacy.Guarantee { return p.of }
