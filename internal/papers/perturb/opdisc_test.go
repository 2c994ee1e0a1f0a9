package perturb_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func opdisc(t testing.TB, c class.Class[record, card], epsilon, delta string, r privacy.Relation, grid int64) *perturb.OPDisc[record, card] {
	t.Helper()
	m, err := perturb.NewOPDisc(oracle.Search(c), privacytest.Decimal(t, epsilon), privacytest.Decimal(t, delta), r, learn.ZeroOne, grid)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The least ratio of σ to the norm of the shift agrees with values that were computed by other means for
// continuous noise at ε = 1, δ = 1e-5. The shift is so long that the discreteness of the noise has no
// effect.
func TestOPDiscSigma(t *testing.T) {
	for d, want := range map[int]float64{5: 5.17, 20: 7.15, 50: 9.59, 100: 12.42} {
		const shift = 1 << 20
		s := class.Sphere{Dim: d + 1, Square: 9, Gap: 1}
		got, _ := new(big.Float).SetInt(perturb.OPDiscSigma2(s, shift, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"))).Float64()
		if ratio := math.Sqrt(got) / (3 * shift); math.Abs(ratio-want) > 0.006 {
			t.Errorf("d = %d: the ratio of σ to the shift is %.4f; want %.2f", d, ratio, want)
		}
	}
}

// For short shifts, the ratio of σ to the norm of the shift is larger, because the noise is discrete. The factor is
// bounded, since rounding to integers changes each coordinate by at most ½.
func TestOPDiscSigmaOnTheLattice(t *testing.T) {
	last := 0.0
	for _, shift := range []int64{1 << 20, 100, 10, 1} {
		s := class.Sphere{Dim: 20, Square: 9, Gap: 1}
		got, _ := new(big.Float).SetInt(perturb.OPDiscSigma2(s, shift, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"))).Float64()
		ratio := math.Sqrt(got) / float64(3*shift)
		if ratio < last || ratio > 8 {
			t.Errorf("shift %d: σ divided by the norm of the shift is %g; for the longer shift before it was %g", shift, ratio, last)
		}
		last = ratio
	}
}

// For short shifts, and for an ε so large that only the discreteness of the noise matters, σ² is the value
// that numerical integration of the bound gives, rounded up to 16 significant bits.
func TestOPDiscSigmaCountsTheLattice(t *testing.T) {
	for _, c := range []struct {
		dim            int
		square, shift  int64
		epsilon, delta string
		want           float64
	}{
		{20, 9, 1, "1", "1e-5", 459.4359939},
		{20, 9, 4, "1", "1e-5", 7197.310434},
		{3, 2, 1, "2", "1e-3", 7.998704219},
		{20, 1, 1, "50", "1e-12", 1.586684699},
	} {
		s := class.Sphere{Dim: c.dim, Square: c.square, Gap: 1}
		got, _ := new(big.Float).SetInt(perturb.OPDiscSigma2(s, c.shift, privacytest.Decimal(t, c.epsilon), privacytest.Decimal(t, c.delta))).Float64()
		if got < c.want || got > c.want*1.0002+1 {
			t.Errorf("%+v: wrong σ² = %g", c, got)
		}
	}
}

// σ² of Gaussian RSPM is that of the theorem, computed by other means and rounded up to 16 significant
// bits. The cases are one bit, many bits, a σ that the discreteness of the noise determines, and a σ that
// the mean determines.
func TestGaussianRSPMSigma(t *testing.T) {
	for _, c := range []struct {
		m              int
		shift          int64
		epsilon, delta string
		want           float64
	}{
		{4, 9, "1", "1e-5", 13605.0094},
		{4, 5, "1", "1e-5", 4207.8454},
		{1, 1, "0.1", "1e-9", 5255.6360},
		{50, 33, "0.5", "1e-6", 25981384.1385},
		{3, 1, "100", "1e-3", 2.5418},
		{100, 17, "3", "0.01", 399647.7843},
	} {
		got, _ := new(big.Float).SetInt(perturb.GaussianRSPMSigma2(c.m, c.shift, privacytest.Decimal(t, c.epsilon), privacytest.Decimal(t, c.delta))).Float64()
		if got < c.want || got > c.want*(1+0x1p-14)+1 {
			t.Errorf("%+v: wrong σ² = %g", c, got)
		}
	}
}

func TestOPDiscParameters(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 3}, 1)) // 10 bits
	m := opdisc(t, c, "0.5", "0", privacy.ReplaceOne, 8)
	// t = ⌈17/2⌉ on a sphere of radius √10: ⌈9√10⌉ = 29.
	if m.Sphere() != (class.Sphere{Dim: 10, Square: 10, Gap: 2}) || m.Shift() != 9 || m.Rate().RatString() != "1/58" || m.Sigma2() != nil {
		t.Errorf("wrong sphere %v, shift %d, rate %v or σ² %v", m.Sphere(), m.Shift(), m.Rate(), m.Sigma2())
	}
	if g := m.Guarantee(); g.Delta(0.5) != 0 || len(g.Assumes()) != 0 {
		t.Errorf("wrong guarantee %v", g)
	}
	m = opdisc(t, c, "0.5", "1e-6", privacy.AddRemove, 8)
	if g := m.Guarantee(); m.Shift() != 5 || g.Delta(0.5) < 1e-6 || g.Delta(0.5) > 2e-6 || g.Relation() != privacy.AddRemove {
		t.Errorf("wrong shift %d or guarantee %v", m.Shift(), g)
	}
	if want := perturb.OPDiscSigma2(m.Sphere(), 5, privacytest.Decimal(t, "0.5"), privacytest.Decimal(t, "1e-6")); m.Sigma2().Cmp(want) != 0 {
		t.Errorf("σ² = %v; want %v", m.Sigma2(), want)
	}
	o := oracle.Search(c)
	for _, bad := range []struct {
		epsilon, delta string
		loss           learn.Loss
		grid           int64
	}{
		{"0", "0", learn.ZeroOne, 1}, {"0", "1e-5", learn.ZeroOne, 1}, {"1", "1", learn.ZeroOne, 1},
		{"1", "0", learn.Loss{}, 1}, {"1", "0", learn.ZeroOne, -1}, {"1", "1e-5", learn.ZeroOne, 1<<20 + 1},
	} {
		if _, err := perturb.NewOPDisc(o, privacytest.Decimal(t, bad.epsilon), privacytest.Decimal(t, bad.delta), privacy.ReplaceOne, bad.loss, bad.grid); err == nil {
			t.Errorf("OPDisc accepted %v", bad)
		}
		if bad.delta == "0" {
			bad.delta = "1e-5"
		}
		if _, err := perturb.NewGaussianRSPM(o, privacytest.Decimal(t, bad.epsilon), privacytest.Decimal(t, bad.delta), privacy.ReplaceOne, bad.loss, bad.grid); err == nil {
			t.Errorf("GaussianRSPM accepted %v", bad)
		}
	}
}

// A class of one hypothesis uses no noise.
func TestOPDiscOfOneHypothesis(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2}, 0))
	for _, delta := range []string{"0", "1e-5"} {
		if _, err := opdisc(t, c, "1", delta, privacy.ReplaceOne, 0).Release(context.Background(), nil, noise.Crypto()); err != nil {
			t.Error(err)
		}
	}
}

