package learn_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/oracle"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// λ = ε/(2C) under replace-one, ε/C under add-remove (docs/proofs/exponential.md).
func TestExponentialRate(t *testing.T) {
	c := class.Class[record, card](signs(t, []int{2, 2}, 1))
	for _, test := range []struct {
		relation privacy.Relation
		loss     learn.Loss
		want     string
	}{
		{privacy.ReplaceOne, learn.ZeroOne, "1/4"},
		{privacy.AddRemove, learn.ZeroOne, "1/2"},
		{privacy.ReplaceOne, learn.Loss{FalsePositive: 1, FalseNegative: 5}, "1/20"},
		{privacy.AddRemove, learn.Loss{FalsePositive: 3, FalseNegative: 1}, "1/6"},
	} {
		m, err := learn.NewExponential(c, decimal(t, "0.5"), test.relation, test.loss)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Rate().RatString(); got != test.want {
			t.Errorf("%v, %v: rate %s, not %s", test.relation, test.loss, got, test.want)
		}
		if g := m.Guarantee(); g.Relation() != test.relation || len(g.Assumes()) != 0 || g.Delta(0.5) != 0 {
			t.Errorf("guarantee %v", g)
		}
	}
}

// weak is an oracle that may fail.
type weak struct{ oracle.Minimizer[record, card] }

func (weak) Kind() oracle.Kind { return oracle.Certifiable }

// floating is such an oracle that trusts floating point too.
type floating struct{ weak }

func (floating) FloatBound() bool { return true }

// Each mechanism that takes an oracle's answers for minimisers says so.
func TestOracleIsAssumed(t *testing.T) {
	sure := oracle.Search(class.Class[record, card](signs(t, []int{2, 2}, 1)))
	one, small := decimal(t, "1"), decimal(t, "1e-5")
	for name, o := range map[string]oracle.Minimizer[record, card]{
		"":                         sure,
		"exact-oracle":             weak{sure},
		"exact-oracle float-bound": floating{weak{sure}},
	} {
		rspm := must(learn.NewRSPM(o, learn.Cube, one, privacy.ReplaceOne, learn.ZeroOne, 0))
		boost := must(learn.NewBoost(rspm, learn.BoostPlan{Rows: 9, Parts: 2, Validation: 3}, one))
		for _, m := range []mechanism{
			rspm,
			must(learn.NewGaussianRSPM(o, one, small, privacy.ReplaceOne, learn.ZeroOne, 0)),
			must(learn.NewOPDisc(o, one, privacy.Decimal{}, privacy.ReplaceOne, learn.ZeroOne, 0)),
			must(learn.NewOPDisc(o, one, small, privacy.ReplaceOne, learn.ZeroOne, 0)),
			must(learn.NewSubsample(rspm, 9, 3)),
		} {
			var assumed []string
			for _, a := range m.Guarantee().Assumes() {
				assumed = append(assumed, string(a))
			}
			if got := strings.Join(assumed, " "); got != name {
				t.Errorf("%T assumes %q, not %q", m, got, name)
			}
		}
		if got, want := boost.Guarantee().Assumes(), rspm.Guarantee().Assumes(); !slices.Equal(got, want) {
			t.Errorf("boosting assumes %q, not %q", got, want)
		}
	}
}

func TestParametersRefused(t *testing.T) {
	c := class.Class[record, card](signs(t, []int{2}, 1))
	if _, err := learn.NewExponential(c, decimal(t, "0"), privacy.ReplaceOne, learn.ZeroOne); err == nil {
		t.Error("ε = 0 is taken")
	}
	for _, l := range []learn.Loss{{}, {FalsePositive: 1}, {FalsePositive: -1, FalseNegative: 1}, {FalsePositive: 1, FalseNegative: learn.MostLoss + 1}} {
		if _, err := learn.NewExponential(c, decimal(t, "1"), privacy.ReplaceOne, l); err == nil {
			t.Errorf("loss %v is taken", l)
		}
	}
	for _, g := range []int64{-1, learn.MostGrid + 1} {
		if _, err := learn.NewRSPM(oracle.Search(c), learn.Laplace, decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, g); err == nil {
			t.Errorf("grid %d is taken", g)
		}
	}
}

func TestDefaultGrid(t *testing.T) {
	for _, test := range []struct {
		m, h    int
		epsilon string
		want    int64
	}{{50, 1, "1", 50}, {50, 1, "0.1", 16}, {50, 3, "0.1", 48}, {50, 1, "0.501", 26}, {0, 1, "1", 16}, {15, 1, "1", 16}, {17, 1, "1", 17}, {1000, 1, "1e30", learn.MostGrid}, {3, math.MaxInt/4 + 1, "1", learn.MostGrid}, {700_000, 1, "1", 700_000}, {3_000_000, 1, "1", learn.MostGrid}} {
		if got := learn.DefaultGrid(test.m, test.h, decimal(t, test.epsilon)); got != test.want {
			t.Errorf("m = %d, h = %d, ε = %s: %d, not %d", test.m, test.h, test.epsilon, got, test.want)
		}
	}
}

