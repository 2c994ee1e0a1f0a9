package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// pureBudget and rhoBudget return budgets of the given ε or ρ.
func pureBudget(t testing.TB, epsilon string, r privacy.Relation) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewPure(r, privacytest.Decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func rhoBudget(t testing.TB, rho string, r privacy.Relation) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewZCDP(r, privacytest.Decimal(t, rho).Rat())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// muBudget returns a budget of μ, where half is μ²/2.
func muBudget(t testing.TB, half string, r privacy.Relation) privacy.Guarantee {
	t.Helper()
	of := privacytest.Decimal(t, half).Rat()
	g, err := privacy.NewGDP(r, new(big.Rat).Add(of, of), of)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// newtonOf returns a learner with the shares of ε for counts, start, gradient, Hessian and the last sample.
func newtonOf(t testing.TB, sizes []int, r privacy.Relation, scale int, shares ...string) *Newton {
	t.Helper()
	return newtonWithin(t, sizes, pureBudget(t, "1e99", r), scale, shares...)
}

// sharesOf returns the shares for counts, start, gradient, Hessian, the last sample and residuals. The last ones
// may be missing.
func sharesOf(t testing.TB, shares ...string) NewtonShares {
	t.Helper()
	var of [6]privacy.Decimal
	for i, s := range shares {
		of[i] = privacytest.Decimal(t, s)
	}
	return NewtonShares{Counts: of[0], Start: of[1], Gradient: of[2], Hessian: of[3], Final: of[4], Residuals: of[5]}
}

// newtonWithin returns a learner with a budget that exceeds what the shares consume.
func newtonWithin(t testing.TB, sizes []int, budget privacy.Guarantee, scale int, shares ...string) *Newton {
	t.Helper()
	m, err := NewNewton(sizes, make([]bool, len(sizes)), budget, sharesOf(t, shares...), scale)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomRows returns up to most records with random codes, labels and counts.
func randomRows(r *rand.Rand, sizes []int, most int, count int64) (d Listed[[]uint16]) {
	for range r.IntN(most + 1) {
		x := make([]uint16, len(sizes))
		for j, n := range sizes {
			x[j] = uint16(r.IntN(n))
		}
		d = append(d, Example[[]uint16]{x, r.IntN(2) == 1, r.Int64N(count + 1)})
	}
	return d
}

// tableOf returns the table of the rows.
func tableOf(t testing.TB, sizes []int, d Listed[[]uint16]) *table.Table {
	t.Helper()
	b := table.NewBuilder(sizes)
	for _, e := range d {
		if err := b.Add(e.X, e.Label, e.Count); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

// countsOf returns the table of the rows, with the categories of an encoded table.
func countsOf(t testing.TB, of *encodedTable, d Listed[[]uint16]) *table.Table {
	t.Helper()
	var sizes []int
	for _, groups := range of.groups {
		sizes = append(sizes, len(groups))
	}
	return tableOf(t, sizes, d)
}

// A lapsing context is canceled after Err was called the given number of times.
type lapsing struct {
	context.Context
	reads *int
}

func (c lapsing) Err() error {
	if *c.reads == 0 {
		return context.Canceled
	}
	*c.reads--
	return nil
}

// A release fails with the context's error, at whatever point the context is canceled. It fails with ErrRows before
// it uses any randomness. It has no other errors.
func TestNewtonFails(t *testing.T) {
	sizes := []int{2, 3}
	d := tableOf(t, sizes, randomRows(rand.New(rand.NewPCG(1, 1)), sizes, 40, 9))
	for queries, shares := range map[int][]string{2: {"1", "1"}, 5: {"1", "1", "1", "1", "1"}} {
		m := newtonOf(t, sizes, privacy.AddRemove, 10, shares...)
		canceled := 0
		for {
			left := canceled
			_, err := m.Release(lapsing{context.Background(), &left}, d, noise.Insecure(3))
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			canceled++
		}
		if canceled < queries {
			t.Errorf("the context was read %d times by %d queries", canceled, queries)
		}
		large := tableOf(t, sizes, Listed[[]uint16]{{X: []uint16{0, 0}, Count: MostRows}, {X: []uint16{0, 1}, Count: 1}})
		if _, err := m.Release(context.Background(), large, nil); !errors.Is(err, ErrRows) {
			t.Errorf("a table of 2^31 + 1 rows: %v", err)
		}
	}
}

// Parameters outside their ranges are refused.
func TestNewtonRefuses(t *testing.T) {
	good := func() (sizes []int, ordered []bool, epsilon string, shares [6]string, r privacy.Relation, scale int) {
		return []int{2, 3}, make([]bool, 2), "1", [6]string{"0.2", "0.2", "0.2", "0.2", "0.1", "0.1"}, privacy.ReplaceOne, 20
	}
	try := func(change func(sizes *[]int, ordered *[]bool, epsilon *string, shares *[6]string, r *privacy.Relation, scale *int)) error {
		sizes, ordered, epsilon, shares, r, scale := good()
		change(&sizes, &ordered, &epsilon, &shares, &r, &scale)
		_, err := NewNewton(sizes, ordered, pureBudget(t, epsilon, r), sharesOf(t, shares[:]...), scale)
		return err
	}
	type change = func(sizes *[]int, ordered *[]bool, epsilon *string, shares *[6]string, r *privacy.Relation, scale *int)
	for name, c := range map[string]change{
		"unchanged": func(*[]int, *[]bool, *string, *[6]string, *privacy.Relation, *int) {},
		"without a step": func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) {
			s[2], s[3], s[4], s[5] = "0", "0", "0", "0"
		},
		"without residuals": func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[5] = "0" },
		"less than ε":       func(_ *[]int, _ *[]bool, e *string, _ *[6]string, _ *privacy.Relation, _ *int) { *e = "1.5" },
		"least scale": func(_ *[]int, _ *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, s *int) {
			*s = LeastWeightedScale
		},
		"maximum scale": func(_ *[]int, _ *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, s *int) { *s = MostNewtonScale },
		"128 attributes": func(sizes *[]int, o *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, _ *int) {
			*sizes, *o = slices.Repeat([]int{2}, mostStepped), make([]bool, mostStepped)
		},
		"129 attributes without a step": func(sizes *[]int, o *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) {
			*sizes, *o = slices.Repeat([]int{2}, mostStepped+1), make([]bool, mostStepped+1)
			s[2], s[3], s[4], s[5] = "0", "0", "0", "0"
		},
	} {
		if err := try(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]change{
		"no share for a step with residuals": func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) {
			s[2], s[3], s[4] = "0", "0", "0"
		},
		"no share for counts":       func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[0] = "0" },
		"no share for the start":    func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[1] = "0" },
		"no share for the gradient": func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[2] = "0" },
		"no share for the Hessian":  func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[3] = "0" },
		"no share for the end":      func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[4] = "0" },
		"more than ε":               func(_ *[]int, _ *[]bool, _ *string, s *[6]string, _ *privacy.Relation, _ *int) { s[5] = "0.1001" },
		"scale 1": func(_ *[]int, _ *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, s *int) {
			*s = LeastWeightedScale - 1
		},
		"scale 101": func(_ *[]int, _ *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, s *int) {
			*s = MostNewtonScale + 1
		},
		"order of one":  func(_ *[]int, o *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, _ *int) { *o = make([]bool, 1) },
		"no attributes": func(s *[]int, o *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, _ *int) { *s, *o = nil, nil },
		"no categories": func(s *[]int, _ *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, _ *int) { *s = []int{2, 0} },
		"129 attributes": func(sizes *[]int, o *[]bool, _ *string, _ *[6]string, _ *privacy.Relation, _ *int) {
			*sizes, *o = slices.Repeat([]int{2}, mostStepped+1), make([]bool, mostStepped+1)
		},
	} {
		if try(c) == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// wild are coins whose noise takes extreme values.
type wild struct {
	noise.Coins
	r *rand.Rand
}

func (c wild) Draw(noise.Sampler) *big.Int {
	k := new(big.Int)
	switch c.r.IntN(6) {
	case 0:
	case 1:
		k.SetInt64(c.r.Int64N(9) - 4)
	case 2:
		k.SetInt64(c.r.Int64N(1 << 20))
	case 3:
		k.Lsh(big.NewInt(c.r.Int64N(1<<40)), uint(c.r.IntN(80)))
	default:
		k.Exp(big.NewInt(10), big.NewInt(int64(c.r.IntN(116))), nil)
	}
	if c.r.IntN(2) == 0 {
		k.Neg(k)
	}
	return k
}

// A release of any table returns a card with bounded points, for the least and the greatest ε and for any noise. The
// floating-point computations between the noisy sums and the cards neither fail nor overflow.
func TestNewtonReleasesAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	tables := []struct {
		sizes []int
		d     Listed[[]uint16]
	}{
		{[]int{2, 3}, nil},
		{[]int{1}, Listed[[]uint16]{{X: []uint16{0}, Label: true, Count: 9}}},
		{[]int{1, 1, 1}, Listed[[]uint16]{{X: []uint16{0, 0, 0}, Count: 1}, {X: []uint16{0, 0, 0}, Label: true, Count: 1}}},
		{[]int{5, 2}, Listed[[]uint16]{{X: []uint16{4, 1}, Label: true, Count: MostRows}}},
		{[]int{4, 9, 2}, Listed[[]uint16]{{X: []uint16{0, 0, 0}, Count: MostRows / 2}, {X: []uint16{3, 8, 1}, Label: true, Count: MostRows / 2}}},
		{[]int{3, 17, 2, 6}, randomRows(r, []int{3, 17, 2, 6}, 200, 99)},
	}
	for _, table := range tables {
		for _, share := range []string{"1e-99", "0.001", "1", "1e9", "1e98"} {
			for round := range 6 {
				shares := []string{share, share, share, share, share, share}[:5+round%2]
				if round%3 == 2 {
					shares = shares[:2]
				}
				m := newtonOf(t, table.sizes, []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne}[round%2], MostNewtonScale, shares...)
				if round > 3 && share != "1e98" { // a sample of which consumes more than the greatest ρ
					m = newtonWithin(t, table.sizes, rhoBudget(t, "1e99", m.budget.Relation()), MostNewtonScale, shares...)
				}
				for j := range m.ordered {
					m.ordered[j] = r.IntN(3) > 0
				}
				coins := noise.Coins(noise.Insecure(r.Uint64()))
				if round > 1 {
					coins = wild{coins, r}
				}
				p, err := m.Release(context.Background(), tableOf(t, table.sizes, table.d), coins)
				if err != nil {
					t.Fatal(err)
				}
				least, most := 0, 0
				for _, points := range p.Points {
					least, most = min(least, slices.Min(points)), max(most, slices.Max(points))
				}
				bound := int(MostNewtonScale * (mostCardWeight*2*mostOdds + mostCorrection*stepFactors[len(stepFactors)-1]))
				if least < -bound || most > bound || p.Prior < -31*MostNewtonScale || p.Prior > 31*MostNewtonScale {
					t.Errorf("sizes %v, ε = %s: points from %d to %d: %v", table.sizes, share, least, most, p)
				}
			}
		}
	}
}

