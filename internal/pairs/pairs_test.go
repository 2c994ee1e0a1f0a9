package pairs

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/matrix"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func mechanism(t testing.TB, sizes []int, outcomes int, r privacy.Relation, rho *big.Rat) *Mechanism {
	t.Helper()
	g, err := privacy.NewZCDP(r, rho)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(sizes, outcomes, g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// gaussian returns a mechanism whose guarantee is μ-GDP, given μ².
func gaussian(t testing.TB, sizes []int, outcomes int, r privacy.Relation, square *big.Rat) *Mechanism {
	t.Helper()
	g, err := privacy.NewGDP(r, square, square)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(sizes, outcomes, g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// made returns a table of random dependent rows, some of them null.
func made(t testing.TB, sizes []int, outcomes, rows int, seed uint64) *table.Table {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	b := table.NewBuilderOf(sizes, max(outcomes, 2))
	for range rows {
		level := random.Float64()
		value := func(k int) int { return min(k-1, int(float64(k)*(0.6*level+0.4*random.Float64()))) }
		record := make([]uint16, len(sizes))
		for j, k := range sizes {
			record[j] = uint16(value(k))
		}
		outcome := 0
		if outcomes > 0 {
			outcome = value(outcomes)
		}
		if err := b.AddOutcome(record, outcome, 1+int64(random.IntN(3)/2*random.IntN(40))); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(3); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// values returns the values of record i, with its outcome last if the label is a column.
func (m *Mechanism) values(t *table.Table, i int) []int {
	var out []int
	for _, c := range t.Record(i, nil) {
		out = append(out, int(c))
	}
	if m.labelled {
		out = append(out, t.Outcome(i))
	}
	return out
}

// vector returns a row's contribution to the sums, by definition.
func (m *Mechanism) vector(values []int) []int64 {
	sign := func(j, s int) int64 {
		n := 0
		for b := values[j] & s; b > 0; b /= 2 {
			n += b % 2
		}
		return int64(1 - 2*(n%2))
	}
	out := []int64{1}
	for j, a := range m.attributes {
		for s := 1; s < a.full; s++ {
			out = append(out, sign(j, s))
		}
	}
	for j, a := range m.attributes {
		for k := j + 1; k < len(m.attributes); k++ {
			for s := 1; s < a.full; s++ {
				for r := 1; r < m.attributes[k].full; r++ {
					out = append(out, sign(j, s)*sign(k, r))
				}
			}
		}
	}
	return out
}

// Sums equal those over the rows' vectors, also for several blocks of records and for columns of
// one value.
func TestSums(t *testing.T) {
	for _, c := range []struct {
		sizes          []int
		outcomes, rows int
	}{
		{[]int{2, 2, 2}, 0, 50}, {[]int{2, 5, 3}, 2, 300}, {[]int{1, 4}, 3, 100}, {[]int{1}, 0, 5}, {[]int{3}, 0, 0},
		{[]int{8, 8, 8, 8, 8, 8, 8}, 0, heavy.Pick(10_000, 40_000)},
	} {
		m := mechanism(t, c.sizes, c.outcomes, privacy.AddRemove, big.NewRat(1, 2))
		table := made(t, c.sizes, c.outcomes, c.rows, 1)
		got, err := m.sums(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, m.Len())
		for i := range table.Len() {
			for at, v := range m.vector(m.values(table, i)) {
				want[at] += v * table.Count(i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, %d outcomes: the sums differ", c.sizes, c.outcomes)
		}
	}
}

// kinds returns the vectors of all records of these sizes, and of the null record.
func (m *Mechanism) kinds() (all [][]int64) {
	records := [][]int{nil}
	for _, a := range m.attributes {
		var longer [][]int
		for _, r := range records {
			for v := range a.size {
				longer = append(longer, append(r[:len(r):len(r)], v))
			}
		}
		records = longer
	}
	for _, r := range records {
		all = append(all, m.vector(r))
	}
	return append(all, make([]int64, m.Len()))
}

// The sensitivity, found by trying all pairs of records, is at most that of moves. It is equal for
// every table under add-remove, and under replace-one if the columns are equal. The noise of a
// release corresponds to ρ, exactly if σ² is an integer.
func TestMoves(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	for _, c := range []struct {
		sizes    []int
		r        privacy.Relation
		attained bool
	}{
		{[]int{2}, replace, true}, {[]int{2, 2}, replace, true}, {[]int{2, 2, 2, 2, 2, 2}, replace, true},
		{[]int{4, 4, 4}, replace, true}, {[]int{3, 3}, replace, true}, {[]int{9}, replace, true}, {[]int{7, 8}, replace, true},
		{[]int{2, 4}, replace, false}, {[]int{2, 2, 8, 5}, replace, false}, {[]int{2, 1, 3, 3}, replace, false}, {[]int{16, 2, 2}, replace, false},
		{[]int{2}, addRemove, true}, {[]int{2, 2, 5, 1}, addRemove, true}, {[]int{1}, addRemove, true}, {[]int{1}, replace, true},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, addRemove, true},
	} {
		m := mechanism(t, c.sizes, 0, c.r, big.NewRat(1, 2))
		kinds := m.kinds()
		// differ returns the squared difference of two records in the sums of each block.
		differ := func(x, y []int64) (squares []int64) {
			at := 0
			m.blocks(func(_, _, size int) {
				sum := int64(0)
				for range size {
					sum += (x[at] - y[at]) * (x[at] - y[at])
					at++
				}
				squares = append(squares, sum)
			})
			return squares
		}
		moves := map[string][]int64{}
		null := kinds[len(kinds)-1]
		for i, x := range kinds {
			others := kinds[:i]
			if !c.r.Replaces() {
				others = [][]int64{null}
			}
			for _, y := range others {
				squares := differ(x, y)
				moves[fmt.Sprint(squares)] = squares
			}
		}
		greatest := func(by func(j, size int) *big.Rat) *big.Rat {
			most := new(big.Rat)
			for _, squares := range moves {
				price, block := new(big.Rat), 0
				m.blocks(func(j, _, size int) {
					if size > 0 {
						price.Add(price, new(big.Rat).Quo(big.NewRat(squares[block], 1), by(j, size)))
					}
					block++
				})
				if price.Cmp(most) > 0 {
					most = price
				}
			}
			return most
		}
		moved := greatest(func(j, size int) *big.Rat {
			if j < 0 {
				return new(big.Rat).Inv(m.total)
			}
			return big.NewRat(int64(size), 1)
		})
		if moved.Cmp(m.moves()) > 0 || c.attained && moved.Cmp(m.moves()) != 0 {
			t.Errorf("%v, %v: neighbours move %v, at most %v", c.sizes, c.r, moved, m.moves())
		}
		// ρ is the squared sensitivity divided by twice the noise parameter, summed over the
		// blocks.
		for _, rho := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 700), big.NewRat(7, 3)} {
			m := mechanism(t, c.sizes, 0, c.r, rho)
			spent := greatest(func(j, size int) *big.Rat { return m.law(j, size).Sigma2 })
			spent.Quo(spent, big.NewRat(2, 1))
			if spent.Cmp(rho) > 0 || c.attained && rho.Cmp(big.NewRat(1, 100)) < 0 && new(big.Rat).Quo(spent, rho).Cmp(big.NewRat(98, 100)) < 0 {
				t.Errorf("%v, %v: ρ = %v, of %v", c.sizes, c.r, spent, rho)
			}
			of := gaussian(t, c.sizes, 0, c.r, rho)
			square := greatest(func(j, size int) *big.Rat {
				return new(big.Rat).Sub(of.law(j, size).Sigma2, big.NewRat(13, 5))
			})
			if square.Cmp(rho) > 0 || c.attained && rho.Cmp(big.NewRat(1, 100)) < 0 && new(big.Rat).Quo(square, rho).Cmp(big.NewRat(98, 100)) < 0 {
				t.Errorf("%v, %v: μ² = %v, of %v", c.sizes, c.r, square, rho)
			}
		}
	}
}

// For persons, the sums and the noise are in units.
func TestPersons(t *testing.T) {
	sizes, rho := []int{2, 3}, big.NewRat(1, 50)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		rows, persons := mechanism(t, sizes, 0, r, rho), mechanism(t, sizes, 0, r.OfPersons(4), rho)
		times := new(big.Rat).Quo(persons.moved, rows.moved)
		if want := big.NewRat(144, 1); times.Cmp(want) != 0 { // (1·2·3·4/2)²
			t.Errorf("%v: %v times the noise, want %v", r, times, want)
		}
		if math.Abs(persons.noise()/rows.noise()-1) > 1e-2 {
			t.Errorf("%v: a person's noise %v, a row's %v", r, persons.noise(), rows.noise())
		}
	}
}

// The number of rows has a nineteenth of the ρ that all blocks have together, and at least as much as
// one block.
func TestShareOfRows(t *testing.T) {
	for d := range 12 {
		sizes := []int{1} // a column of one value has no signs
		for range d {
			sizes = append(sizes, 3)
		}
		m := mechanism(t, sizes, 0, privacy.AddRemove, big.NewRat(1, 2))
		blocks := -1 // all blocks but the number of rows
		m.blocks(func(_, _, size int) {
			if size > 0 {
				blocks++
			}
		})
		want := big.NewRat(int64(max(blocks, 19)), 19)
		if m.total.Cmp(want) != 0 {
			t.Errorf("%d columns: %v, not %v", d, m.total, want)
		}
		// ρ = (blocks + v)/2c, where v is m.total; so ρ = ½ gives M = c = blocks + v.
		if want.Add(want, big.NewRat(int64(blocks), 1)); m.moved.Cmp(want) != 0 {
			t.Errorf("%d columns: M = %v, not %v", d, m.moved, want)
		}
	}
}

// The limits on sizes, classes and signs are tested at their boundaries.
func TestBounds(t *testing.T) {
	g, err := privacy.NewZCDP(privacy.AddRemove, big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sizes    []int
		outcomes int
		refusal  string
	}{
		{[]int{2, 1, 2}, 0, ""},
		{[]int{2, 0, 2}, 0, "pairs: column 2 has 0 values"},
		{[]int{2, 2, 0}, 0, "pairs: column 3 has 0 values"},
		{[]int{2, 1 << 16}, 0, "the columns have too many values: they are coded by 65536 signs"},
		{[]int{1<<16 + 1, 2}, 0, "pairs: column 1 has 65537 values"},
		{[]int{2}, -1, "pairs: column 2 has -1 values"},
		{[]int{2}, table.MostOutcomes, ""},
		{[]int{2}, table.MostOutcomes + 1, "pairs: the label has 65 values"},
		{append([]int{1024}, slices.Repeat([]int{2}, MostSigns-1024)...), 0, ""}, // MostSigns, with the number of rows
		{append([]int{1024}, slices.Repeat([]int{2}, MostSigns-1023)...), 0, "the columns have too many values: they are coded by 1100 signs"},
	} {
		_, err := New(c.sizes, c.outcomes, g)
		switch {
		case c.refusal == "" && err != nil:
			t.Errorf("%d values and %d outcomes: %v", c.sizes[0], c.outcomes, err)
		case c.refusal != "" && (err == nil || !strings.HasPrefix(err.Error(), c.refusal)):
			t.Errorf("%d values and %d outcomes: %v, not %q", c.sizes[0], c.outcomes, err, c.refusal)
		}
	}
}

func TestRefusals(t *testing.T) {
	g, err := privacy.NewZCDP(privacy.AddRemove, big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New([]int{MostSigns}, 0, g); err == nil {
		t.Error("too many signs are taken")
	}
	for _, g := range []privacy.GaussianBudget{privacy.ZCDP{}, privacy.GDP{}} {
		if _, err := New([]int{2}, 0, g); err == nil {
			t.Errorf("the guarantee %#v is taken", g)
		}
	}
	if _, err := New([]int{512, 512}, 2, g); err != nil {
		t.Error(err)
	}
	m := mechanism(t, []int{2, 3}, 2, privacy.AddRemove, big.NewRat(1, 2))
	ended, end := context.WithCancel(context.Background())
	end()
	for _, c := range []struct {
		ctx      context.Context
		sizes    []int
		outcomes int
	}{
		{context.Background(), []int{2, 4}, 2}, {context.Background(), []int{3, 3}, 2}, {context.Background(), []int{2, 3, 2}, 2}, {context.Background(), []int{2, 3}, 3}, {context.Background(), []int{2}, 3},
		{ended, []int{2, 3}, 2},
	} {
		if sums, err := m.Release(c.ctx, made(t, c.sizes, c.outcomes, 5, 1), nil); err == nil || sums != nil {
			t.Errorf("%v, %d outcomes: %v", c.sizes, c.outcomes, sums)
		}
	}
}

// correlation returns a random exact matrix of the sums.
func correlation(m *Mechanism, random *rand.Rand, rows int) *matrix.Dense {
	shares := make([]float64, m.Len())
	for range rows {
		values := make([]int, len(m.attributes))
		for j, a := range m.attributes {
			values[j] = random.IntN(1 + random.IntN(a.size))
		}
		for at, v := range m.vector(values) {
			shares[at] += float64(v) / float64(rows)
		}
	}
	return m.matrix(shares, 1)
}

// The nearest matrix has the required diagonal and no negative eigenvalue, and satisfies the
// variational inequality that characterises the projection.
func TestNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		sizes []int
		noise float64
	}{
		{[]int{2}, 1}, {[]int{2, 2, 2, 2, 2}, 0.01}, {[]int{2, 2, 2, 2, 2}, 0.3}, {[]int{2, 5, 3, 8, 2}, 0.2}, {make([]int, 40), 0.05}, {make([]int, 40), 2}, {[]int{64, 30}, 3},
	} {
		for j, k := range c.sizes {
			c.sizes[j] = max(k, 2)
		}
		m := mechanism(t, c.sizes, 0, privacy.AddRemove, big.NewRat(1, 2))
		truth := correlation(m, random, 200)
		n := m.signs
		z, diagonal := matrix.New(n, n), make([]float64, n)
		for i := range n {
			diagonal[i] = truth.At(i, i)
			z.SetBoth(i, i, diagonal[i])
			for j := range i {
				z.SetBoth(i, j, truth.At(i, j)+c.noise*random.NormFloat64())
			}
		}
		p, err := nearest(context.Background(), z, diagonal)
		if err != nil || p == nil {
			t.Fatal(err)
		}
		x := p.matrix()
		values, _, ok := matrix.Eigen(x)
		if !ok {
			t.Fatal("no eigenvalues")
		}
		if least := slices.Min(values); least < -1e-10 {
			t.Errorf("%d signs, noise %v: an eigenvalue of %v", n, c.noise, least)
		}
		angle := func(to *matrix.Dense) (sum float64) {
			for i := range n {
				for j := range n {
					sum += (z.At(i, j) - x.At(i, j)) * (to.At(i, j) - x.At(i, j))
				}
			}
			return sum
		}
		slack := 1e-5 * (1 + c.noise*c.noise*float64(n*n))
		for range 20 {
			if a := angle(correlation(m, random, 1+random.IntN(3))); a > slack {
				t.Errorf("%d signs, noise %v: an angle of %v", n, c.noise, a)
			}
		}
		if a := angle(truth); a > slack {
			t.Errorf("%d signs, noise %v: an angle of %v with the truth", n, c.noise, a)
		}
		for i := range n {
			if x.At(i, i) != diagonal[i] {
				t.Fatalf("%d signs, noise %v: %v on the diagonal", n, c.noise, x.At(i, i))
			}
		}
		if p.error > 1e-4 {
			t.Errorf("%d signs, noise %v: the diagonal is off by %v", n, c.noise, p.error)
		}
	}
}

// Without noise the answers are the exact counts, and the stated error is nearly 0.
func TestAnswerWithoutNoise(t *testing.T) {
	sizes, outcomes := []int{2, 5, 1, 8, 3}, 3
	m := mechanism(t, sizes, outcomes, privacy.AddRemove, big.NewRat(1_000_000, 1))
	table := made(t, sizes, outcomes, 400, 3)
	sums, err := m.Release(context.Background(), table, noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(context.Background(), sums)
	if err != nil {
		t.Fatal(err)
	}
	all := append(sizes, outcomes)
	for j := range all {
		for k := j + 1; k < len(all); k++ {
			want := make([]float64, all[j]*all[k])
			for i := range table.Len() {
				v := m.values(table, i)
				want[v[j]*all[k]+v[k]] += float64(table.Count(i))
			}
			got, off := a.Counts(j, k)
			for cell, n := range got {
				if math.Abs(n-want[cell]) > 1 || n < 0 {
					t.Errorf("columns %d and %d: cell %d has %v, want %v", j, k, cell, n, want[cell])
				}
			}
			if off > 2 || len(got) != len(want) {
				t.Errorf("columns %d and %d: error %v", j, k, off)
			}
		}
	}
}

// There are answers for any noise: for an empty table, for null rows only, for noise much larger
// than the number of rows, and for improbable noise.
func TestAnswerOfNoise(t *testing.T) {
	for _, sizes := range [][]int{{1}, {2}, {2, 2, 2}, {7, 3, 40}, {1, 1}} {
		for _, rho := range []*big.Rat{big.NewRat(1, 1_000_000), big.NewRat(1, 10), big.NewRat(1000, 1)} {
			m := mechanism(t, sizes, 0, privacy.AddRemove, rho)
			sums, err := m.Release(context.Background(), made(t, sizes, 0, 0, 1), noise.Insecure(2))
			if err != nil {
				t.Fatal(err)
			}
			huge := make([]*big.Int, len(sums))
			for i := range huge {
				huge[i] = new(big.Int).Lsh(big.NewInt(int64(1-2*(i%3))), 3000)
			}
			zero := make([]*big.Int, len(sums))
			for i := range zero {
				zero[i] = new(big.Int)
			}
			for _, drawn := range [][]*big.Int{sums, huge, zero} {
				a, err := m.Answer(context.Background(), drawn)
				if err != nil {
					t.Fatal(err)
				}
				for j := range sizes {
					for k := j + 1; k < len(sizes); k++ {
						counts, off := a.Counts(j, k)
						sum := 0.0
						for _, n := range counts {
							sum += n
							if !(n >= 0) || math.IsInf(n, 0) {
								t.Fatalf("%v: a count of %v", sizes, n)
							}
						}
						if math.Abs(sum-a.Rows) > 1e-6*(1+a.Rows) || !(off >= 0) {
							t.Errorf("%v: counts add up to %v, not %v; error %v", sizes, sum, a.Rows, off)
						}
					}
				}
			}
		}
	}
}

// BenchmarkPairs counts columns that depend on one latent variable, at ε = 1 and δ = 1e-9 under
// add-remove, and reports the errors of the last release.
func BenchmarkPairs(b *testing.B) {
	mu, err := privacy.MuWithin(privacytest.Decimal(b, "1"), privacytest.Decimal(b, "1e-9"))
	if err != nil {
		b.Fatal(err)
	}
	square := mu.Rat()
	square.Mul(square, square)
	for _, c := range []struct{ columns, values, rows int }{
		{20, 2, 1000}, {20, 2, 10_000}, {100, 2, 1000}, {100, 2, 10_000}, {500, 2, 1000}, {500, 2, 10_000}, {500, 2, 100_000}, {20, 5, 1000}, {20, 5, 10_000},
	} {
		b.Run(fmt.Sprintf("%dx%d,%d", c.columns, c.values, c.rows), func(b *testing.B) {
			sizes := make([]int, c.columns)
			for j := range sizes {
				sizes[j] = c.values
			}
			random := rand.New(rand.NewPCG(1, 2))
			of, record := table.NewBuilder(sizes), make([]uint16, c.columns)
			for range c.rows {
				hidden := random.NormFloat64()
				for j := range record {
					x := hidden*float64(j%5)/4 + random.NormFloat64() + float64(c.values)/2 - 0.3
					record[j] = uint16(min(max(x, 0), float64(c.values-1)))
				}
				if err := of.Add(record, false, 1); err != nil {
					b.Fatal(err)
				}
			}
			m, t := gaussian(b, sizes, 0, privacy.AddRemove, square), of.Table()
			w := world{m: m, t: t, exact: counted(m, t)}
			for b.Loop() {
				of, stated, _ := w.errors(b, noise.Crypto())
				b.ReportMetric(m.ExpectedCount(0), "noise")
				b.ReportMetric(m.ExpectedCount(int64(c.rows)), "expected")
				b.ReportMetric(w.whole(stated), "stated")
				b.ReportMetric(w.whole(of), "true")
			}
		})
	}
}