// scripted are coins whose integer draws are given.
type scripted struct {
	noise.Coins
	draws []*big.Int
}

func (s *scripted) Draw(noise.Sampler) *big.Int {
	k := s.draws[0]
	s.draws = s.draws[1:]
	return k
}

// Noise beyond 64 bits, which has unbounded support, neither wraps nor panics:
// the answer is the minimiser still.
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
	// Divided by 2^drop, which costs of 62 bits take, and rounded down, above and below
	// sum to -1, and exactly to more than 0: the best card looks worse than others by
	// one for each of its categories.
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
		m, err := learn.NewRSPM(oracle.Search(class.Class[record, card](c)), learn.Laplace, decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, 4)
		if err != nil {
			t.Fatal(err)
		}
		check := func(d examples, k []*big.Int) {
			got, err := m.Release(context.Background(), d, &scripted{draws: k})
			if err != nil {
				t.Fatal(err)
			}
			cost := func(h card) *big.Int {
				sum := big.NewInt(4 * errorsOf(c, d, h))
				for i, set := range c.Separate(h) {
					if set {
						sum.Add(sum, k[i])
					}
				}
				return sum
			}
			for h := range c.All() {
				if cost(h).Cmp(cost(got)) < 0 {
					t.Errorf("penalty %d, %d points, noise %v: %v costs less than the answer %v", penalty, len(d), k, h, got)
				}
			}
		}
		for _, k := range vectors {
			check(d, k)
			check(nil, k)
		}
	}
}

// dearTable returns a table on which errors are dear, as every record tells the cards
// apart; so many times 450 are its rows, and best is the least errors of a card.
func dearTable(c *scorecard.Class, times int64) (d examples, rows, best int64) {
	for a := range uint16(3) {
		for b := range uint16(3) {
			count := times * int64(40+7*a+3*b)
			d = append(d, learn.Example[record]{X: record{a, b}, Label: (a+2*b)%3 == 1, Count: count})
			rows += count
		}
	}
	best = rows
	for h := range c.All() {
		best = min(best, errorsOf(c, d, h))
	}
	return d, rows, best
}

// The bounds of Excess hold on a table where errors are dear: every record
// tells the cards apart.
func TestExcessBounds(t *testing.T) {
	c := signs(t, []int{3, 3}, 1)
	d, rows, best := dearTable(c, 1)
	const draws = 400
	for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
		for _, epsilon := range []string{"0.1", "1"} {
			m := newMechanism(t, name, c, epsilon)
			bound := m.Excess(rows)
			sum, beyond := 0.0, 0
			coins := noise.Crypto()
			for range draws {
				h, err := m.Release(context.Background(), d, coins)
				if err != nil {
					t.Fatal(err)
				}
				excess := float64(errorsOf(c, d, h) - best)
				sum += excess
				if excess > bound.Most {
					beyond++
				}
			}
			if bound.Mean > bound.Most || bound.Most > float64(rows) || bound.Mean <= 0 {
				t.Errorf("%s, ε = %s: bounds %v", name, epsilon, bound)
			}
			// The mean is far below its bound, and so is the tail: chance does
			// not reach either.
			if sum/draws > bound.Mean || beyond > draws/10 {
				t.Errorf("%s, ε = %s: mean excess %g, beyond %d of %d; bounds %v", name, epsilon, sum/draws, beyond, draws, bound)
			}
		}
	}
}

// The bounds are those of the proofs, computed elsewhere: for 243 cards and 10 bits, at
// ε = 1 under replace-one, so λ = 1/2, g = 16, t = 33; a scale of 330, or a cube of rate
// 1/33; a quarter of the rows.
func TestExcessFormulas(t *testing.T) {
	c := signs(t, []int{3, 2}, 1)
	const rows = 1_000_000
	exponential := newMechanism(t, "exponential", c, "1")
	for name, v := range map[string]struct {
		m          mechanism
		mean, most float64
	}{
		"exponential":  {exponential, 10.98612, 16.97759},
		"rspm-laplace": {newMechanism(t, "rspm-laplace", c, "1"), 103.12484, 290.50983},
		"rspm-cube":    {newMechanism(t, "rspm-cube", c, "1"), 56.796875, 257.50529},
		"subsample":    {must(learn.NewSubsample(exponential, rows, rows/4)), 6673.008645, 8644.075527},
	} {
		got := v.m.Excess(rows)
		if math.Abs(got.Mean/v.mean-1) > 1e-6 || math.Abs(got.Most/v.most-1) > 1e-6 {
			t.Errorf("%s: %v, not %v and %v", name, got, v.mean, v.most)
		}
	}
}