// rowSums returns the sums over the rows one by one, from their definition.
func rowSums(table *encodedTable, d Listed[[]uint16], at linear) *logisticSums {
	n := len(table.units) + 1
	s := &logisticSums{make([]int64, n), make([]int64, n*(n+1)/2)}
	for _, e := range d {
		total, norm := 0.0, int64(0)
		x := make([]int64, n)
		for j, c := range e.X {
			x[j] = int64(table.units[j][table.groups[j][c]])
			total += float64(x[j])
			if table.euclidean {
				norm += x[j] * x[j]
			} else {
				norm += max(x[j], -x[j])
			}
		}
		factor, most := int64(shrinkUnits), shrinkUnits*table.norm
		for factor > 0 && (table.euclidean && factor*factor*norm > most*most || !table.euclidean && factor*norm > most) {
			factor--
		}
		for j := range e.X {
			x[j] *= factor
		}
		x[n-1] = shrinkUnits * table.constant
		p := 1 / (1 + math.Exp(-at.weights[0]*total/unitsPerOdds-at.constant))
		mean, curve := int64(math.Round(1024*p)), int64(math.Round(256*p*(1-p)))
		y := int64(0)
		if e.Label {
			y = 1024
		}
		for range e.Count {
			cell := 0
			for j := range x {
				s.gradient[j] += (y - mean) * x[j]
				for k := range j + 1 {
					product := curve * x[j] * x[k]
					if k < j {
						product *= 2
					}
					s.hessian[cell] += product
					cell++
				}
			}
		}
	}
	return s
}

