package perturb_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	record   = learntest.Record
	card     = learntest.Card
	examples = learntest.Examples
)

// mechanisms lists RSPM with each kind of noise.
var mechanisms = learntest.Mechanisms{"rspm-laplace": rspmOf(perturb.Laplace), "rspm-cube": rspmOf(perturb.Cube)}

func rspmOf(kind perturb.Noise) learntest.New {
	return func(t testing.TB, c *scorecard.Class, epsilon string) learntest.Mechanism {
		t.Helper()
		m, err := perturb.NewRSPM(oracle.Search(class.Class[record, card](c)), kind, privacytest.Decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne, 0)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestRSPMExcessBounds(t *testing.T)          { mechanisms.ExcessBounds(t) }
func TestRSPMExcessCountsPenalties(t *testing.T) { mechanisms.ExcessCountsPenalties(t) }
func TestRSPMRelease(t *testing.T)               { mechanisms.Release(t) }

// Leaders with RSPM satisfy their regret bound on a drifting stream.
func TestRSPMLeaderDrift(t *testing.T) {
	mechanisms.LeaderDrift(t, stattest.Open(t, "papers/leader"))
}

// One added example changes the logarithm of the probability of an output by at most ε, and n added examples
// change it by at most n·ε. The regret bound of a leader with batches uses this.
func TestRSPMDrift(t *testing.T) {
	c := learntest.Signs(t, []int{2}, 1)
	for epsilon, want := range map[string]float64{"0.25": 0.25, "2": 2} {
		for name, newMechanism := range mechanisms {
			m := newMechanism(t, c, epsilon).(learn.Stable[record, card])
			for _, rows := range []int64{1, 2, 7} {
				if got := m.Drift(rows); math.Abs(got-want*float64(rows)) > 1e-12 {
					t.Errorf("%s, ε = %s, %d rows: wrong excess %g", name, epsilon, rows, got)
				}
			}
		}
	}
}

// The guarantee of a leader states the assumptions of each round.
func TestLeaderAssumesOracle(t *testing.T) {
	o := oracletest.Weak[record, card]{Minimizer: oracle.Search(class.Class[record, card](learntest.Signs(t, []int{2}, 1)))}
	m := learntest.Must(perturb.NewRSPM(o, perturb.Cube, privacytest.Decimal(t, "0.1"), privacy.ReplaceOne, learn.ZeroOne, 0))
	g, err := learntest.Leader(t, m, 3).Guarantee(100)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := privacy.Epsilon(g, privacy.Decimal{}); err != nil || e.String() != "10" || !slices.Equal(g.Assumes(), []privacy.Assumption{privacy.ExactOracle}) {
		t.Errorf("ε = %v, assumes %v: %v", e, g.Assumes(), err)
	}
}

// The bounds agree with the formulas of the proofs, computed by other means. The class has 243 scorecards and
// 10 bits, ε = 1 under replace-one, g = 16 and t = 33. So the scale of Laplace noise is 330, and the rate of
// cube noise is 1/33.
func TestRSPMExcessFormulas(t *testing.T) {
	c := learntest.Signs(t, []int{3, 2}, 1)
	for name, want := range map[string]learn.Excess{
		"rspm-laplace": {Mean: 103.12484, Most: 290.50983},
		"rspm-cube":    {Mean: 56.796875, Most: 257.50529},
	} {
		got := mechanisms[name](t, c, "1").Excess(1_000_000)
		if math.Abs(got.Mean/want.Mean-1) > 1e-6 || math.Abs(got.Most/want.Most-1) > 1e-6 {
			t.Errorf("%s: got %v; want %v", name, got, want)
		}
	}
}

func TestRSPMGridRefused(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	for _, g := range []int64{-1, learn.MostGrid + 1} {
		if _, err := perturb.NewRSPM(oracle.Search(c), perturb.Laplace, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, g); err == nil {
			t.Errorf("NewRSPM accepted the grid %d", g)
		}
	}
}

// The guarantee of each mechanism that relies on the oracle's answers states this as an assumption.
func TestOracleIsAssumed(t *testing.T) {
	sure := oracle.Search(class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1)))
	one, small := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5")
	for name, o := range map[string]oracle.Minimizer[record, card]{
		"":                         sure,
		"exact-oracle":             oracletest.Weak[record, card]{Minimizer: sure},
		"exact-oracle float-bound": oracletest.Floating[record, card]{Minimizer: sure},
	} {
		rspm := learntest.Must(perturb.NewRSPM(o, perturb.Cube, one, privacy.ReplaceOne, learn.ZeroOne, 0))
		boost := learntest.Must(boosting.NewBoost(rspm, boosting.BoostPlan{Rows: 9, Parts: 2, Validation: 3}, one))
		for _, m := range []learntest.Mechanism{
			rspm,
			learntest.Must(perturb.NewGaussianRSPM(o, one, small, privacy.ReplaceOne, learn.ZeroOne, 0)),
			learntest.Must(perturb.NewOPDisc(o, one, privacy.Decimal{}, privacy.ReplaceOne, learn.ZeroOne, 0)),
			learntest.Must(perturb.NewOPDisc(o, one, small, privacy.ReplaceOne, learn.ZeroOne, 0)),
			learntest.Must(learn.NewSubsample(rspm, 9, 3)),
		} {
			var assumed []string
			for _, a := range m.Guarantee().Assumes() {
				assumed = append(assumed, string(a))
			}
			if got := strings.Join(assumed, " "); got != name {
				t.Errorf("%T has the assumptions %q; want %q", m, got, name)
			}
		}
		if got, want := boost.Guarantee().Assumes(), rspm.Guarantee().Assumes(); !slices.Equal(got, want) {
			t.Errorf("boosting has the assumptions %q; want %q", got, want)
		}
	}
}

