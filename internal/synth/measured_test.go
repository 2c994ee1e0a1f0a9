package synth

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// released returns the measurements of a table of two columns and of one round.
func released(t testing.TB, r privacy.Relation) (*Plan, *Measured) {
	t.Helper()
	d := Domain{Columns: []Column{{Size: 4, Ordered: true}, {Size: 2}}, Outcome: true}
	p := mustPlan(t, d, Budget{Relation: r, Rho: decimal(t, "0.7")})
	rows := []row{{0, 1}, {1, 1}, {2, 0}, {3, 0}, {3, 1}}
	for range 5 {
		rows = append(rows, rows...)
	}
	made, err := NewMechanism(p, Fitting{}).Release(context.Background(), tabulated(t, []int{4, 2}, rows, 3), noise.Insecure(7))
	if err != nil {
		t.Fatal(err)
	}
	return p, made.Measured
}

// withRound adds a round to the measurements, which is not in the plan.
func withRound(t testing.TB, m *Measured) {
	t.Helper()
	m.Planned = Cost{}
	m.Rounds = append(m.Rounds, Round{true, decimal(t, "0.25"), Measurement{
		Axes:   []table.Axis{{Column: 0, Cells: []uint16{0, 1, 1, 0}, Size: 2}, {Column: 1, Cells: []uint16{0, 1}, Size: 2}},
		Sigma2: big.NewRat(7, 3), Counts: []int64{4, -5, 6, 7},
	}})
}

// The guarantee of measurements is the cost of the plan plus that of the rounds.
func TestMeasuredGuarantee(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		p, m := released(t, r)
		g, err := m.Guarantee()
		if err != nil || m.Rho().Cmp(p.Rho()) != 0 || g.Relation() != r {
			t.Errorf("%v: %v with ρ = %v, %v; planned is %v", r, g, m.Rho(), err, p.Rho())
		}
		withRound(t, m)
		want := big.NewRat(3, 14)
		if r == privacy.ReplaceOne {
			want = big.NewRat(3, 7)
		}
		want.Add(want, big.NewRat(1, 128)).Add(want, p.Rho())
		if g, err := m.Guarantee(); err != nil || m.Rho().Cmp(want) != 0 || g.(interface{ Rho() *big.Rat }).Rho().Cmp(want) != 0 {
			t.Errorf("%v: a round makes it %v, not %v: %v, %v", r, m.Rho(), want, g, err)
		}
	}
	if _, err := new(Measured).Guarantee(); err == nil {
		t.Error("nothing has a guarantee")
	}
}

// The μ² of measurements is that of the plan, and covers the sum over all measurements of γ/(σ² - 13/5), where γ is the
// squared sensitivity of the released integers and σ² the parameter of their noise.
func TestMeasuredSquare(t *testing.T) {
	d := Domain{Columns: []Column{{Size: 4, Ordered: true}, {Size: 2}, {Size: 3}}, Outcome: true}
	data := tabulated(t, []int{4, 2, 3}, slices.Repeat([]row{{0, 1, 2}, {3, 0, 1}}, 3000), 3)
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		p := mustPlan(t, d, Budget{Relation: r, Mu: decimal(t, "0.2")})
		s, err := NewMechanism(p, small).Release(context.Background(), data, noise.Insecure(7))
		if err != nil {
			t.Fatal(err)
		}
		m := s.Measured
		g, err := m.Guarantee()
		if err != nil || len(m.Rounds) != rounds || g.(privacy.GDP).Square().Cmp(p.Guarantee().(privacy.GDP).Square()) != 0 || m.Rho().Cmp(p.Rho()) > 0 {
			t.Fatalf("%v: %v after %d rounds, %v; planned is %v", r, g, len(m.Rounds), err, p.Guarantee())
		}
		if m.cost().Square.Cmp(p.cost.Square) != 0 {
			t.Errorf("%v: the measurements have μ² = %v, and the plan %v", r, m.cost().Square, p.cost.Square)
		}
		sum := new(big.Rat)
		add := func(of Measurement) {
			moves := moved(r)
			if of.Contrasts {
				moves = contrastMoved(r, of.sizes()...)
			}
			sum.Add(sum, moves.Quo(moves, new(big.Rat).Sub(of.Sigma2, big.NewRat(13, 5))))
		}
		if m.Number != nil {
			add(*m.Number)
		}
		for _, of := range slices.Concat(m.Columns, m.Pairs) {
			add(of)
		}
		for _, round := range m.Rounds {
			add(round.Measurement)
			sum.Add(sum, privacy.RangeSquare(round.Epsilon))
		}
		stated := g.(privacy.GDP).Square()
		if least := new(big.Rat).Mul(stated, big.NewRat(99, 100)); sum.Cmp(stated) > 0 || sum.Cmp(least) < 0 {
			t.Errorf("%v: the measurements have μ² = %s, and %s is stated", r, sum.FloatString(9), stated.FloatString(9))
		}
	}
}

