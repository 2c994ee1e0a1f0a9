package profile

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func power2(e uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), e) }

// least finds the least number by doubling and then by halves, up to 2^60.
func TestLeast(t *testing.T) {
	for _, want := range []int64{1, 2, 3, 4, 5, 8, 9, 100, 1<<40 - 1, 1 << 40, 1<<40 + 1, 1<<60 - 1, 1 << 60} {
		calls := 0
		got, found := least(func(t int64) bool { calls++; return t >= want })
		steps := 0
		for int64(1)<<steps < want {
			steps++
		}
		if got != want || !found || calls != max(2*steps, 1) {
			t.Errorf("%d, %v after %d calls, not %d after %d", got, found, calls, want, 2*steps)
		}
	}
	if got, found := least(func(t int64) bool { return t > 1<<60 }); found || got != 0 {
		t.Errorf("%d is found above 2^60", got)
	}
}

// alone is the maximum, over all ways in which the rows of a person have values, of the sum of the bounds for
// these values.
func TestAlone(t *testing.T) {
	for persons := 1; persons <= 5; persons++ {
		weight := table.Weight(persons)
		c := &Categories{persons: persons, weight: weight, variance: big.NewInt(weight)}
		for at := int64(1); at < 3*weight; at += max(1, weight/6) {
			want := new(big.Rat)
			for rows := 1; rows <= persons; rows++ {
				for ends := range 1 << (rows - 1) { // bit i separates row i from row i+1
					sum, run := new(big.Rat), int64(0)
					for i := range rows {
						if run++; i == rows-1 || ends>>i&1 == 1 {
							sum.Add(sum, tail(c.variance, at-run*weight/int64(rows)))
							run = 0
						}
					}
					if sum.Cmp(want) > 0 {
						want = sum
					}
				}
			}
			if got := c.alone(at); got.Cmp(want) != 0 {
				t.Errorf("persons of %d rows, threshold %d: %v, not %v", persons, at, got.FloatString(9), want.FloatString(9))
			}
		}
	}
}

// The bound on the tail is at most 1, and less than 1 where noise is small. It is e^-4096, approximately, for
// all numbers beyond.
func TestEndsOfTail(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, variance := range []*big.Int{big.NewInt(1), big.NewInt(1000), power2(100), power2(128), power2(130), power2(200), power2(300)} {
		for _, x := range []int64{-1 << 40, -1, 0, 1, 2, 1 << 40} {
			if bound := tail(variance, x); bound.Cmp(one) > 0 || bound.Sign() <= 0 || x <= 0 && bound.Cmp(one) != 0 {
				t.Errorf("σ² = %v: P(Z ≥ %d) is bounded by %v", variance, x, bound)
			}
		}
	}
	if bound, _ := tail(big.NewInt(1), 1).Float64(); bound > 0.5 {
		t.Errorf("P(Z ≥ 1) is bounded by %g", bound)
	}
	if tail(power2(200), 1).Cmp(one) != 0 {
		t.Error("the bound at 1 is less than 1 where noise is large")
	}
	far := tail(big.NewInt(1), math.MaxInt64)
	if bits := far.Denom().BitLen() - far.Num().BitLen(); bits < 5900 || bits > 5920 { // 4096/ln 2 and a little more
		t.Errorf("the bound at the greatest number is 2^-%d", bits)
	}
}

// A value of Kept rows reaches the threshold with probability at least 0.95 by the bound, and a value with
// one row less does not.
func TestKeptIsLeast(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne.OfPersons(2), privacy.AddRemove.OfPersons(4)} {
		for n := int64(1); n < 40; n++ {
			m := newCategories(t, 1, MostCategories, big.NewRat(1, n*n), "1e-6", r)
			for less, enough := range []bool{true, false} {
				margin := (m.Kept()-int64(less))*m.weight - m.threshold + 1
				if (tail(m.variance, margin).Cmp(big.NewRat(1, 20)) <= 0) != enough {
					t.Errorf("%v, ρ = 1/%d: P(Z ≥ %d) is bounded by %s for %d rows", r, n*n, margin, tail(m.variance, margin).FloatString(6), m.Kept()-int64(less))
				}
			}
		}
	}
	large := newCategories(t, 1, 1, new(big.Rat).SetFrac(big.NewInt(1), power2(120)), "0.9", privacy.AddRemove) // σ = 2^59.5
	if large.Kept() != math.MaxInt64 {
		t.Errorf("%d rows for noise beyond 2^59", large.Kept())
	}
	variance := large.Variance().Int64()
	if large.Variance().SetInt64(0); large.Variance().Int64() != variance || large.Variance().Sign() == 0 {
		t.Error("the variance can be changed")
	}
}

