package audit_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A small descent has a distribution that can be enumerated. A row either has the label 0 and a one
// only in the constant column, or the label 1 and a one in every column.
type smallDescent struct {
	columns, steps int
	share          string
	clip           string // in steps of 1/6, in which residuals of 1/2 are 3
	most           int    // the maximum number of rows
	epsilon        string
}

// Each of the descents detects certain errors. With one column and a bound of 1, all values are -1, 0
// or 1, and an error in the dependence of steps is visible. With two columns, rows with two ones must
// be clipped more than rows with one, and each coordinate needs its own noise. A sampling rate other
// than 1/2 distinguishes a rate from its complement. With a small ε, the noise is that of the curve of
// continuous noise, so the exact δ is close to 0.03.
var descents = []smallDescent{
	{1, 1, "0.5", "0.17", 2, "1"},
	{1, 2, "0.5", "0.17", 2, "1"},
	{1, 1, "1", "0.17", 2, "1"},
	{1, 2, "1", "0.17", 2, "1"},
	{2, 1, "0.25", "0.5", 1, "1"},
	{2, 1, "1", "0.5", 1, "1"},
	{1, 1, "1", "0.17", 2, "0.2"},
	{1, 2, "1", "0.17", 2, "0.2"},
}

// world returns the world of all tables of the descent. Persons have one row, or one row of each kind.
func (s smallDescent) world(r privacy.Relation) audit.World[audittest.Examples] {
	kinds, units := 2, learn.Units(r)
	if r.Persons() > 1 {
		kinds++
	}
	return audit.NewWorld(r.OfPersons(0), kinds, s.most, func(counts []int64) (d audittest.Examples) {
		for i, n := range counts[:2] {
			n *= units
			if kinds > 2 {
				n += counts[2] * units / 2
			}
			if n == 0 {
				continue
			}
			x := make([]uint16, s.columns-1)
			for j := range x {
				x[j] = uint16(i)
			}
			d = append(d, learn.Example[[]uint16]{X: x, Label: i == 1, Count: n})
		}
		return d
	})
}

// delta encloses the greatest δ at ε, over all neighbours under r, of the descent calibrated to
// δ = 0.03 under the relation claimed. It also compares the curve with that of the descent's μ under claimed, and reports
// whether this μ is refuted.
func (s smallDescent) delta(t *testing.T, claimed, r privacy.Relation) (lo, hi float64, refuted bool) {
	t.Helper()
	sizes := make([]int, s.columns-1)
	for j := range sizes {
		sizes[j] = 2
	}
	f, err := convex.NewFeatures(convex.OneHot, sizes)
	if err != nil {
		t.Fatal(err)
	}
	o := convex.Descent{Share: privacytest.Decimal(t, s.share), Steps: s.steps, Clip: privacytest.Decimal(t, s.clip), Rate: 1, Batch: 1, Grid: 6}
	m, err := convex.NewDPSGD(f, o, privacytest.Decimal(t, s.epsilon), privacytest.Decimal(t, "0.03"), claimed)
	if err != nil {
		t.Fatal(err)
	}
	w := s.world(r)
	laws := make([]audit.Law[[2]float64], len(w.Tables))
	options := audit.InFull(1e-7, 1e-8)
	for i, d := range w.Tables {
		laws[i] = audit.LawOf(t, func(coins noise.Coins) (weights [2]float64) {
			l, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			copy(weights[:], l.Weights)
			return weights
		}, options)
	}
	epsilon, err := strconv.ParseFloat(s.epsilon, 64)
	if err != nil {
		t.Fatal(err)
	}
	gaussian, hasMu := m.Gaussian()
	for _, pair := range w.Pairs {
		a, b := audit.Excess(laws[pair[0]], laws[pair[1]], epsilon)
		lo, hi = max(lo, a), max(hi, b)
		refuted = refuted || hasMu && refutes(laws[pair[0]], laws[pair[1]], gaussian)
	}
	if refuted && claimed == r {
		t.Errorf("%+v, %v: the privacy curve is above that of μ² = %v", s, r, gaussian.Square())
	}
	t.Logf("%+v, %v as %v, σ² = %v: δ(ε) in [%.4g, %.4g]; has a μ: %v, refuted: %v", s, r, claimed, m.Sigma2(), lo, hi, hasMu, refuted)
	return lo, hi, refuted
}

// refutes reports whether the privacy curve of two laws is above that of g at some ε.
func refutes[T comparable](p, q audit.Law[T], g privacy.Guarantee) bool {
	for _, x := range []float64{0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6} {
		if lo, _ := audit.Excess(p, q, x); lo > g.Delta(x) {
			return true
		}
	}
	return false
}