// randomEncoded returns a table of attributes with the given numbers of categories, in random groups, with random units up
// to most in absolute value.
func randomEncoded(r *rand.Rand, sizes []int, most int) *encodedTable {
	table := &encodedTable{encoding: &encoding{}, euclidean: r.IntN(2) == 0, norm: 1 + r.Int64N(mostNorm/2), scale: 2 + r.IntN(99)}
	for _, n := range sizes {
		groups, units := indices(n), make([]int, n)
		if r.IntN(3) == 0 {
			units = units[:1+r.IntN(n)]
			for k := range groups {
				groups[k] = r.IntN(len(units))
			}
		}
		for g := range units {
			units[g] = r.IntN(2*most+1) - most
		}
		table.groups, table.units = append(table.groups, groups), append(table.units, units)
	}
	if r.IntN(2) == 0 {
		table.norm = 1 + r.Int64N(int64(most))
	}
	table.constant = 1 + r.Int64N(min(table.norm, mostConstant))
	return table
}

// common returns a card with one weight for all attributes.
func common(attributes int, weight, constant float64) linear {
	return linear{weights: slices.Repeat([]float64{weight}, attributes), constant: constant}
}

// Sums and costs equal those that are computed row by row.
func TestNewtonSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 60 {
		sizes := make([]int, 1+r.IntN(5))
		for j := range sizes {
			sizes[j] = 1 + r.IntN(4)
		}
		table, d := randomEncoded(r, sizes, 1+r.IntN(256)), randomRows(r, sizes, 20, 5)
		at := common(len(sizes), startWeights[r.IntN(len(startWeights))], 8*r.Float64()-4)
		counts := countsOf(t, table, d)
		got, err := table.sums(context.Background(), counts, at)
		if want := rowSums(table, d, at); err != nil || !slices.Equal(got.gradient, want.gradient) || !slices.Equal(got.hessian, want.hessian) {
			t.Fatalf("units %v, norm %d: sums %v, not %v, %v", table.units, table.norm, got, want, err)
		}
		step := linear{weights: make([]float64, len(sizes)), constant: 2*r.Float64() - 1}
		for j := range step.weights {
			step.weights[j] = 8*r.Float64() - 4
		}
		for i, f := range append(table.along(at, step), table.starts()) {
			rows, err := table.totals(context.Background(), counts, f)
			if err != nil {
				t.Fatal(err)
			}
			for k, cost := range table.costs(f, rows) {
				if want := gradedOneByOne(table, f, f.cards[k], d); cost != want {
					t.Fatalf("card %d of family %d: cost %d, not %d", k, i, cost, want)
				}
			}
		}
	}
}

