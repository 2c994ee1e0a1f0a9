package audit_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Neel, Roth and Wu, Theorem 6 (RSPM). With the printed noise Lap(m/ε), the privacy loss is exactly 2ε under
// replace-one, and ε under add-remove. If noise is a multiple of 1/g, the required shift t is an integer:
//
//	                                replace-one  add-remove
//	the first minimizer is returned      2g           g
//	ties may depend on the data        2g + 1       g + 1
//
// The paper has no grid and no ties.
func TestNeelRothWuTheorem6(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift int64
		grid  int64
		ties  tieRule
		r     privacy.Relation
		want  audit.Verdict
	}{
		{"printed", 1, 1, firstWins, privacy.ReplaceOne, audit.Verdict{Least: 1.99, Most: 2}},
		{"printed, add-remove", 1, 1, firstWins, privacy.AddRemove, audit.Holds},
		{"first minimiser", 2, 1, firstWins, privacy.ReplaceOne, audit.Holds},
		{"first minimiser's shift, free ties", 2, 1, parityDecides, privacy.ReplaceOne, audit.Verdict{Least: 1.49, Most: 1.5}},
		{"free ties", 3, 1, parityDecides, privacy.ReplaceOne, audit.Holds},
		{"free ties, grid 2", 5, 2, parityDecides, privacy.ReplaceOne, audit.Holds},
		{"free ties, add-remove", 2, 1, parityDecides, privacy.AddRemove, audit.Holds},
		{"no shift for free ties, add-remove", 1, 1, parityDecides, privacy.AddRemove, audit.Verdict{Least: 1.99, Most: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := laplace(2, big.NewRat(3, 1), big.NewRat(c.shift, 1))
			audittest.CheckCounts(t, c.want, rspm(conjunctions, c.grid, perturb, c.ties), conjunctions.Kinds(), "3", c.r, 3, audit.InFull(3e-6, 1e-13))
		})
	}
}

// Theorem 6 with cube noise in place of Laplace noise. The paper does not consider this noise. The proof requires
// only that a shift by t in every coordinate changes the probability by a factor of at most e^ε.
func TestNeelRothWuTheorem6Cube(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift int64
		ties  tieRule
		r     privacy.Relation
		want  audit.Verdict
	}{
		{"free ties", 3, parityDecides, privacy.ReplaceOne, audit.Holds},
		{"first minimiser", 2, firstWins, privacy.ReplaceOne, audit.Holds},
		{"half the shift", 1, firstWins, privacy.ReplaceOne, audit.Verdict{Least: 1.3, Most: 2}},
		{"free ties, add-remove", 2, parityDecides, privacy.AddRemove, audit.Holds},
		{"no shift for free ties, add-remove", 1, parityDecides, privacy.AddRemove, audit.Verdict{Least: 1.3, Most: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := cube(2, big.NewRat(3, 1), big.NewRat(c.shift, 1))
			audittest.CheckCounts(t, c.want, rspm(conjunctions, 1, perturb, c.ties), conjunctions.Kinds(), "3", c.r, 3, audit.InFull(3e-6, 1e-13))
		})
	}
}

// Theorem 6 with a separator that is a code of distance h = 4. The shift 2g/h must be rounded up to an
// integer, since a shift by t = 1/2 does not map integer noise to integer noise. If the shift is not rounded
// up, the audit refutes ε.
func TestNeelRothWuTheorem6Code(t *testing.T) {
	f := constants(4)
	for _, c := range []struct {
		name  string
		shift *big.Rat
		ties  tieRule
		want  audit.Verdict
	}{
		{"without the ceiling", big.NewRat(1, 2), firstWins, audit.Verdict{Least: 1.35, Most: 1.37}},
		{"with it", big.NewRat(1, 1), firstWins, audit.Holds},
		{"free ties", big.NewRat(1, 1), parityDecides, audit.Holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := cube(4, big.NewRat(3, 1), c.shift)
			audittest.CheckCounts(t, c.want, rspm(f, 1, perturb, c.ties), f.Kinds(), "3", privacy.ReplaceOne, 4, audit.InFull(1e-6, 3e-10))
		})
	}
}

// Neel, Roth and Wu, Algorithm 1, compares the best query and its complement by report-noisy-max with noise
// Lap(1/(ε₀n)) on both, and states a privacy loss of ε₀. Replacing a record can change the two counts in
// opposite directions, so the loss is 2ε₀. Noise of twice the scale satisfies ε₀.
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
		scale *big.Rat // the scale of the noise on the counts; the paper has 1/ε, here with ε = 3
		r     privacy.Relation
		most  int
		want  audit.Verdict
	}{
		{"printed", big.NewRat(1, 3), privacy.ReplaceOne, 8, audit.Verdict{Least: 1.9, Most: 2}},
		{"printed, add-remove", big.NewRat(1, 3), privacy.AddRemove, 4, audit.Holds},
		{"twice the noise", big.NewRat(2, 3), privacy.ReplaceOne, 4, audit.Holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			audittest.CheckCounts(t, c.want, noisyMax(c.scale), 2, "3", c.r, c.most, audit.Options{})
		})
	}
}
