package audit_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// synthTable returns a table with counts[i] rows of record i. The last count is that of null rows.
func synthTable(t testing.TB, sizes []int, records [][]uint16, counts []int64) *table.Table {
	t.Helper()
	b := table.NewBuilder(sizes)
	for i, r := range records {
		if err := b.Add(r, false, counts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(counts[len(records)]); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// remembered caches the counts of a table, because an enumeration makes the same queries in every
// run.
type remembered struct {
	table.Counts
	marginals map[string][][]int64
	supports  map[string][]int64
}

func remember(c table.Counts) remembered {
	return remembered{c, map[string][][]int64{}, map[string][]int64{}}
}

func (r remembered) Marginals(ctx context.Context, of [][]table.Axis) (cells [][]int64, err error) {
	key := ""
	for _, axes := range of {
		key += keyOf(axes)
	}
	known, ok := r.marginals[key]
	if !ok {
		if known, err = r.Counts.Marginals(ctx, of); err != nil {
			return nil, err
		}
		r.marginals[key] = known
	}
	for _, own := range known {
		cells = append(cells, slices.Clone(own))
	}
	return cells, nil
}

func (r remembered) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) (units []int64, err error) {
	key := keyOf(axes) + fmt.Sprint(of)
	known, ok := r.supports[key]
	if !ok {
		if known, err = r.Counts.Supports(ctx, axes, of); err != nil {
			return nil, err
		}
		r.supports[key] = known
	}
	return slices.Clone(known), nil
}

// keyOf returns a key for a list of axes.
func keyOf(axes []table.Axis) string {
	var key []byte
	for _, a := range axes {
		key = binary.AppendUvarint(key, uint64(a.Column))
		key = binary.AppendUvarint(key, uint64(a.Size))
		key = binary.AppendUvarint(key, uint64(len(a.Cells)))
		for _, cell := range a.Cells {
			key = binary.AppendUvarint(key, uint64(cell))
		}
	}
	return string(binary.AppendUvarint(nil, uint64(len(axes)))) + string(key)
}

func synthPlan(t testing.TB, sizes []int, r privacy.Relation, rho string) *synth.Plan {
	t.Helper()
	var d synth.Domain
	for _, size := range sizes {
		d.Columns = append(d.Columns, synth.Column{Size: size})
	}
	return synthPlanFor(t, d, synth.Budget{Relation: r, Rho: privacytest.Decimal(t, rho)})
}

func synthPlanFor(t testing.TB, d synth.Domain, b synth.Budget) *synth.Plan {
	t.Helper()
	p, err := synth.NewPlan(d, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// All measurements before the fit together have a Rényi divergence of at most αρ, in proportion to the change between
// neighbours, and exactly that of the changed counts. The cells of the pair are chosen from the counts of its
// columns. Half of σ² would double the divergence.
func TestSynthMeasures(t *testing.T) {
	sizes, records := []int{1, 2}, [][]uint16{{0, 0}, {0, 1}}
	o := audit.InFull(1e-6, 1e-10)
	for _, v := range []struct {
		name  string
		r     privacy.Relation
		rho   string
		a, b  []int64
		moved [2]int64 // changed counts of each column
	}{
		{"added", privacy.AddRemove, "3", []int64{2, 1, 1}, []int64{2, 0, 1}, [2]int64{1, 1}},
		{"added to none", privacy.AddRemove, "3", []int64{1, 0, 0}, []int64{0, 0, 0}, [2]int64{1, 1}},
		{"a null row added", privacy.AddRemove, "3", []int64{2, 1, 1}, []int64{2, 1, 0}, [2]int64{}},
		{"replaced", privacy.ReplaceOne, "4", []int64{20, 15, 1}, []int64{19, 16, 1}, [2]int64{0, 2}},
		{"replaced by null", privacy.ReplaceOne, "3", []int64{2, 1, 1}, []int64{2, 0, 2}, [2]int64{1, 1}},
	} {
		t.Run(v.name, func(t *testing.T) {
			plan := synthPlan(t, sizes, v.r, v.rho)
			plan.Fewer = nil // TestSynthMeasuresAgain audits it
			m := synth.NewMechanism(plan, synth.Fitting{})
			law := func(counts []int64) audit.Law[string] {
				d := remember(synthTable(t, sizes, records, counts))
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, c)
					if err != nil {
						t.Fatal(err)
					}
					if n := len(s.Measured.Rounds); n != 0 {
						t.Fatalf("%d rounds on two columns", n)
					}
					text := ""
					for _, of := range s.Measured.Columns {
						text += fmt.Sprint(of.Counts)
					}
					return text + fmt.Sprint(s.Measured.Pairs[0].Counts)
				}, o)
			}
			p, q := law(v.a), law(v.b)
			// The pair has ρ = 1/(2σ²), and each column half of the rest. A column of one value changes only with
			// the number of rows.
			ofPair := new(big.Rat).Inv(new(big.Rat).Mul(plan.Pair[0].Sigma2, big.NewRat(2, 1)))
			rho, _ := ofPair.Sub(m.Guarantee().(privacy.ZCDP).Rho(), ofPair).Float64()
			if v.moved[0] == 0 {
				rho /= 2
			}
			// By hand: a count that changes by one has 1/(2σ²); contrasts of cells in one row are
			// all 0.
			sigma2, _ := plan.Column.Sigma2.Float64()
			want := float64(v.moved[0]+v.moved[1]) / (2 * sigma2)
			for _, alpha := range []float64{1.5, 2} {
				most := 0.0
				for _, pair := range [][2]audit.Law[string]{{p, q}, {q, p}} {
					most = max(most, audit.Renyi(pair[0], pair[1], alpha))
				}
				t.Logf("order %g: divergence %g, by the counts that move %g, αρ = %g", alpha, most, alpha*want, alpha*rho)
				if most > alpha*rho*(1+1e-6) {
					t.Errorf("divergence of order %g is %g, more than %g", alpha, most, alpha*rho)
				}
				if most < 0.93*alpha*want-1e-6 || most > 1.01*alpha*want+1e-6 {
					t.Errorf("divergence of order %g is %g, not %g", alpha, most, alpha*want)
				}
			}
		})
	}
}

// Under add-remove, the shipped contrasts of two columns and the number of rows have a Rényi divergence over all
// outcomes of exactly their αρ for every added row, and of 0 for a null row. Half of σ² would double it.
func TestSynthColumns(t *testing.T) {
	sizes, records := []int{2, 2}, [][]uint16{{0, 0}, {0, 1}, {1, 1}}
	for name, v := range map[string]struct {
		a, b []int64
		of   float64 // the divergence, in units of αρ
	}{
		"added":            {[]int64{2, 1, 3, 1}, []int64{2, 1, 2, 1}, 1},
		"added to none":    {[]int64{0, 1, 0, 0}, []int64{0, 0, 0, 0}, 1},
		"a null row added": {[]int64{2, 1, 3, 1}, []int64{2, 1, 3, 0}, 0},
	} {
		if !heavy.On() && name == "added to none" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			plan := synthPlan(t, sizes, privacy.AddRemove, "5")
			plan.Fewer = nil
			m := synth.NewMechanism(plan, synth.Fitting{})
			law := func(counts []int64) audit.Law[string] {
				d := remember(synthTable(t, sizes, records, counts))
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, &silenced{c, 5})
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(s.Measured.Columns[0].Counts, s.Measured.Columns[1].Counts, s.Measured.Number.Counts)
				}, audit.InFull(heavy.Pick(1e-6, 1e-9), 1e-12))
			}
			p, q := law(v.a), law(v.b)
			rho, _ := plan.Rho().Float64()
			ofPair, _ := plan.Pair[0].Sigma2.Float64()
			rho -= 1 / (2 * ofPair)
			for _, alpha := range []float64{1.5, 2} {
				divergence, want := max(audit.Renyi(p, q, alpha), audit.Renyi(q, p, alpha)), alpha*rho*v.of
				t.Logf("order %g: divergence %g, αρ = %g", alpha, divergence, alpha*rho)
				// Outcomes that are left out reduce the divergence.
				if divergence > 1.001*want+1e-6 || divergence < heavy.Pick(.6, .99)*want-.02 {
					t.Errorf("divergence of order %g is %g, not %g", alpha, divergence, want)
				}
			}
		})
	}
}