// The guarantee is that of the plan, although this release has fewer measurements: whether the rounds end early depends on
// the outcome. The file states the cost of the plan, and a reader refuses measurements that cost more.
func TestMeasuredPlanned(t *testing.T) {
	d := Domain{Columns: []Column{{Size: 10}, {Size: 10}, {Size: 10}}, Outcome: true}
	var rows []row
	for i := range uint16(1000) { // no conjunction is frequent, so there are no rounds
		rows = append(rows, slices.Repeat([]row{{i % 10, i / 10 % 10, i / 100}}, 20)...)
	}
	data := tabulated(t, []int{10, 10, 10}, rows, 0)
	for _, b := range []Budget{{Relation: privacy.AddRemove, Mu: decimal(t, "1")}, {Relation: privacy.ReplaceOne, Rho: decimal(t, "0.5")}} {
		p := mustPlan(t, d, b)
		s, err := NewMechanism(p, Fitting{}).Release(context.Background(), data, noise.Insecure(7))
		if err != nil {
			t.Fatal(err)
		}
		if p.Rounds == 0 || len(s.Measured.Rounds) > 0 || s.Measured.Rho().Cmp(p.Rho()) >= 0 {
			t.Fatalf("%v: %d rounds with ρ = %v", b.Relation, len(s.Measured.Rounds), s.Measured.Rho())
		}
		text, err := json.Marshal(s.Measured)
		if err != nil {
			t.Fatal(err)
		}
		var read Measured
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Measured{s.Measured, &read} {
			if g, err := m.Guarantee(); err != nil || !reflect.DeepEqual(g, p.Guarantee()) {
				t.Errorf("%v: the guarantee is %v, %v; planned is %v", b.Relation, g, err, p.Guarantee())
			}
		}
		less := s.Measured.cost()
		below := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, big.NewRat(99, 100)) }
		for says, planned := range map[string]Cost{
			"so the key \"rho\" of \"planned\" must be at least":        {Rho: below(less.Rho)},
			"so the key \"mu_squared\" of \"planned\" must be at least": {Rho: less.Rho, Square: below(less.Square)},
		} {
			s.Measured.Planned = planned
			if text, err = json.Marshal(s.Measured); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &read); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v: %v", b.Relation, err)
			}
		}
		s.Measured.Planned = less
		if text, err = json.Marshal(s.Measured); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Error(err)
		}
		empty := regexp.MustCompile(`"planned":{[^}]*}`).ReplaceAll(text, []byte(`"planned":{}`))
		if err := json.Unmarshal(empty, &read); err == nil || !strings.Contains(err.Error(), "the key \"rho\" of \"planned\"") {
			t.Errorf("%v: %v", b.Relation, err)
		}
	}
	_, m := released(t, privacy.ReplaceOne) // with little noise
	if m.Planned.Square = big.NewRat(100, 1); m.cost().Square != nil {
		t.Fatalf("μ² = %v", m.cost().Square)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, new(Measured)); err == nil || !strings.Contains(err.Error(), "must not have the key \"mu_squared\"") {
		t.Error(err)
	}
}

