package audit

import (
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A verdict is what a check must come to: the exact log-ratio in units of ε
// lies between least and most.
type verdict struct{ least, most float64 }

var holds = verdict{0, 1}

func check[T comparable](t *testing.T, want verdict, run func([]int64, noise.Coins) (T, error), kinds int, epsilon string, r privacy.Relation, most int, o Options) {
	t.Helper()
	report, err := Check(run, decimal(t, epsilon), worldOf(r, kinds, most, counts), o)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, want, report, o)
}

// inFull returns options with the latter floor where tests run in full, and
// otherwise with the former and less rechecking. The laws of samplers are kept from test to test.
func inFull(quick, full float64) Options {
	return Options{Floor: heavy.Pick(quick, full), Recheck: rechecks, Laws: samplers}
}

// rechecks is how many runs look whether what was declared forgotten is.
var rechecks = heavy.Pick(30, 4000)

var samplers = NewSamplerLaws()

// worldOf returns the world of all tables of at most so many records. Where records are replaced
// the quick form takes those of just so many, which have most neighbours.
func worldOf[D any](r privacy.Relation, kinds, most int, make func(counts []int64) D) World[D] {
	if r.Replaces() && !heavy.On() {
		return worldOfSize(kinds, most, make)
	}
	return NewWorld(r, kinds, most, make)
}

// worldOfSize returns the world of all tables of so many records, one of which is replaced.
func worldOfSize[D any](kinds, records int, make func(counts []int64) D) World[D] {
	w := World[D]{Relation: privacy.ReplaceOne}
	var all [][]int64
	for _, counts := range multisets(kinds, records) {
		rest := int64(records)
		for _, n := range counts {
			rest -= n
		}
		if rest > 0 {
			continue
		}
		for i, other := range all {
			if neighbours(w.Relation, counts, other) {
				w.Pairs = append(w.Pairs, [2]int{i, len(all)})
			}
		}
		all = append(all, counts)
		w.Tables = append(w.Tables, make(slices.Clone(counts)))
	}
	return w
}

// judge compares a report with the verdict; the slack of a confirmation grows
// with the floor.
func judge[T comparable](t *testing.T, want verdict, r Report[T], o Options) {
	t.Helper()
	t.Log(r)
	slack := max(1e-6, 1e5*o.Floor)
	epsilon, _ := r.Epsilon.Rat().Float64()
	if r.Worst.Upper < want.least*epsilon || r.Worst.Lower > want.most*epsilon {
		t.Errorf("want between %v and %v times ε", want.least, want.most)
	}
	if want == holds && !r.Confirmed(slack) {
		t.Error("not confirmed")
	}
	if want.least > 1 && !r.Refuted() {
		t.Error("not refuted")
	}
	if r.Refuted() && r.Confirmed(slack) {
		t.Error("refuted and confirmed")
	}
}

// McSherry and Talwar's mechanism by adaptive rejection, where the papers
// sample approximately. The difference of two costs moves by 2 when a record is
// replaced, by 1 when one is added: λ = ε/2 and ε. Printed code often takes ε
// under either; under replacement that is up to 2ε.
func TestExponentialMechanism(t *testing.T) {
	for _, c := range []struct {
		name   string
		lambda *big.Rat
		r      privacy.Relation
		budget int
		want   verdict
	}{
		{"half ε, replace", big.NewRat(1, 1), privacy.ReplaceOne, 0, holds},
		{"ε, add-remove", big.NewRat(2, 1), privacy.AddRemove, 0, holds},
		{"ε, replace", big.NewRat(2, 1), privacy.ReplaceOne, 0, verdict{1.7, 2}},
		{"half ε, replace, three rounds", big.NewRat(1, 1), privacy.ReplaceOne, 3, verdict{1.05, 1e9}},
		{"ε, add-remove, three rounds", big.NewRat(2, 1), privacy.AddRemove, 3, verdict{1.05, 1e9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := oneAgainstMany(7)
			check(t, c.want, exponential(f, c.lambda, c.budget), f.kinds(), "2", c.r, 3, inFull(1e-6, 1e-13))
		})
	}
}

