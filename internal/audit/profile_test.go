package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/profile"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// unitsTable returns a table whose columns have these units in each cell. The last cell holds values that are not
// numbers.
func unitsTable(t testing.TB, r privacy.Relation, columns [][]int64) *table.Table {
	t.Helper()
	s := table.Schema{}
	for j, units := range columns {
		a := table.Attribute{Column: fmt.Sprint("x", j), Other: "missing"}
		for i := range len(units) - 2 {
			a.Cuts = append(a.Cuts, table.Decimal(fmt.Sprint(i)))
		}
		s.Attributes = append(s.Attributes, a)
	}
	if r.Persons() > 0 {
		s.Person = &table.Person{Column: "person", Most: r.Persons()}
	}
	made, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	b := made.Builder()
	// Each record has one cell of each column. The columns have the given units if their sums are equal.
	record, left := make([]uint16, len(columns)), make([]int64, len(columns))
	for j := range columns {
		left[j] = columns[j][0]
	}
	for {
		least := int64(math.MaxInt64)
		for j := range columns {
			for left[j] == 0 && int(record[j])+1 < len(columns[j]) {
				record[j]++
				left[j] = columns[j][record[j]]
			}
			least = min(least, left[j])
		}
		if least == 0 {
			break
		}
		if err := b.AddOutcome(record, 0, least); err != nil {
			t.Fatal(err)
		}
		for j := range left {
			left[j] -= least
		}
	}
	return b.Table()
}

// A cutting is a column as the definition of the mechanism divides it: after some levels, with the parts of a level
// that have been divided so far.
type cutting struct {
	units     []int64 // of the cells between the candidates
	penalties []int   // by candidate
	levels    int
	most      int                         // the maximum number of levels
	mu        func(share float64) float64 // of a level that consumes this share of the column's budget
	favour    func(mu float64, levels int) float64

	left       float64 // of the budget
	done, cuts int     // the numbers of levels and cuts
	mayStop    bool    // whether level 1 may stop
}

// law adds probability p times the law of the cuts to the law. A set of cuts is a bit mask of edges, to which the
// cuts so far are added.
func (c cutting) law(law map[uint64]float64, p float64, parts [][2]int, set uint64) {
	mostCuts := 1<<(c.levels+1) - 1
	if c.most == c.levels {
		mostCuts = 1<<c.levels - 1
	}
	needed := 0
	for float64(int(len(parts))<<needed) < 0.75*float64(int(1)<<c.levels) && needed < c.most-c.done {
		needed++
	}
	if len(parts) == 0 || c.cuts+len(parts) > mostCuts || needed == 0 || c.left == 0 {
		law[set] += p
		return
	}
	share := c.left / float64(needed)
	mu, favour := c.mu(share), c.favour(c.mu(share), c.done+needed)
	c.left -= share
	if needed == 1 {
		c.left = 0
	}
	first := c.done == 0 && !c.mayStop
	c.done++
	c.level(law, p, mu, favour, first, parts, nil, set)
}

// level is law within a level, of which the parts remain to be divided.
func (c cutting) level(law map[uint64]float64, p, mu, favour float64, first bool, parts, next [][2]int, set uint64) {
	if len(parts) == 0 {
		c.law(law, p, next, set)
		return
	}
	from, to := parts[0][0], parts[0][1]
	var costs []float64
	all := 0.0
	for _, n := range c.units[from:to] {
		all += float64(n)
	}
	low, weight := 0.0, 0.0
	for i, n := range c.units[from : to-1] {
		low += float64(n)
		penalty := float64(c.penalties[from+i])
		weight += math.Pow(2, -penalty)
		costs = append(costs, math.Abs(low-(all-low))+math.Floor(0.7*penalty/mu+1e-9))
	}
	edges := len(costs)
	if !first {
		costs = append(costs, all-math.Floor((0.7*math.Floor(math.Log2(weight))+favour)/mu+1e-9))
	}
	sum := 0.0
	for _, cost := range costs {
		sum += math.Exp(-mu * cost)
	}
	for i, cost := range costs {
		chosen := p * math.Exp(-mu*cost) / sum
		if i == edges {
			c.level(law, chosen, mu, favour, first, parts[1:], next, set)
			continue
		}
		after, edge := c, from+i+1
		after.cuts++
		halves := slices.Clone(next)
		for _, half := range [][2]int{{from, edge}, {edge, to}} {
			if half[1]-half[0] > 1 {
				halves = append(halves, half)
			}
		}
		after.level(law, chosen, mu, favour, first, parts[1:], halves, set|1<<edge)
	}
}

