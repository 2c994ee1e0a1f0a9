package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// tiny draws small classes of a kind in which some two hypotheses trade errors:
// replacing a record by another moves their costs in opposite directions.
// Their separators have at most so many bits. Listed hypotheses and read-once
// formulas with two are so rare that only the full form of the tests looks for them.
func tiny(name string, bits, n int) (out []everytest.Case) {
	if bits == 2 && (name == "explicit" || name == "readonce") && !heavy.On() {
		return nil
	}
	seen := map[string]bool{}
	for seed := 0; len(out) < n && seed < heavy.Pick(100, 20000); seed++ {
		c := everytest.Random(name, classtest.FromSeed(seed), 256)
		size := c.Class.Size()
		if !size.IsInt64() || size.Int64() > 9 || c.Class.Separator() > bits || seen[c.Class.String()] || !trades(c) {
			continue
		}
		seen[c.Class.String()] = true
		out = append(out, c)
	}
	return out
}

func trades(c everytest.Case) bool {
	patterns := map[string]bool{}
	kinds := kindsOf(c)
	for h := range c.Class.All() {
		for i, k := range kinds {
			for j, l := range kinds {
				a, b := c.Class.Predict(h, k.X) != k.Label, c.Class.Predict(h, l.X) != l.Label
				if a != b {
					patterns[fmt.Sprint(i, j, a)] = true
					if patterns[fmt.Sprint(i, j, b)] {
						return true
					}
				}
			}
		}
	}
	return false
}

// kindsOf returns a few labelled records that the class reads.
func kindsOf(c everytest.Case) (kinds examples) {
	last := len(c.Domain) - 1
	return examples{{X: c.Domain[0]}, {X: c.Domain[last], Label: true}, {X: c.Domain[last/2], Label: true}}
}

func worldOfClass(c everytest.Case, r privacy.Relation, most int) World[examples] {
	kinds := kindsOf(c)
	return WorldOf(r, len(kinds), most, func(counts []int64) (d examples) {
		for i, n := range counts {
			if n > 0 {
				e := kinds[i]
				e.Count = n
				d = append(d, e)
			}
		}
		return d
	})
}

type anyMechanism = privacy.Mechanism[examples, any]

// pretending is a mechanism with the guarantee of another.
type pretending struct{ mechanism, other anyMechanism }

func (m pretending) Guarantee() privacy.Guarantee { return m.other.Guarantee() }
func (m pretending) Release(ctx context.Context, d examples, c noise.Coins) (any, error) {
	return m.mechanism.Release(ctx, d, c)
}

func auditClass(t *testing.T, want Verdict, m anyMechanism, w World[examples], o Options) {
	t.Helper()
	r, err := CheckMechanism(m, func(h any) string { return fmt.Sprint(h) }, w, o)
	if err != nil {
		t.Fatal(err)
	}
	Judge(t, want, r, o)
}

// The shipped sampler has the law e^{-λ·c(q)} on every class: bounds, shares,
// frontier and rounds.
func TestSearchSampleEveryClass(t *testing.T) {
	for _, name := range everytest.Names() {
		for _, c := range tiny(name, 4, 3) {
			t.Run(name, func(t *testing.T) { testExactLaw(t, c) })
		}
	}
}

func testExactLaw(t *testing.T, c everytest.Case) {
	var p class.Problem[[]uint16]
	for i, k := range kindsOf(c) {
		p.Points = append(p.Points, class.Point[[]uint16]{X: k.X, Cost: [2]int64{int64(i), int64((i + 1) % 3)}})
	}
	law := LawOf(t, func(coins noise.Coins) string {
		tree, err := c.Class.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		h, err := search.Sample(context.Background(), tree, big.NewRat(3, 2), coins)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(h)
	}, InFull(1e-10, 1e-11))
	weight := func(h any) float64 {
		return math.Exp(-1.5 * float64(class.Cost(c.Class, p, h)))
	}
	total := 0.0
	for h := range c.Class.All() {
		total += weight(h)
	}
	for h := range c.Class.All() {
		lo, hi := law.Bounds(fmt.Sprint(h))
		if want := weight(h) / total; want < lo*(1-1e-12) || want > hi*(1+1e-12) || hi-lo > 1e-8 {
			t.Errorf("%v: P(%v) = %g, enclosed by [%g, %g]", c.Class, h, want, lo, hi)
		}
	}
}

// The exponential mechanism and RSPM, as shipped, on every class. The rate and
// the shift for add-remove are wrong under replacement, which some class shows.
func TestEveryClass(t *testing.T) {
	three := decimal(t, "3")
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	exponential := func(c everytest.Case, r privacy.Relation) anyMechanism {
		m, err := learn.NewExponential(searchtest.LayOnce(c.Class), three, r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	rspm := func(c everytest.Case, kind perturb.Noise, r privacy.Relation) anyMechanism {
		m, err := perturb.NewRSPM(oracle.Search(c.Class), kind, decimal(t, heavy.Pick("6", "3")), r, learn.ZeroOne, 1)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, name := range everytest.Names() {
		for _, c := range tiny(name, 4, 1) {
			t.Run("exponential/"+name, func(t *testing.T) {
				o := InFull(1e-7, 1e-10)
				auditClass(t, Holds, exponential(c, replace), worldOfClass(c, replace, 2), o)
				auditClass(t, Holds, exponential(c, addRemove), worldOfClass(c, addRemove, 2), o)
				auditClass(t, Verdict{1.01, 2}, pretending{exponential(c, addRemove), exponential(c, replace)}, worldOfClass(c, replace, 2), o)
			})
		}
		for _, c := range tiny(name, 2, 1) {
			t.Run("rspm/"+name, func(t *testing.T) {
				o := InFull(1e-6, 1e-9)
				for _, kind := range heavy.Pick([]perturb.Noise{perturb.Laplace}, []perturb.Noise{perturb.Laplace, perturb.Cube}) {
					auditClass(t, Holds, rspm(c, kind, replace), worldOfClass(c, replace, 1), o)
				}
			})
		}
	}
}
