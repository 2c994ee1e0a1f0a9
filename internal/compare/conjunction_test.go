package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// schemaOf returns a schema with a column for each size.
func schemaOf(t testing.TB, sizes ...int) *table.Schema {
	t.Helper()
	var s table.Schema
	for j, n := range sizes {
		a := table.Attribute{Column: fmt.Sprintf("c%d", j)}
		for v := range n {
			a.Values = append(a.Values, fmt.Sprint("v", v))
		}
		s.Attributes = append(s.Attributes, a)
	}
	made, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// rowsOf returns a table of n rows. With probability same, a column repeats the value of the first
// column; otherwise it is uniform.
func rowsOf(t testing.TB, r *rand.Rand, s *table.Schema, n int, same float64) *table.Table {
	t.Helper()
	b := s.Builder()
	for range n {
		record := make(table.Record, len(s.Attributes))
		for j, size := range s.Sizes() {
			record[j] = uint16(r.IntN(size))
			if j > 0 && r.Float64() < same {
				record[j] = min(record[0], uint16(size-1))
			}
		}
		if err := b.Add(record, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

func pairOf(t testing.TB, s *table.Schema, a, b *table.Table) *Pair {
	t.Helper()
	p, err := New(s, a, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// greatest enumerates all conjunctions up to an order, and evaluates them row by row.
func greatest(s *table.Schema, tables [2]*table.Table, most int) *big.Rat {
	sizes := s.Sizes()
	var records [2][]table.Record
	for side, t := range tables {
		for i := range t.Len() {
			records[side] = append(records[side], t.Record(i, nil))
		}
	}
	holds := func(record table.Record, query []int) bool {
		for j, v := range query {
			if v >= 0 && record[j] != uint16(v) {
				return false
			}
		}
		return true
	}
	rows := [2]int64{max(tables[0].Rows(), 1), max(tables[1].Rows(), 1)}
	best := int64(0) // in units of 1/(rows[0]·rows[1])
	query := make([]int, len(sizes))
	var try func(j, literals int)
	try = func(j, literals int) {
		if j == len(sizes) {
			var n [2]int64
			for side, t := range tables {
				for i, record := range records[side] {
					if holds(record, query) {
						n[side] += t.Count(i)
					}
				}
			}
			d := n[0]*rows[1] - n[1]*rows[0]
			best = max(best, d, -d)
			return
		}
		query[j] = -1
		try(j+1, literals)
		for v := 0; v < sizes[j] && literals < most; v++ {
			query[j] = v
			try(j+1, literals+1)
		}
	}
	try(0, 0)
	return big.NewRat(best, rows[0]*rows[1])
}

// For every order, the search finds the same difference as an enumeration of all conjunctions, also if
// either table is larger or empty.
func TestWorstConjunction(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		sizes := make([]int, 1+r.IntN(4))
		for j := range sizes {
			sizes[j] = 2 + r.IntN(3)
		}
		s := schemaOf(t, sizes...)
		rows := [2]int{r.IntN(30), r.IntN(30)}
		if trial%5 == 0 {
			rows[trial/5%2] = 0
		}
		tables := [2]*table.Table{rowsOf(t, r, s, rows[0], .5), rowsOf(t, r, s, rows[1], .3)}
		p := pairOf(t, s, tables[0], tables[1])
		for most := range len(p.Columns()) + 2 {
			w, err := p.WorstConjunction(context.Background(), Limits{Order: most})
			if err != nil {
				t.Fatal(err)
			}
			if most == 0 {
				most = len(p.Columns())
			}
			want := greatest(s, tables, most)
			exact, _ := want.Float64()
			if c := rule.Conditions(w.Query.(rule.Decision).Formula); !w.Certified || len(c) > most || w.Order != min(most, len(p.Columns())) || math.Abs(w.Error-exact) > 1e-15 {
				t.Fatalf("%v rows of %v, order %d: %+v; the greatest is %v", rows, p.sizes, most, w, want)
			}
			var share [2]big.Rat
			for side, n := range [2]int64{w.Real, w.Synthetic} {
				share[side].SetFrac64(n, max(int64(rows[side]), 1))
			}
			if d := new(big.Rat).Sub(&share[0], &share[1]); d.Abs(d).Cmp(want) != 0 {
				t.Fatalf("%+v of %v rows", w, rows)
			}
		}
	}
}

// The search finds the worst conjunction without an initial solution.
func TestBranching(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for trial := range heavy.Pick(120, 300) {
		s := schemaOf(t, 2+r.IntN(3), 2, 1+r.IntN(4), 3)
		tables := [2]*table.Table{rowsOf(t, r, s, r.IntN(40), .5), rowsOf(t, r, s, 10*(trial%4), .3)}
		p := pairOf(t, s, tables[0], tables[1])
		b := newBranching(t.Context(), p, 4)
		for order := range 5 {
			b.query, b.best = nil, 0
			if ended, err := b.run(order, 0); err != nil || !ended {
				t.Fatal(err)
			}
			if want, _ := greatest(s, tables, order).Float64(); math.Abs(p.share(b.best)-want) > 1e-15 || p.difference(p.count(b.query.Rule())) != b.best {
				t.Fatalf("order %d of %v: %v of %v, the greatest is %v", order, p.sizes, b.query, p.share(b.best), want)
			}
		}
	}
}

// A search that stops at its limit states up to which order it is complete.
func TestGivingUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	proved := [5]int{}
	rounds := heavy.Pick(20, 200)
	for range rounds {
		s := schemaOf(t, 3, 3, 3, 3)
		tables := [2]*table.Table{rowsOf(t, r, s, 60, .5), rowsOf(t, r, s, 50, .5)}
		p := pairOf(t, s, tables[0], tables[1])
		for _, steps := range []int64{1, 200, 1500, 2500, 100_000} {
			w, err := p.WorstConjunction(context.Background(), Limits{Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			proved[w.Order]++
			want, _ := greatest(s, tables, w.Order).Float64()
			whole, _ := greatest(s, tables, 4).Float64()
			if w.Error < want-1e-15 || w.Error > whole+1e-15 || w.Certified != (w.Order == 4) {
				t.Fatalf("%d steps: %+v; the greatest are %v and %v", steps, w, want, whole)
			}
		}
	}
	for order, n := range proved {
		if n < rounds/10 {
			t.Errorf("%d of order %d", n, order)
		}
	}
}

// A checker accepts exactly the true claims, for any order of the columns.
func TestFalseClaims(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ctx := context.Background()
	for range 200 {
		s := schemaOf(t, 3, 4, 2, 2)
		p := pairOf(t, s, rowsOf(t, r, s, 40, .5), rowsOf(t, r, s, 30+r.IntN(20), .4))
		b := newBranching(ctx, p, 4)
		if ended, err := b.run(4, 0); err != nil || !ended {
			t.Fatal(err)
		}
		order := r.Perm(4)
		good := claim{b.query, b.best, 4, order}
		if err := good.check(ctx, p); err != nil {
			t.Fatal(err)
		}
		for name, wrong := range map[string]func(c *claim){
			"a greater value":   func(c *claim) { c.difference++ },
			"a lower value":     func(c *claim) { c.difference-- },
			"a literal twice":   func(c *claim) { c.query = append(slices.Clone(c.query), c.query[len(c.query)-1]) },
			"no such column":    func(c *claim) { c.query = append(slices.Clone(c.query), Literal{4, 0}) },
			"a negative column": func(c *claim) { c.query = append(Conjunction{{-1, 0}}, c.query...) },
			"no such value":     func(c *claim) { c.query = slices.Clone(c.query); c.query[0].Value = 9 },
			"the empty query":   func(c *claim) { c.query = nil },
			"a lesser query":    func(c *claim) { c.query, c.difference = nil, 0 },
			"another query":     func(c *claim) { c.query, c.difference = p.other(c.query, c.difference) },
			"too few columns":   func(c *claim) { c.order = c.order[:3] },
			"too many columns":  func(c *claim) { c.order = append(slices.Clone(c.order), 0) },
			"a column twice":    func(c *claim) { c.order = []int{0, 1, 2, 2} },
			"no column 4":       func(c *claim) { c.order = []int{0, 1, 2, 4} },
			"no column -1":      func(c *claim) { c.order = []int{-1, 0, 1, 2} },
		} {
			c := good
			wrong(&c)
			if err := c.check(ctx, p); !errors.Is(err, errRefuted) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The checker accepts a conjunction as the worst of an order only if no conjunction of this order has
// a greater difference. The order of the columns has no effect.
func TestFalseOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	ctx := context.Background()
	for trial := range 60 {
		s := schemaOf(t, 2, 3, 2)
		tables := [2]*table.Table{rowsOf(t, r, s, 20, .5), rowsOf(t, r, s, 10*(trial%3), .4)}
		p := pairOf(t, s, tables[0], tables[1])
		var all []Conjunction
		var build func(j int, c Conjunction)
		build = func(j int, c Conjunction) {
			if j == len(p.sizes) {
				all = append(all, slices.Clone(c))
				return
			}
			build(j+1, c)
			for v := range p.sizes[j] {
				build(j+1, append(c, Literal{j, uint16(v)}))
			}
		}
		build(0, nil)
		for order := range 4 {
			greatest := int64(0)
			for _, c := range all {
				if len(c) <= order {
					greatest = max(greatest, p.difference(p.count(c.Rule())))
				}
			}
			for _, c := range all {
				d := p.difference(p.count(c.Rule()))
				if err := (claim{c, d, order, r.Perm(3)}).check(ctx, p); (err == nil) != (d >= greatest) || err != nil && !errors.Is(err, errRefuted) {
					t.Fatalf("%v of difference %d, the greatest of order %d is %d: %v", c, d, order, greatest, err)
				}
			}
		}
	}
}

// A claim is a statement that the checker accepts or refuses.
type claim struct {
	query      Conjunction
	difference int64
	literals   int
	order      []int
}

func (c claim) check(ctx context.Context, p *Pair) error {
	return p.check(ctx, c.query, c.difference, c.literals, c.order)
}

// other returns a conjunction with a smaller difference, and this difference. If the first column has
// no such conjunction, other returns c with a wrong difference.
func (p *Pair) other(c Conjunction, difference int64) (Conjunction, int64) {
	for v := range p.sizes[0] {
		one := Conjunction{{0, uint16(v)}}
		if d := p.difference(p.count(one.Rule())); d < difference {
			return one, d
		}
	}
	return c, difference + 1
}

// The search supports equal tables, constant columns, empty tables, wide tables and tables of one
// column.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ctx := context.Background()
	for name, one := range map[string]struct {
		sizes []int
		rows  [2]int
		same  float64
		want  float64 // -1 for any
	}{
		"empty":            {[]int{2, 3}, [2]int{0, 0}, 0, 0},
		"no real row":      {[]int{2, 3}, [2]int{0, 5}, 0, 1},
		"no synthetic row": {[]int{2, 3}, [2]int{5, 0}, 0, 1},
		"one row":          {[]int{2, 3}, [2]int{1, 1}, 0, -1},
		"one column":       {[]int{7}, [2]int{50, 60}, 0, -1},
		"one value":        {[]int{1, 1}, [2]int{50, 60}, 0, 0},
		"many categories":  {[]int{65535, 40000, 3}, [2]int{500, 400}, .5, -1},
		"many columns":     {slices.Repeat([]int{3}, 100), [2]int{200, 200}, .9, -1},
	} {
		s := schemaOf(t, one.sizes...)
		p := pairOf(t, s, rowsOf(t, r, s, one.rows[0], one.same), rowsOf(t, r, s, one.rows[1], one.same))
		w, err := p.WorstConjunction(ctx, Limits{Steps: 1e6})
		if err != nil || one.want >= 0 && (!w.Certified || w.Error != one.want) {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		for order := 1; order <= 3; order++ {
			e, err := p.Errors(ctx, order, Sample{Most: 20})
			if err != nil || order <= len(one.sizes) && len(e.Marginals) == 0 || w.Certified && e.Worst.Cell > w.Error {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
		same := pairOf(t, s, rowsOf(t, rand.New(rand.NewPCG(9, 9)), s, one.rows[0], one.same), rowsOf(t, rand.New(rand.NewPCG(9, 9)), s, one.rows[0], one.same))
		if w, err := same.WorstConjunction(ctx, Limits{}); err != nil || !w.Certified || w.Error != 0 || len(w.Query.(rule.Decision).Formula.(rule.All)) != 0 {
			t.Errorf("%s, equal: %+v, %v", name, w, err)
		}
	}
}

// Tables are refused if the denominators of shares are too large, or if the schemas differ.
func TestRefused(t *testing.T) {
	s := schemaOf(t, 2)
	of := func(s *table.Schema, n int64) *table.Table {
		b := s.Builder()
		if err := b.Add(table.Record{1}, false, n); err != nil {
			t.Fatal(err)
		}
		return b.Table()
	}
	for _, rows := range [][2]int64{{1<<40 + 1, 1 << 40}, {1 << 62, 1 << 62}, {1<<61 - 1, 1}} {
		if _, err := New(s, of(s, rows[0]), of(s, rows[1])); !errors.Is(err, ErrRows) {
			t.Errorf("%v rows: %v", rows, err)
		}
	}
	if _, err := New(s, of(s, 1<<60), of(s, 1<<59)); err != nil {
		t.Error(err)
	}
	if _, err := New(s, of(s, 5), of(schemaOf(t, 3), 5)); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
	labelled := *s
	labelled.Label = &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}
	if _, err := New(&labelled, of(s, 5), of(s, 5)); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
}

// Rows outside the domain are counted and not compared.
func TestNulls(t *testing.T) {
	s := schemaOf(t, 2)
	table := func(n, nulls int64) *table.Table {
		b := s.Builder()
		if err := errors.Join(b.Add(table.Record{0}, false, n), b.Add(table.Record{1}, false, n), b.AddNull(nulls)); err != nil {
			t.Fatal(err)
		}
		return b.Table()
	}
	p := pairOf(t, s, table(3, 5), table(7, 1))
	rows, others := p.Rows()
	nulls, other := p.Nulls()
	w, err := p.WorstConjunction(context.Background(), Limits{})
	if rows != 6 || others != 14 || nulls != 5 || other != 1 || w.Error != 0 || err != nil {
		t.Errorf("%d and %d rows, %d and %d outside, %+v, %v", rows, others, nulls, other, w, err)
	}
}

func TestCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := schemaOf(t, 3, 3, 3)
	p := pairOf(t, s, rowsOf(t, r, s, 50, 0), rowsOf(t, r, s, 50, 0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.WorstConjunction(ctx, Limits{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := p.Errors(ctx, 2, Sample{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