// Columns of few rows are measured twice. Their counts are means, with weights inverse to the variances, and the
// guarantee and the file include both. A file states the noise of the second measurement only if it differs.
func TestMeasuredAgain(t *testing.T) {
	d := Domain{Columns: []Column{{Size: 4, Ordered: true}, {Size: 2}}, Outcome: true}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		for _, times := range []float64{1, 2} {
			p := mustPlan(t, d, Budget{Relation: r, Rho: decimal(t, "0.01")})
			of := p.Fewer.Fewer
			if times == 2 {
				of, p.Fewer.Fewer = p.Fewer, nil
			}
			s, err := NewMechanism(p, small).Release(context.Background(), tabulated(t, []int{4, 2}, []row{{0, 1}, {3, 0}}, 3), noise.Insecure(7))
			if err != nil {
				t.Fatal(err)
			}
			m := s.Measured
			if want := of.Rho(); m.Rho().Cmp(want) != 0 {
				t.Errorf("%v: the measurements have a ρ of %v, and the plan %v", r, m.Rho(), want)
			}
			for j, c := range m.Columns {
				if len(c.Again) != len(c.Counts) || reflect.DeepEqual(c.Again, c.Counts) {
					t.Errorf("%v: column %d is measured as %v, and again as %v", r, j, c.Counts, c.Again)
				}
				sigma2, _ := c.Sigma2.Float64()
				want, variance := (times*float64(c.Counts[0])+float64(c.Again[0]))/(times+1), sigma2*times/(times+1)
				if got := c.Rows(r)[0]; math.Abs(got-want) > 1e-9 || math.Abs(c.Variance()-variance) > 1e-9*variance || math.Abs(of.ColumnDeviation()-math.Sqrt(variance)) > 1e-9*variance {
					t.Errorf("%v: column %d has the count %v with variance %v; want %v with %v", r, j, got, c.Variance(), want, variance)
				}
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "again_sigma2") != (times == 2) {
				t.Errorf("%v: noise with %g times the variance is written as %s", r, times, text)
			}
			var read Measured
			if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read.Columns, m.Columns) {
				t.Errorf("%v: %+v is read, not %+v: %v", r, read.Columns, m.Columns, err)
			}
			again := regexp.MustCompile(`"again":\[-?[0-9]+,-?[0-9]+\]`)
			without := `"again_sigma2":"5"`
			if times == 2 {
				again, without = regexp.MustCompile(`"again":\[-?[0-9]+,-?[0-9]+\],`), ""
			}
			for _, of := range []string{`"again":[]`, `"again":[1]`, `"again":[1,9007199254740993]`, without} {
				if times == 2 && of != "" {
					of += ","
				}
				changed := again.ReplaceAllString(string(text), of)
				if err := json.Unmarshal([]byte(changed), &read); err == nil || !strings.Contains(err.Error(), "the second measurement of column 2: ") {
					t.Errorf("%s: %v", of, err)
				}
			}
			if times == 2 {
				changed := regexp.MustCompile(`"again_sigma2":"[^"]*"`).ReplaceAllString(string(text), `"again_sigma2":"1"`)
				if err := json.Unmarshal([]byte(changed), &read); err == nil || !strings.Contains(err.Error(), "the key \"rho\" states another value") {
					t.Errorf("less noise: %v", err)
				}
			}
		}
	}
}

// releasedBins returns the measurements of the table of released. Its first column has two values with two bins each. The
// parameter second has the bins of the second column, or is nil.
func releasedBins(t testing.TB, r privacy.Relation, second []uint16) *Measured {
	t.Helper()
	d := Domain{Columns: []Column{{Size: 2, Ordered: true}, {Size: 2}}, Outcome: true, Bins: [][]uint16{{0, 0, 1, 1}, second}}
	p := mustPlan(t, d, Budget{Relation: r, Rho: decimal(t, "0.7")})
	rows := slices.Repeat([]row{{0, 1}, {1, 1}, {2, 0}, {3, 0}, {3, 1}}, 32)
	made, err := NewMechanism(p, Fitting{}).Release(context.Background(), tabulated(t, []int{4, 2}, rows, 3), noise.Insecure(7))
	if err != nil {
		t.Fatal(err)
	}
	return made.Measured
}

