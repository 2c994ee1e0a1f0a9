package profile

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// every returns all edges of columns with the given numbers of cells as candidates, without penalties.
func every(cells ...int) (all []Candidates) {
	for j, n := range cells {
		c := Candidates{Column: j, Penalties: make([]int, n-1)}
		for t := 1; t < n; t++ {
			c.Edges = append(c.Edges, t)
		}
		all = append(all, c)
	}
	return all
}

// counted returns a table of one column. units are the units of its cells.
func counted(t testing.TB, units []int64) *table.Table {
	t.Helper()
	b := table.NewBuilder([]int{len(units)})
	for i, n := range units {
		if err := b.Add([]uint16{uint16(i)}, false, n); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		a    table.Attribute
		want []table.Decimal
	}{
		{table.Attribute{Writing: table.Writing{Draw: "integer", Least: "-2", Most: "3"}}, []table.Decimal{"-1", "0", "1", "2", "3"}},
		{table.Attribute{Writing: table.Writing{Draw: "uniform", Places: 1, Least: "0.05", Most: "0.39"}}, []table.Decimal{"0.2", "0.3"}},
		{table.Attribute{Writing: table.Writing{Draw: "uniform", Least: "0.99", Most: "1.01"}}, []table.Decimal{"1", "1.01"}},
		{table.Attribute{Writing: table.Writing{Draw: "integer", Least: "7", Most: "7"}}, nil},
		{table.Attribute{Dates: table.Dates{Format: "iso"}, Writing: table.Writing{Draw: "day", Least: "-2", Most: "1"}}, []table.Decimal{"-1", "0", "1"}},
	} {
		if got := Grid(&c.a); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.a.Writing, got, c.want)
		}
	}
	wide := Grid(&table.Attribute{Writing: table.Writing{Draw: "integer", Least: "0", Most: "99999"}})
	for _, edge := range []table.Decimal{"1", "17", "999", "1000", "9999", "10000", "12300", "99999", "50"} {
		if !slices.Contains(wide, edge) {
			t.Errorf("0 to 99999: %s is not an edge", edge)
		}
	}
	if slices.Contains(wide, "12301") || slices.Contains(wide, "0") {
		t.Error("0 to 99999: too many edges")
	}
	open := Grid(&table.Attribute{})
	for _, edge := range []table.Decimal{"0", "0.001", "-0.001", "1000000000000", "-999000000000", "99", "99.001", "99999", "-9999", "-9998.999", "0.5", "20300"} {
		if !slices.Contains(open, edge) {
			t.Errorf("without a range: %s is not an edge", edge)
		}
	}
	integers := Grid(&table.Attribute{Writing: table.Writing{Draw: "integer"}})
	for _, edge := range integers {
		// The edge above a code of four or more digits, such as -9999, is the next integer.
		if strings.Contains(string(edge), ".") || !slices.Contains(open, edge) && !strings.HasSuffix(string(edge), "9998") {
			t.Errorf("integers: %s is an edge", edge)
		}
	}
	for _, edge := range open {
		if !strings.Contains(string(edge), ".") && !slices.Contains(integers, edge) {
			t.Errorf("integers: %s is not an edge", edge)
		}
	}
	t.Logf("%d edges from 0 to 99999, %d without a range", len(wide), len(open))
}

// The edges of a grid increase, lie in the range, and are few enough for the categories of an attribute. An attribute that
// has them as cuts is valid.
func TestGridIsSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(0, 9).Draw(t, "places")
		limit := int64(mostScaled - 1)
		least := rapid.OneOf(rapid.Int64Range(-limit, limit), rapid.Int64Range(-3000, 3000)).Draw(t, "least")
		most := least + rapid.OneOf(rapid.Int64Range(0, limit), rapid.Int64Range(0, 9000)).Draw(t, "width")
		most = min(most, limit)
		a := table.Attribute{Column: "x", Writing: table.Writing{Draw: "uniform", Places: places, Least: decimal(least, places), Most: decimal(most, places)}}
		if places == 0 {
			a.Draw = "integer"
		}
		a.Cuts = Grid(&a)
		if len(a.Cuts) == 0 {
			if most > least {
				t.Fatal("no edge")
			}
			return
		}
		a.Other = "missing"
		if _, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{a}}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNew(t *testing.T) {
	g := privacytest.Pure(t, "1", privacy.AddRemove)
	for _, c := range []struct {
		cells  []int
		levels int
		g      privacy.Guarantee
	}{
		{nil, 1, g}, {[]int{1}, 1, g}, {[]int{65535}, 1, g}, {[]int{4}, 0, g}, {[]int{4}, 6, g}, {[]int{4}, 1, privacy.Composed{}},
	} {
		if m, err := New(c.cells, c.levels, 0, c.g); err == nil {
			t.Errorf("%v and %d levels give %+v", c.cells, c.levels, m)
		}
	}
	m, err := New([]int{3, 4}, 1, 0, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, sizes := range [][]int{{4}, {3, 5}, {4, 4}} {
		if _, err := m.Release(context.Background(), table.NewBuilder(sizes).Table(), every(3, 4), noise.Insecure(1)); err == nil {
			t.Errorf("columns of %v categories are accepted", sizes)
		}
	}
}

// The number of levels follows from n·ε.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		rows    int64
		epsilon string
		r       privacy.Relation
		want    int
	}{
		{30_000, "0.02", privacy.AddRemove, 5}, {30_000, "0.02", privacy.ReplaceOne, 4}, {30_000, "0.2", privacy.ReplaceOne, 5},
		{1000, "0.02", privacy.ReplaceOne, 1}, {1, "0.02", privacy.ReplaceOne, 1}, {0, "0.02", privacy.ReplaceOne, 4},
		{30_000, "0.02", privacy.AddRemove.OfPersons(10), 5},
	} {
		if got := Levels(1, c.rows, privacytest.Pure(t, c.epsilon, c.r)); got != c.want {
			t.Errorf("%+v: %d levels", c, got)
		}
	}
}

