package synth

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/privacy"
)

func decimal(t testing.TB, text string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// uniform is a domain with the given number of columns, each of the given size.
func uniform(columns, size int) Domain {
	d := Domain{}
	for range columns {
		d.Columns = append(d.Columns, Column{Size: size})
	}
	return d
}

func mustPlan(t testing.TB, d Domain, b Budget) *Plan {
	t.Helper()
	p, err := NewPlan(d, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The ρ and μ² of all measurements of a plan sum exactly to those of the plan, and its guarantee states them. They
// are at most the ρ or μ² of the budget, and close to it. The test derives both from σ² and ε by the theorems: adding a
// row changes one count of a marginal, and replacing a row changes two. Adding a row changes the contrasts of a column of
// three values by 3·2, squared, and their noise is 3²σ².
func TestPlanAddsUp(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		c := big.NewRat(1, 1)
		if r == privacy.ReplaceOne {
			c.SetInt64(2)
		}
		for _, size := range []string{"0.0135", "1", "25", "0.000001", "1e-40", "1000000"} {
			for columns := 1; columns <= 15; columns += 2 {
				for _, weights := range []map[[2]int]int{nil, {{0, columns - 1}: WantedWeight}} {
					if columns == 1 {
						weights = nil
					}
					checkSums(t, columns, 0, c, Budget{Relation: r, Rho: decimal(t, size), Weights: weights})
				}
			}
		}
		for _, size := range []string{"0.0135", "1", "1e-12"} {
			for columns := 1; columns <= 15; columns += 2 {
				for _, binned := range []int{0, 1, columns} {
					checkSums(t, columns, binned, c, Budget{Relation: r, Mu: decimal(t, size)})
					checkSums(t, columns, binned, c, Budget{Relation: r, Rho: decimal(t, size)})
				}
			}
		}
	}
}

// checkSums does the checks of TestPlanAddsUp for a budget and columns of three values. The first columns have bins; their
// number is the parameter binned. c is the squared sensitivity of counts.
func checkSums(t *testing.T, columns, binned int, c *big.Rat, b Budget) {
	t.Helper()
	name := fmt.Sprintf("%v, ρ = %v, μ = %v, %d columns, %d with bins", b.Relation, b.Rho, b.Mu, columns, binned)
	d := uniform(columns, 3)
	for range binned {
		d.Bins = append(d.Bins, []uint16{0, 0, 1, 2, 2})
	}
	var chain []*Plan
	for p := mustPlan(t, d, b); p != nil; p = p.Fewer {
		chain = append(chain, p)
	}
	most := new(big.Rat) // the greatest ρ so far
	for _, p := range slices.Backward(chain) {
		if p.Contrasts != (b.Relation == privacy.AddRemove && columns >= 3) {
			t.Fatalf("%s: contrasts %v", name, p.Contrasts)
		}
		each := c
		if p.Contrasts {
			each = big.NewRat(3*2, 3*3)
		}
		rho, square := new(big.Rat), new(big.Rat)
		counted := func(times int, c, sigma2 *big.Rat) {
			all := new(big.Rat).Mul(c, whole(times))
			rho.Add(rho, new(big.Rat).Quo(all, new(big.Rat).Mul(sigma2, whole(2))))
			square.Add(square, all.Quo(all, new(big.Rat).Sub(sigma2, big.NewRat(13, 5))))
		}
		counted(columns, each, p.Column.Sigma2)
		if binned > 0 {
			counted(binned, c, p.Bin.Sigma2)
			if ratio, _ := new(big.Rat).Quo(p.Bin.Sigma2, p.Column.Sigma2).Float64(); math.Abs(ratio-4) > .1 && p.Column.Sigma2.Cmp(whole(100)) > 0 {
				t.Errorf("%s: σ² of bins is %v times that of columns", name, ratio)
			}
		}
		if p.Contrasts {
			counted(1, c, p.Column.Sigma2)
		}
		if p.Again.Sigma2 != nil {
			counted(columns, each, p.Again.Sigma2)
		}
		for _, g := range p.Pair {
			counted(1, whole(1), g.Sigma2)
		}
		if p.Rounds > 0 {
			counted(p.Rounds, c, p.Round.Sigma2)
			e := p.Epsilon.Rat()
			e.Mul(e, e).Mul(e, whole(p.Rounds))
			rho.Add(rho, new(big.Rat).Mul(e, big.NewRat(1, 8)))
			square.Add(square, e.Mul(e, big.NewRat(3927, 10000)))
		}
		if rho.Cmp(most) > 0 {
			most = rho
		}
		stated, gaussian := p.Guarantee().(privacy.GDP)
		if most.Cmp(p.Rho()) != 0 || p.Guarantee().Relation() != b.Relation || gaussian == b.Mu.IsZero() || gaussian && (stated.Rho().Cmp(most) != 0 || stated.Square().Cmp(square) != 0) {
			t.Fatalf("%s: the parts have ρ = %v and μ² = %v, and the plan's guarantee is %v", name, rho, square, p.Guarantee())
		}
		budget, spent := b.Rho.Rat(), rho
		if !b.Mu.IsZero() {
			budget, spent = b.Mu.Rat(), square
			budget.Mul(budget, budget)
		}
		least := new(big.Rat).Mul(budget, big.NewRat(99998, 100000))
		if spent.Cmp(budget) > 0 || spent.Cmp(least) < 0 {
			t.Errorf("%s: %v of the budget is planned", name, spent.FloatString(50))
		}
		if p.Fewer != nil && p.Fewer.cost.of(p.budget).Cmp(p.cost.of(p.budget)) > 0 {
			t.Errorf("%s: the plan for fewer rows costs %v instead of %v", name, p.Fewer.cost, p.cost)
		}
	}
}

// A plan for fewer rows has no rounds, and those for still fewer rows measure columns again, with half of the ρ of the
// first time or with as much. The first limit is the number of rows with ρ·rows² = 2·10⁵. The others are ten and five
// standard deviations of the noise of one count of a pair.
func TestPlanOfFewRows(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		p := mustPlan(t, uniform(4, 3), Budget{Relation: r, Rho: decimal(t, "0.1")})
		c, _ := moved(r).Float64()
		sigma := math.Sqrt(c * 6 / (2 * .1 * .6)) // each of 6 pairs has a sixth of .6 of ρ
		// again returns the ρ of the second measurement of columns, as a fraction of that of the first.
		again := func(p *Plan) float64 {
			if p.Again.Sigma2 == nil {
				return 0
			}
			return part(p.Column.Sigma2, p.Again.Sigma2)
		}
		for rows, want := range map[float64]struct {
			rounds int
			again  float64
		}{
			-5: {0, 1}, 1: {0, 1}, 4.99 * sigma: {0, 1}, 5.01 * sigma: {0, .5}, 9.99 * sigma: {0, .5}, 10.01 * sigma: {0, 0}, 1414: {0, 0}, 1415: {6, 0}, 1e12: {6, 0},
		} {
			if of := p.after(rows); of.Rounds != want.rounds || again(of) != want.again {
				t.Errorf("%v: with %g rows, there are %d rounds, and columns are measured again with the part %g", r, rows, of.Rounds, again(of))
			}
			if rows < 1 {
				continue
			}
			if of := mustPlan(t, uniform(4, 3), Budget{Relation: r, Rho: decimal(t, "0.1"), Rows: int64(rows)}); of.Rounds != p.after(math.Floor(rows)).Rounds || again(of) != again(p.after(math.Floor(rows))) {
				t.Errorf("%v: a plan for %g rows has %d rounds, and measures columns again with the part %g", r, rows, of.Rounds, again(of))
			}
		}
	}
	earlier := mustPlan(t, uniform(4, 3), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "0.1"), First: true})
	if of := earlier.Fewer.Fewer; of.Fewer != nil || of.Again.Sigma2.Cmp(of.Column.Sigma2) != 0 || earlier.Fewer.Least != leastClear*math.Sqrt(earlier.Fewer.pairVariance()) {
		t.Errorf("by the division of earlier versions, columns with few rows are measured again with σ² = %v", of.Again.Sigma2)
	}
	// The limits depend on the pairs with the most noise, in any order of the weights.
	least := func(weight map[[2]int]int) float64 {
		return mustPlan(t, uniform(4, 3), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "0.1"), Weights: weight}).Fewer.Least
	}
	if first, last := least(map[[2]int]int{{0, 1}: 9}), least(map[[2]int]int{{2, 3}: 9}); first != last || first <= least(nil) {
		t.Errorf("pairs need %g rows if the first pair has less noise, and %g if the last one has", first, last)
	}
	// With many columns, rounds need more rows than pairs do.
	if p := mustPlan(t, uniform(200, 2), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "0.1")}); p.after(1415).Again.Sigma2 == nil || p.after(p.Least).Rounds != rounds {
		t.Errorf("with 1415 rows of 200 columns, the columns are not measured again, or there are never rounds")
	}
	if p := mustPlan(t, uniform(1, 2), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "0.1")}); p.after(0) != p {
		t.Error("there is another plan for one column")
	}
}

