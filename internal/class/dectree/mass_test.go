package dectree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/decay"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/search"
)

type records = class.Listed[[]uint16]

// decayOf returns the upper bounds on e^{-λk} with which trees are sampled.
func decayOf(lambda float64) func(int64) class.Upper {
	return search.Decay(new(big.Rat).SetFloat64(lambda))
}

// A world is a class with records and a rate.
type world struct {
	*Class
	records records
	lambda  float64
}

func (w world) String() string {
	return fmt.Sprintf("%v over %v, %d records, λ = %g", w.Class, w.attributes, len(w.records), w.lambda)
}

// worlds returns random and unusual worlds of all depths. Worlds of greater depth have fewer
// tests.
func worlds(t testing.TB, most int) (all []world) {
	shapes := [][]Attribute{
		1: {{4, 3}, {2, 0}, {1, 0}, {3, 0}, {6, 6}}, 2: {{3, 0}, {1, 1}, {2, 2}, {5, 5}}, 3: {{2, 0}, {5, 4}, {2, 1}, {1, 0}},
		4: {{2, 0}, {5, 5}, {4, 4}}, 5: {{2, 0}, {3, 0}}, 6: {{2, 0}, {2, 0}},
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(c *Class, n int, least, most int64) (all records) {
		for range n {
			r := class.Charged[[]uint16]{}
			for _, a := range c.attributes {
				r.X = append(r.X, uint16(random.IntN(a.Categories)))
			}
			for range c.outcomes {
				r.Costs = append(r.Costs, least+random.Int64N(most-least+1))
			}
			all = append(all, r)
		}
		return all
	}
	for depth := 1; depth <= most; depth++ {
		for i, outcomes := range []int{2, 3, 5}[:min(3, 8-depth)] {
			if !heavy.On() && i == 1+depth%2 { // with 3 outcomes at odd depths, and with 5 at even ones
				continue
			}
			c := mustNew(t, shapes[depth], depth, outcomes)
			all = append(all,
				world{c, draw(c, 9, 0, 3), 0.5}, world{c, draw(c, 30, 0, 1), 0.05}, world{c, draw(c, 5, 0, 9), 4},
				world{c, draw(c, 7, -5, 5), 1}, world{c, nil, 1}, world{c, draw(c, 1, 1, 1), 0.01}, world{c, draw(c, 6, 0, 0), 2},
				world{c, draw(c, 6, 0, 1<<20), 1e-6}, world{c, draw(c, 9, 0, 20), 1e-4}, world{c, draw(c, 5, 0, 3), 1e6},
				world{c, draw(c, 6, 0, 1<<40), 1e-12}, world{c, draw(c, 6, 0, 1<<31), 1e-9}, world{c, draw(c, 6, -1<<25, 1<<25), 1e-8},
			)
		}
	}
	return all
}

// slow computes the least cost of a tree, and the sum of prior·e^{-λ(cost - least)} over all trees,
// by recursion over sets of records. It computes the values of each set once.
func (w world) slow() (least int64, sum float64) {
	type part struct {
		records uint32 // a bit for each
		depth   int
	}
	type value struct {
		least int64
		sum   float64
	}
	type term struct {
		prior float64
		cost  int64
	}
	accepted := make([]uint32, len(w.tests)) // the records that each test accepts
	for i, test := range w.tests {
		for j, r := range w.records {
			if test.Accepts(r.X[test.Attribute]) {
				accepted[i] |= 1 << j
			}
		}
	}
	known := map[part]value{}
	var at func(p part) value
	at = func(p part) (v value) {
		if v, ok := known[p]; ok {
			return v
		}
		terms := make([]term, w.outcomes)
		for o := range terms {
			terms[o].prior = 1 / float64(w.outcomes)
			if p.depth > 0 {
				terms[o].prior /= 2
			}
			for j, r := range w.records {
				if p.records>>j&1 == 1 {
					terms[o].cost += r.Costs[o]
				}
			}
		}
		if p.depth > 0 {
			for _, yes := range accepted {
				yes, no := at(part{p.records & yes, p.depth - 1}), at(part{p.records &^ yes, p.depth - 1})
				terms = append(terms, term{yes.sum * no.sum / 2 / float64(len(w.tests)), yes.least + no.least})
			}
		}
		v.least = terms[0].cost
		for _, term := range terms {
			v.least = min(v.least, term.cost)
		}
		for _, term := range terms {
			v.sum += term.prior * math.Exp(-w.lambda*float64(term.cost-v.least))
		}
		known[p] = v
		return v
	}
	all := at(part{1<<len(w.records) - 1, w.depth})
	return all.least, all.sum
}

func (w world) mass(t testing.TB) class.Mass[*Tree] {
	t.Helper()
	m, err := w.Mass(context.Background(), w.records, decayOf(w.lambda))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tight returns the greatest ratio of the bound of a mass to the exact sum that tests allow. It is
// greater at very small rates, at which bits of differences are dropped.
func (w world) tight() float64 {
	if w.lambda < 2e-8 {
		return 2.5
	}
	return 1 + 1e-5
}

// The bound of a mass is a tight upper bound on the sum, and contains the least cost.
func TestBound(t *testing.T) {
	for _, w := range worlds(t, MostDepth) {
		f, least := w.mass(t).Bound()
		wantLeast, sum := w.slow()
		mass, _ := f.Rat().Float64()
		if ratio := mass / sum; least != wantLeast || ratio < 1+1e-12 || ratio > w.tight() {
			t.Errorf("%v: a least cost of %d, not %d; a mass of %g times the sum", w, least, wantLeast, ratio)
		}
	}
}

// The product of the probability of a descent and the bound is at least the weight of the descent's
// hypothesis, as class.Mass requires, and not much greater.
func TestDescent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, w := range worlds(t, MostDepth) {
		m := w.mass(t)
		for range heavy.Pick(3, 20) {
			w.descend(t, m, random)
		}
	}
}

func (w world) descend(t *testing.T, m class.Mass[*Tree], random *rand.Rand) {
	t.Helper()
	bound, least := m.Bound()
	product := bound.Rat()
	d := m.Descend()
	for {
		sums, err := d.Weights(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if sums == nil {
			break
		}
		total := sums[len(sums)-1]
		i := random.IntN(len(sums))
		if w.lambda > 1e-13 { // at smaller rates, hypotheses may be indistinguishable
			for at := random.Uint64N(total); i > 0 && sums[i-1] > at || sums[i] <= at; i = (i + 1) % len(sums) {
			}
		}
		weight := sums[i]
		if i > 0 {
			weight -= sums[i-1]
		}
		if weight == 0 {
			t.Fatalf("%v: an option without weight", w)
		}
		product.Mul(product, new(big.Rat).SetFrac(new(big.Int).SetUint64(weight), new(big.Int).SetUint64(total)))
		d.Take(i)
	}
	h, prior, cost := d.Hypothesis()
	wantCost := int64(0)
	for _, r := range w.records {
		wantCost += r.Costs[w.Predict(h, r.X)]
	}
	if !w.Contains(h) || prior.Cmp(w.Prior(h)) != 0 || cost != wantCost {
		t.Fatalf("%v: %v has the prior %v and the cost %d, not %d", w, h, prior, cost, wantCost)
	}
	ratio, _ := product.Quo(product, prior).Float64()
	ratio /= math.Exp(-w.lambda * float64(cost-least))
	if ratio < 1+1e-13 || ratio > w.tight() {
		t.Errorf("%v: %v has %g times its weight", w, h, ratio)
	}
}

// The bound, multiplied by the fraction of the total weight that an option has, is at least the
// weight of the option according to the values below it, even if that weight is very small.
func TestWeights(t *testing.T) {
	exact := func(factors ...float64) *big.Rat {
		product := big.NewRat(1, 1)
		for _, f := range factors {
			product.Mul(product, new(big.Rat).SetFloat64(f))
		}
		return product
	}
	for _, w := range worlds(t, 4) {
		m := newMass(w.Class, w.records, decayOf(w.lambda), portable[int64]())
		options, err := m.options(context.Background(), m.all, w.depth)
		if err != nil {
			t.Fatal(err)
		}
		v, differences := m.evaluator(), m.differencesOf(m.all)
		leaf := v.leaf(differences)
		top := v.combine(leaf, options, w.depth)
		half := big.NewRat(1, 2*int64(w.outcomes))
		want := []*big.Rat{exact(v.At(leaf.least-top.least), v.At(-leaf.least))}
		for _, c := range differences {
			want = append(want, exact(v.At(leaf.least-top.least), v.At(c-leaf.least)))
		}
		for _, x := range want {
			x.Mul(x, half)
		}
		for _, o := range options {
			x := exact(o.yes.mass, o.no.mass, v.At(o.yes.least+o.no.least-top.least))
			want = append(want, x.Mul(x, big.NewRat(1, 2*int64(len(options)))))
		}
		sums := v.weights(differences, options, w.depth)
		last, total := uint64(0), new(big.Int).SetUint64(sums[len(sums)-1])
		for i, sum := range sums {
			share := new(big.Rat).SetFrac(new(big.Int).SetUint64(sum-last), total)
			if share.Mul(share, exact(top.mass)).Cmp(want[i]) < 0 {
				t.Errorf("%v: option %d has the weight %d of %v, too little", w, i, sum-last, total)
			}
			last = sum
		}
	}
}

// Matrices hold the counts of all pairs of tests, for any records.
func TestMatrix(t *testing.T) {
	for _, w := range worlds(t, 4) {
		m := newMass(w.Class, w.records, decayOf(1), portable[int64]())
		some := m.all
		if len(some) > 4 {
			some = some[2:]
		}
		count := func(o, t, u int) (c int64) {
			for _, i := range some {
				r := w.records[i]
				accepts := func(t int) bool { return t == 0 || w.tests[t-1].Accepts(r.X[w.tests[t-1].Attribute]) }
				if accepts(t) && accepts(u) {
					c += r.Costs[o] - r.Costs[0]
				}
			}
			return c
		}
		var want []int64
		for t := range len(w.tests) + 1 {
			for o := 1; o < w.outcomes; o++ {
				for u := range len(w.tests) + 1 {
					want = append(want, count(o, t, u))
				}
			}
		}
		if got := m.matrix(some).entries; !slices.Equal(got, want) {
			t.Errorf("%v: the matrix is %v, not %v", w, got, want)
		}
	}
}

// Costs beyond 62 bits are refused, and a cancelled context stops the computation at any depth.
func TestMassRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for depth := 3; depth <= 5; depth++ {
		c := mustNew(t, []Attribute{{2, 0}, {3, 0}}, depth, 3)
		for _, costs := range [][]int64{{1 << 61, 1, 0}, {1, 0, -1<<61 - 1}, {1 << 60, -1 << 59, 1<<59 + 1}, {math.MinInt64, 0, 0}} {
			if _, err := c.Mass(context.Background(), records{{X: []uint16{0, 0}, Costs: costs}}, decayOf(1)); !errors.Is(err, class.ErrRange) {
				t.Errorf("depth %d: %v", depth, err)
			}
		}
		if _, err := c.Mass(ended, records{{X: []uint16{0, 0}, Costs: []int64{1, 2, 3}}}, decayOf(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// The operations for a mass and for a descent to a given tree depend only on the number of records:
// they are the same for records without cost, equal records, and records that tests distinguish.
func TestWorkTellsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	attributes := []Attribute{{3, 3}, {2, 0}, {5, 5}, {2, 0}}
	for _, w := range []struct {
		depth, outcomes int
		choices         []int // of a descent; option k is the first test
	}{
		{2, 2, []int{3, 1, 4, 0, 1}}, {3, 2, []int{4, 2, 0, 5, 1, 0, 0}}, {3, 3, []int{4, 0, 3, 5, 1, 0, 2}}, {4, 2, []int{2, 3, 4, 1, 0, 7, 1, 0, 0}},
		{5, 2, []int{2, 3, 4, 1, 0, 5, 1, 0, 6, 0, 1}},
	} {
		c := mustNew(t, attributes, w.depth, w.outcomes)
		var first string
		for name, draw := range map[string]func(i int) (x []uint16, outcome, cost int){
			"none":      func(int) ([]uint16, int, int) { return []uint16{0, 0, 0, 0}, 0, 0 },
			"constant":  func(int) ([]uint16, int, int) { return []uint16{2, 1, 4, 1}, 1, 7 },
			"alternate": func(i int) ([]uint16, int, int) { return []uint16{0, uint16(i % 2), 0, 0}, i % 2, 1 },
			"structured": func(i int) ([]uint16, int, int) {
				return []uint16{uint16(i % 3), uint16(i % 2), uint16(i % 5), 0}, i * i % w.outcomes, 1
			},
			"random": func(int) ([]uint16, int, int) {
				return []uint16{uint16(random.IntN(3)), uint16(random.IntN(2)), uint16(random.IntN(5)), uint16(random.IntN(2))}, random.IntN(w.outcomes), random.IntN(50)
			},
		} {
			var all records
			for i := range 60 {
				x, outcome, cost := draw(i)
				costs := make([]int64, w.outcomes)
				costs[outcome] = int64(cost)
				all = append(all, class.Charged[[]uint16]{X: x, Costs: costs})
			}
			var spans, numbers, subtracted, counted, cells atomic.Int64
			plain := portable[int32]()
			m, err := massOf(context.Background(), newMass(c, all, decayOf(0.5), kernel[int32]{
				spans: func(x []int32, d *decay.Table) span[int32] {
					spans.Add(1)
					numbers.Add(int64(len(x)))
					return plain.spans(x, d)
				},
				subtract: func(out, table, less []int32) {
					subtracted.Add(int64(len(out)))
					plain.subtract(out, table, less)
				},
				count: func(p *plan, table []int32, columns []int32, differences []int32) {
					counted.Add(1)
					cells.Add(int64(len(columns) * len(differences)))
					plain.count(p, table, columns, differences)
				},
			}))
			if err != nil {
				t.Fatal(err)
			}
			d := m.Descend()
			offered := 0
			for _, i := range w.choices {
				sums, err := d.Weights(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				offered += len(sums)
				d.Take(i)
			}
			if sums, _ := d.Weights(context.Background()); sums != nil {
				t.Fatalf("%v: %v is no tree", c, w.choices)
			}
			done := fmt.Sprint(spans.Load(), numbers.Load(), subtracted.Load(), counted.Load(), cells.Load(), offered)
			if first == "" {
				first = done
				t.Logf("%v: spans, numbers, differences, records, columns, options: %s", c, done)
			}
			if done != first {
				t.Errorf("%v, %s records: %s, and for others %s", c, name, done, first)
			}
		}
	}
}

// Verify accepts a tree of least cost, and refuses all others.
func TestLeast(t *testing.T) {
	ctx := context.Background()
	for _, w := range worlds(t, 3) {
		h, cost, err := w.Least(ctx, w.records)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := w.slow(); cost != want {
			t.Errorf("%v: a least cost of %d, not %d", w, cost, want)
		}
		if err := w.Verify(ctx, w.records, h, cost, nil); err != nil {
			t.Errorf("%v: %v: %v", w, h, err)
		}
		if len(w.records) == 0 && !h.Leaf() {
			t.Errorf("%v: %v queries where nothing is to be gained", w, h)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := w.Verify(ended, w.records, h, cost, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ended: %v", err)
		}
		if err := w.Verify(ctx, w.records, h, cost-1, nil); !errors.Is(err, class.ErrNotLeast) {
			t.Errorf("%v: a cost that is not that of the tree: %v", w, err)
		}
		if err := w.Verify(ctx, w.records, nil, cost, nil); !errors.Is(err, class.ErrNotLeast) {
			t.Errorf("%v: no tree: %v", w, err)
		}
		for o := range w.outcomes {
			leaf, dear := &Tree{Outcome: o}, int64(0)
			for _, r := range w.records {
				dear += r.Costs[o]
			}
			if err := w.Verify(ctx, w.records, leaf, cost, nil); (err == nil) != (dear == cost) {
				t.Errorf("%v: a leaf that costs %d is verified for %d: %v", w, dear, cost, err)
			}
			if err := w.Verify(ctx, w.records, leaf, dear, nil); (err == nil) != (dear == cost) || err != nil && !errors.Is(err, class.ErrNotLeast) {
				t.Errorf("%v: a leaf that costs %d is verified as the best, which costs %d: %v", w, dear, cost, err)
			}
		}
	}
}