// With the same random bits, the card is the same for any implementation of table.Counts.
func TestNewtonOfCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	sizes := []int{3, 4, 2}
	for seed := range uint64(6) {
		d := tableOf(t, sizes, randomRows(r, sizes, 60, 30))
		m := newtonOf(t, sizes, privacy.AddRemove, 20, "0.5", "0.5", "1", "1", "0.5")
		if seed%2 == 0 {
			m = newtonWithin(t, sizes, rhoBudget(t, "9", privacy.AddRemove), 20, "0.5", "0.5", "1", "1", "0.5")
		}
		var cards []string
		for _, counts := range []table.Counts{d, tabletest.Scan{Table: d}} {
			p, err := m.Release(context.Background(), counts, noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			cards = append(cards, fmt.Sprint(p))
		}
		if cards[0] != cards[1] {
			t.Errorf("seed %d: %s from a table, %s from a scan", seed, cards[0], cards[1])
		}
	}
}

// gradedOneByOne returns the cost of a card of a family, row by row.
func gradedOneByOne(table *encodedTable, f family, c graded, d Listed[[]uint16]) (sum int64) {
	for _, e := range d {
		total := int64(0)
		for j, code := range e.X {
			total += f.points[j][table.groups[j][code]]
		}
		e.X = nil
		sum += oneByOne(Points{Prior: int(math.Round(float64(table.scale) * (c.slope*float64(total) + c.constant)))}, Listed[[]uint16]{e}, table.scale)
	}
	return sum
}

// The log-odds of a card in a family are nearly those of the scorecard that is released for it. Its weights are bounded.
// The first family along the step has the points of the starts.
func TestNewtonFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		sizes := []int{1 + r.IntN(4), 1 + r.IntN(4), 1 + r.IntN(4)}
		table := randomEncoded(r, sizes, 256)
		table.prior, table.scale = r.Float64(), MostNewtonScale
		step := linear{weights: []float64{8*r.Float64() - 4, 8*r.Float64() - 4, 8*r.Float64() - 4}, constant: r.Float64()}
		start := table.starts()
		along := table.along(start.cards[r.IntN(len(start.cards))].linear, step)
		if len(start.cards) != len(startWeights)*len(startConstants) || len(along) != len(stepShares) || !slices.EqualFunc(along[0].points, start.points, slices.Equal[[]int64]) {
			t.Fatalf("%d cards at the start, %d families along the step", len(start.cards), len(along))
		}
		for _, f := range append(along, start) {
			for _, c := range f.cards {
				released := table.card(c.linear)
				for j, groups := range table.groups {
					for k, g := range groups {
						stated := MostNewtonScale * c.slope * float64(f.points[j][g])
						if math.Abs(float64(released.Points[j][k])-stated) > .5+1.5*MostNewtonScale/stepUnits/2+1e-9 || math.Abs(c.weights[j]) > mostCardWeight {
							t.Fatalf("weight %g: %d points are released for %g", c.weights[j], released.Points[j][k], stated)
						}
					}
				}
			}
		}
	}
}

