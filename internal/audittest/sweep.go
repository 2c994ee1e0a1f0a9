package audittest

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// TableOf returns the table that a shape describes. Under a relation of persons, each record becomes a person with
// several equal rows.
func TableOf(t testing.TB, s audit.Shape, r privacy.Relation) *table.Table {
	t.Helper()
	var schema table.Schema
	values := func(n int) (names []string) {
		for v := range n {
			names = append(names, fmt.Sprint(v))
		}
		return names
	}
	if schema.Label = (&table.Label{Column: "label", Positive: []string{"1"}, Negative: []string{"0"}}); s.Labels > 2 {
		schema.Label = &table.Label{Column: "label", Values: values(s.Labels)}
	}
	for j, n := range s.Sizes {
		schema.Attributes = append(schema.Attributes, table.Attribute{Column: fmt.Sprint("x", j), Values: values(n)})
	}
	if most := r.Persons(); most > 0 {
		schema.Person = &table.Person{Column: "person", Most: most}
	}
	made, err := table.NewSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	b := made.Builder()
	for _, rows := range s.Rows {
		if err := b.AddOutcome(rows.X, rows.Label, rows.Count*made.Weight()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(s.Null * made.Weight()); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// CoupleRho computes privacy losses (audit.Couple) of a mechanism that promises ρ-zCDP or μ-GDP. It
// compares each shape with its first neighbours, as many as the parameter neighbours says. It fails
// the test if a loss exceeds ρ or μ². It returns the largest loss, in units of ρ or, for a
// privacy.GDP, of μ², and the largest number of candidates in a choice.
func CoupleRho(t *testing.T, shapes []audit.Shape, r privacy.Relation, neighbours int, release func(audit.Shape) (promise privacy.Guarantee, of func(*table.Table) func(noise.Coins) (audit.Release, error))) (worst float64, candidates int) {
	t.Helper()
	for _, s := range shapes {
		promise, of := release(s)
		own, all := of(TableOf(t, s, r)), s.Neighbours(r)
		for i, other := range all[:min(neighbours, len(all))] {
			c, err := audit.Couple(noise.Insecure(uint64(i)), own, of(TableOf(t, other, r)))
			if err != nil {
				t.Errorf("%v: %s: %v", r, other.Name, err)
				continue
			}
			loss, most := c.Total(), promise.(interface{ Rho() *big.Rat }).Rho()
			if g, ok := promise.(privacy.GDP); ok {
				if loss.Cmp(most) > 0 {
					t.Errorf("%v: %s: the privacy loss exceeds the ρ of the guarantee", r, other.Name)
				}
				loss, most = c.Square, g.Square()
			}
			share, _ := new(big.Rat).Quo(loss, most).Float64()
			worst, candidates = max(worst, share), max(candidates, c.Candidates)
			if loss.Cmp(most) > 0 {
				t.Errorf("%v: %s: the privacy loss exceeds the guarantee: it is %.6f times the guaranteed ρ or μ²", r, other.Name, share)
			}
		}
	}
	return worst, candidates
}

// Numbers returns an audit.Release that consists of the given noisy numbers only.
func Numbers(noisy []*big.Int, err error) (audit.Release, error) {
	return audit.Release{Numbers: noisy}, err
}

// Bigs converts integers to big.Int.
func Bigs(of ...int64) (numbers []*big.Int) {
	for _, n := range of {
		numbers = append(numbers, big.NewInt(n))
	}
	return numbers
}

// Relations are the neighbour relations under which sweeps examine mechanisms.
var Relations = []privacy.Relation{
	privacy.AddRemove, privacy.ReplaceOne, privacy.AddRemove.OfPersons(3), privacy.ReplaceOne.OfPersons(2),
}

// CoupleEpsilon computes the privacy loss (audit.Couple) between each shape and its neighbours, for a mechanism that
// consists of counts with Laplace noise and of choices. It returns the largest loss, in units of ε. It fails the test
// if a loss exceeds ε.
func CoupleEpsilon(t *testing.T, shapes []audit.Shape, r privacy.Relation, epsilon *big.Rat, release func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error)) (worst float64) {
	t.Helper()
	for _, s := range shapes {
		of := func(s audit.Shape) func(noise.Coins) (audit.Release, error) {
			d := TableOf(t, s, r)
			return func(c noise.Coins) (audit.Release, error) { return release(s, d, c) }
		}
		for i, other := range s.Neighbours(r) {
			c, err := audit.Couple(noise.Insecure(uint64(i)), of(s), of(other))
			if err != nil {
				t.Errorf("%v: %s: %v", r, other.Name, err)
				continue
			}
			loss := c.Pure()
			share, _ := new(big.Rat).Quo(loss, epsilon).Float64()
			if worst = max(worst, share); loss.Cmp(epsilon) > 0 || c.Rho.Sign() != 0 {
				t.Errorf("%v: %s: the privacy loss is not pure, or exceeds the guarantee: it is %.6f times the guaranteed ε", r, other.Name, share)
			}
		}
	}
	return worst
}

// Rate returns the parameter λ for which the exponential mechanism has a guarantee of ε. The parameter loss is the
// largest loss of one row or, under a relation of persons, of one person. A replacement changes a cost by up to twice
// this loss.
func Rate(epsilon float64, r privacy.Relation, loss int64) float64 {
	if r.Replaces() {
		loss *= 2
	}
	return epsilon / float64(loss)
}

// A Sweep counts the pairs of neighbours that a test examines, and records their largest privacy loss, in units of the
// promised loss.
type Sweep struct {
	pairs  int
	worst  float64
	Random *rand.Rand // for the choices of the test
}

// NewSweep returns a Sweep that has not examined any pairs yet. Its random source has the given
// seed.
func NewSweep(seed uint64) *Sweep { return &Sweep{Random: rand.New(rand.NewPCG(seed, 20))} }

// Add records the privacy loss of a pair of neighbours, in units of the promised loss. It fails the
// test if the loss exceeds 1.
func (w *Sweep) Add(t *testing.T, name string, share float64) {
	t.Helper()
	w.pairs++
	if w.worst = max(w.worst, share); share > 1+1e-9 {
		t.Errorf("%s: the privacy loss exceeds the guarantee: it is %.6f times that of the guarantee", name, share)
	}
}

// Report fails the test if the largest recorded loss is below least, because a sweep whose losses
// are all small could not detect an error.
func (w *Sweep) Report(t *testing.T, least float64) {
	t.Helper()
	t.Logf("at most %.4f of what is promised over %d pairs", w.worst, w.pairs)
	if w.worst < least {
		t.Errorf("the largest privacy loss is only %.4f times that of the guarantee, so the sweep could not detect an error", w.worst)
	}
}

// CoupleBudgets checks a release on all shapes, once with a budget of ε (CoupleEpsilon) and once with a budget of ρ
// (CoupleRho). It fails the test if the privacy loss exceeds a budget on some shape, or if the loss is less than the
// budget on all shapes.
func CoupleBudgets(t *testing.T, shapes []audit.Shape, r privacy.Relation, epsilon privacy.Decimal, rho *big.Rat, release func(privacy.Guarantee) func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error)) {
	t.Helper()
	pure, err := privacy.NewPure(r, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	if worst := CoupleEpsilon(t, shapes, r, epsilon.Rat(), release(pure)); worst < 1 {
		t.Errorf("%v: the largest privacy loss must reach ε, but is only %.4f times ε", r, worst)
	}
	zcdp, err := privacy.NewZCDP(r, rho)
	if err != nil {
		t.Fatal(err)
	}
	coupleWhole(t, shapes, r, zcdp, release(zcdp))
}

// CoupleMu checks a release on all shapes like CoupleBudgets, with a budget of μ.
func CoupleMu(t *testing.T, shapes []audit.Shape, r privacy.Relation, mu privacy.Decimal, release func(privacy.Guarantee) func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error)) {
	t.Helper()
	gdp, err := privacy.NewGaussianBudget(r, privacy.Decimal{}, mu)
	if err != nil {
		t.Fatal(err)
	}
	coupleWhole(t, shapes, r, gdp, release(gdp))
}

// coupleWhole checks a release on all shapes by CoupleRho. It fails the test if the loss is less than the budget g on all
// shapes.
func coupleWhole(t *testing.T, shapes []audit.Shape, r privacy.Relation, g privacy.Guarantee, release func(audit.Shape, *table.Table, noise.Coins) (audit.Release, error)) {
	t.Helper()
	worst, _ := CoupleRho(t, shapes, r, 10, func(s audit.Shape) (privacy.Guarantee, func(*table.Table) func(noise.Coins) (audit.Release, error)) {
		return g, func(d *table.Table) func(noise.Coins) (audit.Release, error) {
			return func(c noise.Coins) (audit.Release, error) { return release(s, d, c) }
		}
	})
	if worst < 1 {
		t.Errorf("%v: the largest privacy loss must reach the %T, but is only %.4f times it", r, g, worst)
	}
}