// The shipped counts of a column of two values and those of its three bins have an exact Rényi divergence over all
// outcomes. It is their αρ if a row changes its value, and the part of the bins if a row changes only its bin. Half
// of σ² would double it.
func TestSynthBins(t *testing.T) {
	d := synth.Domain{Columns: []synth.Column{{Size: 2}}, Bins: [][]uint16{{0, 0, 1}}}
	plan := synthPlanFor(t, d, synth.Budget{Relation: privacy.ReplaceOne, Rho: privacytest.Decimal(t, "4")})
	m := synth.NewMechanism(plan, synth.Fitting{})
	law := func(counts []int64) audit.Law[string] {
		d := remember(synthTable(t, []int{3}, [][]uint16{{0}, {1}, {2}}, counts))
		return audit.LawOf(t, func(c noise.Coins) string {
			s, err := m.Release(context.Background(), d, c)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(s.Measured.Columns[0].Counts, s.Measured.Bins[0].Counts)
		}, audit.InFull(heavy.Pick(1e-9, 1e-11), 1e-14))
	}
	rho := func(sigma2 *big.Rat) float64 {
		s, _ := sigma2.Float64()
		return 1 / s
	}
	before := law([]int64{3, 1, 1, 0})
	for name, v := range map[string]struct {
		after []int64
		rho   float64
	}{
		"another value": {[]int64{2, 1, 2, 0}, rho(plan.Column.Sigma2) + rho(plan.Bin.Sigma2)},
		"another bin":   {[]int64{2, 2, 1, 0}, rho(plan.Bin.Sigma2)},
	} {
		after := law(v.after)
		for _, alpha := range []float64{1.5, 2} {
			divergence := max(audit.Renyi(before, after, alpha), audit.Renyi(after, before, alpha))
			t.Logf("%s, order %g: divergence %g, αρ = %g", name, alpha, divergence, alpha*v.rho)
			// Outcomes that are left out reduce the divergence.
			if divergence > 1.001*alpha*v.rho+1e-6 || divergence < heavy.Pick(.9, .97)*alpha*v.rho-.02 {
				t.Errorf("%s: divergence of order %g is %g, not %g", name, alpha, divergence, alpha*v.rho)
			}
		}
	}
	if whole, _ := plan.Rho().Float64(); whole > 4 || whole < rho(plan.Column.Sigma2)+rho(plan.Bin.Sigma2)-1e-9 {
		t.Errorf("the plan has ρ = %v", whole)
	}
}