// The released hypothesis minimizes g·c(w) + ⟨k, ψ(w)⟩ for noise of any size.
func TestOPDiscMinimises(t *testing.T) {
	type point = []int64
	c, err := numeric.New([]numeric.Column{numeric.Bounded(0, 3, 2), numeric.Bounded(-1, 1, 2)}, []int64{1, 2}, numeric.Options{Norm: 5, NormBits: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := perturb.NewOPDisc(oracle.Search(class.Class[point, numeric.Halfspace](c)), privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), privacy.ReplaceOne, learn.ZeroOne, 4)
	if err != nil {
		t.Fatal(err)
	}
	d := []learn.Example[point]{{X: point{3, 1}, Label: true, Count: 5}, {X: point{1, -1}, Count: 4}, {X: point{2, 0}, Label: true, Count: 1}}
	p, err := learn.Problem(learn.ZeroOne, d, 4)
	if err != nil {
		t.Fatal(err)
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 200)
	rng := noise.Crypto()
	for round := range 300 {
		k := make([]*big.Int, m.Sphere().Dim)
		for i := range k {
			k[i] = big.NewInt(int64(rng.Uint64n(41)) - 20)
			if round%3 == 0 && rng.Uint64n(2) == 0 {
				k[i].Add(k[i], huge)
			}
		}
		got, err := m.Release(context.Background(), d, &scripted{draws: append([]*big.Int(nil), k...)})
		if err != nil {
			t.Fatal(err)
		}
		cost := func(h numeric.Halfspace) *big.Int {
			sum := big.NewInt(class.Cost(c, p, h))
			for i, v := range c.Embedding().Embed(h) {
				sum.Add(sum, new(big.Int).Mul(k[i], big.NewInt(v)))
			}
			return sum
		}
		least := cost(got)
		for h := range c.All() {
			if cost(h).Cmp(least) < 0 {
				t.Fatalf("noise %v: hypothesis %v has a lower noisy cost than the output %v", k, h, got)
			}
		}
	}
}

func TestObjectivePerturbationExcess(t *testing.T) {
	c := learntest.Signs(t, []int{3, 3}, 1)
	d, rows, best := learntest.SpreadCosts(c, 10)
	own := class.Class[record, card](c)
	gaussian, err := perturb.NewGaussianRSPM(oracle.Search(own), privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), privacy.ReplaceOne, learn.ZeroOne, 0)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 300
	for name, m := range map[string]learntest.Mechanism{
		"opdisc, pure":     opdisc(t, own, "1", "0", privacy.ReplaceOne, 0),
		"opdisc, gaussian": opdisc(t, own, "1", "1e-5", privacy.ReplaceOne, 0),
		"gaussian rspm":    gaussian,
	} {
		bound := m.Excess(rows)
		sum, beyond := 0.0, 0
		coins := noise.Crypto()
		for range draws {
			h, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			excess := float64(learntest.Errors(c, d, h) - best)
			sum += excess
			if excess > bound.Most {
				beyond++
			}
		}
		t.Logf("%s: mean excess %.1f, bounds %v", name, sum/draws, bound)
		// The sampling error of the test is much smaller than the distances of its estimates from the
		// bounds.
		if bound.Mean > bound.Most || bound.Mean <= 0 || sum/draws > bound.Mean || beyond > draws/10 {
			t.Errorf("%s: the mean excess is %g, and %d of %d samples exceed the quantile; bounds %v", name, sum/draws, beyond, draws, bound)
		}
	}
}