// The bound is cut at what a table can cost, penalties included.
func TestExcessCountsPenalties(t *testing.T) {
	c, err := scorecard.New(scorecard.Uniform([]int{3, 2}, -1, 1), scorecard.Options{Threshold: 1, Penalty: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
		if e := newMechanism(t, name, c, "0.001").Excess(2); e.Mean != 12 || e.Most != 12 {
			t.Errorf("%s: two rows and two penalties of 5: %v", name, e)
		}
	}
}

// A problem's points cost what the loss says of each kind of error, for each row,
// in steps of the grid.
func TestProblem(t *testing.T) {
	p, err := learn.Problem(learn.Loss{FalsePositive: 3, FalseNegative: 2}, examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 4}}, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Points[0].Cost, p.Points[1].Cost; a != [2]int64{7 * 2 * 5, 0} || b != [2]int64{0, 7 * 3 * 4} || p.PenaltyUnit() != 7 {
		t.Errorf("costs %v and %v, a penalty of %d", a, b, p.PenaltyUnit())
	}
}

// More rows than costs can count are refused before any draw.
func TestTooManyRows(t *testing.T) {
	c := signs(t, []int{2}, 1)
	d := examples{{X: record{0}, Count: learn.MostRows}, {X: record{1}, Count: 1}}
	for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
		if _, err := newMechanism(t, name, c, "1").Release(context.Background(), d, nil); !errors.Is(err, learn.ErrRows) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	p, err := learn.Problem(learn.Loss{FalsePositive: learn.MostLoss, FalseNegative: learn.MostLoss}, d[:1], learn.MostGrid)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Range(); !ok {
		t.Error("the most rows, loss and grid leave 62 bits")
	}
}

// Wang, Lei and Fienberg (2016), Algorithm 1, at ε = 0.5 and 0.1 over 3^25
// scorecards: the accuracy of the census experiment, mean of 50.
func TestCensusAccuracy(t *testing.T) {
	data := census.Balanced(t, "adult-7.toml")
	c := signs(t, data.Sizes(), 1)
	d := learn.Examples(data)
	for epsilon, least := range heavy.Pick(map[string]float64{"0.5": 0.80}, map[string]float64{"0.5": 0.80, "0.1": 0.795}) {
		m := newMechanism(t, "exponential", c, epsilon)
		wrong := int64(0)
		draws := heavy.Pick(8, 50)
		coins := noise.Crypto()
		for range draws {
			h, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			wrong += errorsOf(c, d, h)
		}
		if accuracy := 1 - float64(wrong)/float64(draws)/float64(data.Rows()); accuracy < least {
			t.Errorf("ε = %s: accuracy %.4f, below %g", epsilon, accuracy, least)
		}
	}
}

func TestReleaseCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"exponential", "rspm-cube"} {
		m := newMechanism(t, name, signs(t, []int{3, 3, 3}, 1), "1")
		if _, err := m.Release(ctx, examples{{X: record{0, 1, 2}, Count: 5}}, noise.Crypto()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// An empty table is valid.
func TestEmptyTable(t *testing.T) {
	c := signs(t, []int{3, 2}, 1)
	for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
		h, err := newMechanism(t, name, c, "1").Release(context.Background(), nil, noise.Crypto())
		if err != nil || !c.Contains(h) {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
}

var _ privacy.Mechanism[examples, scorecard.Card] = (*learn.Exponential[record, card])(nil)

// A noise is read by its name and by no other, and of a class of one hypothesis nothing is drawn.
func TestNoiseNames(t *testing.T) {
	one := class.Class[record, card](must(scorecard.New(scorecard.Uniform([]int{2}, 0, 0), scorecard.Options{Threshold: 1})))
	if one.Separator() != 0 {
		t.Fatalf("%d bits", one.Separator())
	}
	for name, kind := range map[string]learn.Noise{"laplace": learn.Laplace, "cube": learn.Cube} {
		if got, err := learn.ParseNoise(name); err != nil || got != kind || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		m := must(learn.NewRSPM(oracle.Search(one), kind, decimal(t, "0.5"), privacy.ReplaceOne, learn.ZeroOne, 4))
		if got := m.Rate().RatString(); got != "1/18" {
			t.Errorf("%s: rate %s", name, got)
		}
		if _, err := m.Release(context.Background(), examples{{X: record{1}, Count: 3}}, &scripted{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Laplace", "cubes", "gaussian"} {
		if _, err := learn.ParseNoise(name); err == nil {
			t.Errorf("%q is a noise", name)
		}
	}
}

// The costs of errors are 1 to MostLoss, of either kind.
func TestLossBounds(t *testing.T) {
	for cost, taken := range map[int64]bool{-1: false, 0: false, 1: true, 2: true, learn.MostLoss - 1: true, learn.MostLoss: true, learn.MostLoss + 1: false} {
		for _, l := range []learn.Loss{{FalsePositive: cost, FalseNegative: 1}, {FalsePositive: 1, FalseNegative: cost}} {
			if err := l.Validate(); (err == nil) != taken {
				t.Errorf("%v: %v", l, err)
			}
		}
	}
}

// Each release of the exponential mechanism is told of once.
func TestExponentialObserved(t *testing.T) {
	m := must(learn.NewExponential(class.Class[record, card](signs(t, []int{2}, 1)), decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne))
	told := 0
	m.Observe = func(search.Effort) { told++ }
	for range 3 {
		must(m.Release(context.Background(), examples{{X: record{1}, Count: 3}}, noise.Insecure(1)))
	}
	if told != 3 {
		t.Errorf("told of %d releases", told)
	}
}