// curve returns a lower bound on the privacy curve at x of two distributions.
func curve(p, q audit.Law[string], x float64) (sum float64) {
	for _, outcome := range p.Outcomes() {
		low, _ := p.Bounds(outcome)
		_, high := q.Bounds(outcome)
		sum += max(0, low-math.Exp(x)*high)
	}
	return sum
}

// The noisy counts of a column, as shipped for a budget of μ, have a privacy curve of at most that of μ-GDP, and near it.
// The counts of a plan for add-remove exceed the curve if a row is replaced.
func TestSynthCurve(t *testing.T) {
	one := synth.Domain{Columns: []synth.Column{{Size: 2}}}
	records := [][]uint16{{0}, {1}}
	law := func(p *synth.Plan, counts ...int64) audit.Law[string] {
		d := remember(synthTable(t, []int{2}, records, counts))
		return audit.LawOf(t, func(c noise.Coins) string {
			s, err := synth.NewMechanism(p, synth.Fitting{}).Release(t.Context(), d, c)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(s.Measured.Columns[0].Counts)
		}, audit.InFull(1e-8, 1e-12))
	}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		other := []int64{3, 1, 0}
		if r.Replaces() {
			other = []int64{3, 2, 0}
		}
		plan := synthPlanFor(t, one, synth.Budget{Relation: r, Mu: privacytest.Decimal(t, "0.2")})
		p, q := law(plan, 4, 1, 0), law(plan, other...)
		careless := synthPlanFor(t, one, synth.Budget{Relation: privacy.AddRemove, Mu: privacytest.Decimal(t, "0.2")})
		for _, x := range []float64{0, 0.1, 0.3} {
			bound := plan.Guarantee().Delta(x)
			exact := max(curve(p, q, x), curve(q, p, x))
			t.Logf("%v: δ(%g) = %g, and the bound is %g", r, x, exact, bound)
			if exact > bound || exact < 0.5*bound {
				t.Errorf("%v: δ(%g) = %g, but the bound is %g", r, x, exact, bound)
			}
			if !r.Replaces() {
				continue
			}
			if wrong := curve(law(careless, 4, 1, 0), law(careless, other...), x); wrong <= bound {
				t.Errorf("with the noise for add-remove, δ(%g) = %g is within the bound %g for replace", x, wrong, bound)
			}
		}
	}
}

