package compare

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// smallPair returns a pair of tables with a few rows and columns. Sometimes one of the tables is
// empty.
func smallPair(t testing.TB, r *rand.Rand, columns, most int) *Pair {
	sizes := make([]int, 1+r.IntN(columns))
	for j := range sizes {
		sizes[j] = 1 + r.IntN(most)
	}
	s := schemaOf(t, sizes...)
	rows := [2]int{r.IntN(30), r.IntN(30)}
	if r.IntN(4) == 0 {
		rows[r.IntN(2)] = 0
	}
	return pairOf(t, s, rowsOf(t, r, s, rows[0], .5), rowsOf(t, r, s, rows[1], .3))
}

// most returns the greatest difference of the queries, computed by definition.
func most(p *Pair, queries func(yield func(rule.Body))) float64 {
	best := new(big.Rat)
	queries(func(q rule.Body) {
		d := new(big.Rat)
		for i := range p.Len() {
			if q.Outcome(p.record(i)) == 1 {
				d.Add(d, big.NewRat(p.counts[0][i], max(p.rows[0], 1)))
				d.Sub(d, big.NewRat(p.counts[1][i], max(p.rows[1], 1)))
			}
		}
		if d.Abs(d).Cmp(best) > 0 {
			best = d
		}
	})
	f, _ := best.Float64()
	return f
}

// WorstParity finds the same difference as an enumeration of all sets of bits.
func TestWorstParity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		p := smallPair(t, r, 3, 4)
		o := Parities{Digits: r.IntN(2) == 0, Most: r.IntN(4)}
		w, err := p.WorstParity(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		bits := rule.Bits(p.sizes, o.Digits)
		want := most(p, func(yield func(rule.Body)) {
			for set := range 1 << len(bits) {
				var q rule.Odd
				for i, b := range bits {
					if set>>i&1 == 1 {
						q = append(q, b)
					}
				}
				if o.Most == 0 || len(q) <= o.Most {
					yield(odd(q))
				}
			}
		})
		if !w.Certified || math.Abs(w.Error-want) > 1e-15 || o.Most > 0 && len(w.Query.(rule.Decision).Formula.(rule.Odd)) > o.Most {
			t.Fatalf("%+v: %+v; the greatest is %v", o, w, want)
		}
	}
}

// WorstCard finds the same difference as an enumeration of all points of all columns.
func TestWorstCard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		p := smallPair(t, r, 3, 4)
		o := Cards{Most: 1 + r.IntN(3), Groups: 1 + r.IntN(3), Points: 1 + r.IntN(2), Threshold: r.IntN(4) - 1}
		w, err := p.WorstCard(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		want := most(p, func(yield func(rule.Body)) {
			points := make([][]int, len(p.sizes))
			var try func(j, g, used int)
			try = func(j, g, used int) {
				switch {
				case j == len(points):
					q := rule.Points{Of: make([][]int, len(points)), Threshold: o.Threshold}
					for j, of := range points {
						if of != nil {
							whole := make([]int, p.sizes[j])
							for v := range whole {
								whole[v] = of[v*len(of)/len(whole)]
							}
							q.Of[j] = whole
						}
					}
					yield(q)
				case g < 0:
					points[j] = nil
					try(j+1, -1, used)
					if used < o.Most {
						points[j] = make([]int, min(p.sizes[j], o.Groups))
						try(j, 0, used+1)
					}
				case g == len(points[j]):
					try(j+1, -1, used)
				default:
					for v := -o.Points; v <= o.Points; v++ {
						points[j][g] = v
						try(j, g+1, used)
					}
				}
			}
			try(0, -1, 0)
		})
		if !w.Certified || math.Abs(w.Error-want) > 1e-15 || used(w.Query.(rule.Points)) > o.Most {
			t.Fatalf("%+v of %v: %+v; the greatest is %v", o, p.sizes, w, want)
		}
	}
}

func odd(q rule.Odd) rule.Body { return rule.Decision{Formula: q} }

// used returns the number of columns that have points.
func used(q rule.Points) (n int) {
	for _, of := range q.Of {
		if of != nil {
			n++
		}
	}
	return n
}