// The sums over the greatest table and their products fit into 64 bits.
func TestNewtonSumsFit(t *testing.T) {
	const rows = MostRows
	for _, attributes := range []int{1, 2, mostStepped} {
		table := &encodedTable{encoding: &encoding{}, norm: mostNorm / 2, constant: mostConstant}
		for range attributes {
			table.groups, table.units = append(table.groups, indices(1)), append(table.units, []int{unitsPerOdds * 2 * mostOdds})
		}
		d := Listed[[]uint16]{{X: make([]uint16, attributes), Count: rows}}
		s, err := table.sums(context.Background(), countsOf(t, table, d), common(attributes, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		one := rowSums(table, Listed[[]uint16]{{X: d[0].X, Count: 1}}, common(attributes, 0, 0))
		for i, v := range s.hessian {
			if v != rows*one.hessian[i] || v <= 0 || v/rows != one.hessian[i] {
				t.Errorf("%d attributes: the sum of %d rows of %d is %d", attributes, int64(rows), one.hessian[i], v)
			}
		}
		for i, v := range s.gradient {
			if v >= 0 || v/rows != one.gradient[i] {
				t.Errorf("%d attributes: the sum of %d rows of %d is %d", attributes, int64(rows), one.gradient[i], v)
			}
		}
	}
}

// change returns the ℓ1 norm of the difference of two lists.
func change(a, b []int64, euclidean bool) (norm float64) {
	for i, v := range a {
		by := math.Abs(float64(v - b[i]))
		if euclidean {
			by *= by
		}
		norm += by
	}
	if euclidean {
		return math.Sqrt(norm)
	}
	return norm
}

// moves returns the maximum changes of both sums between neighbours, among tables with at most one row. A change is a
// fraction of the maximum from which the scale of the noise follows.
func moves(t *testing.T, table *encodedTable, d Listed[[]uint16], at linear, r privacy.Relation) (gradient, hessian float64) {
	t.Helper()
	norm := shrinkUnits * float64(table.norm+table.constant)
	first, second := riskUnits*norm, curveUnits*norm*norm
	if table.euclidean {
		square := shrinkUnits * shrinkUnits * float64(table.norm*table.norm+table.constant*table.constant)
		first, second = riskUnits*math.Sqrt(square), math.Sqrt2*curveUnits*square
	}
	if r.Replaces() {
		first *= 2
		if second *= 2; table.euclidean {
			second /= math.Sqrt2
		}
	}
	each := make([]*logisticSums, len(d))
	for i := range d {
		s, err := table.sums(context.Background(), countsOf(t, table, d[i:i+1]), at)
		if err != nil {
			t.Fatal(err)
		}
		each[i] = s
	}
	none := &logisticSums{make([]int64, len(table.units)+1), make([]int64, (len(table.units)+1)*(len(table.units)+2)/2)}
	for i, a := range each {
		others := []*logisticSums{none}
		if r.Replaces() {
			others = each[:i]
		}
		for _, b := range others {
			gradient = max(gradient, change(a.gradient, b.gradient, table.euclidean)/first)
			hessian = max(hessian, change(a.hessian, b.hessian, table.euclidean)/second)
		}
	}
	return gradient, hessian
}

// Between neighbours, the sums change by at most the maxima from which the scales of the noise follow. In some tables they
// change by nearly as much.
func TestNewtonMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		var gradient, hessian [2]float64 // by norm
		see := func(table *encodedTable, d Listed[[]uint16], at linear) {
			for i := range d {
				d[i].Count = 1
			}
			g, h := moves(t, table, d, at, r)
			norm := 0
			if table.euclidean {
				norm = 1
			}
			gradient[norm], hessian[norm] = max(gradient[norm], g), max(hessian[norm], h)
			if g > 1 || h > 1 {
				t.Errorf("%v: units %v, norm %d, constant %d: changes by %.6f and %.6f of the maximum", r, table.units, table.norm, table.constant, g, h)
			}
		}
		for i := range heavy.Pick(45, 150) {
			sizes := make([]int, 1+random.IntN([]int{3, 6, 40}[i%3]))
			for j := range sizes {
				sizes[j] = 1 + random.IntN(5)
			}
			table := randomEncoded(random, sizes, 1+random.IntN(256))
			at := common(len(sizes), startWeights[random.IntN(len(startWeights))], 30*random.Float64()-15)
			see(table, randomRows(random, sizes, 30, 1), at)
		}
		// Pairs of records with the maximum norm. Some have hardly any attribute in common. Others have many attributes in
		// common, and risks of 0 and 1.
		const attributes = 100
		table := &encodedTable{encoding: &encoding{}, norm: 2000, constant: 1, scale: 10}
		var apart, alike Listed[[]uint16]
		for range 2 {
			apart = append(apart, Example[[]uint16]{X: make([]uint16, attributes)})
		}
		alike = append(alike, Example[[]uint16]{X: make([]uint16, attributes), Label: true}, Example[[]uint16]{X: make([]uint16, attributes)})
		for j := range attributes {
			table.groups, table.units = append(table.groups, indices(3)), append(table.units, []int{0, 40, -40})
			apart[j%2].X[j] = 1
			alike[0].X[j], alike[1].X[j] = uint16(1+j%2), uint16(1+j%2)
			if j%20 == 1 {
				alike[1].X[j] = 1
			} else if j%20 == 0 {
				alike[0].X[j] = 2
			}
		}
		for norm := range 2 {
			see(table, apart, common(attributes, 0, 0))
			see(table, alike, common(attributes, 1.2, 0))
			t.Logf("%v: the gradient changes by up to %.4f of the maximum, the Hessian by up to %.4f", r, gradient[norm], hessian[norm])
			if gradient[norm] < .9 || hessian[norm] < []float64{.98, .95}[norm] {
				t.Errorf("%v: sums change by at most %.4f and %.4f of the maxima", r, gradient[norm], hessian[norm])
			}
			table.euclidean, table.norm = true, 283 // apart has the norm 40·√50
		}
	}
}