// part returns rho/of.
func part(rho, of *big.Rat) float64 {
	f, _ := new(big.Rat).Quo(rho, of).Float64()
	return f
}

// Columns get the share .4 of ρ, rounds .15 (half of it to select and half to count), and pairs the rest. Target
// pairs get four times as much as others. Columns have contrasts if their noise is then no larger. Adding a row
// changes the contrasts of a column of k values, divided by k, by 1 - 1/k, squared, and the number of rows by 1. The
// number of rows is measured once.
func TestPlanShares(t *testing.T) {
	b := Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1"), Weights: map[[2]int]int{{0, 1}: 4, {1, 2}: 3}}
	p := mustPlan(t, uniform(4, 3), b)
	price := func(sigma2 *big.Rat) *big.Rat { return price(big.NewRat(1, 1), sigma2).Rho }
	one := big.NewRat(1, 1)
	near := func(name string, got, want float64) {
		t.Helper()
		if got > want*(1+1e-9) || got < want*(1-1e-5) {
			t.Errorf("%s: %g of ρ, not %g", name, got, want)
		}
	}
	near("the number of rows", part(price(p.Column.Sigma2), one), 0.4/(1+4*2./3))
	for i, weight := range []float64{4, 1, 3, 1, 1, 1} {
		near("a pair", part(price(p.Pair[i].Sigma2), one), 0.45*weight/11)
	}
	near("a draw", part(privacy.RangeRho(p.Epsilon), one), 0.15/12)
	near("a round", part(price(p.Round.Sigma2), one), 0.15/12)
	if p.Rounds != 6 {
		t.Errorf("%d rounds", p.Rounds)
	}
	if rho := p.Rho(); rho.Sub(rho, one).Cmp(p.Rho()) == 0 {
		t.Error("the caller can change the ρ of a plan")
	}
	for _, c := range []struct {
		name      string
		sizes     []int
		relation  privacy.Relation
		earlier   bool
		contrasts bool
		parts     float64
	}{
		{"one column", []int{3}, privacy.AddRemove, false, false, .4},
		{"two columns of three values", []int{3, 3}, privacy.AddRemove, false, false, 2},
		{"two columns of two values", []int{2, 2}, privacy.AddRemove, false, true, 2},
		{"columns of many values", []int{2, 801, 800, 2, 1}, privacy.AddRemove, false, true, 1 + .5 + 1 + 799./800 + .5 + 1},
		{"a replaced row", []int{2, 2, 2}, privacy.ReplaceOne, false, false, 3 * 2},
		{"an earlier version", []int{2, 2, 2}, privacy.AddRemove, true, false, 3},
	} {
		var d Domain
		for _, size := range c.sizes {
			d.Columns = append(d.Columns, Column{Size: size})
		}
		of := mustPlan(t, d, Budget{Relation: c.relation, Rho: b.Rho, Counts: c.earlier})
		near(c.name, part(price(of.Column.Sigma2), one), .4/c.parts)
		columns := of.columns(of.Column)
		for j, m := range columns {
			if m.Contrasts != (c.contrasts && c.sizes[j] > 1 && c.sizes[j] < 801) {
				t.Errorf("%s: column %d has contrasts: %v", c.name, j, m.Contrasts)
			}
			m.Counts = make([]int64, c.sizes[j])
			if math.Abs(m.Deviation()-of.ColumnDeviation()) > 1e-9*m.Deviation() {
				t.Errorf("%s: the noise of column %d is %g rows, and that of the plan %g", c.name, j, m.Deviation(), of.ColumnDeviation())
			}
		}
	}
	few := mustPlan(t, uniform(4, 3), Budget{Relation: b.Relation, Rho: decimal(t, "0.01"), Rows: 1000})
	many := mustPlan(t, uniform(4, 3), Budget{Relation: b.Relation, Rho: decimal(t, "0.01"), Rows: 100000})
	if few.Rounds != 0 || many.Rounds != 6 {
		t.Errorf("%d rounds on few rows, %d on many", few.Rounds, many.Rounds)
	}
	near("a pair without rounds", part(price(few.Pair[0].Sigma2), big.NewRat(1, 100)), 0.6/6)
	again := .4 * 8 / 11 // the columns without the number of rows
	near("a pair after columns measured again with half of ρ", part(price(few.Fewer.Pair[0].Sigma2), big.NewRat(1, 100)), (.6-again/2)/6)
	near("a pair after columns measured twice", part(price(few.Fewer.Fewer.Pair[0].Sigma2), big.NewRat(1, 100)), (.6-again)/6)
	near("a wanted pair after columns measured twice", part(price(p.Fewer.Fewer.Fewer.Pair[0].Sigma2), one), (.6-again)*4/11)
	alone := mustPlan(t, uniform(4, 3), Budget{Relation: b.Relation, Rho: decimal(t, "0.01"), Rows: 100000, Pairwise: true})
	near("a pair alone", part(price(alone.Pair[0].Sigma2), big.NewRat(1, 100)), 0.6/6)
	if queries := alone.Queries(); alone.Rounds != 0 || queries.Any != 0 || many.Queries().Any != mostTerms || len(queries.Columns) != 4+6 {
		t.Errorf("%d rounds of a pairwise plan, which queries %+v", alone.Rounds, queries)
	}
}