// lesser returns a parity with a smaller difference, and this difference, or nil if there is none.
func lesser(p *Pair, bits []rule.Condition, difference int64) (rule.Odd, int64) {
	for _, b := range bits {
		if d := p.difference(p.count(odd(rule.Odd{b}))); d < difference {
			return rule.Odd{b}, d
		}
	}
	return nil, 0
}

// The checkers refuse wrong claims.
func TestFalseQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ctx := context.Background()
	for range 50 {
		s := schemaOf(t, 3, 4, 2, 2)
		p := pairOf(t, s, rowsOf(t, r, s, 40, .5), rowsOf(t, r, s, 30+r.IntN(20), .4))
		of := Parities{Most: 2}
		w, err := p.WorstParity(ctx, of)
		if err != nil {
			t.Fatal(err)
		}
		q, bits := w.Query.(rule.Decision).Formula.(rule.Odd), rule.Bits(p.sizes, of.Digits)
		d := p.difference(w.Real, w.Synthetic)
		parity := func(q rule.Odd, d int64) error { return p.checkParity(ctx, q, d, bits, 2) }
		cards := Cards{Most: 2, Groups: 2, Points: 1, Threshold: 1}
		if w, err = p.WorstCard(ctx, cards); err != nil {
			t.Fatal(err)
		}
		c, e := w.Query.(rule.Points), p.difference(w.Real, w.Synthetic)
		first := slices.IndexFunc(c.Of, func(of []int) bool { return of != nil })
		card := func(change func(c *rule.Points, of *[]int)) error {
			wrong := c
			wrong.Of = slices.Clone(c.Of)
			wrong.Of[first] = slices.Clone(c.Of[first])
			change(&wrong, &wrong.Of[first])
			return p.checkCard(ctx, wrong, e, cards)
		}
		inside := rule.Points{Of: [][]int{nil, {1, 0, 0, 0}, nil, nil}, Threshold: 1}
		three := []rule.Formula{bits[0], bits[1], bits[2]}
		if err := parity(q, d); err != nil {
			t.Fatal(err)
		}
		if err := p.checkCard(ctx, c, e, cards); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"parity: a greater value":     parity(q, d+1),
			"parity: a lower value":       parity(q, d-1),
			"parity: empty":               parity(nil, 0),
			"parity: another":             parity(lesser(p, bits, d)),
			"parity: a bit twice":         parity(append(slices.Clone(q), q[len(q)-1]), d),
			"parity: no such bit":         parity(rule.Odd{rule.Condition{Accepts: []uint16{0}}}, p.difference(p.count(odd(rule.Odd{rule.Condition{Accepts: []uint16{0}}})))),
			"parity: three bits":          parity(three, p.difference(p.count(odd(three)))),
			"card: a greater value":       p.checkCard(ctx, c, e+1, cards),
			"card: a lower value":         p.checkCard(ctx, c, e-1, cards),
			"card: empty":                 p.checkCard(ctx, rule.Points{Of: make([][]int, 4), Threshold: 1}, 0, cards),
			"card: threshold":             card(func(c *rule.Points, _ *[]int) { c.Threshold = 0 }),
			"card: a start":               card(func(c *rule.Points, _ *[]int) { c.Start = 1 }),
			"card: too many columns":      card(func(c *rule.Points, _ *[]int) { c.Of = append(c.Of, nil) }),
			"card: too few columns":       card(func(c *rule.Points, _ *[]int) { c.Of = c.Of[:3] }),
			"card: too few values":        card(func(_ *rule.Points, of *[]int) { *of = (*of)[1:] }),
			"card: too many points":       card(func(_ *rule.Points, of *[]int) { (*of)[0] = 2 }),
			"card: points inside a group": p.checkCard(ctx, inside, p.difference(p.count(inside)), cards),
			"card: more columns than asked for": card(func(c *rule.Points, of *[]int) {
				for j := range c.Of {
					c.Of[j] = make([]int, p.sizes[j])
				}
			}),
		} {
			if !errors.Is(err, errRefuted) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The checker accepts a parity only if its difference is the greatest, also if one table is empty.
func TestParityChecker(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	refused := 0
	for range 100 {
		p := smallPair(t, r, 3, 3)
		bits := rule.Bits(p.sizes, false)
		differences := make([]int64, 1<<len(bits))
		sets := make([]rule.Odd, len(differences))
		for set := range sets {
			for i, b := range bits {
				if set>>i&1 == 1 {
					sets[set] = append(sets[set], b)
				}
			}
			differences[set] = p.difference(p.count(odd(sets[set])))
		}
		greatest := slices.Max(differences)
		for set, q := range sets {
			err := p.checkParity(context.Background(), q, differences[set], bits, len(bits))
			if worst := differences[set] == greatest; worst && err != nil || !worst && !errors.Is(err, errRefuted) {
				t.Fatalf("%v of difference %d, the greatest is %d: %v", q, differences[set], greatest, err)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d refused", refused)
	}
}

// The checker of cards computes the greatest difference itself, independently of the claimed one.
func TestCardChecker(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		p := smallPair(t, r, 3, 4)
		o := Cards{Most: 3, Groups: 2 + r.IntN(2), Points: 1, Threshold: r.IntN(3)}
		chosen, _ := sets(len(p.sizes), min(2, len(p.sizes)), Sample{})
		set := chosen[r.IntN(len(chosen))]
		slices.SortStableFunc(set, func(a, b int) int { return o.groups(p.sizes[b]) - o.groups(p.sizes[a]) })
		greatest := newCardChecker(p, o, set).greatest(-1)
		want := most(p, func(yield func(rule.Body)) {
			var try func(n int, q rule.Points)
			try = func(n int, q rule.Points) {
				if n == len(set) {
					yield(q)
					return
				}
				groups := o.groups(p.sizes[set[n]])
				of := make([]int, groups)
				var points func(g int)
				points = func(g int) {
					if g < groups {
						for of[g] = -1; of[g] <= 1; of[g]++ {
							points(g + 1)
						}
						return
					}
					whole := make([]int, p.sizes[set[n]])
					for v := range whole {
						whole[v] = of[v*groups/len(whole)]
					}
					q.Of = slices.Clone(q.Of)
					q.Of[set[n]] = whole
					try(n+1, q)
				}
				points(0)
			}
			try(0, rule.Points{Of: make([][]int, len(p.sizes)), Threshold: o.Threshold})
		})
		if math.Abs(p.share(greatest)-want) > 1e-15 {
			t.Fatalf("%+v on %v of %v: %v, the greatest is %v", o, set, p.sizes, p.share(greatest), want)
		}
		for _, enough := range []int64{greatest - 1, greatest, greatest + 1} {
			if got := newCardChecker(p, o, set).greatest(enough); (got > enough) != (greatest > enough) || got > greatest && got > enough {
				t.Fatalf("%d, of which %d are enough; the greatest is %d", got, enough, greatest)
			}
		}
	}
}

// Classes that are too large are refused because of the sizes of columns, with a message of one
// sentence.
func TestTooLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ctx := context.Background()
	s := schemaOf(t, slices.Repeat([]int{6}, 20)...)
	p := pairOf(t, s, rowsOf(t, r, s, 40, .5), rowsOf(t, r, s, 30, .4))
	for says, o := range map[string]Parities{
		"and the limit is 64,":       {},
		"limit the bits of a parity": {Digits: true},
	} {
		if _, err := p.WorstParity(ctx, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for says, o := range map[string]Cards{
		"in a set is 0, but must be 1 to 6":           {Most: 0, Groups: 4, Points: 1},
		"exceed the limit of 36 groups":               {Most: 3, Groups: 16, Points: 1},
		"the proof for these scorecards is too large": {Most: 4, Groups: 6, Points: 2},
		"groups of categories is 17":                  {Most: 2, Groups: 17, Points: 1},
		"the maximum of the points is 0":              {Most: 2, Groups: 4, Points: 0},
	} {
		if _, err := p.WorstCard(ctx, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if w, err := p.WorstParity(ctx, Parities{Digits: true, Most: 2}); err != nil || !w.Certified {
		t.Errorf("%+v, %v", w, err)
	}
}
