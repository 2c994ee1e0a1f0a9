package audit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An evaluation counts the rows of each prediction and label and the null rows, and releases noisy
// counts, truncated to a few values so that none is rare.
type evaluation struct {
	promised privacy.Guarantee
	kept     *learn.Histogram
	shape    func(cells []int64) []int64 // computes the released counts from the cells
	tell     func(rows int64) string     // an additional released text, or nil
}

func (m evaluation) Guarantee() privacy.Guarantee { return m.promised }

func (m evaluation) Release(ctx context.Context, d *table.Table, c noise.Coins) (string, error) {
	counts := risk.Predictions(2).Count(d, func(x table.Record) int { return int(x[0]) })
	if m.shape != nil {
		counts = m.shape(counts)
	}
	noisy, err := m.kept.Release(ctx, counts, c)
	if err != nil {
		return "", err
	}
	text := ""
	for _, a := range noisy {
		text += fmt.Sprint(min(max(a.Int64(), 0), 1), " ")
	}
	if m.tell != nil {
		text += m.tell(d.Rows())
	}
	return text, nil
}

// evaluations returns the world of the empty table and the tables of one row: a record of either
// code and label, or null.
func evaluations(t *testing.T, r privacy.Relation) audit.World[*table.Table] {
	return audit.WorldOf(r, 5, 1, func(counts []int64) *table.Table {
		b := table.NewBuilder([]int{2})
		for kind, n := range counts {
			var err error
			if kind == 4 {
				err = b.AddNull(n)
			} else {
				err = b.Add([]uint16{uint16(kind & 1)}, kind < 2, n)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return b.Table()
	})
}

// The histogram of predictions and labels attains its ε under both relations. Refuted are noise for
// add-remove under replace-one, overlapping cells, and the exact number of rows under add-remove.
func TestLearnHistogram(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	mechanism := func(cells int, epsilon string, r privacy.Relation) *learn.Histogram {
		m, err := learn.NewHistogram(cells, privacytest.Decimal(t, epsilon), r)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	promise := func(epsilon string, r privacy.Relation) privacy.Guarantee {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	// Counts of wrong and correct predictions and of rows outside.
	three := func(o []int64) []int64 { return []int64{o[0] + o[3], o[1] + o[2], o[4]} }
	// A misclassified row also counts as outside.
	twice := func(o []int64) []int64 {
		o = three(o)
		o[2] += o[0]
		return o
	}
	rows := func(n int64) string { return fmt.Sprint(n) }
	attained := audit.Verdict{0.999999, 1 + 1e-6}
	near := audit.Verdict{0.99, 1.01}
	refuted := audit.Verdict{1.5, 1e9}
	laws := audit.NewSamplerLaws()
	fine, coarse := audit.Options{Floor: heavy.Pick(1e-7, 1e-12), Recheck: audit.Rechecks, Laws: laws}, audit.Options{Floor: heavy.Pick(1e-5, 1e-8), Recheck: audit.Rechecks, Laws: laws}
	for _, v := range []struct {
		name string
		m    evaluation
		o    audit.Options
		want audit.Verdict
	}{
		{"replace", evaluation{promise("3", replace), mechanism(3, "3", replace), three, nil}, fine, attained},
		{"add-remove", evaluation{promise("2", addRemove), mechanism(3, "2", addRemove), three, nil}, fine, attained},
		{"all cells, replace", evaluation{promise("4", replace), mechanism(5, "4", replace), nil, nil}, coarse, near},
		{"all cells, add-remove", evaluation{promise("2", addRemove), mechanism(5, "2", addRemove), nil, nil}, coarse, near},
		{"rows told, replace", evaluation{promise("3", replace), mechanism(3, "3", replace), three, rows}, fine, attained},
		{"rows told, add-remove", evaluation{promise("2", addRemove), mechanism(3, "2", addRemove), three, rows}, fine, refuted},
		{"add-remove's noise under replace", evaluation{promise("2", replace), mechanism(3, "2", addRemove), three, nil}, fine, audit.Verdict{1.999, 2.001}},
		{"cells that overlap", evaluation{promise("2", addRemove), mechanism(3, "2", addRemove), twice, nil}, fine, audit.Verdict{1.999, 2.001}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(v.m, func(s string) string { return s }, evaluations(t, v.m.promised.Relation()), v.o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, v.o)
		})
	}
}