// The noise has the least sufficient σ² among numbers of 20 binary digits.
func TestNoise(t *testing.T) {
	for _, text := range []string{"1/3", "7/1000000", "123456789", "1/123456789123456789", "2"} {
		part, _ := new(big.Rat).SetString(text)
		for _, b := range []privacy.GaussianBudget{privacy.ZCDP{}, privacy.GDP{}} {
			cost := func(sigma2 *big.Rat) *big.Rat { return price(big.NewRat(1, 1), sigma2).of(b) }
			sigma2 := roundedUp(b.NoiseWithin(big.NewRat(1, 1), part)).Sigma2
			if _, ok := b.(privacy.GDP); ok && sigma2.Cmp(big.NewRat(1000, 1)) < 0 {
				continue // σ² is near 13/5, so the cost is not nearly proportional to 1/σ²
			}
			if cost(sigma2).Cmp(part) > 0 {
				t.Errorf("%T: σ² = %v costs more than %s", b, sigma2, text)
			}
			if fewer := new(big.Rat).Mul(sigma2, big.NewRat(1<<19-1, 1<<19)); cost(fewer).Cmp(part) <= 0 {
				t.Errorf("%T: σ² = %v is more than %s buys", b, sigma2, text)
			}
			if sigma2.Num().BitLen() > noiseDigits+1 && sigma2.Denom().BitLen() > 1 {
				t.Errorf("%T: σ² = %v has too many digits", b, sigma2)
			}
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	rho := decimal(t, "0.1")
	for _, c := range []struct {
		d    Domain
		b    Budget
		says string
	}{
		{Domain{}, Budget{Relation: privacy.AddRemove, Rho: rho}, "number of columns, 0,"},
		{uniform(MostColumns+1, 2), Budget{Relation: privacy.AddRemove, Rho: rho}, "number of columns, 1001,"},
		{uniform(2, 0), Budget{Relation: privacy.AddRemove, Rho: rho}, "column 1 has 0 values"},
		{uniform(2, MostSize+1), Budget{Relation: privacy.AddRemove, Rho: rho}, "column 1 has 65537 values"},
		{uniform(2, 2), Budget{Rho: rho}, "unknown neighbour relation"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove}, "either ρ or μ"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Mu: rho}, "either ρ or μ"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Rows: -1}, "number of rows, -1,"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Weights: map[[2]int]int{{1, 0}: 2}}, "the pair (2, 1) must be"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Weights: map[[2]int]int{{0, 1}: 0}}, "the weight 0 of the pair (1, 2)"},
		{uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Weights: map[[2]int]int{{0, 1}: 1001}}, "the weight 1001 of the pair (1, 2)"},
		{uniform(3, 2), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1e-99")}, "too small to divide"},
		{uniform(3, 2), Budget{Relation: privacy.AddRemove, Mu: decimal(t, "1e-99")}, "too small to divide"},
	} {
		if _, err := NewPlan(c.d, c.b); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, %v: %v; want %q", c.d.Columns[:min(2, len(c.d.Columns))], c.b, err, c.says)
		}
	}
	for _, weight := range []int{1, 1000} {
		mustPlan(t, uniform(2, 2), Budget{Relation: privacy.AddRemove, Rho: rho, Weights: map[[2]int]int{{0, 1}: weight}})
	}
}