// BenchmarkOPDisc runs OPDisc on the census records, over a class of 3^25 scorecards and over the class
// of Figure 1 of Neel, Roth, Vietri and Wu (2020).
func BenchmarkOPDisc(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	ball, err := scorecard.New(scorecard.Uniform(data.Sizes(), -5, 5), scorecard.Options{Threshold: 1, Norm: 25})
	if err != nil {
		b.Fatal(err)
	}
	d := learn.Examples(data)
	for name, c := range map[string]*scorecard.Class{"signs": learntest.Signs(b, data.Sizes(), 1), "ball": ball} {
		for _, delta := range []string{"0", "4.066e-9"} {
			for _, epsilon := range []string{"0.1", "0.5", "1", "2"} {
				b.Run(name+"/delta="+delta+"/epsilon="+epsilon, func(b *testing.B) {
					m := opdisc(b, class.Class[record, card](c), epsilon, delta, privacy.ReplaceOne, 0)
					wrong, coins := int64(0), noise.Crypto()
					for b.Loop() {
						h, err := m.Release(context.Background(), d, coins)
						if err != nil {
							b.Fatal(err)
						}
						wrong += learntest.Errors(c, d, h)
					}
					b.ReportMetric(1-float64(wrong)/float64(b.N)/float64(data.Rows()), "accuracy")
				})
			}
		}
	}
}