// The test uses generated columns of 30,000 rows, under add-remove. The rank of a cut, among 31 cuts, is wrong by at
// most about 3 % of n at ε = 0.02, and by 0.5 % of n at ε = 0.2.
func TestRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, of := range []struct { // in a fixed order, so that each run has the same columns
		name  string
		value func() float64
	}{
		{"uniform", func() float64 { return 1e6 * random.Float64() }},
		{"lognormal", func() float64 { return math.Exp(10 + 1.5*random.NormFloat64()) }},
		{"Pareto", func() float64 { return 1000 / random.Float64() }},
	} {
		a := &table.Attribute{Writing: table.Writing{Draw: "integer", Least: "0", Most: "1000000000"}}
		column := NewColumn(a)
		var edges []float64
		for _, e := range column.edges {
			x, _ := e.Rat().Float64()
			edges = append(edges, x)
		}
		units := make([]int64, len(edges)+2)
		const n = 30_000
		for range n {
			at, found := slices.BinarySearch(edges, of.value())
			if found {
				at++
			}
			units[at]++
		}
		below := make([]int64, len(units)+1)
		for i, k := range units {
			below[i+1] = below[i] + k
		}
		d := counted(t, units)
		for _, c := range []struct {
			magnitudes, cuts string // their parts of ε
			most             float64
		}{{"0.0025", "0.0175", 0.045}, {"0.025", "0.175", 0.006}} {
			worst, mean := 0.0, 0.0
			runs := heavy.Pick(2, 10)
			for seed := range uint64(runs) {
				m, err := NewMagnitudes(1, privacytest.Pure(t, c.magnitudes, privacy.AddRemove))
				if err != nil {
					t.Fatal(err)
				}
				counts, err := m.Release(context.Background(), d, []*Column{column}, noise.Insecure(seed))
				if err != nil {
					t.Fatal(err)
				}
				from := column.Narrow(0, counts[0], m.Heavy(), n).From
				cut, err := New([]int{len(edges) + 1}, 5, n, privacytest.Pure(t, c.cuts, privacy.AddRemove))
				if err != nil {
					t.Fatal(err)
				}
				cuts, err := cut.Release(context.Background(), d, []Candidates{*from}, noise.Insecure(seed))
				if err != nil {
					t.Fatal(err)
				}
				largest := 0.0
				for q := 1; q < 32; q++ {
					nearest := 1.0
					for _, e := range cuts[0] {
						nearest = min(nearest, math.Abs(float64(below[e])/n-float64(q)/32))
					}
					largest, mean = max(largest, nearest), mean+nearest/31/float64(runs)
				}
				worst += largest / float64(runs)
			}
			t.Logf("%s, ε = 8·%s: the greatest error in rank is %.2f %% and the mean %.2f %%", of.name, c.magnitudes, 100*worst, 100*mean)
			if worst > c.most {
				t.Errorf("%s, ε = 8·%s: the greatest error in rank is %.4f", of.name, c.magnitudes, worst)
			}
		}
	}
}

// A column with a single value gets few cuts, because the mechanism stops at parts without rows.
func TestEmptyParts(t *testing.T) {
	units := make([]int64, 5002)
	units[2500] = 30_000
	cuts, from := 0, every(5001)
	const runs = 50
	for seed := range uint64(runs) {
		m, err := New([]int{5001}, 5, 30_000, privacytest.Pure(t, "0.2", privacy.AddRemove))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Release(context.Background(), counted(t, units), from, noise.Insecure(seed))
		if err != nil {
			t.Fatal(err)
		}
		cuts += len(got[0])
	}
	if cuts > 2*runs {
		t.Errorf("%d cuts in %d runs", cuts, runs)
	}
}