// The estimated work increases with the rows and the pairs. The estimated error decreases with ρ
// and the rows.
func TestWork(t *testing.T) {
	plan := func(columns int, rho string) *Plan {
		return mustPlan(t, uniform(columns, 20), Budget{Relation: privacy.AddRemove, Rho: decimal(t, rho)})
	}
	small, wide, careful := plan(3, "1"), plan(100, "1"), plan(3, "0.01")
	if got := small.Work(1000); got.Additions != 6000 || got.Counts != 2*60+3*400+6*256 || got.Bytes < 1000*(3*2+8) {
		t.Errorf("%+v", got)
	}
	if got := wide.Work(10_000_000); got.Additions != 10_000_000*5050 || got.Bytes < 2_000_000_000 {
		t.Errorf("%+v", got)
	}
	for _, rows := range []int64{0, 1, 1000, 1_000_000} {
		if a, b, c := small.Work(rows), wide.Work(rows), small.Work(10*rows+1); a.Seconds < startSeconds || b.Seconds <= a.Seconds || c.Seconds < a.Seconds || b.Bytes <= a.Bytes || c.Bytes < a.Bytes {
			t.Errorf("%d rows: %+v, of more columns %+v, of more rows %+v", rows, a, b, c)
		}
	}
	if a, b := small.Work(10_000), careful.Work(10_000); b.Seconds > a.Seconds {
		t.Errorf("%g seconds, and %g with more noise", a.Seconds, b.Seconds)
	}
	if a, b, c := small.PairError(10_000), careful.PairError(10_000), small.PairError(100_000); a >= b || c >= a {
		t.Errorf("errors of %g, %g with less ρ, %g of more rows", a, b, c)
	}
	if got := plan(1, "1").PairError(100) + small.PairError(0); got != 4 {
		t.Errorf("an error of %g of nothing", got)
	}
	// Adding a row changes contrasts of 20 × 20 cells by (1 - 1/20)², squared.
	sigma2, _ := small.Pair[0].Sigma2.Float64()
	want := sigma2 * 0.95 * 0.95
	if got := small.Deviation(0); got*got < want*0.999 || got*got > want*1.001 {
		t.Errorf("a deviation of %g for σ² = %g", got, sigma2)
	}
}