// silenced is a random source that returns 0 for all draws of noise after the first ones.
type silenced struct {
	noise.Coins
	left int // the number of draws before
}

func (c *silenced) Draw(s noise.Sampler) *big.Int {
	if c.left == 0 {
		return new(big.Int)
	}
	c.left--
	return c.Coins.Draw(s)
}

func (c *silenced) Mark() int { return noise.Mark(c.Coins) }

func (c *silenced) Forget(since int, place string, state []uint64) {
	noise.Forget(c.Coins, since, place, state...)
}

// Given the counts of two columns, the contrasts of the pair have a Rényi divergence of exactly the
// pair's αρ, for every added row and for every row that is replaced by one with a value in common.
// Half of σ² would double it.
func TestSynthContrasts(t *testing.T) {
	sizes, records := []int{2, 2}, [][]uint16{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	// columnsOf returns the first values of a release: counts of both columns or, under add-remove, their contrasts and
	// the number of rows.
	columnsOf := func(r privacy.Relation, of ...int64) []int64 {
		if r.Replaces() {
			return of
		}
		return []int64{of[0] - of[1], of[1] - of[0], of[2] - of[3], of[3] - of[2], of[0] + of[1]}
	}
	for _, v := range []struct {
		name  string
		r     privacy.Relation
		rho   string
		a, b  []int64
		whole bool // the whole cost of the pair is attained
	}{
		{"added", privacy.AddRemove, "2.3", []int64{2, 1, 0, 3, 1}, []int64{2, 2, 0, 3, 1}, true},
		{"added to none", privacy.AddRemove, "2.3", []int64{1, 0, 0, 0, 0}, []int64{0, 0, 0, 0, 0}, true},
		{"a null row added", privacy.AddRemove, "2.3", []int64{2, 1, 0, 3, 1}, []int64{2, 1, 0, 3, 2}, false},
		{"replaced", privacy.ReplaceOne, "3.5", []int64{2, 1, 4, 3, 1}, []int64{1, 2, 4, 3, 1}, true},
		{"replaced in both columns", privacy.ReplaceOne, "3.5", []int64{2, 1, 4, 3, 1}, []int64{1, 1, 4, 4, 1}, false},
	} {
		if !heavy.On() && (v.name == "added to none" || v.name == "replaced in both columns") {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			plan := synthPlan(t, sizes, v.r, v.rho)
			m := synth.NewMechanism(plan, synth.Fitting{})
			law := func(counts []int64) audit.Law[string] {
				d := remember(synthTable(t, sizes, records, counts))
				own := columnsOf(v.r, counts[0]+counts[1], counts[2]+counts[3], counts[0]+counts[2], counts[1]+counts[3])
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, &audit.Answered{Coins: c, Answers: columnsOf(v.r, 50, 60, 55, 55), Counts: own})
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(s.Measured.Pairs[0].Counts)
				}, audit.InFull(map[bool]float64{true: 3e-6, false: 1e-5}[v.whole], 1e-8))
			}
			p, q := law(v.a), law(v.b)
			sigma2, _ := plan.Pair[0].Sigma2.Float64()
			for _, alpha := range []float64{1.5, 2} {
				divergence, want := max(audit.Renyi(p, q, alpha), audit.Renyi(q, p, alpha)), alpha/(2*sigma2)
				t.Logf("order %g: divergence %g, αρ = %g", alpha, divergence, want)
				switch {
				case divergence > 1.001*want:
					t.Errorf("divergence of order %g is %g, more than %g", alpha, divergence, want)
				case v.whole && divergence < heavy.Pick(0.55, 0.9)*want:
					t.Errorf("divergence of order %g is %g, not %g", alpha, divergence, want)
				case !v.whole && divergence > 1e-6:
					t.Errorf("divergence of order %g is %g of contrasts that do not move", alpha, divergence)
				}
			}
		})
	}
}