// Heavy values are bins of their own.
func TestSpikes(t *testing.T) {
	units := make([]int64, 202)
	for i := range 200 {
		units[i] = 50
	}
	units[0], units[99], units[199] = 20_000, 8_000, 4_000
	units[201] = 90_000 // not numbers
	m, err := New([]int{201}, 5, 42_000, privacytest.Pure(t, "1", privacy.AddRemove))
	if err != nil {
		t.Fatal(err)
	}
	cuts, err := m.Release(context.Background(), counted(t, units), every(201), noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, edge := range []int{1, 99, 100, 199} {
		if !slices.Contains(cuts[0], edge) {
			t.Errorf("%v: %d is not a cut", cuts[0], edge)
		}
	}
}

// A cancelled context ends the release.
func TestCancelled(t *testing.T) {
	m, err := New([]int{3}, 2, 0, privacytest.Pure(t, "1", privacy.AddRemove))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := counted(t, []int64{1, 2, 3, 4})
	cancel()
	if _, err := m.Release(ctx, d, every(3), noise.Insecure(1)); err == nil {
		t.Error("the release does not end")
	}
}

// A release uses exactly the randomness that the proof describes.
func TestTranscript(t *testing.T) {
	record := noisetest.Record(noise.Insecure(3))
	for _, c := range []struct {
		want   string
		units  []int64
		levels int
		g      privacy.Guarantee
		from   []Candidates
	}{
		{"ε = 1, add-remove, one level, μ = 1/2: edges cost |4-6|, |5-5| and |8-2|", []int64{4, 1, 3, 2, 100}, 1, privacytest.Pure(t, "1", privacy.AddRemove), every(4)},
		{"ε = 1, replace, two levels, μ = 1/8: then halves, in which stopping costs their units less a bonus of ⌊(0.7⌊log₂ edges⌋ + 1)·8⌋", []int64{4, 1, 3, 2, 0, 6, 100}, 2, privacytest.Pure(t, "1", privacy.ReplaceOne), every(6)},
		{"ρ = 2, add-remove of persons of at most two rows, one level, μ = √(2·2)/2 = 1", []int64{4, 2, 2, 0}, 1, zcdp(t, big.NewRat(2, 1)), every(3)},
		{"ε = 1, add-remove, two levels, μ = 1/4, of edges 2 and 5 with the penalties 3 and 0: 2 costs |5-11| + ⌊2.1·4⌋ and 5 costs |10-6|; then stopping costs 10 - ⌊(0.7·(-3) + 1)·4⌋",
			[]int64{4, 1, 3, 2, 0, 6, 100}, 2, privacytest.Pure(t, "1", privacy.AddRemove), []Candidates{{Edges: []int{2, 5}, Penalties: []int{3, 0}}}},
	} {
		m, err := New([]int{len(c.units) - 1}, c.levels, 0, c.g)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("%s", c.want)
		cuts, err := m.Release(context.Background(), counted(t, c.units), c.from, record)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %v\n", fmt.Sprint(cuts))
	}
	noisetest.Golden(t, "profile.txt", record.String())
}

func zcdp(t testing.TB, rho *big.Rat) privacy.GaussianBudget {
	t.Helper()
	g, err := privacy.NewZCDP(privacy.AddRemove.OfPersons(2), rho)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Guarantee is the budget, and Gaussian adds the μ² of noise and choices to a ρ: Δ²/(σ² - 13/5), or π times the ρ of
// choices, with π rounded upward. Noise of a few units has no μ.
func TestGaussian(t *testing.T) {
	rho := big.NewRat(1, 32)
	budget := zcdp(t, rho) // a person has two units
	sizes, err := NewMagnitudes(3, budget)
	if err != nil {
		t.Fatal(err)
	}
	cuts, err := New([]int{10, 10}, 2, 0, budget)
	if err != nil {
		t.Fatal(err)
	}
	values, small := newCategories(t, 3, 5, rho, "1e-9", budget.Relation()), newCategories(t, 1, 5, big.NewRat(1, 1), "1e-9", budget.Relation())
	if e := cuts.RankError(); math.Abs(e-4) > 1e-9 { // 1/(2μw) with w = 2 and μ = √(2ρ/(2·2))/w = 1/16
		t.Errorf("the rank error is %g", e)
	}
	for name, c := range map[string]struct {
		m interface {
			Guarantee() privacy.Guarantee
			Gaussian() privacy.Guarantee
		}
		square *big.Rat
	}{
		"sizes":  {sizes, new(big.Rat).Quo(big.NewRat(12, 1), new(big.Rat).Sub(big.NewRat(12*16, 1), big.NewRat(13, 5)))},
		"cuts":   {cuts, new(big.Rat).Mul(rho, big.NewRat(8*3927, 10_000))},
		"values": {values, new(big.Rat).Quo(big.NewRat(12, 1), new(big.Rat).Sub(big.NewRat(12*16, 1), big.NewRat(13, 5)))},
		"small":  {small, nil},
	} {
		stated, err := privacy.Parts(c.m.Guarantee())
		if _, ok := stated[0].Guarantee.(privacy.ZCDP); err != nil || !ok {
			t.Errorf("%s: the guarantee is %v, %v", name, stated, err)
		}
		parts, err := privacy.Parts(c.m.Gaussian())
		g, ok := parts[0].Guarantee.(privacy.GDP)
		if err != nil || ok != (c.square != nil) || ok && (g.Square().Cmp(c.square) != 0 || g.Rho().Cmp(rho) != 0) || len(parts) != len(stated) {
			t.Errorf("%s: %v, want μ² = %v, %v", name, parts, c.square, err)
		}
	}
}