// A release counts the bins, and the values are unions of bins in all of its other measurements. Its cost is that of the
// plan.
func TestMeasuredBins(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		m := releasedBins(t, r, nil)
		for b, want := range []float64{32, 32, 32, 64} {
			if got := m.Bins[0].Rows(r)[b]; math.Abs(got-want) > 6*m.Bins[0].Deviation() {
				t.Errorf("%v: bin %d has %v rows, not %v", r, b, got, want)
			}
		}
		for v, want := range []float64{64, 96} {
			if got := m.Values(0)[v]; math.Abs(got-want) > 6*m.Columns[0].Deviation() {
				t.Errorf("%v: value %d has %v rows, not %v", r, v, got, want)
			}
		}
		if len(m.Bins) != 2 || m.Bins[1].Counts != nil || len(m.Pairs[0].Axes) != 2 || len(m.Pairs[0].Axes[0].Cells) != 2 {
			t.Errorf("%v: %+v", r, m.Bins)
		}
		for _, second := range [][]uint16{nil, {0, 1}} {
			if m := releasedBins(t, r, second); m.cost().Rho.Cmp(m.Planned.Rho) != 0 {
				t.Errorf("%v: the measurements cost %v, and the plan %v", r, m.cost().Rho, m.Planned.Rho)
			}
		}
	}
	for _, bins := range [][]uint16{{}, {0, 0}, {0, 1, 0}, {0, 2}, {1, 1}, {0, 1, 2}} {
		if _, err := NewPlan(Domain{Columns: []Column{{Size: 2}}, Bins: [][]uint16{bins}}, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1")}); err == nil {
			t.Errorf("the bins %v are accepted", bins)
		}
	}
	if _, err := NewPlan(Domain{Columns: []Column{{Size: 2}}, Bins: [][]uint16{nil, {0}}}, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1")}); err == nil {
		t.Error("the bins of a column that does not exist are accepted")
	}
}

func TestMeasuredJSON(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		_, m := released(t, r)
		withRound(t, m)
		checkJSON(t, m)
		checkJSON(t, releasedBins(t, r, nil))
		checkJSON(t, releasedBins(t, r, []uint16{0, 1}))
	}
}

// checkJSON checks that measurements are the same after they are written and read.
func checkJSON(t *testing.T, m *Measured) {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again Measured
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Domain, m.Domain) || !reflect.DeepEqual(again.Bins, m.Bins) || again.Relation != m.Relation || again.Rho().Cmp(m.Rho()) != 0 {
		t.Errorf("%+v is read, not %+v", again, *m)
	}
	if rewritten, err := json.Marshal(&again); err != nil || string(rewritten) != string(text) {
		t.Errorf("%s is written again as %s, %v", text, rewritten, err)
	}
}