// Given the earlier measurements, the conjunction of a round is selected with bounded range ε,
// which is attained by added and by replaced rows. The candidates and expected counts are the same
// on both tables.
func TestSynthDraws(t *testing.T) {
	records := [][]uint16{{0, 0, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}}
	sizes := []int{2, 2, 2}
	answers := []int64{41, 38, 45, 36, 40, 40, 29, 12, 16, 24, 39, 3, -1, 40, 30, 12, 15, 25}
	// first returns the first values of a release: counts of columns or, under add-remove, their contrasts and the
	// number of rows; then the contrasts of pairs.
	first := func(r privacy.Relation, of []int64) (all []int64) {
		if r.Replaces() {
			return of
		}
		number := int64(0)
		for j := range 3 {
			all = append(all, of[2*j]-of[2*j+1], of[2*j+1]-of[2*j])
			number += of[2*j] + of[2*j+1]
		}
		return append(append(all, number/3), of[6:]...)
	}
	// exact returns the counts of columns and the contrasts of pairs, four of which are equal
	// but for signs.
	exact := func(counts []int64) []int64 {
		var of []int64
		for _, columns := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}} {
			cells := make([]int64, 1<<len(columns))
			for i, r := range records {
				at, sign := 0, int64(1)
				for _, j := range columns {
					at = 2*at + int(r[j])
					sign *= 1 - 2*int64(r[j])
				}
				if len(columns) == 1 {
					cells[at] += counts[i]
					continue
				}
				for k, way := range []int64{1, -1, -1, 1} {
					cells[k] += way * sign * counts[i]
				}
			}
			of = append(of, cells...)
		}
		return of
	}
	for _, v := range []struct {
		r    privacy.Relation
		a, b []int64
	}{
		{privacy.AddRemove, []int64{30, 10, 16, 25, 0}, []int64{30, 10, 16, 24, 0}},
		{privacy.ReplaceOne, []int64{30, 10, 16, 25, 0}, []int64{31, 10, 16, 24, 0}},
	} {
		t.Run(v.r.String(), func(t *testing.T) {
			plan := synthPlan(t, sizes, v.r, "5")
			plan.Rounds, plan.Fewer = 1, nil
			m := synth.NewMechanism(plan, synth.Fitting{Options: loglinear.Options{Particles: 10}})
			law := func(counts []int64) audit.Law[string] {
				d := remember(synthTable(t, sizes, records, counts))
				// The counts of the round are not compared.
				own, to := append(first(v.r, exact(counts)), make([]int64, 8)...), append(first(v.r, answers), make([]int64, 8)...)
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, &audit.Answered{Coins: c, Answers: to, Counts: own})
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(s.Measured.Rounds[0].Measurement.Axes)
				}, audit.Options{Floor: heavy.Pick(3e-11, 1e-12), Recheck: heavy.Pick(5, 20)})
			}
			p, q := law(v.a), law(v.b)
			if n := len(p.Outcomes()); n < 8 || n != len(q.Outcomes()) || p.Tail() > 1e-9 || q.Tail() > 1e-9 {
				t.Fatalf("%d and %d conjunctions, but for %g and %g", n, len(q.Outcomes()), p.Tail(), q.Tail())
			}
			least, most := math.Inf(1), math.Inf(-1)
			for _, x := range p.Outcomes() {
				lo, _ := p.Bounds(x)
				other, _ := q.Bounds(x)
				ratio := math.Log(lo / other)
				least, most = min(least, ratio), max(most, ratio)
			}
			epsilon, _ := plan.Epsilon.Rat().Float64()
			if got := most - least; math.Abs(got-epsilon) > 1e-6*epsilon {
				t.Errorf("the range is %g, not %g", got, epsilon)
			}
		})
	}
}

