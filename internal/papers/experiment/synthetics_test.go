package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func budgetOf(rho *big.Rat, r privacy.Relation) budget {
	mu, err := privacy.ParseDecimal("6") // of synth, much more than in practice
	if err != nil {
		panic(err)
	}
	return budget{r, rho, mu, noise.Insecure(1), rand.New(rand.NewPCG(1, 1)), new(big.Rat)}
}

func flattened(t *testing.T, name string) *flat {
	t.Helper()
	f, err := flatten(generate(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every engine generates rows in the domain, about as many as the table has, for every kind of table and for an
// empty table. With little noise, engines that measure pairs of columns reproduce columns that are copies of each
// other; the engine independent does not.
func TestSynthesizers(t *testing.T) {
	p := Synthetics{Steps: 1_000_000}
	for _, e := range synthesizers() {
		for _, name := range heavy.Pick([]string{"copies:4x3:1000:1", "noise:5x2:0:1"}, []string{"copies:4x3:3000:1", "constant:3x2:500:1", "card:3x100:300:1", "noise:5x2:0:1"}) {
			real := flattened(t, name)
			rows, err := e.make(t.Context(), real, budgetOf(big.NewRat(20, 1), privacy.AddRemove))
			if err != nil {
				t.Errorf("%s on %s: %v", e.name, name, err)
				continue
			}
			if n := float64(real.rows()); math.Abs(float64(len(rows))-n) > 20+n/50 {
				t.Errorf("%s on %s: %d rows; want %v", e.name, name, len(rows), n)
			}
			synthetic, err := real.of(rows)
			if err != nil {
				t.Fatal(err)
			}
			d, err := p.differ(t.Context(), real, synthetic)
			if err != nil {
				t.Fatal(err)
			}
			most := map[string]float64{"synth": 0.1, "independent": 2, "dualquery": 2, "mwem": 0.5, "projection": 0.1, "bootstrap": 0.1, "mst": 0.1, "aim": 0.1, "aim-triples": 0.1}[e.name]
			if strings.HasPrefix(name, "copies") && (d.pairs > most || e.name == "independent" && d.pairs < 0.5 || d.learned == nil) {
				t.Errorf("%s on %s: wrong distances %+v", e.name, name, d)
			}
		}
	}
}

// Iterative engines stop when the context is cancelled.
func TestSynthesizersEnd(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	for _, e := range synthesizers() {
		rows, err := e.make(ended, flattened(t, "copies:4x3:300:1"), budgetOf(big.NewRat(1, 1), privacy.AddRemove))
		if e.name != "independent" && e.name != "bootstrap" && (!errors.Is(err, context.Canceled) || rows != nil) {
			t.Errorf("%s: %d rows, %v", e.name, len(rows), err)
		}
	}
}

// A spender is a random source that records the variances of the Gaussian noise that engines sample.
type spender struct {
	noise.Coins
	draws []*big.Rat // σ²
}

func (s *spender) Draw(law noise.Sampler) *big.Int {
	if g, ok := law.(noise.Gaussian); ok {
		s.draws = append(s.draws, g.Sigma2)
	}
	return s.Coins.Draw(law)
}

// Each engine consumes exactly its ρ, and its Gaussian noise consumes the expected share of it. A row changes one cell of
// each marginal, or two cells under replace-one.
func TestBaselinesSpend(t *testing.T) {
	real := flattened(t, "copies:3x4:3000:1") // three columns of four values and a label
	shares := map[string]float64{
		"independent": 1,      // all columns
		"mwem":        0.6,    // columns .2, and half of the rest
		"dualquery":   0.05,   // rows
		"mst":         2. / 3, // columns and pairs
		// The one-way marginals get .9/16 of ρ, without selections. Measurements get nine tenths of the rest.
		"aim":         0.9 + 0.1*0.9/16,
		"aim-triples": 0.9 + 0.1*0.9/16,
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, e := range synthesizers() {
			share, known := shares[e.name]
			if !known {
				continue
			}
			b := budgetOf(big.NewRat(1, 1000), r)
			coins := &spender{Coins: b.coins}
			b.coins = coins
			if _, err := e.make(t.Context(), real, b); err != nil {
				t.Fatal(err)
			}
			if b.spent.Cmp(b.rho) != 0 {
				t.Errorf("%s, %v: its steps cost ρ = %v; want %v", e.name, r, b.spent, b.rho)
			}
			moved := 1.0
			if r.Replaces() {
				moved = 2
			}
			// The samples of one marginal share a law, so they have the same pointer to its variance. No two marginals share one.
			spent := 0.0
			for i, sigma2 := range coins.draws {
				if i == 0 || sigma2 != coins.draws[i-1] {
					of, _ := sigma2.Float64()
					spent += moved / (2 * of)
				}
			}
			if most := share / 1000; spent > most*(1+1e-9) || spent < 0.99*most {
				t.Errorf("%s, %v: the noise costs ρ = %v; want %v", e.name, r, spent, most)
			}
		}
	}
}

// Adding or replacing any row changes the cost of a selection by at most the sensitivity from which the rate is
// computed.
func TestDistanceMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		counts, shares := make([]int64, 4), make([]float64, 4)
		for c := range counts {
			counts[c], shares[c] = random.Int64N(5), random.Float64()
		}
		total := 10 * random.Float64()
		before := distance(counts, shares, total)
		counts[random.IntN(4)]++
		added := distance(counts, shares, total)
		at := random.IntN(4)
		counts[at] = max(counts[at]-1, 0)
		if replaced := distance(counts, shares, total); max(added-before, before-added) > 1 || max(replaced-before, before-replaced) > 2 {
			t.Fatalf("the query has the value %d, with an additional row %d, with a replaced row %d", before, added, replaced)
		}
	}
}

func TestRootDown(t *testing.T) {
	for _, x := range []*big.Rat{big.NewRat(2, 1), big.NewRat(1, 3), big.NewRat(1, 1_000_000_007), big.NewRat(49, 4), new(big.Rat)} {
		r := rootDown(x)
		up := new(big.Rat).Add(r, big.NewRat(1, 1<<39))
		if new(big.Rat).Mul(r, r).Cmp(x) > 0 || up.Mul(up, up).Cmp(x) <= 0 {
			t.Errorf("the square root of %v was computed as %v", x, r)
		}
	}
}

func TestPicking(t *testing.T) {
	p := newPicker([]float64{0, 1, 0, 3})
	var hits [4]int
	random := rand.New(rand.NewPCG(1, 1))
	for range 4000 {
		hits[p.draw(random)]++
	}
	if hits[0]+hits[2] > 0 || hits[1] < 900 || hits[1] > 1100 {
		t.Error(hits)
	}
}

// Synthetics reports the result of each engine. It also reports if a table is too large for an engine, and if the time
// limit is exceeded. If the context ends, it returns the context's error.
func TestSyntheticsOn(t *testing.T) {
	one, delta := decimal("1"), decimal("1e-9")
	var all []Synthesized
	p := Synthetics{Runs: Runs{[]privacy.Decimal{one}, delta, privacy.AddRemove, 2, time.Minute}, Engines: Synthesizers(), Tell: func(s Synthesized) { all = append(all, s) }}
	rows := heavy.Pick[int64](300, 2000)
	s := generate(t, fmt.Sprintf("card:4x3:%d:1", rows))
	if err := p.On(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if len(all) != len(Synthesizers()) {
		t.Fatalf("%d results", len(all))
	}
	for _, a := range all {
		if a.Left != "" || a.Draws != 2 || !a.Certified || a.Worst == nil || *a.Worst <= 0 || *a.Worst > 1 || a.Area == nil || *a.Area <= 0 || a.Rows != rows || len(a.Line()) != len(SynthesizedColumns()) {
			t.Errorf("%+v", a)
		}
	}
	all = nil
	p.Engines = []string{"dualquery"}
	if err := p.On(t.Context(), generate(t, "card:3x400:50:1")); err != nil || len(all) != 1 || all[0].Left != "" {
		t.Errorf("%+v, %v", all, err)
	}
	all = nil
	if err := p.On(t.Context(), generate(t, "card:60x20:50:1")); err != nil || len(all) != 1 || !strings.Contains(all[0].Left, "queries") || all[0].Certified {
		t.Errorf("%+v, %v", all, err)
	}
	all = nil
	p.Engines, p.Limit = []string{"projection"}, time.Nanosecond
	if err := p.On(t.Context(), s); err != nil || len(all) != 1 || all[0].Left != errLimit.Error() || all[0].Draws != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.On(ended, s); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestPublished(t *testing.T) {
	for epsilon, n := range map[string]int{"0.3": 3, "1": 3, "3": 3, "2": 0} {
		lines := Published(epsilon)
		if len(lines) != n {
			t.Errorf("ε = %s: %d lines", epsilon, len(lines))
		}
		for _, l := range lines {
			if len(l) != len(SynthesizedColumns()) {
				t.Errorf("%q", l)
			}
		}
	}
}

// The table adult-discrete has the published numbers of rows and columns. The errors of independent columns on it
// agree with published errors.
func TestAdultDiscrete(t *testing.T) {
	directory := filepath.Dir(filepath.Dir(shareddata.Path(t, "adult-discrete/adult.csv")))
	s, err := FindSynthetic(t.Context(), AdultDiscrete, directory)
	if err != nil || s.Rows.Rows() != 48_842 || s.Rows.Nulls() != 0 || len(s.Schema.Attributes) != 14 {
		t.Fatal(err)
	}
	real, err := flatten(s)
	if err != nil {
		t.Fatal(err)
	}
	rho, err := privacy.RhoWithin(decimal("1"), decimal("1e-9"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := independent(t.Context(), real, budgetOf(rho.Rat(), privacy.AddRemove))
	if err != nil {
		t.Fatal(err)
	}
	synthetic, err := real.of(rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(SyntheticFiles([]string{AdultDiscrete, "mushroom"}, directory)) != 3 || CheckSynthetic(AdultDiscrete, "") == nil {
		t.Error("its files")
	}
	if s, err := FindSynthetic(t.Context(), "nothing", directory); err == nil {
		t.Error(s.Name)
	}
	if !heavy.On() {
		return // compare.TestAdult measures such rows in its short form
	}
	d, err := (&Synthetics{}).differ(t.Context(), real, synthetic)
	if err != nil || d.pairs < 0.155 || d.pairs > 0.165 || d.worst.Error < 0.275 || d.worst.Error > 0.285 || !d.worst.Certified {
		t.Errorf("%+v, %v", d, err)
	}
}
