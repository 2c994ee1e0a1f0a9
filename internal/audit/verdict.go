package audit

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Verdict is the result that a test expects of a check: the exact largest log-ratio of two
// neighbours must lie between Least·ε and Most·ε.
type Verdict struct{ Least, Most float64 }

// Holds is the Verdict for a mechanism whose guarantee is true: all log-ratios are at most ε.
var Holds = Verdict{Least: 0, Most: 1}

// InFull returns the options of an enumeration in a test. The parameters quick and full are values
// of Options.Floor for the short and the full form of tests (package heavy). The short form also
// tests fewer declarations of Forget. All tests of a package share one cache of the distributions
// of samplers.
func InFull(quick, full float64) Options {
	return Options{Floor: heavy.Pick(quick, full), Recheck: Rechecks, Laws: samplers}
}

// Rechecks is about the maximum number of runs that test declarations of Forget: that code really
// does not depend on what it declares forgotten.
var Rechecks = heavy.Pick(30, 4000)

var samplers = NewSamplerLaws()

// Judge fails the test unless the report agrees with the Verdict want. The greater o.Floor is, the
// greater is the slack with which Judge accepts a confirmation.
func Judge[T comparable](t testing.TB, want Verdict, r Report[T], o Options) {
	t.Helper()
	t.Log(r)
	slack := max(1e-6, 1e5*o.Floor)
	epsilon, _ := r.Epsilon.Rat().Float64()
	if r.Worst.Upper < want.Least*epsilon || r.Worst.Lower > want.Most*epsilon {
		t.Errorf("the largest log-ratio of the probabilities must be between %v and %v times ε", want.Least, want.Most)
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

// WorldOf returns the world of all tables whose number of records does not exceed the parameter
// most. Each record has one of the given number of kinds (see NewWorld). Under replace-one, in the
// short form of tests, the world has only the tables with exactly this number of records, which
// have the most neighbours.
func WorldOf[D any](r privacy.Relation, kinds, most int, make func(counts []int64) D) World[D] {
	if r.Replaces() && !heavy.On() {
		return WorldOfSize(kinds, most, make)
	}
	return NewWorld(r, kinds, most, make)
}

// LawOf returns the result of Enumerate, and fails the test if there is an error.
func LawOf[T comparable](t testing.TB, run func(noise.Coins) T, o Options) Law[T] {
	t.Helper()
	law, err := Enumerate(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return law
}