// Under add-remove, columns have contrasts, and the number of rows is measured separately. Noisy counts of values are the
// contrasts, divided by the number of values, plus the mean count. The file contains all of this, and a reader refuses
// columns with contrasts but no number of rows.
func TestMeasuredContrasts(t *testing.T) {
	const r = privacy.AddRemove
	d := Domain{Columns: []Column{{Size: 2}, {Size: 3, Ordered: true}, {Size: 2}}, Outcome: true}
	p := mustPlan(t, d, Budget{Relation: r, Rho: decimal(t, "0.01")})
	s, err := NewMechanism(p, small).Release(context.Background(), tabulated(t, []int{2, 3, 2}, []row{{0, 1, 1}, {1, 2, 0}, {1, 2, 1}}, 2), noise.Insecure(7))
	if err != nil {
		t.Fatal(err)
	}
	m := s.Measured
	if want := p.after(m.Total()).Rho(); m.Rho().Cmp(want) != 0 || m.Columns[0].Again == nil {
		t.Errorf("the measurements %+v have a ρ of %v, and the plan %v", m, m.Rho(), want)
	}
	m.Planned = Cost{}
	m.Number.Counts[0] = 12
	m.Columns[1].Counts, m.Columns[1].Again = []int64{6, -3, 1}, []int64{12, 3, -2}
	m.Columns[1].Sigma2, m.Columns[1].AgainSigma2 = big.NewRat(9*4, 1), big.NewRat(9*8, 1)
	// Means of contrasts divided by 3, with weights 2 and 1; the mean count is 4.
	if got, want := m.Values(1), []float64{4 + 24./9, 4 - 3./9, 4}; !near(got, want) || math.Abs(m.Columns[1].Variance()-8./3) > 1e-9 {
		t.Errorf("counts of %v with variance %g, not %v with 8/3", got, m.Columns[1].Variance(), want)
	}
	if sigma2, _ := m.Number.Sigma2.Float64(); m.Total() != 12 || math.Abs(m.TotalVariance()-sigma2) > 1e-9*sigma2 {
		t.Errorf("%g rows with variance %g, not 12 with %g", m.Total(), m.TotalVariance(), sigma2)
	}
	if m.Number.Counts[0] = -5; m.Total() != 0 {
		t.Errorf("%g rows", m.Total())
	}
	m.Number.Counts[0] = 12
	// Adding a row changes contrasts of three values by 3·2, squared, in each of the two measurements.
	if got, want := m.Columns[1].Cost(r).Rho, big.NewRat(1, 8); got.Cmp(want) != 0 {
		t.Errorf("the second column has a ρ of %v, not %v", got, want)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var read Measured
	if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read.Columns, m.Columns) || !reflect.DeepEqual(read.Number, m.Number) {
		t.Errorf("%+v and %+v are read, not %+v and %+v: %v", read.Number, read.Columns, m.Number, m.Columns, err)
	}
	number := `"number":{"sigma2":"` + m.Number.Sigma2.RatString() + `","count":12}`
	for _, c := range []struct{ old, replacement, says string }{
		{number + ",", "", `column 1 has the key "contrasts", so the key "number" must contain a noisy number of rows`},
		{number, `"number":{"count":12}`, `the key "number": the key "sigma2" is missing`},
		{number, `"number":{"sigma2":"1","count":12}`, "the key \"rho\" states another value"},
		{number, strings.Replace(number, "12", "9007199254740993", 1), `the key "number": the count 9007199254740993 is outside`},
		{`"contrasts":[6,-3,1]`, `"counts":[6,-3,1]`, "the key \"rho\" states another value"},
		{`"contrasts":[6,-3,1]`, `"contrasts":[6,-3,1],"counts":[6,-3,1]`, `column 2 must not have both of the keys "counts" and "contrasts"`},
		{`"contrasts":[6,-3,1]`, `"contrasts":[]`, "has 0 values"},
	} {
		changed := strings.Replace(string(text), c.old, c.replacement, 1)
		if changed == string(text) {
			t.Errorf("%s is not in %s", c.old, text)
			continue
		}
		if err := json.Unmarshal([]byte(changed), &read); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s for %s: %v; want %q", c.replacement, c.old, err, c.says)
		}
	}
}

// If the number of rows is not measured, it is estimated from the sums of the columns, with weights inverse to their variances.
func TestMeasuredTotal(t *testing.T) {
	m := Measured{Relation: privacy.ReplaceOne}
	for j, of := range []struct {
		sigma2 int64
		counts []int64
	}{{3, []int64{5, 5, 5, 5}}, {6, []int64{10, 14}}, {2, []int64{10, 10, 12}}} { // sums with variances of 12, 12 and 6
		m.Domain.Columns = append(m.Domain.Columns, Column{Size: len(of.counts)})
		m.Columns = append(m.Columns, Measurement{Axes: []table.Axis{{Column: j, Size: len(of.counts)}}, Sigma2: big.NewRat(of.sigma2, 1), Counts: of.counts})
	}
	if got := []float64{m.Total(), m.TotalVariance()}; !near(got, []float64{20./4 + 24./4 + 32./2, 3}) {
		t.Errorf("the number of rows and its variance are %v", got)
	}
}

