// Package stattest bounds the probability of false alarms of all statistical tests in the module. If the code is
// correct, a run of the whole suite fails by chance with probability at most Budget.
//
// The goodness-of-fit test uses the likelihood-ratio statistic G = 2n·KL(observed‖expected). Pearson's chi-square is
// its first approximation. The usual p-value of G comes from the asymptotic chi-square distribution. For cells with
// few expected samples, the tail of this distribution is much too small: at levels such as 1e-8, by orders of
// magnitude.
//
// So here the p-value is computed from a bound that holds for every number of samples and every distribution
// (Agrawal, "Finite-sample concentration of the multinomial in relative entropy", 2020). Cells need no minimum
// expected count.
package stattest

import (
	"math"
	"sync/atomic"
	"testing"
)

// Budget is an upper bound on the probability that correct code fails any of the statistical tests of the project.
const Budget = 1e-6

// A share is the part of Budget that all statistical tests at one site use together. A site is a package, or a part of
// a package, whose Go tests run statistical tests.
type share struct {
	alpha float64
	tests int
}

// shares lists all sites that may run statistical tests, and the share of Budget of each.
var shares = map[string]share{
	"noise":  {alpha: 2e-7, tests: 20},
	"search": {alpha: 2e-7, tests: 20},

	"learn/box":          {alpha: 2e-8, tests: 2},
	"learn/leader":       {alpha: 2e-8, tests: 2},
	"learn/naive bayes":  {alpha: 4e-8, tests: 4},
	"learn/answer width": {alpha: 4e-8, tests: 4},
	"learn/subsample":    {alpha: 4e-8, tests: 4},

	"papers/audit":       {alpha: 1e-7, tests: 10},
	"papers/boosting":    {alpha: 1e-8, tests: 1},
	"papers/elimination": {alpha: 2e-8, tests: 2},
	"papers/leader":      {alpha: 4e-8, tests: 4},
	"papers/opsamp":      {alpha: 3e-8, tests: 3},

	"search/lopsided": {alpha: 4e-8, tests: 4},

	"pairs": {alpha: 1e-8, tests: 1},

	"risk":        {alpha: 4e-8, tests: 4},
	"risk/adult":  {alpha: 2e-8, tests: 2},
	"risk/leaf":   {alpha: 1e-8, tests: 4},
	"risk/matrix": {alpha: 2e-8, tests: 2},
}

// A Family is the set of statistical tests at one site. It divides the site's share of Budget evenly among them.
// Several goroutines may use it at the same time.
type Family struct {
	t     testing.TB
	alpha float64
	left  atomic.Int64
}

// Open returns the Family of a site. It must be called at most once for each site in a run of the tests.
func Open(t testing.TB, site string) *Family {
	t.Helper()
	s, ok := shares[site]
	if !ok {
		t.Fatalf("stattest: no share for %q", site)
	}
	f := &Family{t: t, alpha: s.alpha / float64(s.tests)}
	f.left.Store(int64(s.tests))
	return f
}

// Take uses up one of the statistical tests of the family, and returns its level, which is the maximum probability of a
// false alarm. It is called by Go tests that compute a statistical test themselves, without Fit or AtMost. It fails the
// Go test t if the family has no statistical test left.
func (f *Family) Take(t testing.TB) float64 {
	t.Helper()
	if f.left.Add(-1) < 0 {
		t.Fatal("stattest: more tests than the share of this site covers")
	}
	return f.alpha
}

// Alpha returns the level of each statistical test of the family, the maximum probability of a false alarm.
func (f *Family) Alpha() float64 { return f.alpha }

// Fit tests whether independent samples come from a discrete distribution. The parameter counts holds the number of
// samples in each cell, and mass holds the probability of each cell. Fit fails the Go test t if the counts do not fit
// the distribution. The probabilities must sum to 1, so there must be cells for the tails, too.
func (f *Family) Fit(t testing.TB, counts []int, mass []float64) {
	t.Helper()
	if p, alpha := PValue(counts, mass), f.Take(t); p < alpha {
		t.Errorf("the samples do not fit the distribution: the p-value is at most %.3g, below the level %.3g\ncounts %v\nmass %v", p, f.alpha, counts, mass)
	}
}

// AtMost tests the hypothesis that each draw is a hit with probability at most p, given the previous draws. It fails
// the Go test t if the number of hits contradicts the hypothesis. Let n be the number of draws and q = hits/n. If q
// exceeds p, the probability of as many hits or more is at most e^{-n·KL(q‖p)}, by Chernoff's bound.
func (f *Family) AtMost(t testing.TB, hits, draws int, p float64) {
	t.Helper()
	alpha := f.Take(t)
	if chance := exceed(hits, draws, p); chance < alpha {
		t.Errorf("%d of %d draws are hits, which has a probability of at most %.3g if each draw is a hit with probability %g; this is below the level %.3g", hits, draws, chance, p, alpha)
	}
}

// exceed returns an upper bound on the probability of at least the given number of hits in the given number of draws,
// if each draw is a hit with probability p.
func exceed(hits, draws int, p float64) float64 {
	n, q := float64(draws), float64(hits)/float64(draws)
	if q <= p {
		return 1
	}
	divergence := q * math.Log(q/p)
	if q < 1 {
		divergence += (1 - q) * math.Log((1-q)/(1-p))
	}
	return math.Exp(-n * divergence)
}

// PValue returns an upper bound on the probability that independent samples from a distribution deviate from it at
// least as much as the given counts do. The parameter mass holds the probability of each cell. PValue panics if the
// lengths of counts and mass differ, or if the probabilities do not sum to 1.
//
// The deviation is c = n·KL, where n is the number of samples and KL is the relative entropy. Let k be the number of
// cells with positive probability. If c > k-1, the bound is e^{-c}·(e·c/(k-1))^{k-1}. Otherwise it is 1.
func PValue(counts []int, mass []float64) float64 {
	if len(counts) != len(mass) {
		panic("stattest: counts and masses differ in length")
	}
	var n, total float64
	for i := range counts {
		n += float64(counts[i])
		total += mass[i]
	}
	if math.Abs(total-1) > 1e-9 {
		panic("stattest: masses do not sum to 1")
	}
	var c, free float64 = 0, -1
	for i, m := range mass {
		if m > 0 {
			free++
		}
		if o := float64(counts[i]); o > 0 {
			c += o * math.Log(o/(n*m))
		}
	}
	switch {
	case c <= free:
		return 1
	case math.IsInf(c, 1): // a draw outside the support
		return 0
	}
	return math.Exp(-c + free*(1+math.Log(c/free)))
}
