package audit_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Naive Bayes satisfies its budget: the points are a function of noisy counts.
func TestLearnNaiveBayes(t *testing.T) {
	kinds := audittest.Examples{{X: []uint16{0}}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, "4"))
		if err != nil {
			t.Fatal(err)
		}
		bayes, err := learn.NewNaiveBayes([]int{2}, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := audit.WorldOf(r, len(kinds), 1, func(counts []int64) table.Counts {
			b := table.NewBuilder([]int{2})
			for i, n := range counts {
				if err := b.Add(kinds[i].X, kinds[i].Label, n); err != nil {
					t.Fatal(err)
				}
			}
			return b.Table()
		})
		o := audit.InFull(1e-8, 1e-13)
		report, err := audit.CheckMechanism(bayes, func(p learn.Points) string {
			return fmt.Sprint(p.Predict([]uint16{0}), p.Predict([]uint16{1}))
		}, w, o)
		if err != nil {
			t.Fatal(err)
		}
		audit.Judge(t, audit.Holds, report, o)
	}
}