func TestDefaultGrid(t *testing.T) {
	for _, test := range []struct {
		m, h    int
		epsilon string
		want    int64
	}{{50, 1, "1", 50}, {50, 1, "0.1", 16}, {50, 3, "0.1", 48}, {50, 1, "0.501", 26}, {0, 1, "1", 16}, {15, 1, "1", 16}, {17, 1, "1", 17}, {1000, 1, "1e30", learn.MostGrid}, {3, math.MaxInt/4 + 1, "1", learn.MostGrid}, {700_000, 1, "1", 700_000}, {3_000_000, 1, "1", learn.MostGrid}} {
		if got := perturb.DefaultGrid(test.m, test.h, privacytest.Decimal(t, test.epsilon)); got != test.want {
			t.Errorf("m = %d, h = %d, ε = %s: DefaultGrid returned %d; want %d", test.m, test.h, test.epsilon, got, test.want)
		}
	}
}

// scripted is a random source whose integer samples are given.
type scripted struct {
	noise.Coins
	draws []*big.Int
}

func (s *scripted) Draw(noise.Sampler) *big.Int {
	k := s.draws[0]
	s.draws = s.draws[1:]
	return k
}

// With noise beyond 64 bits RSPM neither overflows nor panics, and still returns a minimizer.
func TestRSPMNoiseBeyondWords(t *testing.T) {
	d := examples{
		{X: record{0, 0}, Label: true, Count: 3}, {X: record{0, 1}, Count: 2},
		{X: record{1, 0}, Count: 4}, {X: record{1, 1}, Label: true, Count: 1},
	}
	points := scorecard.OneHot(2, -1, 1)
	huge := new(big.Int).Lsh(big.NewInt(1), 300)
	medium := big.NewInt(math.MaxInt64)
	small, none := big.NewInt(3), new(big.Int)
	neg := func(k *big.Int) *big.Int { return new(big.Int).Neg(k) }
	vectors := [][]*big.Int{
		{huge, neg(huge), huge, neg(huge), huge, neg(huge), huge, neg(huge)}, // many ties
		{huge, neg(huge), huge, neg(huge), none, none, none, none},           // which penalties break
		{none, none, none, none, huge, neg(huge), huge, neg(huge)},
		{huge, neg(huge), huge, small, neg(small), huge, huge, huge},
		{medium, medium, neg(medium), medium, small, small, medium, neg(medium)},
		{huge, new(big.Int).Sub(huge, big.NewInt(1)), neg(huge), neg(huge), small, medium, small, small},
		{small, neg(small), small, small, small, neg(small), small, small},
	}
	// Divided by 2^drop, so that costs fit 62 bits, and rounded down, above and below sum to -1. Their
	// exact sum is more than 0. So after rounding, the best card seems worse than others by 1 for each
	// of its categories.
	for drop := uint(230); drop < 250; drop++ {
		above := new(big.Int).Lsh(big.NewInt(1), 299)
		below := new(big.Int).Sub(neg(above), big.NewInt(1))
		above.Add(above, new(big.Int).Lsh(big.NewInt(1), drop)).Sub(above, big.NewInt(1))
		vectors = append(vectors, []*big.Int{above, below, above, below, above, below, above, below})
	}
	for _, penalty := range []int64{0, 2} {
		c, err := scorecard.New([]scorecard.Attribute{points, points}, scorecard.Options{Threshold: 1, Penalty: penalty})
		if err != nil {
			t.Fatal(err)
		}
		m, err := perturb.NewRSPM(oracle.Search(class.Class[record, card](c)), perturb.Laplace, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, 4)
		if err != nil {
			t.Fatal(err)
		}
		check := func(d examples, k []*big.Int) {
			got, err := m.Release(context.Background(), d, &scripted{draws: k})
			if err != nil {
				t.Fatal(err)
			}
			cost := func(h card) *big.Int {
				sum := big.NewInt(4 * learntest.Errors(c, d, h))
				for i, set := range c.Separate(h) {
					if set {
						sum.Add(sum, k[i])
					}
				}
				return sum
			}
			for h := range c.All() {
				if cost(h).Cmp(cost(got)) < 0 {
					t.Errorf("penalty %d, %d points, noise %v: hypothesis %v has a lower noisy cost than the output %v", penalty, len(d), k, h, got)
				}
			}
		}
		for _, k := range vectors {
			check(d, k)
			check(nil, k)
		}
	}
}