// Each rule of thumb holds from its least number of rows on, and for at most 128 attributes. It grows with the number of
// attributes, or with its root for a budget in ρ, and is twice as large if neighbours replace a row.
func TestNewtonHelps(t *testing.T) {
	for name, c := range map[string]struct {
		beats          func(attributes int, rows int64, budget privacy.Guarantee) bool
		pure, gaussian int64
	}{
		"step":      {NewtonHelps, 700, 300},
		"weights":   {NewtonBeatsWeights, 2000, 300},
		"residuals": {CorrectionsHelp, 4000, 500},
		"fine cuts": {FineCutsHelp, 8000, 1000},
	} {
		for _, of := range []struct {
			attributes int
			budget     privacy.Guarantee
			least      int64
		}{
			{3, pureBudget(t, "1", privacy.AddRemove), 3 * c.pure},
			{3, pureBudget(t, "2", privacy.ReplaceOne), 3 * c.pure},
			{mostStepped, pureBudget(t, "0.5", privacy.AddRemove), 2 * mostStepped * c.pure},
			{29, pureBudget(t, "9.28", privacy.ReplaceOne), c.pure * 25 / 4}, // the product is not exact in floating point
			{4, rhoBudget(t, "0.5", privacy.AddRemove), 2 * c.gaussian},
			{9, rhoBudget(t, "2", privacy.ReplaceOne), 3 * c.gaussian},
			{4, muBudget(t, "0.5", privacy.AddRemove), 2 * c.gaussian},
		} {
			if !c.beats(of.attributes, of.least, of.budget) || c.beats(of.attributes, of.least-1, of.budget) {
				t.Errorf("%s: %d attributes and %v: not from %d rows on", name, of.attributes, of.budget, of.least)
			}
		}
		if c.beats(mostStepped+1, math.MaxInt64, pureBudget(t, "1", privacy.AddRemove)) {
			t.Errorf("%s: is expected to be better for %d attributes", name, mostStepped+1)
		}
		if c.beats(1, math.MaxInt64, nil) {
			t.Errorf("%s: is expected to be better without a budget", name)
		}
	}
}

// The estimates of work and memory, and the queries, follow from the parts that a release has.
func TestNewtonWork(t *testing.T) {
	for name, c := range map[string]struct {
		shares []string
		work   int64
		sums   bool
	}{
		"start":     {[]string{"1", "1"}, 2 * 10 * 5, false},
		"step":      {[]string{"1", "1", "1", "1", "1"}, 2*10*5 + 10*5*(2+6), true},
		"residuals": {[]string{"1", "1", "1", "1", "1", "1"}, 2*10*5 + 10*5*(2+6) + 4*10*5, true},
	} {
		m := newtonOf(t, []int{2, 3, 4, 5, 6}, privacy.AddRemove, 10, c.shares...)
		if got := m.Work(10); got != c.work {
			t.Errorf("%s: %d additions, not %d", name, got, c.work)
		}
		if got := m.Totals(); got != 6*5*64*(32+4) {
			t.Errorf("%s: %d counts by total and label", name, got)
		}
		q := m.Queries()
		if q.Sums != c.sums || q.Any != 0 || len(q.Columns) != 1 || !slices.Equal(q.Columns[0], []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%s: the queries are %+v", name, q)
		}
		if g, ok := m.Guarantee().(privacy.Pure); !ok || g.Epsilon().String() != privacytest.Decimal(t, "1e99").String() {
			t.Errorf("%s: the guarantee is %v", name, m.Guarantee())
		}
	}
}

// A totalled table counts the queries for totals.
type totalled struct {
	table.Counts
	queries *int
}

func (c totalled) Totals(ctx context.Context, of table.Card) (map[int64][]int64, error) {
	*c.queries++
	return c.Counts.Totals(ctx, of)
}

// The totals of the start are queried once, although cards without a step have the same.
func TestNewtonQueriesTotals(t *testing.T) {
	sizes := []int{2, 3}
	d := tableOf(t, sizes, randomRows(rand.New(rand.NewPCG(1, 1)), sizes, 40, 9))
	for want, shares := range map[int][]string{1: {"1", "1"}, 3: {"1", "1", "1", "1", "1"}, 4: {"1", "1", "1", "1", "1", "1"}} {
		got := 0
		if _, err := newtonOf(t, sizes, privacy.AddRemove, 10, shares...).Release(context.Background(), totalled{d, &got}, noise.Insecure(1)); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%d shares: %d queries for totals, not %d", len(shares), got, want)
		}
	}
}

// laws are coins that record the distributions of the noise, which is 0.
type laws struct {
	noise.Coins
	drawn *[]string
}

func (c laws) Draw(law noise.Sampler) *big.Int {
	*c.drawn = append(*c.drawn, fmt.Sprint(law))
	return new(big.Int)
}