// The exact distribution of the shipped descent on all tables of up to two rows satisfies its (ε,
// δ), under both relations, and also for persons if all rows are used. Calibrated for add-remove it is refuted under
// replace-one, unless the sampling rate is low. Calibrated for rows it is refuted for persons. Its μ is also valid, and
// some μ of another relation is refuted.
func TestConvexDPSGD(t *testing.T) {
	wrong := false
	for _, s := range descents {
		for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
			if _, hi, _ := s.delta(t, r, r); hi > 0.03 {
				t.Errorf("%+v, %v: δ(ε) up to %g", s, r, hi)
			}
		}
		if persons := privacy.AddRemove.OfPersons(2); s.share == "1" {
			for _, r := range []privacy.Relation{persons, privacy.ReplaceOne.OfPersons(2)} {
				if _, hi, _ := s.delta(t, r, r); hi > 0.03 {
					t.Errorf("%+v, %v: δ(1) up to %g", s, r, hi)
				}
			}
			lo, _, refuted := s.delta(t, privacy.AddRemove, persons)
			if lo <= 0.03 {
				t.Errorf("%+v: noise for rows is not refuted for persons: %g", s, lo)
			}
			wrong = wrong || refuted
		}
		if s.share == "0.25" {
			continue
		}
		lo, _, refuted := s.delta(t, privacy.AddRemove, privacy.ReplaceOne)
		if lo <= 0.03 {
			t.Errorf("%+v: add-remove's noise under replace-one is not refuted: %g", s, lo)
		}
		wrong = wrong || refuted
	}
	if !wrong {
		t.Error("no μ of another relation is refuted")
	}
}

// The exact distribution of the shipped tree with a descent satisfies its (ε, δ) on all tables of up to one row, under
// both relations. Calibrated for add-remove it is refuted under replace-one. The sample of the tree has nearly the ε of
// the whole, so a guarantee of the descent that ignored it would be refuted too. Its μ is valid, and that of add-remove
// is refuted under replace-one.
func TestConvexTreeDPSGD(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		if _, hi := treeDescentDelta(t, r, r); hi > 0.03 {
			t.Errorf("%v: δ(1) up to %g", r, hi)
		}
	}
	if lo, _ := treeDescentDelta(t, privacy.AddRemove, privacy.ReplaceOne); lo <= 0.03 {
		t.Errorf("add-remove's noise under replace-one is not refuted: %g", lo)
	}
}

// treeDescentDelta is like smallDescent.delta, for a tree over one attribute, followed by one step. All records are
// equal. The attribute has no column, because its second category does not occur, so the features are the constant and
// the prediction of the tree.
func treeDescentDelta(t *testing.T, claimed, r privacy.Relation) (lo, hi float64) {
	t.Helper()
	const treeEpsilon = "0.9"
	class := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	trees, err := learn.NewGibbs[[]uint16](class, privacytest.Decimal(t, treeEpsilon), claimed, learn.ZeroOne.CostMatrix(2))
	if err != nil {
		t.Fatal(err)
	}
	f, err := convex.NewFeatures(convex.Reference, convex.WithTree([]int{1}))
	if err != nil {
		t.Fatal(err)
	}
	o := convex.Descent{Share: privacytest.Decimal(t, "1"), Steps: 1, Clip: privacytest.Decimal(t, "0.34"), Rate: 1, Batch: 1, Grid: 6, Tree: privacytest.Decimal(t, treeEpsilon)}
	d, err := convex.NewDPSGD(f, o, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.03"), claimed)
	if err != nil {
		t.Fatal(err)
	}
	m, err := convex.NewTreeDPSGD(trees, d)
	if err != nil {
		t.Fatal(err)
	}
	w := audit.NewWorld(r, 2, 1, func(counts []int64) (d audittest.Examples) {
		for i, n := range counts {
			if n > 0 {
				d = append(d, learn.Example[[]uint16]{X: []uint16{0}, Label: i == 1, Count: n})
			}
		}
		return d
	})
	laws := make([]audit.Law[[3]float64], len(w.Tables))
	for i, table := range w.Tables {
		laws[i] = audit.LawOf(t, func(coins noise.Coins) (out [3]float64) {
			l, err := m.Release(context.Background(), table, coins)
			if err != nil {
				t.Fatal(err)
			}
			copy(out[:], l.Weights)
			out[2] = float64(class.Predict(l.Tree, []uint16{0}))
			return out
		}, audit.InFull(1e-6, 1e-8))
	}
	gaussian, ok := d.Gaussian()
	refuted := false
	for _, pair := range w.Pairs {
		a, b := audit.Excess(laws[pair[0]], laws[pair[1]], 1)
		lo, hi = max(lo, a), max(hi, b)
		refuted = refuted || ok && refutes(laws[pair[0]], laws[pair[1]], gaussian)
	}
	if !ok || refuted != (claimed != r) {
		t.Errorf("%v as %v: has a μ: %v, refuted: %v", r, claimed, ok, refuted)
	}
	t.Logf("%v as %v, σ² = %v: δ(1) in [%.4g, %.4g]", r, claimed, d.Sigma2(), lo, hi)
	return lo, hi
}
