package audit

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Verdict is the result that a check is required to have: the exact log-ratio, in units of ε, must lie between
// Least and Most.
type Verdict struct{ Least, Most float64 }

// Holds is the Verdict that the guarantee holds.
var Holds = Verdict{Least: 0, Most: 1}

// InFull returns options for an enumeration. Their floor is full if tests run in full. Otherwise their floor is
// quick, and they allow fewer rechecks. Distributions of samplers are cached across tests.
func InFull(quick, full float64) Options {
	return Options{Floor: heavy.Pick(quick, full), Recheck: Rechecks, Laws: samplers}
}

// Rechecks is the number of runs that test whether code really forgot what it declares forgotten.
var Rechecks = heavy.Pick(30, 4000)

var samplers = NewSamplerLaws()

// Judge fails the test unless the report has the verdict. The greater the floor, the greater the slack that a
// confirmation may have.
func Judge[T comparable](t testing.TB, want Verdict, r Report[T], o Options) {
	t.Helper()
	t.Log(r)
	slack := max(1e-6, 1e5*o.Floor)
	epsilon, _ := r.Epsilon.Rat().Float64()
	if r.Worst.Upper < want.Least*epsilon || r.Worst.Lower > want.Most*epsilon {
		t.Errorf("want between %v and %v times ε", want.Least, want.Most)
	}
	if want == Holds && !r.Confirmed(slack) {
		t.Error("not confirmed")
	}
	if want.Least > 1 && !r.Refuted() {
		t.Error("not refuted")
	}
	if r.Refuted() && r.Confirmed(slack) {
		t.Error("refuted and confirmed")
	}
}

// WorldOf returns the world of all tables with at most the number of records in the parameter most. Under
// replace-one, if tests do not run in full, it has only the tables with exactly this number of records, which have
// most of the neighbours.
func WorldOf[D any](r privacy.Relation, kinds, most int, make func(counts []int64) D) World[D] {
	if r.Replaces() && !heavy.On() {
		return WorldOfSize(kinds, most, make)
	}
	return NewWorld(r, kinds, most, make)
}

// LawOf is like Enumerate, but fails the test if there is an error.
func LawOf[T comparable](t testing.TB, run func(noise.Coins) T, o Options) Law[T] {
	t.Helper()
	law, err := Enumerate(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return law
}