// The numbers in a file may be at their limits, but not beyond them.
func TestMeasuredLimits(t *testing.T) {
	axes := func(size int, columns ...int) (of []table.Axis) {
		for _, column := range columns {
			of = append(of, table.Axis{Column: column, Size: size})
		}
		return of
	}
	made := func() *Measured {
		m := &Measured{Domain: uniform(10, 2)}
		m.Domain.Columns[0].Size, m.Domain.Columns[1].Size, m.Domain.Columns[2].Size = 40, 20, 1
		of := func(contrasts bool, columns ...int) Measurement {
			all, n := []table.Axis{}, 1
			for _, column := range columns {
				size := m.Domain.Columns[column].Size
				all, n = append(all, table.Axis{Column: column, Size: size}), n*size
			}
			return Measurement{Axes: all, Sigma2: big.NewRat(1, 1), Counts: make([]int64, n), Contrasts: contrasts}
		}
		for j := range m.Domain.Columns {
			m.Columns = append(m.Columns, of(false, j))
		}
		for _, pair := range m.Domain.pairs() {
			m.Pairs = append(m.Pairs, of(true, pair[0], pair[1]))
		}
		counts := make([]int64, 1<<mostTerms)
		counts[0], counts[1] = MostCount, -MostCount
		m.Rounds = []Round{{Epsilon: decimal(t, "1"), Measurement: Measurement{Axes: axes(2, 0, 1, 2, 3, 4, 5, 6, 7), Sigma2: big.NewRat(1, 1), Counts: counts}}}
		return m
	}
	if err := made().check(); err != nil {
		t.Error(err)
	}
	round := func(counts int, of ...table.Axis) func(m *Measured) {
		return func(m *Measured) {
			m.Rounds[0].Measurement.Axes, m.Rounds[0].Measurement.Counts = of, make([]int64, counts)
		}
	}
	for says, change := range map[string]func(m *Measured){
		"the count 9007199254740993 is outside":         func(m *Measured) { m.Columns[1].Counts[3] = MostCount + 1 },
		"the count -9007199254740993 is outside":        func(m *Measured) { m.Columns[1].Counts[3] = -MostCount - 1 },
		"round 1 measures 1 columns":                    round(2, axes(2, 0)...),
		"round 1 measures 9 columns":                    round(512, axes(2, 0, 1, 2, 3, 4, 5, 6, 7, 8)...),
		"the axis of column 4 has 0 cells":              round(0, axes(0, 3, 4)...),
		"the axis of column 3 has 3 cells":              round(9, axes(3, 2, 3)...),
		"the axis of column 4 has 3 cells":              round(9, axes(3, 3, 4)...),
		"column 0 is not a column":                      round(4, axes(2, -1, 4)...),
		"column 11 is not a column":                     round(4, axes(2, 4, 10)...),
		"there are 4 counts for 8 cells":                round(4, axes(2, 4, 5, 6)...),
		"pair 1 must have the columns 1 and 2":          func(m *Measured) { m.Pairs[0].Axes[1].Column = 2 },
		"pair 2 must have the columns 1 and 3":          func(m *Measured) { m.Pairs[1].Axes = append(m.Pairs[1].Axes, axes(1, 3)...) },
		"pair 3 must have the columns 2 and 3":          func(m *Measured) { m.Pairs[2].Axes[0].Column = 0 },
		"the second measurement of column 1: there are": func(m *Measured) { m.Columns[0].AgainSigma2 = big.NewRat(1, 1) },
	} {
		m := made()
		if change(m); m.check() == nil || !strings.Contains(m.check().Error(), says) {
			t.Errorf("%v; want %q", m.check(), says)
		}
	}
	// The number of these cells is 2⁶⁴.
	if err := (&Measured{Domain: uniform(4, MostSize)}).checkValues(axes(MostSize, 0, 1, 2, 3), nil); err == nil {
		t.Error("2⁶⁴ cells without counts are accepted")
	}
	for _, c := range []struct {
		cell, size int
		valid      bool
	}{{0, 2, true}, {1, 2, true}, {2, 2, false}, {-1, 2, false}, {MostSize - 1, MostSize + 1, true}, {MostSize, MostSize + 1, false}} {
		if of, err := axesOf([]axisJSON{{1, []int{c.cell}, c.size}}); (err == nil) != c.valid || c.valid && int(of[0].Cells[0]) != c.cell {
			t.Errorf("cell %d of %d: %v, %v", c.cell, c.size, of, err)
		}
	}
	for digits, valid := range map[int]bool{2000: true, 2001: false} {
		if err := new(fraction).UnmarshalText([]byte(strings.Repeat("3", digits))); (err == nil) != valid {
			t.Errorf("a number of %d digits: %v", digits, err)
		}
	}
}