// The noise of each sum has the scale of its share, and each sample has the rate of its share.
func TestNewtonNoise(t *testing.T) {
	for r, times := range map[privacy.Relation]int64{privacy.AddRemove: 1, privacy.ReplaceOne: 2} {
		m := newtonOf(t, []int{2, 2}, r, 10, "0.5", "0.25", "3", "7", "0.2")
		if got := newtonOf(t, []int{2}, r, 10, "0.5", "0.25").CountRate().RatString(); got != big.NewRat(1, 2*times).RatString() {
			t.Errorf("%v: the rate of the counts of one attribute is %s", r, got)
		}
		if got := m.CountRate().RatString(); got != big.NewRat(1, 4*times).RatString() || m.CountVariances() != nil {
			t.Errorf("%v: the counts' rate is %s, and their variances are %v", r, got, m.CountVariances())
		}
		for share, want := range map[string]*big.Rat{"0.25": big.NewRat(1, 4000*times), "0.2": big.NewRat(1, 5000*times)} {
			if got := m.perCost(privacytest.Decimal(t, share)); got.Cmp(want) != 0 {
				t.Errorf("%v: the rate of a sample with ε = %s is %s, not %s", r, share, got.RatString(), want.RatString())
			}
		}
		var drawn []string
		table := &encodedTable{encoding: &encoding{}, units: [][]int{{1, 2}, {3, 4}}, norm: 8, constant: 3}
		s := m.noisy(table, &logisticSums{[]int64{1 << 19, 2 << 19, 3 << 19}, []int64{1 << 26, 2 << 26, 3 << 26, 4 << 26, 5 << 26, 6 << 26}}, laws{nil, &drawn})
		first, second := big.NewRat(1024*16*11*times, 3), big.NewRat(64*256*121*times, 7)
		want := append(slices.Repeat([]string{fmt.Sprintf("Laplace(%s)", first.RatString())}, 3), slices.Repeat([]string{fmt.Sprintf("Laplace(%s)", second.RatString())}, 6)...)
		if !slices.Equal(drawn, want) {
			t.Errorf("%v: noise %v, not %v", r, drawn, want)
		}
		if got := fmt.Sprint(s.gradient, s.hessian); got != "[1 2 3] [[1] [1 3] [2 2.5 6]]" {
			t.Errorf("%v: the sums in log-odds are %s", r, got)
		}
		f, _ := second.Float64()
		if math.Abs(s.ofDiagonal/(2*f*f)*(1<<52)-1) > 1e-12 || math.Abs(s.ofOthers/s.ofDiagonal-.25) > 1e-12 {
			t.Errorf("%v: variances %g and %g", r, s.ofDiagonal, s.ofOthers)
		}
	}
}

// Each sum has the Gaussian noise that consumes its share of ρ or of μ²/2. For μ, the variance is 13/5 greater. Each sample
// consumes the ε that follows from its share.
func TestNewtonGaussianNoise(t *testing.T) {
	for r, times := range map[privacy.Relation]int64{privacy.AddRemove: 1, privacy.ReplaceOne: 4} {
		testNewtonGaussianNoise(t, r, times, rhoBudget(t, "99", r), new(big.Rat))
		testNewtonGaussianNoise(t, r, times, muBudget(t, "99", r), big.NewRat(13, 5))
	}
}

// testNewtonGaussianNoise tests the noise of a learner with the given budget. Its σ² exceeds that of a budget in ρ by
// the parameter greater. The parameter times is the factor by which replacing rows increases the squared norm of the
// gradient.
func testNewtonGaussianNoise(t *testing.T, r privacy.Relation, times int64, budget privacy.Guarantee, greater *big.Rat) {
	m := newtonWithin(t, []int{2, 6}, budget, 10, "0.5", "0.25", "3", "7", "0.2")
	for proportional, want := range map[bool][]*big.Rat{false: {big.NewRat(2, 1), big.NewRat(2, 1)}, true: {big.NewRat(4, 1), big.NewRat(4, 3)}} {
		m.shares.Proportional = proportional
		if got := len(m.CountVariances()); got != 2 {
			t.Errorf("%v: %d variances of the counts of 2 attributes", r, got)
		}
		for j, v := range m.CountVariances() {
			want := want[j].Mul(want[j], big.NewRat(min(times, 2), 1))
			if want.Add(want, greater); v.Cmp(want) != 0 {
				t.Errorf("%v: the variance of the counts of attribute %d is %s, not %s", r, j, v.RatString(), want.RatString())
			}
		}
		most := map[bool]int{false: 2, true: 4}[proportional]
		if got, want := m.CountWidth(), AnswerWidth(AnswerNoise(budget, most, big.NewRat(1, 2)), 16); got != want {
			t.Errorf("%v: the counts have the width %g, not %g", r, got, want)
		}
	}
	if got, want := m.perCost(privacytest.Decimal(t, "0.25")), big.NewRat(1, 4000*min(times, 2)); got.Cmp(want) != 0 {
		t.Errorf("%v: the rate of a sample is %s, not %s", r, got.RatString(), want)
	}
	var drawn []string
	table := &encodedTable{encoding: &encoding{}, euclidean: true, units: [][]int{{1, 2}, {3, 4}}, norm: 8, constant: 3}
	s := m.noisy(table, &logisticSums{make([]int64, 3), make([]int64, 6)}, laws{nil, &drawn})
	first, second := big.NewRat(1024*1024*256*73*times, 2*3), big.NewRat(2*64*64*256*256*73*73*min(times, 2), 2*7)
	first.Add(first, greater)
	second.Add(second, greater)
	want := append(slices.Repeat([]string{fmt.Sprint(noise.Gaussian{Sigma2: first})}, 3), slices.Repeat([]string{fmt.Sprint(noise.Gaussian{Sigma2: second})}, 6)...)
	if !slices.Equal(drawn, want) {
		t.Errorf("%v: noise %v, not %v", r, drawn, want)
	}
	f, _ := second.Float64()
	if math.Abs(s.ofDiagonal/f*(1<<52)-1) > 1e-12 || math.Abs(s.ofOthers/s.ofDiagonal-.25) > 1e-12 {
		t.Errorf("%v: variances %g and %g", r, s.ofDiagonal, s.ofOthers)
	}
}

