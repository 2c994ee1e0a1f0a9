package compare

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/table"
)

// schemaOf has a column for each size, the last one a label of two outcomes if labelled.
func schemaOf(t testing.TB, labelled bool, sizes ...int) *table.Schema {
	t.Helper()
	var s table.Schema
	for j, n := range sizes {
		a := table.Attribute{Column: fmt.Sprintf("c%d", j)}
		for v := range n {
			a.Values = append(a.Values, fmt.Sprint("v", v))
		}
		s.Attributes = append(s.Attributes, a)
	}
	if labelled {
		s.Label = &table.Label{Column: "y", Positive: []string{"yes"}, Negative: []string{"no"}}
	}
	made, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// rowsOf has so many rows, whose columns are uniform or, at that rate, equal to the first.
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
		if err := b.Add(record, s.Label != nil && r.IntN(3) == 0, 1); err != nil {
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

// greatest tries all conjunctions of at most so many literals on rows written out.
func greatest(s *table.Schema, tables [2]*table.Table, most int) *big.Rat {
	sizes := s.Sizes()
	if s.Label != nil {
		sizes = append(slices.Clone(sizes), 2)
	}
	holds := func(t *table.Table, i int, query []int) bool {
		record := slices.Clone(t.Record(i))
		if s.Label != nil {
			record = append(record, uint16(t.Outcome(i)))
		}
		for j, v := range query {
			if v >= 0 && record[j] != uint16(v) {
				return false
			}
		}
		return true
	}
	best := new(big.Rat)
	query := make([]int, len(sizes))
	var try func(j, literals int)
	try = func(j, literals int) {
		if j == len(sizes) {
			var share [2]big.Rat
			for side, t := range tables {
				n := int64(0)
				for i := range t.Len() {
					if holds(t, i, query) {
						n += t.Count(i)
					}
				}
				if t.Rows() > 0 {
					share[side].SetFrac64(n, t.Rows())
				}
			}
			d := new(big.Rat).Sub(&share[0], &share[1])
			if d.Abs(d).Cmp(best) > 0 {
				best = d
			}
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
	return best
}

// The worst conjunction is that of trying all, at every order, and whichever table is the
// larger or empty.
func TestWorstConjunction(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		sizes := make([]int, 1+r.IntN(4))
		for j := range sizes {
			sizes[j] = 2 + r.IntN(3)
		}
		s := schemaOf(t, r.IntN(2) == 0, sizes...)
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
			want, _ := greatest(s, tables, most).Float64()
			if !w.Certified || abs(int64(1e15*(w.Error-want))) > 1 || w.AtMost != w.Error || len(w.Query) > most {
				t.Fatalf("%v rows of %v, order %d: %+v; the greatest is %v", rows, p.sizes, most, w, want)
			}
			var share [2]float64
			for side, n := range [2]int64{w.Real, w.Synthetic} {
				if rows[side] > 0 {
					share[side] = float64(n) / float64(rows[side])
				}
			}
			if abs(int64(1e15*(share[0]-share[1]))) != abs(int64(1e15*w.Error)) && abs(int64(1e12*(max(share[0]-share[1], share[1]-share[0])-w.Error))) > 0 {
				t.Fatalf("%+v of %v rows", w, rows)
			}
		}
	}
}

// Limits of steps end a search with a bound that holds.
func TestGivingUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gaveUp := 0
	for range 200 {
		s := schemaOf(t, false, 3, 3, 3, 3)
		tables := [2]*table.Table{rowsOf(t, r, s, 60, .5), rowsOf(t, r, s, 50, .5)}
		p := pairOf(t, s, tables[0], tables[1])
		want, _ := greatest(s, tables, 4).Float64()
		last := 2.
		for _, steps := range []int64{1, 60, 200, 1000} {
			w, err := p.WorstConjunction(context.Background(), Limits{Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			if w.Error > want+1e-12 || w.AtMost < want-1e-12 || w.AtMost > last || w.Certified != (w.Error == w.AtMost) {
				t.Fatalf("%d steps: %+v, the greatest is %v", steps, w, want)
			}
			if last = w.AtMost; !w.Certified {
				gaveUp++
			}
		}
		if last != want && last-want > 1e-12 {
			t.Fatalf("at most %v, the greatest is %v", last, want)
		}
	}
	if gaveUp < 100 {
		t.Errorf("%d searches gave up", gaveUp)
	}
}

// A checker refuses every claim but those that hold, in any order of columns.
func TestFalseClaims(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ctx := context.Background()
	for range 200 {
		s := schemaOf(t, true, 3, 4, 2)
		p := pairOf(t, s, rowsOf(t, r, s, 40, .5), rowsOf(t, r, s, 30+r.IntN(20), .4))
		se := &search{ctx: ctx, limits: Limits{Order: 4}, trie: newTrie(p, p.order())}
		if err := se.run(p); err != nil {
			t.Fatal(err)
		}
		order := r.Perm(4)
		good := claim{query: se.query, difference: se.best, bound: se.best}
		if err := p.check(ctx, good, order, 4); err != nil {
			t.Fatal(err)
		}
		looser := good
		looser.bound++
		if err := p.check(ctx, looser, order, 4); err != nil {
			t.Fatal(err)
		}
		for name, wrong := range map[string]func(c *claim){
			"a lower bound":      func(c *claim) { c.bound-- },
			"a greater value":    func(c *claim) { c.difference++; c.bound++ },
			"a lower value":      func(c *claim) { c.difference-- },
			"a literal twice":    func(c *claim) { c.query = append(slices.Clone(c.query), c.query[len(c.query)-1]) },
			"no such column":     func(c *claim) { c.query = append(slices.Clone(c.query), Literal{4, 0}) },
			"a negative column":  func(c *claim) { c.query = append(Conjunction{{-1, 0}}, c.query...) },
			"no such value":      func(c *claim) { c.query = slices.Clone(c.query); c.query[0].Value = 9 },
			"all below":          func(c *claim) { c.difference, c.bound = c.difference-1, c.bound-1 },
			"the empty query":    func(c *claim) { c.query = nil },
			"both lower, tables": func(c *claim) { c.query, c.difference, c.bound = nil, 0, 0 },
		} {
			c := good
			wrong(&c)
			if err := p.check(ctx, c, order, 4); !errors.Is(err, errUnproved) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, wrong := range [][]int{order[:3], {0, 1, 2, 2}, {0, 1, 2, 4}, {-1, 0, 1, 2}, append(slices.Clone(order), 0)} {
			if err := p.check(ctx, good, wrong, 4); !errors.Is(err, errUnproved) {
				t.Errorf("order %v: %v", wrong, err)
			}
		}
		if err := p.check(ctx, good, order, len(good.query)-1); !errors.Is(err, errUnproved) {
			t.Errorf("too many literals: %v", err)
		}
	}
}

// What is equal, constant, empty, wide or of one column has answers too.
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
		s := schemaOf(t, false, one.sizes...)
		p := pairOf(t, s, rowsOf(t, r, s, one.rows[0], one.same), rowsOf(t, r, s, one.rows[1], one.same))
		w, err := p.WorstConjunction(ctx, Limits{Steps: 1e6})
		if err != nil || one.want >= 0 && (!w.Certified || w.Error != one.want) {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		for order := 1; order <= 3; order++ {
			e, err := p.Errors(ctx, order, Sample{Most: 20})
			if err != nil || order <= len(one.sizes) && len(e.Marginals) == 0 || e.Worst.Cell > w.AtMost {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
		same := pairOf(t, s, rowsOf(t, rand.New(rand.NewPCG(9, 9)), s, one.rows[0], one.same), rowsOf(t, rand.New(rand.NewPCG(9, 9)), s, one.rows[0], one.same))
		if w, err := same.WorstConjunction(ctx, Limits{}); err != nil || !w.Certified || w.Error != 0 || len(w.Query) != 0 {
			t.Errorf("%s, equal: %+v, %v", name, w, err)
		}
	}
}

// Shares whose denominators are too large are refused, and tables of another schema.
func TestRefused(t *testing.T) {
	s := schemaOf(t, false, 2)
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
	if _, err := New(s, of(s, 5), of(schemaOf(t, false, 3), 5)); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := schemaOf(t, false, 3, 3, 3)
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