// A marginal of values is converted to one of pooled values without a change of its axes.
func TestPooledAxes(t *testing.T) {
	pool := &cells.Pooling{Size: 3, Cells: []uint16{0, 0, 1, 2}}
	of := loglinear.Marginal{Axes: []table.Axis{{Column: 0, Cells: []uint16{1, 1, 0, 1}, Size: 2}}}
	got := pooled(of, []*cells.Pooling{pool}).Axes[0]
	if want := of.Axes[0]; !slices.Equal(got.Cells, []uint16{1, 0, 1}) || got.Size != 2 || !slices.Equal(want.Cells, []uint16{1, 1, 0, 1}) {
		t.Errorf("the axis is %v, and before it was %v", got, want)
	}
}

// Texts that no mechanism writes are refused with an error of one sentence.
func TestMeasuredJSONRefuses(t *testing.T) {
	_, m := released(t, privacy.AddRemove)
	withRound(t, m)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, replacement, says string }{
		{`"relation":"add-remove"`, `"relation":"replace"`, "the key \"rho\" states another value"},
		{`"rho":"` + m.Rho().RatString(), `"rho":"1`, "the key \"rho\" states another value"},
		{`"rho":"` + m.Rho().RatString() + `",`, ``, "the key \"rho\" states another value"},
		{`"sigma2":"7/3"`, `"sigma2":"14/6"`, "lowest terms"},
		{`"sigma2":"7/3"`, `"sigma2":"0"`, "lowest terms"},
		{`"sigma2":"7/3"`, `"sigma2":"-7/3"`, "must be a fraction"},
		{`"sigma2":"7/3"`, `"sigma2":"7/0"`, "lowest terms"},
		{`"sigma2":"7/3"`, `"sigma2":"7e9"`, "must be a fraction"},
		{`"sigma2":"7/3",`, ``, `the key "sigma2" is missing`},
		{`"sigma2":"7/3"`, `"sigma2":"8/3"`, "the key \"rho\" states another value"},
		{`"epsilon":"0.25"`, `"epsilon":"0"`, "an ε of 0"},
		{`"epsilon":"0.25"`, `"epsilon":"0.5"`, "the key \"rho\" states another value"},
		{`[4,-5,6,7]`, `[4,-5,6]`, "3 counts for 4 cells"},
		{`[4,-5,6,7]`, `[4,-5,6,7.5]`, "must be an integer"},
		{`[4,-5,6,7]`, `[4,-5,6,9007199254740993]`, "the count 9007199254740993 is outside"},
		{`"cells":[0,1,1,0]`, `"cells":[0,1,2,0]`, "column 1 has cell 2, which must be within 0..1"},
		{`"cells":[0,1,1,0]`, `"cells":[0,1,1]`, "but the column has 4 values"},
		{`{"column":0,"cells":[0,1,1,0]`, `{"column":1,"cells":[0,1]`, "does not come after column"},
		{`{"column":0,"cells":[0,1,1,0]`, `{"column":7,"cells":[0,1]`, "does not come after column"},
		{`"contrasts":[`, `"contrasts":[7,`, "9 counts for 8 cells"},
		{`"contrasts":[`, `"contrasts":[` + strings.Repeat("0,", 800), "pair 1 has 808 contrasts; the maximum is 800"},
		{`"contrasts":[`, `"counts":[`, "counts"},
		{`"columns":[`, `"columns":[{"ordered":false,"sigma2":"1","counts":[]},`, "has 0 values"},
		{`"columns":[`, `"columns":[{"ordered":false,"sigma2":"1","counts":[3]},`, "there are 1 pairs for 3 columns, instead of 3"},
		{`"columns":[{`, `"columns":[{"bins":[[1],[2],[3],[4]],`, "column 1 must have both of the keys \"bins\" and \"bin_sigma2\", or neither"},
		{`"columns":[{`, `"columns":[{"bin_sigma2":"3",`, "column 1 must have both of the keys \"bins\" and \"bin_sigma2\", or neither"},
		{`"columns":[{`, `"columns":[{"bin_sigma2":"3","bins":[[1],[2],[],[4]],`, "column 1 has 4 values, and each of them must have at least one bin"},
		{`"columns":[{`, `"columns":[{"bin_sigma2":"3","bins":[[1],[2],[9007199254740993],[4]],`, "the bins of column 1: the count 9007199254740993 is outside"},
		{`"columns":[{`, `"columns":[{"bin_sigma2":"3","bins":[[1],[2],[3],[4]],`, "the key \"rho\" states another value"},
		{`},{"ordered":false`, `},{"bin_sigma2":"3","bins":[[1],[9007199254740993]],"ordered":false`, "the bins of column 2: the count 9007199254740993 is outside"},
		{`"columns":[{`, `"columns":[{"bin_sigma2":"3","bins":[` + strings.Repeat("[1],", 1<<16) + `[1]],`, "at most 65536 values in increasing order"},
		{`"rounds":`, `"round":`, "round"},
		{`"fewer":true`, `"fewer":1`, "fewer"},
	} {
		changed := strings.Replace(string(text), c.old, c.replacement, 1)
		if changed == string(text) {
			t.Errorf("%s is not there", c.old)
			continue
		}
		var read Measured
		if err := json.Unmarshal([]byte(changed), &read); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s for %s: %v; want %q", c.replacement, c.old, err, c.says)
		}
	}
}

