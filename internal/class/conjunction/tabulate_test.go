package conjunction_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"pgregory.net/rapid"
)

// tabulated compares a table with the costs computed from the definition, and checks that it
// contains every formula once.
func tabulated(t classtest.T, c conjunctiontest.Case, p problem) {
	t.Helper()
	own := c.Class.(*conjunction.Class)
	table, err := own.Tabulate(p)
	if _, ok := p.Range(); !ok {
		if !errors.Is(err, class.ErrRange) {
			t.Fatalf("%v: the table of costs beyond 62 bits: %v", own, err)
		}
		return
	}
	if err != nil || int64(len(table)) != own.Size().Int64() {
		t.Fatalf("%v: %d costs of %v formulas, error %v", own, len(table), own.Size(), err)
	}
	at := map[string]bool{}
	for i, cost := range table {
		h := own.At(i)
		if !own.Contains(h) {
			t.Fatalf("%v: At(%d) is %v, which is not of the class", own, i, h)
		}
		key := ""
		for _, o := range h.Tests {
			key += string(rune(o))
		}
		if at[key] {
			t.Fatalf("%v: At(%d) is %v, which was there before", own, i, h)
		}
		at[key] = true
		if want := class.Cost(own, p, h); cost != want {
			t.Fatalf("%v, %v: place %d has %d; %v costs %d", own, p, i, cost, h, want)
		}
	}
}

func TestTabulateWeird(t *testing.T) {
	for name, c := range conjunctiontest.Fixed() {
		t.Run(name, func(t *testing.T) {
			for name, p := range c.Weird() {
				t.Log(name)
				tabulated(t, c, p)
			}
		})
	}
}

func randomTable(t classtest.T, draw classtest.Draw) {
	c := conjunctiontest.Random(draw, 3000)
	tabulated(t, c, c.Random(draw))
}

// The sums for tests that accept nearly all categories, or that differ little from another test,
// are computed by subtraction.
func TestTabulateComplements(t *testing.T) {
	c, err := conjunction.New([]literal.Attribute{literal.EqualOrNot(5), literal.Intervals(6, false), literal.Positive()}, conjunction.Options{Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := problem{}
	for i, x := range classtest.Records([]int{5, 6, 2}) {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i % 5)}})
	}
	tabulated(t, conjunctiontest.Case{Class: c}, p)
}

func TestTabulateRandom(t *testing.T) {
	for seed := range 500 {
		randomTable(t, classtest.FromSeed(seed))
	}
}

func TestTabulateRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		randomTable(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
	})
}

func FuzzTabulate(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { randomTable(t, classtest.FromBytes(data)) })
}

// same returns a class over d equal attributes, and a problem of n random records with costs of
// either sign.
func same(t testing.TB, a literal.Attribute, d, n int) (*conjunction.Class, problem) {
	c, err := conjunction.New(slices.Repeat([]literal.Attribute{a}, d), conjunction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	var p problem
	for i := range n {
		x := make(record, d)
		for j := range x {
			x[j] = uint16(rng.IntN(a.Categories()))
		}
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{0, int64(1 - i%2*2)}})
	}
	return c, p
}

// The table is the same for any number of threads. It is large enough for several threads.
func TestTabulateOnThreads(t *testing.T) {
	c, p := same(t, literal.Positive(), 19, 2000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want, err := c.Tabulate(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(threads)
		if got, err := c.Tabulate(p); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d threads: another table, error %v", threads, err)
		}
	}
	for i := 0; i < len(want); i += 4999 {
		if cost := class.Cost(c, p, c.At(i)); cost != want[i] {
			t.Fatalf("place %d has %d; %v costs %d", i, want[i], c.At(i), cost)
		}
	}
}

func TestTabulateRefusesLargeClasses(t *testing.T) {
	for d, fits := range map[int]bool{16: true, 17: false} { // 3^17 > 2^26
		c, _ := same(t, literal.Equal(2), d, 0)
		if d == 16 {
			continue // the class is within the limit, but the test would be slow
		}
		if _, err := c.Tabulate(problem{}); (err == nil) != fits {
			t.Errorf("3^%d formulas: %v", d, err)
		}
	}
}

func BenchmarkTabulate(b *testing.B) {
	for _, in := range []struct {
		name string
		a    literal.Attribute
		d    int
	}{
		{"2^20", literal.Positive(), 20},
		{"2^24", literal.Positive(), 24},
		{"3^15", literal.Equal(2), 15},
	} {
		b.Run(in.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			c, p := same(b, in.a, in.d, 50000)
			for b.Loop() {
				if _, err := c.Tabulate(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