// The shares consume their sum of a pure budget. Of a budget in ρ, the shares of noisy queries consume ρ, and samples ε²/8.
// Of μ²/2, samples consume half of privacy.RangeSquare. All kinds of budgets refuse shares that consume more.
func TestNewtonConsumes(t *testing.T) {
	shares := sharesOf(t, "0.5", "2", "0.25", "0.0625", "4", "0.0625")
	for _, c := range []struct {
		budget   func(testing.TB, string, privacy.Relation) privacy.Guarantee
		consumes string
		samples  map[string]string // the ε of a sample within a part of the budget
	}{
		{pureBudget, "6.875", map[string]string{"0.5": "0.5", "0.02": "0.02"}},
		{rhoBudget, "3.375", map[string]string{"0.5": "2", "0.02": "0.4"}},
		{muBudget, "4.802", map[string]string{"0.5": "1.59576", "0.02": "0.319153"}},
	} {
		exact := c.budget(t, c.consumes, privacy.ReplaceOne)
		if got := shares.Consumes(exact); got.Cmp(privacytest.Decimal(t, c.consumes).Rat()) != 0 {
			t.Errorf("%T: the shares consume %s", exact, got.RatString())
		}
		if _, err := NewNewton([]int{2}, []bool{false}, exact, shares, 10); err != nil {
			t.Error(err)
		}
		below := new(big.Rat).Sub(privacytest.Decimal(t, c.consumes).Rat(), big.NewRat(1, 1e9))
		less, err := privacy.RoundDown(below, 20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewNewton([]int{2}, []bool{false}, c.budget(t, less.String(), privacy.ReplaceOne), shares, 10); err == nil {
			t.Errorf("%T: a smaller budget is not refused", exact)
		}
		if third, err := SampleWithin(big.NewRat(1, 3), exact); err != nil || !concentrated(exact) && third.String() != "0."+strings.Repeat("3", 99) {
			t.Errorf("%T: a sample within 1/3 has ε = %s, %v", exact, third, err)
		}
		for part, want := range c.samples {
			epsilon, err := SampleWithin(privacytest.Decimal(t, part).Rat(), exact)
			if err != nil {
				t.Fatal(err)
			}
			if epsilon.String() != want {
				t.Errorf("%T: a sample within %s has ε = %s, not %s", exact, part, epsilon, want)
			}
		}
	}
	shares.Proportional = true
	if _, err := NewNewton([]int{2}, []bool{false}, pureBudget(t, "99", privacy.AddRemove), shares, 10); err == nil {
		t.Error("proportional parts of ε are not refused")
	}
	shares.Proportional = false
	approximate, err := privacy.NewApproximate(privacy.AddRemove, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewNewton([]int{2}, []bool{false}, approximate, shares, 10); err == nil {
		t.Error("a budget of ε and δ is not refused")
	}
}

// The guarantee of a budget of μ and a choice has the μ² of the budget. Its ρ is the sum of the ρ of all parts: the
// shares of noisy queries, and ε²/8 of each sample.
func TestNewtonSpent(t *testing.T) {
	shares := sharesOf(t, "0.5", "2", "0.25", "0.0625", "4", "0.0625")
	budget := muBudget(t, "4.802", privacy.ReplaceOne).(privacy.GDP)
	for choice, want := range map[string]string{"0": "3.375", "1": "3.5"} {
		g, err := shares.Spent(budget, privacytest.Decimal(t, choice))
		if err != nil || g.Square().Cmp(budget.Square()) != 0 || g.Rho().Cmp(privacytest.Decimal(t, want).Rat()) != 0 || g.Relation() != privacy.ReplaceOne {
			t.Errorf("with a choice of %s: μ² = %v and ρ = %v, %v", choice, g.Square(), g.Rho(), err)
		}
	}
}

// The norm is the mean norm over the rows, within its bounds. The square of the constant is the mean square of a
// coordinate, within its bounds.
func TestNewtonRound(t *testing.T) {
	pure := newtonOf(t, []int{2}, privacy.AddRemove, 10, "1", "1")
	rho := newtonWithin(t, []int{2}, rhoBudget(t, "9", privacy.AddRemove), 10, "1", "1")
	for _, c := range []struct {
		m              *Newton
		attributes     int
		odds           float64
		norm, constant int64
	}{
		{pure, 1, 0, 1, 1}, {pure, 1, .5, 16, 16}, {pure, 4, .5, 64, 32}, {pure, 16, 8, 4096, 256}, {pure, mostStepped, .5, 2048, 181},
		{rho, 1, 0, 1, 1}, {rho, 1, .5, 16, 16}, {rho, 4, .5, 32, 16}, {rho, 16, 8, 1024, 256}, {rho, mostStepped, 100, 4096, 256},
	} {
		e := &encoding{}
		for range c.attributes {
			e.odds, e.rows = append(e.odds, []float64{-c.odds, c.odds}), append(e.rows, []float64{1e6, 1e6})
		}
		if got := c.m.round(e); got.norm != c.norm || got.constant != c.constant || got.norm+got.constant > mostNorm || got.euclidean != (c.m == rho) {
			t.Errorf("%d attributes of ±%g: norm %d, constant %d", c.attributes, c.odds, got.norm, got.constant)
		}
	}
}