// Neel, Roth and Wu, Theorem 6: RSPM. Printed with noise Lap(m/ε) for
// replacement of a record; that is exactly 2ε, and right for add-remove. On
// the grid of step 1/g the shift t is an integer: 2g for a first minimiser,
// 2g + 1 if ties may depend on the data (the paper has no grid, and no ties);
// g and g + 1 under add-remove.
func TestNeelRothWuTheorem6(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift int64
		grid  int64
		ties  tieRule
		r     privacy.Relation
		want  verdict
	}{
		{"printed", 1, 1, firstWins, privacy.ReplaceOne, verdict{1.99, 2}},
		{"printed, add-remove", 1, 1, firstWins, privacy.AddRemove, holds},
		{"first minimiser", 2, 1, firstWins, privacy.ReplaceOne, holds},
		{"first minimiser's shift, free ties", 2, 1, parityDecides, privacy.ReplaceOne, verdict{1.49, 1.5}},
		{"free ties", 3, 1, parityDecides, privacy.ReplaceOne, holds},
		{"free ties, grid 2", 5, 2, parityDecides, privacy.ReplaceOne, holds},
		{"free ties, add-remove", 2, 1, parityDecides, privacy.AddRemove, holds},
		{"no shift for free ties, add-remove", 1, 1, parityDecides, privacy.AddRemove, verdict{1.99, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := laplace(2, big.NewRat(3, 1), big.NewRat(c.shift, 1))
			check(t, c.want, rspm(conjunctions, c.grid, perturb, c.ties), conjunctions.kinds(), "3", c.r, 3, inFull(1e-6, 1e-13))
		})
	}
}

// The same theorem with K-norm noise of the maximum norm in place of Laplace
// noise, which the paper does not consider: the proof asks of the noise only that
// a shift by t in every coordinate changes its mass by e^ε at most.
func TestNeelRothWuTheorem6Cube(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift int64
		ties  tieRule
		r     privacy.Relation
		want  verdict
	}{
		{"free ties", 3, parityDecides, privacy.ReplaceOne, holds},
		{"first minimiser", 2, firstWins, privacy.ReplaceOne, holds},
		{"half the shift", 1, firstWins, privacy.ReplaceOne, verdict{1.3, 2}},
		{"free ties, add-remove", 2, parityDecides, privacy.AddRemove, holds},
		{"no shift for free ties, add-remove", 1, parityDecides, privacy.AddRemove, verdict{1.3, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := cube(2, big.NewRat(3, 1), big.NewRat(c.shift, 1))
			check(t, c.want, rspm(conjunctions, 1, perturb, c.ties), conjunctions.kinds(), "3", c.r, 3, inFull(1e-6, 1e-13))
		})
	}
}

// The same theorem where the separator is a code of distance h = 4. The shift
// 2g/h must be rounded up, since the noise is on a grid: without the ceiling,
// t = 1/2 is no shift of the grid onto itself.
func TestNeelRothWuTheorem6Code(t *testing.T) {
	f := constants(4)
	for _, c := range []struct {
		name  string
		shift *big.Rat
		ties  tieRule
		want  verdict
	}{
		{"without the ceiling", big.NewRat(1, 2), firstWins, verdict{1.35, 1.37}},
		{"with it", big.NewRat(1, 1), firstWins, holds},
		{"free ties", big.NewRat(1, 1), parityDecides, holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := cube(4, big.NewRat(3, 1), c.shift)
			check(t, c.want, rspm(f, 1, perturb, c.ties), f.kinds(), "3", privacy.ReplaceOne, 4, inFull(1e-7, 3e-10))
		})
	}
}

// Neel, Roth and Wu, Algorithm 1: the best query and its complement are compared
// by report-noisy-max with noise Lap(1/(ε₀n)) on both, printed as ε₀. A record
// that is replaced moves the two counts in opposite directions: the noise must
// be twice that.
func TestNeelRothWuAlgorithm1(t *testing.T) {
	noisyMax := func(scale *big.Rat) func([]int64, noise.Coins) (int, error) {
		return func(table []int64, c noise.Coins) (int, error) {
			best, most := 0, int64(0)
			for q, count := range table {
				if v := count + c.Draw(noise.Laplace{Scale: scale}).Int64(); q == 0 || v > most {
					best, most = q, v
				}
			}
			return best, nil
		}
	}
	for _, c := range []struct {
		name  string
		scale *big.Rat // 1/ε is printed, for ε = 3
		r     privacy.Relation
		most  int
		want  verdict
	}{
		{"printed", big.NewRat(1, 3), privacy.ReplaceOne, 8, verdict{1.9, 2}},
		{"printed, add-remove", big.NewRat(1, 3), privacy.AddRemove, 4, holds},
		{"twice the noise", big.NewRat(2, 3), privacy.ReplaceOne, 4, holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.want, noisyMax(c.scale), 2, "3", c.r, c.most, Options{})
		})
	}
}