// noiseless are coins whose noise is 0.
type noiseless struct{ noise.Coins }

func (noiseless) Draw(noise.Sampler) *big.Int { return new(big.Int) }

// Of values with equal noisy counts, those with the first names are released.
func TestTiesOfCategories(t *testing.T) {
	m := newCategories(t, 1, 20, big.NewRat(1, 2), "1e-6", privacy.AddRemove)
	units, want := map[string]int64{}, []string{}
	for i := range 60 {
		value := fmt.Sprintf("%02d", i)
		units[value] = m.Threshold() - 1 + int64(i%4) // of the 15 largest counts and the 15 next ones, 20 are released
		if i%4 == 3 || i%4 == 2 && i < 20 {
			want = append(want, value)
		}
	}
	got, err := m.Release(context.Background(), []map[string]int64{units}, noiseless{})
	if err != nil || !slices.Equal(got[0], want) {
		t.Errorf("%v, not %v, %v", got, want, err)
	}
}

// Numbers of the same magnitude have the same sign and the same position of the first significant digit.
func TestMagnitudesOfDecimals(t *testing.T) {
	for d, want := range map[table.Decimal]int{"0": -1, "5": 0, "-5": 0, "10": 1, "-120": 2, "99.5": 1, "0.5": -1, "0.05": -2, "-0.0123": -2} {
		if got := magnitude(d); got != want {
			t.Errorf("the magnitude of %s is %d, not %d", d, got, want)
		}
	}
	for _, c := range []struct {
		a, b table.Decimal
		same bool
	}{{"1", "9", true}, {"-1", "1", false}, {"1", "10", false}, {"0", "0.5", false}, {"0", "-0.5", false}, {"0", "0", true}, {"0.5", "0.1", true}, {"-0.5", "0.5", false}, {"-20", "-11", true}} {
		if sameMagnitude(c.a, c.b) != c.same || sameMagnitude(c.b, c.a) != c.same {
			t.Errorf("%s and %s have the same magnitude: %v", c.a, c.b, !c.same)
		}
	}
}

// The step is the least number 1, 2 or 5 times a power of ten for which at most 4096 steps divide the range.
func TestEvenly(t *testing.T) {
	for _, c := range []struct{ least, most, step int64 }{
		{0, 4096, 1}, {0, 4097, 2}, {0, 8193, 2}, {0, 8194, 5}, {0, 20_484, 5}, {0, 20_485, 10}, {-3, 40_000, 10}, {-20_000, 20_001, 10},
		{-20_485, 20_485, 20}, {17, 90_017, 50}, {-1_000_001, -900_003, 50}, {3, 1_000_000, 500}, {-5, 6, 1},
	} {
		var want []int64
		for x := c.least + 1; x <= c.most; x++ {
			if x%c.step == 0 {
				want = append(want, x)
			}
		}
		if got := evenly(c.least, c.most); !slices.Equal(got, want) {
			t.Errorf("from %d to %d: %d multiples of %d, not %d from %d", c.least, c.most, len(got), got[0], len(want), want[0])
		}
	}
}