// unseparated hides the separator of a class.
type unseparated struct{ class.Class[record, card] }

// Perturbation refuses a class without a separator.
func TestWithoutSeparator(t *testing.T) {
	o := oracle.Search[record, card](unseparated{learntest.Signs(t, []int{2}, 1)})
	epsilon, delta, none := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.001"), privacytest.Decimal(t, "0")
	for name, try := range map[string]func() error{
		"RSPM": func() error {
			_, err := perturb.NewRSPM(o, perturb.Cube, epsilon, privacy.ReplaceOne, learn.ZeroOne, 0)
			return err
		},
		"Gaussian RSPM": func() error {
			_, err := perturb.NewGaussianRSPM(o, epsilon, delta, privacy.ReplaceOne, learn.ZeroOne, 0)
			return err
		},
		"OPDisc": func() error {
			_, err := perturb.NewOPDisc(o, epsilon, none, privacy.ReplaceOne, learn.ZeroOne, 0)
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), "class.Separated") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ParseNoise accepts the names of the noises only. A class of one hypothesis uses no randomness.
func TestNoiseNames(t *testing.T) {
	one := class.Class[record, card](learntest.Must(scorecard.New(scorecard.Uniform([]int{2}, 0, 0), scorecard.Options{Threshold: 1})))
	if class.SeparatorBits(one) != 0 {
		t.Fatalf("a class with one hypothesis has %d separator bits", class.SeparatorBits(one))
	}
	for name, kind := range map[string]perturb.Noise{"laplace": perturb.Laplace, "cube": perturb.Cube} {
		if got, err := perturb.ParseNoise(name); err != nil || got != kind || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		m := learntest.Must(perturb.NewRSPM(oracle.Search(one), kind, privacytest.Decimal(t, "0.5"), privacy.ReplaceOne, learn.ZeroOne, 4))
		if got := m.Rate().RatString(); got != "1/18" {
			t.Errorf("%s: wrong rate %s", name, got)
		}
		if _, err := m.Release(context.Background(), examples{{X: record{1}, Count: 3}}, &scripted{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Laplace", "cubes", "gaussian"} {
		if _, err := perturb.ParseNoise(name); err == nil {
			t.Errorf("ParseNoise accepted %q", name)
		}
	}
}

// BenchmarkRSPMLeader plays a thousand examples.
func BenchmarkRSPMLeader(b *testing.B) { mechanisms.BenchmarkLeader(b) }

// BenchmarkRSPMRelease releases from the census table and reports the mean accuracy.
func BenchmarkRSPMRelease(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	for name, newMechanism := range mechanisms {
		for _, epsilon := range []string{"1", "0.1"} {
			b.Run(name+"/epsilon"+epsilon, func(b *testing.B) {
				learntest.Benchmark(b, newMechanism(b, learntest.Signs(b, data.Sizes(), 1), epsilon), data, 1)
			})
		}
	}
}