// A shipped release measures columns again if their counts show few rows. Its divergence over all outcomes is at most
// αρ, and it is that of both counts of both columns if the rows are always few. Both columns have one value, so
// contrasts are 0. The second measurement has the noise of the first, or twice σ².
func TestSynthMeasuresAgain(t *testing.T) {
	for _, v := range []struct {
		name  string
		r     privacy.Relation
		rho   string
		a, b  []int64 // rows and null rows
		again bool    // columns are nearly always measured again
		half  bool    // they are never measured with more than half of ρ
	}{
		{"added", privacy.AddRemove, heavy.Pick("1.5", "1"), []int64{2, 0}, []int64{1, 0}, true, false},
		{"added, half", privacy.AddRemove, heavy.Pick("1.5", "1"), []int64{2, 0}, []int64{1, 0}, true, true},
		{"replaced by null", privacy.ReplaceOne, "2", []int64{2, 0}, []int64{1, 1}, true, false},
		{"added at the limit", privacy.AddRemove, "13", []int64{3, 0}, []int64{2, 0}, false, false},
	} {
		if !heavy.On() && v.name == "replaced by null" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			plan := synthPlan(t, []int{1, 1}, v.r, v.rho)
			if v.half {
				plan.Fewer.Fewer = nil
			}
			m := synth.NewMechanism(plan, synth.Fitting{})
			once, twice := 0, 0
			law := func(counts []int64) audit.Law[string] {
				d := remember(synthTable(t, []int{1, 1}, [][]uint16{{0, 0}}, counts))
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, c)
					if err != nil {
						t.Fatal(err)
					}
					text := ""
					for _, of := range s.Measured.Columns {
						text += fmt.Sprint(of.Counts, of.Again)
					}
					if s.Measured.Columns[0].Again == nil {
						once++
					} else {
						twice++
					}
					return text
				}, audit.InFull(heavy.Pick(1e-5, 1e-6), 1e-10))
			}
			p, q := law(v.a), law(v.b)
			if twice == 0 || once == 0 && !v.again {
				t.Fatalf("columns are measured once in %d outcomes and twice in %d", once, twice)
			}
			rho, _ := m.Guarantee().(privacy.ZCDP).Rho().Float64()
			if !v.again { // by order 2, of the decision alone
				a, b := onceShare(p), onceShare(q)
				if divergence := math.Log(a*a/b + (1-a)*(1-a)/(1-b)); !(divergence <= 2*rho) {
					t.Errorf("columns are measured once with probabilities %g and %g, a divergence of %g, more than %g", a, b, divergence, 2*rho)
				}
			}
			sigma2, _ := plan.Column.Sigma2.Float64()
			for _, alpha := range []float64{1.5, 2} {
				divergence := max(audit.Renyi(p, q, alpha), audit.Renyi(q, p, alpha))
				want := alpha * 2 * 2 / (2 * sigma2)
				if v.half {
					want *= .75
				}
				t.Logf("order %g: divergence %g, by all counts that move %g, αρ = %g", alpha, divergence, want, alpha*rho)
				if divergence > alpha*rho {
					t.Errorf("divergence of order %g is %g, more than %g", alpha, divergence, alpha*rho)
				}
				// Outcomes that are left out reduce the divergence, most of order 1.5.
				if v.again && (divergence < heavy.Pick(0.4, 0.9)*want || divergence > 1.001*want) {
					t.Errorf("divergence of order %g is %g, not %g", alpha, divergence, want)
				}
			}
		})
	}
}

// onceShare returns the probability that the columns are measured once.
func onceShare(l audit.Law[string]) (sum float64) {
	for _, x := range l.Outcomes() {
		if strings.Contains(x, "[]") {
			least, _ := l.Bounds(x)
			sum += least
		}
	}
	return sum
}