// The round edges are the numbers of at most three significant digits, and the edges of the codes of missing
// values.
func TestRoundEdges(t *testing.T) {
	for _, c := range []struct {
		least, most int64
		places      int
	}{{-12_345, 12_345, 0}, {0, 200_000, 0}, {-100_100, -5, 2}, {-998, 1001, 3}} {
		want := map[int64]bool{}
		one := int64(math.Pow10(c.places))
		for x := c.least + 1; x <= c.most; x++ {
			d := strings.TrimLeft(fmt.Sprint(x), "-")
			code := func(x int64) bool { // whether x is ±9…9·one
				n := max(x, -x)
				return n%one == 0 && n > 0 && strings.Trim(fmt.Sprint(n/one), "9") == ""
			}
			if len(strings.TrimRight(d, "0")) <= 3 || code(x) || code(x-1) {
				want[x] = true
			}
		}
		got := map[int64]bool{}
		for _, x := range roundEdges(c.least, c.most, c.places) {
			if got[x] = true; !want[x] {
				t.Errorf("%+v: %d is an edge", c, x)
			}
		}
		if !want[0] && c.least < 0 && c.most > 0 || len(got) != len(want) {
			t.Errorf("%+v: %d edges, not %d", c, len(got), len(want))
		}
	}
	all := roundEdges(-mostScaled, mostScaled, 0)
	for _, x := range []int64{999_000_000_000_000_000, -999_000_000_000_000_000, 99_999_999_999_999_999, -99_999_999_999_999_998} {
		if !slices.Contains(all, x) {
			t.Errorf("%d is not an edge", x)
		}
	}
	for places, one := 0, int64(1); places < 10; places, one = places+1, 10*one {
		all := roundEdges(-20*one, 20*one, places)
		for _, x := range []int64{9 * one, 9*one + 1, -9 * one, -9*one + 1} {
			if !slices.Contains(all, x) {
				t.Errorf("%d places: %d is not an edge", places, x)
			}
		}
	}
	if slices.Contains(all, 999_999_999_999_999_999) { // code 10^18 - 1 is beyond mostScaled/10
		t.Error("a code of 18 digits has an edge")
	}
}

// Grids of integers ignore decimal places. A grid of a range on both sides of 0 has as many edges as any.
func TestGridOfIntegers(t *testing.T) {
	of := func(least, most table.Decimal, places int) []table.Decimal {
		return Grid(&table.Attribute{Writing: table.Writing{Draw: "integer", Places: places, Least: least, Most: most}})
	}
	if got := of("0", "2", 1); !slices.Equal(got, []table.Decimal{"1", "2"}) {
		t.Errorf("edges %v", got)
	}
	for _, most := range []table.Decimal{"4096", "4097"} {
		got := of("0", most, 0)
		if want := map[table.Decimal]int{"4096": 4096, "4097": 2048 + 1000 - 500 + 2}[most]; most == "4096" && len(got) != want || len(got) > 4096 {
			t.Errorf("0 to %s: %d edges", most, len(got))
		}
	}
	if got := of("-50000", "50000", 0); len(got) > 2*4096 || !slices.Contains(got, "12350") {
		t.Errorf("-50000 to 50000: %d edges", len(got))
	}
}

// rateOf is the share of the budget, divided by the range that a person or row causes.
func TestRateOf(t *testing.T) {
	for _, c := range []struct {
		share int64
		g     privacy.Guarantee
		want  *big.Rat
	}{
		{3, privacytest.Pure(t, "1", privacy.AddRemove), big.NewRat(1, 6)},
		{15, privacytest.Pure(t, "1", privacy.ReplaceOne), big.NewRat(1, 60)},
		{15, privacytest.Pure(t, "0.5", privacy.ReplaceOne.OfPersons(3)), big.NewRat(1, 720)},
		{18, zcdp(t, big.NewRat(9, 1)), big.NewRat(1, 2)}, // √(2·9/18)/2
	} {
		share := big.NewRat(1, c.share)
		if got := rateOf(share, c.g); got.Cmp(c.want) != 0 || share.Cmp(big.NewRat(1, c.share)) != 0 {
			t.Errorf("1/%d of %v: %v, not %v", c.share, c.g, got, c.want)
		}
	}
	for _, x := range []*big.Rat{big.NewRat(2, 1), big.NewRat(1, 3), big.NewRat(12345, 7)} {
		low := root(x)
		high := new(big.Rat).Add(low, new(big.Rat).SetFrac(big.NewInt(1), power2(64)))
		if new(big.Rat).Mul(low, low).Cmp(x) > 0 || new(big.Rat).Mul(high, high).Cmp(x) <= 0 {
			t.Errorf("√%v is rounded to %v", x, low)
		}
	}
}