// Pools have shrunk counts, except in fits that reproduce models of the first format.
func TestPoolsShrink(t *testing.T) {
	_, m := released(t, privacy.AddRemove)
	m.Columns[1].Sigma2, m.Columns[1].Counts = big.NewRat(10_000, 1), []int64{90, 70}
	total := m.Total()
	for first, want := range map[bool]float64{false: total / 2, true: total/2 + 10} {
		var f Fitting
		f.First = first
		s := NewSynthesis(m, f)
		if got := s.pools[1].Counts[0]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("first format %v: %v rows; want %v", first, got, want)
		}
	}
}

// Models in the first file format have no rows and are fitted again, so their columns are divided into runs as before.
func TestFirstFormatPools(t *testing.T) {
	counts := append([]int64{92_000}, slices.Repeat([]int64{100}, 80)...)
	m := &Measured{Domain: Domain{Columns: []Column{{Size: len(counts), Ordered: true}}}, Relation: privacy.AddRemove}
	m.Columns = []Measurement{{Axes: []table.Axis{{Column: 0, Size: len(counts)}}, Sigma2: big.NewRat(9, 1), Counts: counts}}
	for first, want := range map[bool]int{false: 11, true: 5} {
		var f Fitting
		f.First = first
		if got := m.pools(f)[0].Size; got != want {
			t.Errorf("first format %v: %d pooled values, not %d", first, got, want)
		}
	}
}