// everyEdge returns all edges of columns with these numbers of cells as candidates, without penalties.
func everyEdge(cells []int) (all []profile.Candidates) {
	for j, n := range cells {
		c := profile.Candidates{Column: j, Penalties: make([]int, n-1)}
		for t := range n - 1 {
			c.Edges = append(c.Edges, t+1)
		}
		all = append(all, c)
	}
	return all
}

// The released cuts of small columns have the distribution of the definition: with the rate of each relation and
// budget, the costs of the part, the penalties, and the bonus of stopping. Values that are not numbers have no effect.
func TestProfileLaw(t *testing.T) {
	for _, c := range []struct {
		units  []int64
		levels int
		r      privacy.Relation
		rho    bool
		mu     float64 // of a level with the whole budget; by hand: ε = 2 is 2μcw, and ρ = 1/8 is (2μcw)²/8
		rows   int64
		most   int // levels; by hand: 1.5·2^levels rank errors are at most the number of rows

		edges, penalties []int // the candidates; nil: all edges, without penalties
		omitted          []int // cells without which rows are cut; rows is then their estimated number of others
	}{
		{[]int64{3, 0, 1, 4, 2}, 1, privacy.AddRemove, false, 1, 0, 1, nil, nil, nil},
		{[]int64{3, 0, 1, 4, 2}, 1, privacy.ReplaceOne, false, 0.5, 0, 1, nil, nil, nil},
		{[]int64{6, 0, 6, 0, 6}, 1, privacy.AddRemove.OfPersons(3), false, 1.0 / 6, 0, 1, nil, nil, nil},
		{[]int64{6, 0, 6, 0, 6}, 1, privacy.ReplaceOne.OfPersons(3), true, 1.0 / 24, 0, 1, nil, nil, nil},
		{[]int64{2, 0, 1, 2, 0, 4}, 2, privacy.AddRemove, false, 1, 30, 3, nil, nil, nil},
		{[]int64{2, 0, 0, 0, 9}, 2, privacy.ReplaceOne, false, 0.5, 1, 2, nil, nil, nil},
		{[]int64{1, 0, 2, 0, 3}, 2, privacy.AddRemove, true, 0.5, 8, 2, nil, nil, nil},
		{[]int64{1, 0, 2, 0, 3}, 2, privacy.AddRemove, true, 0.5, 100, 4, nil, nil, nil},
		{[]int64{0, 9, 0, 1, 0, 1, 0}, 3, privacy.AddRemove, false, 1, 400, 6, nil, nil, nil},
		{[]int64{1, 1, 0, 0, 0, 1, 0}, 3, privacy.AddRemove, false, 1, 1000, 6, nil, nil, nil},
		{[]int64{0, 9, 0, 1, 0, 1, 0}, 3, privacy.AddRemove, false, 1, 20, 3, nil, nil, nil},
		{[]int64{3, 0, 1, 4, 2}, 1, privacy.AddRemove, false, 1, 0, 1, []int{1, 2, 4}, []int{0, 2, 1}, nil},
		{[]int64{1, 0, 2, 0, 3}, 2, privacy.AddRemove, true, 0.5, 8, 2, []int{1, 2, 3}, []int{3, 0, 5}, nil},
		{[]int64{3, 90, 1, 4, 2}, 1, privacy.AddRemove, false, 1, 1, 1, nil, nil, []int{1}},
		{[]int64{3, 90, 1, 0, 4, 2}, 2, privacy.AddRemove, false, 1, 15, 1, []int{3, 4}, []int{0, 2}, []int{1}}, // 4·(2/2)·2² rows are enough for two levels
		{[]int64{3, 90, 1, 0, 4, 2}, 2, privacy.AddRemove, false, 1, 16, 2, []int{3, 4}, []int{0, 2}, []int{1}},
		{[]int64{90, 2, 6, 70, 8, 2}, 3, privacy.ReplaceOne.OfPersons(2), true, 1.0 / 8, 5, 1, nil, nil, []int{0, 3}},
	} {
		name := fmt.Sprint(c.units, " ", c.levels, " ", c.r)
		var g privacy.Guarantee
		var err error
		if g, err = privacy.NewPure(c.r, privacytest.Decimal(t, "2")); c.rho {
			g, err = privacy.NewZCDP(c.r, big.NewRat(1, 8))
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := profile.New([]int{len(c.units) - 1}, c.levels, c.rows, g)
		if err != nil {
			t.Fatal(err)
		}
		d := unitsTable(t, c.r, [][]int64{c.units})
		from := []profile.Candidates{{Edges: c.edges, Penalties: c.penalties}}
		if c.edges == nil {
			from = everyEdge([]int{len(c.units) - 1})
		}
		levels := c.levels
		if c.omitted != nil {
			levels = c.most
			from[0].Omitted, from[0].Units = c.omitted, c.rows*table.Weight(c.r.Persons())
		}
		units := []int64{0}
		for i, n := range c.units[:len(c.units)-1] {
			if slices.Contains(from[0].Edges, i) {
				units = append(units, 0)
			}
			if !slices.Contains(c.omitted, i) {
				units[len(units)-1] += n
			}
		}
		quick := 1e-6
		if c.levels > 2 { // many paths
			quick = 1e-5
		}
		law := audit.LawOf(t, func(coins noise.Coins) uint64 {
			cuts, err := m.Release(context.Background(), d, from, coins)
			if err != nil {
				t.Fatal(err)
			}
			set := uint64(0)
			for _, e := range cuts[0] {
				set |= 1 << (slices.Index(from[0].Edges, e) + 1)
			}
			return set
		}, audit.InFull(quick, 1e-9))
		of := cutting{
			units: units, penalties: from[0].Penalties, levels: levels, most: c.most, left: 1, mayStop: c.omitted != nil,
			mu: func(share float64) float64 {
				if c.rho {
					return c.mu * math.Sqrt(share)
				}
				return c.mu * share
			},
			favour: func(mu float64, levels int) float64 {
				if c.rows == 0 {
					return 1
				}
				each := float64(table.Weight(c.r.Persons())*c.rows) / math.Pow(2, float64(levels-1))
				return min(max(math.Floor(5*mu*each+1e-9)/10-3, -1), 4)
			},
		}
		expected := map[uint64]float64{}
		of.law(expected, 1, [][2]int{{0, len(of.units)}}, 0)
		total := 0.0
		for set, p := range expected {
			total += p
			if lo, hi := law.Bounds(set); p < lo*(1-1e-9) || p > hi*(1+1e-9) {
				t.Errorf("%s: the definition gives %b the probability %g, enumeration %g to %g", name, set, p, lo, hi)
			}
		}
		if law.Tail() > heavy.Pick(1e-2, 1e-3) || math.Abs(total-1) > 1e-9 {
			t.Errorf("%s: a tail of %g, and %g in all", name, law.Tail(), total)
		}
	}
}

// A tableRelease releases from a table.
type tableRelease = func(d *table.Table, coins noise.Coins) (audit.Release, error)

// A budgetSweep compares privacy losses with the budget, for pure guarantees and for zCDP.
type budgetSweep struct {
	*audittest.Sweep
	attained map[string]float64 // by relation and kind of guarantee, the greatest part of the budget that is lost
}

func newBudgetSweep(seed uint64) budgetSweep {
	return budgetSweep{audittest.NewSweep(seed), map[string]float64{}}
}

// compare couples the releases from the neighbouring tables p and q, by a mechanism for each kind of guarantee. The function
// of also returns the method Gaussian of the mechanism, whose μ² it compares for a ρ.
func (s budgetSweep) compare(t *testing.T, r privacy.Relation, trial int, p, q *table.Table, of func(privacy.Guarantee) (tableRelease, privacy.Guarantee)) {
	t.Helper()
	epsilon, rho := privacytest.Decimal(t, "0.5"), big.NewRat(1, 50)
	for name, g := range map[string]privacy.Guarantee{"ε": privacytest.Pure(t, epsilon.String(), r), "ρ": zcdp(t, r, rho)} {
		release, gaussian := of(g)
		from := func(d *table.Table) func(noise.Coins) (audit.Release, error) {
			return func(c noise.Coins) (audit.Release, error) { return release(d, c) }
		}
		c, err := audit.Couple(noise.Insecure(uint64(trial)), from(p), from(q))
		if err != nil {
			t.Fatalf("%v, trial %d: %v", r, trial, err)
		}
		if name == "ε" {
			s.part(t, r, trial, name, c.Pure(), epsilon.Rat())
			continue
		}
		s.part(t, r, trial, name, c.Total(), rho)
		s.part(t, r, trial, "μ²", c.Square, gaussian.(privacy.GDP).Square())
	}
}

// part adds the part of a budget that is lost.
func (s budgetSweep) part(t *testing.T, r privacy.Relation, trial int, name string, loss, budget *big.Rat) {
	t.Helper()
	share, _ := new(big.Rat).Quo(loss, budget).Float64()
	s.Add(t, fmt.Sprintf("%v, trial %d, %s", r, trial, name), share)
	s.attained[fmt.Sprint(r, name)] = max(s.attained[fmt.Sprint(r, name)], share)
}

// report fails unless the whole budget is lost somewhere, and no more than that anywhere.
func (s budgetSweep) report(t *testing.T) {
	t.Helper()
	s.Report(t, 0.999)
	for name, share := range s.attained {
		if share < 0.999 {
			t.Errorf("%s: at most %.4f of the budget is lost", name, share)
		}
	}
}

// The privacy loss of the choices of cuts is at most ε, or ρ and μ², on columns of many shapes. They have spikes or
// none, empty cells, missing values, and few rows. Persons may have rows in one cell or in several. With one level,
// the loss attains ε somewhere.
func TestProfileSweep(t *testing.T) {
	w := newBudgetSweep(30)
	for _, r := range audittest.Relations {
		weight := table.Weight(r.Persons())
		for trial := range heavy.Pick(30, 400) {
			levels := 1 + trial%3
			columns, cells := generated(w.Sweep, trial, weight)
			from := everyEdge(cells)
			if w.Random.IntN(2) == 0 { // one column alone, with penalties and without its first edge
				from = from[len(from)-1:]
				from[0].Edges, from[0].Penalties = from[0].Edges[1:], from[0].Penalties[1:]
				for i := range from[0].Penalties {
					from[0].Penalties[i] = w.Random.IntN(1 + profile.MostPenalty)
				}
			}
			if w.Random.IntN(3) == 0 { // a column that is cut without the rows of a cell
				from[0].Omitted, from[0].Units = []int{w.Random.IntN(cells[from[0].Column])}, w.Random.Int64N(6000*weight)
			}
			other := neighbourOf(w.Sweep, columns, r, weight)
			p, q := unitsTable(t, r, columns), unitsTable(t, r, other)
			w.compare(t, r, trial, p, q, func(g privacy.Guarantee) (tableRelease, privacy.Guarantee) {
				m, err := profile.New(cells, levels, []int64{0, 10, 6000}[trial%3], g)
				if err != nil {
					t.Fatal(err)
				}
				release := func(d *table.Table, c noise.Coins) (audit.Release, error) {
					counted := &accepted{Coins: c}
					cuts, err := m.Release(context.Background(), d, from, counted)
					return audit.Release{Choices: counted.n, Rest: fmt.Sprint(cuts)}, err
				}
				return release, m.Gaussian()
			})
		}
	}
	w.report(t)
}

// generated returns one or two columns. columns has the units in each cell, and cells has the number
// of those cells of each column that contain numbers.
func generated(w *audittest.Sweep, trial int, weight int64) (columns [][]int64, cells []int) {
	columns = make([][]int64, 1+trial%4/3)
	rows := []int64{0, 5, 60, 5000}[w.Random.IntN(4)]
	for j := range columns {
		columns[j] = make([]int64, 4+w.Random.IntN(20))
		cells = append(cells, len(columns[j])-1)
		spike := w.Random.IntN(len(columns[j]))
		for left := rows; left > 0; {
			n := min(left, 1+w.Random.Int64N(1+rows/8))
			at := w.Random.IntN(len(columns[j]))
			if trial%2 == 1 && w.Random.IntN(2) == 0 {
				at = spike
			}
			columns[j][at] += n * weight
			left -= n
		}
	}
	return columns, cells
}

// The privacy loss of the counts by magnitude is at most ε, or ρ and μ², and attains it somewhere.
func TestMagnitudesSweep(t *testing.T) {
	w := newBudgetSweep(31)
	for _, r := range audittest.Relations {
		weight := table.Weight(r.Persons())
		for trial := range heavy.Pick(30, 400) {
			columns, cells := generated(w.Sweep, trial, weight)
			other := neighbourOf(w.Sweep, columns, r, weight)
			var of []*profile.Column
			for _, n := range cells {
				least := -w.Random.IntN(n)
				of = append(of, profile.NewColumn(&table.Attribute{Writing: table.Writing{
					Draw: "integer", Least: table.Decimal(fmt.Sprint(least)), Most: table.Decimal(fmt.Sprint(least + n - 1)),
				}}))
			}
			p, q := unitsTable(t, r, columns), unitsTable(t, r, other)
			w.compare(t, r, trial, p, q, func(g privacy.Guarantee) (tableRelease, privacy.Guarantee) {
				m, err := profile.NewMagnitudes(len(cells), g)
				if err != nil {
					t.Fatal(err)
				}
				release := func(d *table.Table, c noise.Coins) (audit.Release, error) {
					counts, err := m.Release(context.Background(), d, of, c)
					return audit.Release{Numbers: slices.Concat(counts...)}, err
				}
				return release, m.Gaussian()
			})
		}
	}
	w.report(t)
}

// neighbourOf returns the units of a neighbouring table, in which a person is added or replaced.
func neighbourOf(w *audittest.Sweep, columns [][]int64, r privacy.Relation, weight int64) (other [][]int64) {
	for _, units := range columns {
		units = append([]int64(nil), units...)
		if r.Replaces() { // the removed person has all rows in one cell
			for i, n := range units {
				if n >= weight {
					units[i] -= weight
					break
				}
				if i == len(units)-1 {
					weight = 0 // an empty table has no neighbour
				}
			}
		}
		parts := int64(1)
		if r.Persons() > 1 && w.Random.IntN(2) == 0 {
			parts = 2
		}
		for range parts {
			at := w.Random.IntN(len(units))
			if w.Random.IntN(2) == 0 {
				at = len(units) - 2 // far from the removed person
			}
			units[at] += weight / parts
		}
		other = append(other, units)
	}
	return other
}

// accepted counts the choices of noise.Gibbs.
type accepted struct {
	noise.Coins
	n int
}

func (c *accepted) BernoulliExp(x *big.Rat) bool {
	yes := c.Coins.BernoulliExp(x)
	if yes {
		c.n++
	}
	return yes
}

// gdp returns μ-GDP, given μ², with ρ = μ²/2.
func gdp(t testing.TB, r privacy.Relation, square *big.Rat) privacy.GaussianBudget {
	t.Helper()
	g, err := privacy.NewGDP(r, square, new(big.Rat).Mul(square, big.NewRat(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func zcdp(t testing.TB, r privacy.Relation, rho *big.Rat) privacy.GaussianBudget {
	t.Helper()
	g, err := privacy.NewZCDP(r, rho)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
