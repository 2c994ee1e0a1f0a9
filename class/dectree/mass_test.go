package dectree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

type points = []class.Point[[]uint16]

// decayOf returns upper bounds on e^{-λk} that are nearly tight.
func decayOf(lambda float64) func(int64) class.Upper {
	return func(k int64) class.Upper {
		if k == 0 {
			return class.One
		}
		log := -lambda * float64(k) / math.Ln2
		whole := math.Floor(log)
		head, _ := new(big.Float).SetFloat64(math.Exp2(log-whole) * (1 + 0x1p-46) * 0x1p52).Int(nil)
		u := class.UpperOf(head.Add(head, big.NewInt(1))).Scaled(int64(whole) - 52)
		u.Head |= 1 // which no double has
		return u
	}
}

// A world is a class with points and a rate.
type world struct {
	*Class
	points points
	lambda float64
}

func (w world) String() string {
	return fmt.Sprintf("%v over %v, %d points, λ = %g", w.Class, w.attributes, len(w.points), w.lambda)
}

// worlds are of all depths, and of as few tests as the depth is great: random ones
// and weird ones.
func worlds(t testing.TB, most int) (all []world) {
	shapes := [][]Attribute{
		1: {{4, 3}, {2, 0}, {1, 0}, {3, 0}, {6, 6}}, 2: {{3, 0}, {1, 1}, {2, 2}, {5, 5}}, 3: {{2, 0}, {5, 4}, {2, 1}, {1, 0}},
		4: {{2, 0}, {5, 5}, {4, 4}}, 5: {{2, 0}, {3, 0}}, 6: {{2, 0}, {2, 0}},
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(c *Class, n int, least, most int64) (p points) {
		for range n {
			var x []uint16
			for _, a := range c.attributes {
				x = append(x, uint16(random.IntN(a.Categories)))
			}
			p = append(p, class.Point[[]uint16]{X: x, Cost: [2]int64{least + random.Int64N(most-least+1), least + random.Int64N(most-least+1)}})
		}
		return p
	}
	for depth := 1; depth <= most; depth++ {
		c := mustNew(t, shapes[depth], depth)
		all = append(all,
			world{c, draw(c, 9, 0, 3), 0.5}, world{c, draw(c, 30, 0, 1), 0.05}, world{c, draw(c, 5, 0, 9), 4},
			world{c, draw(c, 7, -5, 5), 1}, world{c, nil, 1}, world{c, draw(c, 1, 1, 1), 0.01}, world{c, draw(c, 6, 0, 0), 2},
			world{c, draw(c, 6, 0, 1<<20), 1e-6}, world{c, draw(c, 9, 0, 20), 1e-4}, world{c, draw(c, 5, 0, 3), 1e6},
		)
	}
	return all
}

// slow returns the least cost of a tree, and the sum of prior·e^{-λ(cost - least)},
// point by point.
func (w world) slow(p points, depth int) (least int64, sum float64) {
	var zero, one int64
	for _, pt := range p {
		zero += pt.Cost[0]
		one += pt.Cost[1]
	}
	type term struct {
		prior float64
		cost  int64
	}
	terms := []term{{0.5, zero}, {0.5, one}}
	if depth > 0 {
		terms[0].prior, terms[1].prior = 0.25, 0.25
		for _, test := range w.tests {
			var yes, no points
			for _, pt := range p {
				if test.Accepts(pt.X[test.Attribute]) {
					yes = append(yes, pt)
				} else {
					no = append(no, pt)
				}
			}
			leastYes, sumYes := w.slow(yes, depth-1)
			leastNo, sumNo := w.slow(no, depth-1)
			terms = append(terms, term{sumYes * sumNo / 2 / float64(len(w.tests)), leastYes + leastNo})
		}
	}
	least = terms[0].cost
	for _, term := range terms {
		least = min(least, term.cost)
	}
	for _, term := range terms {
		sum += term.prior * math.Exp(-w.lambda*float64(term.cost-least))
	}
	return least, sum
}

// mass returns the mass from bounds on e^{-λk} that are raised by a factor, but for k = 0.
func (w world) mass(t testing.TB, raise float64) class.Mass[*Tree] {
	t.Helper()
	decay := decayOf(w.lambda)
	m, err := w.Mass(context.Background(), w.points, func(k int64) class.Upper {
		u := decay(k)
		if k > 0 {
			u = u.Times(class.UpperOf(big.NewInt(int64(256 * raise))).Scaled(-8))
		}
		return u
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tight bounds how loose a mass is. At small rates, entries of the tables of e stand
// for several differences of cost.
func (w world) tight() float64 {
	if w.lambda < 1e-3 {
		return 1.5
	}
	return 1 + 1e-5
}

// The mass bounds the sum from above, tightly, and tells the least cost.
func TestBound(t *testing.T) {
	for _, w := range worlds(t, 5) {
		f, least := w.mass(t, 1).Bound()
		wantLeast, sum := w.slow(w.points, w.depth)
		mass, _ := f.Float64()
		if ratio := mass / sum; least != wantLeast || ratio < 1+1e-12 || ratio > w.tight() {
			t.Errorf("%v: a least cost of %d, not %d; a mass of %g times the sum", w, least, wantLeast, ratio)
		}
	}
}

// What a descent has taken times the bound is at least what the hypothesis weighs: the
// fact of class.Mass. It is hardly more, but where these are raised on purpose.
func TestDescent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, w := range worlds(t, MostDepth) {
		for _, raise := range []float64{1, 1.25} {
			m := w.mass(t, raise)
			for range 20 {
				w.descend(t, m, raise, random)
			}
		}
	}
}

func (w world) descend(t *testing.T, m class.Mass[*Tree], raise float64, random *rand.Rand) {
	t.Helper()
	bound, least := m.Bound()
	product := new(big.Rat).Set(bound)
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
		if w.lambda > 1e-5 { // others may be beyond what is told apart
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
	for _, pt := range w.points {
		wantCost += pt.Cost[digit(w.Predict(h, pt.X))]
	}
	if !w.Contains(h) || prior.Cmp(w.Prior(h)) != 0 || cost != wantCost {
		t.Fatalf("%v: %v has the prior %v and the cost %d, not %d", w, h, prior, cost, wantCost)
	}
	ratio, _ := product.Quo(product, prior).Float64()
	ratio /= math.Exp(-w.lambda * float64(cost-least))
	most := w.tight()
	for range 1 << (w.depth + 1) {
		most *= raise
	}
	if ratio < 1+1e-13 || ratio > most {
		t.Errorf("%v, raised by %g: %v has %g times its weight", w, raise, h, ratio)
	}
}

// The weight of each option, of the sum of all times the bound, is at least what the
// option weighs by the values below it, however little that is.
func TestWeights(t *testing.T) {
	exact := func(factors ...float64) *big.Rat {
		product := big.NewRat(1, 1)
		for _, f := range factors {
			product.Mul(product, new(big.Rat).SetFloat64(f))
		}
		return product
	}
	for _, w := range worlds(t, 4) {
		m := newMass(w.Class, w.points, decayOf(w.lambda))
		options, err := m.options(context.Background(), m.all(), w.depth)
		if err != nil {
			t.Fatal(err)
		}
		v, all := m.valuer(), m.costOf(m.all())
		top := v.combine(all, options, w.depth)
		e := func(k int64) float64 { return v.e[v.at(k)] }
		leaf := min(all.zero, all.one)
		want := []*big.Rat{
			exact(0.25, e(leaf-top.least), e(all.zero-leaf)), exact(0.25, e(leaf-top.least), e(all.one-leaf)),
		}
		for _, o := range options {
			x := exact(o.yes.mass, o.no.mass, e(o.yes.least+o.no.least-top.least))
			want = append(want, x.Mul(x, big.NewRat(1, 2*int64(len(options)))))
		}
		sums := v.weights(all, options, w.depth)
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

// Tables by tests hold what pairs of tests count, whatever the points.
func TestTables(t *testing.T) {
	for _, w := range worlds(t, 4) {
		m := newMass(w.Class, w.points, decayOf(1))
		records := m.all()
		if len(records) > 4 {
			records = records[2:]
		}
		table := m.table(records)
		count := func(test ...Test) (c cost) {
		records:
			for _, r := range records {
				pt := w.points[r]
				for _, u := range test {
					if !u.Accepts(pt.X[u.Attribute]) {
						continue records
					}
				}
				c = c.plus(cost{pt.Cost[0], pt.Cost[1]})
			}
			return c
		}
		want := []cost{count()}
		for _, u := range w.tests {
			want = append(want, count(u))
		}
		for i, u := range w.tests {
			for _, v := range w.tests[i+1:] {
				want = append(want, count(u, v))
			}
		}
		if fmt.Sprint(table) != fmt.Sprint(want) {
			t.Errorf("%v: the table is %v, not %v", w, table, want)
		}
	}
}

// The entries of the tables of e are bounds, also where one stands for many
// differences, and they begin with 1.
func TestDecays(t *testing.T) {
	c := mustNew(t, []Attribute{{100, 0}, {63, 0}}, 4)
	for _, lambda := range []float64{1e7, 3, 0.5, 0.05, 1e-3, 1e-4, 1e-6, 1e-9} {
		d := newDecays(decayOf(lambda), c.LeastPrior())
		for i := range 4000 {
			k := int64(math.Exp(float64(i)/100)) - 1 // up to e^40
			e := d.e[d.at(k)]
			if exact := math.Exp(-lambda * float64(k)); e < exact || k == 0 && e != 1 {
				t.Fatalf("λ = %g: e(%d) is %g, below %g", lambda, k, e, exact)
			} else if lambda >= 1e-2 && lambda*float64(k) < 142 && e > exact*(1+1e-10)+0x1p-1000 {
				t.Fatalf("λ = %g: e(%d) is %g, far above %g", lambda, k, e, exact)
			}
			if leaf := d.leaf[d.at(k)]; leaf != 0.5+0.5*e {
				t.Fatalf("λ = %g: the leaf at %d is %g", lambda, k, leaf)
			}
		}
	}
}

// Costs beyond 62 bits are refused, and a context that ended is heeded at any depth.
func TestMassRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for depth := 3; depth <= 5; depth++ {
		c := mustNew(t, []Attribute{{2, 0}, {3, 0}}, depth)
		if _, err := c.Mass(context.Background(), points{{X: []uint16{0, 0}, Cost: [2]int64{1 << 61, 1}}}, decayOf(1)); !errors.Is(err, class.ErrRange) {
			t.Errorf("depth %d: %v", depth, err)
		}
		if _, err := c.Mass(ended, points{{X: []uint16{0, 0}, Cost: [2]int64{1, 2}}}, decayOf(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}