// A mechanism may have three levels more than L if 2^(L+1), … bins have at least 1.5 times the rank error rows
// each.
func TestMostLevels(t *testing.T) {
	g := privacytest.Pure(t, "1", privacy.AddRemove)
	// At L levels, μ is 1/(2L), and the rank error 1/(2μ) is L.
	for _, c := range []struct {
		levels int
		rows   int64
		most   int
	}{
		{2, 0, 2}, {2, 35, 2}, {2, 36, 3}, {2, 95, 3}, {2, 96, 4}, {2, 239, 4}, {2, 240, 5}, {2, 1 << 40, 5}, // 1.5·3·2³, 1.5·4·2⁴, 1.5·5·2⁵
		{1, 11, 1}, {1, 12, 2}, {5, 575, 5}, {5, 576, 6},
	} {
		m, err := New([]int{10}, c.levels, c.rows, g)
		if err != nil {
			t.Fatal(err)
		}
		cuts := 1<<c.levels - 1
		if c.most > c.levels {
			cuts = 2<<c.levels - 1
		}
		if m.most != c.most || m.Levels() != c.levels || m.MostCuts() != cuts || fmt.Sprint(m.Guarantee()) != fmt.Sprint(g) || m.RankError() != float64(c.levels) {
			t.Errorf("%+v: %+v, with at most %d cuts and the rank error %g", c, m, m.MostCuts(), m.RankError())
		}
	}
	for _, c := range []struct {
		rows   int64
		levels int
	}{{0, 4}, {1, 1}, {15, 1}, {16, 2}, {47, 2}, {48, 3}, {127, 3}, {128, 4}, {319, 4}, {320, 5}, {1 << 40, 5}} { // 2·L·2^L
		if got := Levels(1, c.rows, g); got != c.levels {
			t.Errorf("%d rows: %d levels, not %d", c.rows, got, c.levels)
		}
	}
	two := privacytest.Pure(t, "2", privacy.AddRemove) // two columns have half of ε each
	if got := []int{Levels(2, 319, two), Levels(2, 320, two)}; !slices.Equal(got, []int{4, 5}) {
		t.Errorf("two columns: %v levels, not 4 and 5", got)
	}
	for rows, most := range map[int64]int{95: 3, 96: 4} {
		if m, err := New([]int{10, 10}, 2, rows, two); err != nil || m.most != most {
			t.Errorf("two columns of %d rows: at most %d levels, not %d, %v", rows, m.most, most, err)
		}
	}
	m, err := New([]int{2, table.MaxCategories - 1}, MostLevels, 0, g)
	if err != nil || fmt.Sprint(m.Queries()) != fmt.Sprint(table.Queries{Columns: [][]int{{0}, {1}}}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// A budget is too small if the rate of a level that gets the least share is rounded down to 0.
func TestLeastBudget(t *testing.T) {
	for e, ok := range map[uint]bool{118: true, 119: true, 120: false, 200: false} { // √(2ρ/256/4) is 2^-64 for ρ = 2^-119
		g, err := privacy.NewZCDP(privacy.AddRemove, new(big.Rat).SetFrac(big.NewInt(1), power2(e)))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := New([]int{4}, 1, 0, g); (err == nil) != ok {
			t.Errorf("ρ = 2^-%d: %+v, %v", e, m, err)
		}
		if m, err := New([]int{4, 4}, 1, 0, g); (err == nil) != (ok && e < 119) {
			t.Errorf("ρ = 2^-%d, two columns: %+v, %v", e, m, err)
		}
	}
}

// needed is the number of doublings up to three quarters of 2^L parts.
func TestNeeded(t *testing.T) {
	m := &Mechanism{levels: 3, most: 5}
	for _, c := range []struct{ done, parts, cuts, want int }{
		{0, 1, 0, 3}, {1, 2, 1, 2}, {2, 3, 2, 1}, {2, 4, 3, 1}, {3, 6, 5, 0}, {3, 5, 5, 1}, {4, 2, 4, 1}, {4, 1, 4, 1}, {3, 1, 4, 2}, {5, 1, 4, 0},
		{1, 0, 1, 0}, {3, 5, 10, 1}, {3, 5, 11, 0}, {2, 1, 14, 3}, {2, 1, 15, 0},
	} {
		if got := m.needed(c.done, c.parts, c.cuts); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A column with omitted cells has at most the levels of the mechanism, as many as its rows permit, and a column without
// has those of the mechanism. Its number of rows is the number of its units, divided by those of a row.
func TestLevelsOfOthers(t *testing.T) {
	for _, c := range []struct {
		levels int
		units  int64
		r      privacy.Relation
		want   int
		rows   int64
	}{ // 2·levels·4·2^levels: with half of ε = 1, μ is 1/(4·levels), and the rank error 2·levels
		{5, 63, privacy.AddRemove, 1, 63}, {5, 64, privacy.AddRemove, 2, 64}, {5, 191, privacy.AddRemove, 2, 191}, {5, 192, privacy.AddRemove, 3, 192},
		{2, 1 << 40, privacy.AddRemove, 2, 1 << 40}, {5, -7, privacy.AddRemove, 1, 1}, {5, 127, privacy.AddRemove.OfPersons(2), 1, 63}, {5, 128, privacy.AddRemove.OfPersons(2), 2, 64},
	} {
		m, err := New([]int{10, 10}, c.levels, 1<<40, privacytest.Pure(t, "1", c.r))
		if err != nil {
			t.Fatal(err)
		}
		own := m.of(Candidates{Omitted: []int{0}, Units: c.units}, big.NewRat(1, 2))
		if own.levels != c.want || own.most != c.want || own.rows != c.rows || !own.mayStop {
			t.Errorf("%+v: %+v", c, own)
		}
		if m.of(Candidates{Units: c.units}, big.NewRat(1, 2)) != m || m.mayStop || m.levels != c.levels || m.rows != 1<<40 {
			t.Errorf("the mechanism is now %+v", m)
		}
	}
}

// A column with omitted cells has four times the budget of one without.
func TestWeights(t *testing.T) {
	if a, b := (Candidates{Omitted: []int{0}}).weight(), (Candidates{Edges: []int{1}}).weight(); a != 4 || b != 1 {
		t.Errorf("weights %d and %d, not 4 and 1", a, b)
	}
}

// units is ⌊tenths/(10μ)⌋, within mostBonus. weight is ⌊log₂ Σ 2^-penalty⌋. stopLogOdds is ⌊10(μm/2 - 3)⌋ within -10
// and 40.
func TestPublicTerms(t *testing.T) {
	for _, c := range []struct {
		rate   *big.Rat
		tenths int
		want   int64
	}{
		{big.NewRat(1, 8), 10, 8}, {big.NewRat(1, 8), 11, 8}, {big.NewRat(1, 8), -1, -1}, {big.NewRat(3, 7), 7, 1}, {big.NewRat(3, 7), 0, 0}, {big.NewRat(3, 7), -7, -2},
		{new(big.Rat).SetFrac(big.NewInt(1), power2(100)), 1, math.MaxInt64 / 4},
		{big.NewRat(10, math.MaxInt64/4), 100, math.MaxInt64 / 4}, {big.NewRat(10, math.MaxInt64/4-1), 100, math.MaxInt64/4 - 1}, {big.NewRat(10, math.MaxInt64/4), 101, math.MaxInt64 / 4}, {big.NewRat(10, math.MaxInt64/4), -101, -math.MaxInt64 / 4},
	} {
		if got := (level{rate: c.rate}).units(c.tenths); got != c.want {
			t.Errorf("%d tenths at the rate %v: %d, not %d", c.tenths, c.rate, got, c.want)
		}
	}
	l := level{penalties: []int{30, 0, 1, 1, 2, 30, 30, 29}}
	for _, c := range []struct{ from, to, want int }{{0, 2, -30}, {1, 3, 0}, {2, 4, -1}, {2, 5, 0}, {1, 5, 1}, {1, 6, 1}, {5, 7, -30}, {5, 8, -29}, {5, 9, -28}, {0, 9, 1}} {
		if got := l.weight(part{c.from, c.to}); got != c.want {
			t.Errorf("the edges within %d and %d have the weight 2^%d, not 2^%d", c.from, c.to, got, c.want)
		}
	}
	rate, g := big.NewRat(1, 10), privacytest.Pure(t, "1", privacy.AddRemove)
	for _, c := range []struct { // 10(μ·rows/2^(levels-1)/2 - 3)
		levels int
		rows   int64
		want   int
	}{{1, 0, 10}, {1, 1, -10}, {1, 40, -10}, {1, 42, -9}, {1, 43, -9}, {1, 60, 0}, {3, 240, 0}, {3, 320, 10}, {1, 139, 39}, {1, 140, 40}, {1, 142, 40}, {1, math.MaxInt64, 40}} {
		if got := stopLogOdds(rate, c.levels, c.rows, g); got != c.want {
			t.Errorf("%d rows, %d levels: %d, not %d", c.rows, c.levels, got, c.want)
		}
	}
	if got := stopLogOdds(rate, 1, 70, privacytest.Pure(t, "1", privacy.AddRemove.OfPersons(2))); got != 40 { // ⌊10(0.1·140/2 - 3)⌋
		t.Errorf("70 persons of two rows: %d", got)
	}
	if got := stopLogOdds(big.NewRat(1<<40, 1), 1, math.MaxInt64, g); got != 40 {
		t.Errorf("beyond 64 bits: %d", got)
	}
}

// Candidates merge the cells between them, and keep the code of values that are not numbers. Omitted cells get this code.
func TestAxisOfCandidates(t *testing.T) {
	for _, c := range []struct {
		edges, omitted []int
		want           []uint16
	}{
		{[]int{2, 5}, nil, []uint16{0, 0, 1, 1, 1, 2, 3}}, {[]int{1}, nil, []uint16{0, 1, 1, 1, 1, 1, 2}},
		{[]int{1, 2, 3, 4, 5}, nil, []uint16{0, 1, 2, 3, 4, 5, 6}}, {[]int{3, 5}, []int{1, 5}, []uint16{0, 3, 0, 1, 1, 3, 3}},
	} {
		a := Candidates{Column: 4, Edges: c.edges, Omitted: c.omitted}.axis(6)
		if a.Column != 4 || !slices.Equal(a.Cells, c.want) || a.Size != len(c.edges)+2 {
			t.Errorf("%v: %+v", c.edges, a)
		}
	}
}

// Heavy is three standard deviations, rounded up.
func TestHeavy(t *testing.T) {
	for _, c := range []struct {
		columns int
		g       privacy.Guarantee
		want    int64
	}{
		{1, privacytest.Pure(t, "1", privacy.AddRemove), 5},               // 3·√2
		{2, privacytest.Pure(t, "0.5", privacy.ReplaceOne), 34},           // 3·√2·8
		{1, zcdp(t, big.NewRat(1, 8)), 12},                                // 3·√(2·2·8/2)
		{4, zcdp(t, big.NewRat(1, 8)), 24},                                // 3·√(4·2·2·8/2)
		{1, privacytest.Pure(t, "1", privacy.AddRemove.OfPersons(3)), 26}, // 3·√2·6
	} {
		m, err := NewMagnitudes(c.columns, c.g)
		if err != nil || m.Heavy().Int64() != c.want || fmt.Sprint(m.Guarantee()) != fmt.Sprint(c.g) {
			t.Errorf("%d columns, %v: %v, not %d, %v", c.columns, c.g, m.Heavy(), c.want, err)
		}
	}
}

// A schema distinguishes chosen cuts from public cuts by their number.
func TestMostChosenCuts(t *testing.T) {
	if most := 1<<(MostLevels+1) - 1; most != table.MostChosenCuts {
		t.Errorf("a profile chooses at most %d cuts, and a refined schema assumes %d", most, table.MostChosenCuts)
	}
}
