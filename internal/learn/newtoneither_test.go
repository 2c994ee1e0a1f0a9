package learn

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// newtonEitherOf returns the learner over trees of depth 2 and cards, on four attributes with three ordered categories.
func newtonEitherOf(t *testing.T, r privacy.Relation, epsilon string) *NewtonEither[*dectree.Tree] {
	t.Helper()
	cards, err := NewNewton([]int{3, 3, 3, 3}, []bool{true, true, true, true}, pureBudget(t, epsilon, r), NewtonShares{
		Counts: privacytest.Decimal(t, "0.5"), Start: privacytest.Decimal(t, "0.1"), Gradient: privacytest.Decimal(t, "0.2"), Hessian: privacytest.Decimal(t, "0.1"), Final: privacytest.Decimal(t, "0.1"),
	}, 10)
	if err != nil {
		t.Fatal(err)
	}
	attributes := make([]dectree.Attribute, 4)
	for j := range attributes {
		attributes[j] = dectree.Attribute{Categories: 3, Ordered: 3}
	}
	trees, err := dectree.New(attributes, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewNewtonEither(cards, class.Tractable[[]uint16, *dectree.Tree](trees), privacytest.Decimal(t, "0.05"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A tree is learned if the label is an exclusive or, and a card if its risk is additive in the attributes.
func TestNewtonEitherDecides(t *testing.T) {
	for _, exclusive := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(3, 4))
		var d Listed[[]uint16]
		for range 20_000 {
			x := []uint16{uint16(rng.IntN(3)), uint16(rng.IntN(3)), uint16(rng.IntN(3)), uint16(rng.IntN(3))}
			label := x[0]+x[1]+x[2]+x[3]+uint16(rng.IntN(3)) > 5
			if exclusive {
				label = (x[0] > 0) != (x[1] > 1)
			}
			d = append(d, Example[[]uint16]{x, label, 1})
		}
		counted := tableOf(t, []int{3, 3, 3, 3}, d)
		for seed := range uint64(4) {
			h, err := newtonEitherOf(t, privacy.AddRemove, "1.05").Release(context.Background(), counted, noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			if _, tree := h.(*dectree.Tree); tree != exclusive {
				t.Errorf("exclusive or %v, seed %d: %T is released", exclusive, seed, h)
			}
		}
	}
}

// The choice consumes its share, with the rate for the relation. A tree consumes as much as a card consumes after the counts.
func TestNewtonEitherRates(t *testing.T) {
	for _, c := range []struct {
		relation         privacy.Relation
		choice, perError string
	}{
		{privacy.AddRemove, "1/20000", "1/2"},
		{privacy.ReplaceOne, "1/40000", "1/4"},
	} {
		m := newtonEitherOf(t, c.relation, "1.05")
		if got := m.perCost(m.choice).RatString(); got != c.choice {
			t.Errorf("%v: the rate of the choice is %s, want %s", c.relation, got, c.choice)
		}
		if got := m.perError().RatString(); got != c.perError {
			t.Errorf("%v: the rate of a tree is %s, want %s", c.relation, got, c.perError)
		}
		if g := m.Guarantee().(privacy.Pure); g.Epsilon().String() != "1.05" || g.Relation() != c.relation {
			t.Errorf("%v: the guarantee is %v", c.relation, g)
		}
		least, _ := new(big.Float).SetRat(m.class.LeastPrior()).Float64()
		rate, _ := m.perError().Float64()
		if want := int64(1000 * math.Log(1/least) / (2 * rate)); want <= 0 || m.penalty() < want-1 || m.penalty() > want+1 {
			t.Errorf("%v: the penalty of a tree is %d, not %d", c.relation, m.penalty(), want)
		}
		if additions, steps := m.Work(10); additions != m.Newton.Work(10) || steps != 2*m.class.Work(10) {
			t.Errorf("%v: the work is %d additions and %d steps", c.relation, additions, steps)
		}
	}
}

// The penalty of a class of which a sample is nearly uniform is the loss of all rows.
func TestNewtonEitherPenaltyIsBounded(t *testing.T) {
	trees := newtonEitherOf(t, privacy.AddRemove, "1.05").class
	cards := newtonOf(t, []int{3, 3, 3, 3}, privacy.AddRemove, 10, "1", "1e-12")
	m, err := NewNewtonEither(cards, trees, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.penalty(); got != 1000*MostRows {
		t.Errorf("the penalty is %d", got)
	}
}

// With a budget in ρ or μ, the sample from the class has an ε for which it consumes what the cards consume in addition to
// their counts: ε²/8 of ρ, or half of privacy.RangeSquare of μ²/2.
func TestNewtonEitherRatesOfRho(t *testing.T) {
	trees := newtonEitherOf(t, privacy.AddRemove, "1.05").class
	for _, c := range []struct {
		budget privacy.Guarantee
		want   string
	}{
		{rhoBudget(t, "1.625", privacy.AddRemove), "2"}, {rhoBudget(t, "1.625", privacy.ReplaceOne), "1"},
		{muBudget(t, "1.787678", privacy.AddRemove), "173539/100000"}, {muBudget(t, "1.787678", privacy.ReplaceOne), "173539/200000"},
	} {
		budget, want, r := c.budget, c.want, c.budget.Relation()
		cards := newtonWithin(t, []int{3, 3, 3, 3}, budget, 10, "1", "0.8", "0.2", "0.14", "0.8")
		m, err := NewNewtonEither(cards, trees, privacytest.Decimal(t, "1"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.perError().RatString(); got != want {
			t.Errorf("%v: the rate of a tree is %s, want %s", r, got, want)
		}
		if _, err := NewNewtonEither(cards, trees, privacytest.Decimal(t, "1.01")); err == nil {
			t.Errorf("%v: a choice beyond the budget is not refused", r)
		}
	}
}

// exact is a random source without noise. It records the arguments of BernoulliExp.
type exact struct {
	noise.Coins
	exponents []*big.Rat
}

func (e *exact) Draw(noise.Sampler) *big.Int { return new(big.Int) }

func (e *exact) BernoulliExp(x *big.Rat) bool {
	e.exponents = append(e.exponents, new(big.Rat).Set(x))
	return e.Coins.BernoulliExp(x)
}

// The sides are compared by their minimum costs and the penalty, at the rate of the choice.
func TestNewtonEitherSelects(t *testing.T) {
	m := newtonEitherOf(t, privacy.AddRemove, "1.05")
	var rows Listed[[]uint16]
	for i := range uint16(12) {
		x := []uint16{i % 3, i % 2, 0, 2}
		rows = append(rows, Example[[]uint16]{x, i%3 == 1, 40}, Example[[]uint16]{x, i%3 != 1, 7})
	}
	d := tableOf(t, []int{3, 3, 3, 3}, rows)
	start, err := m.begin(context.Background(), d, &exact{Coins: noise.Insecure(1)})
	if err != nil {
		t.Fatal(err)
	}
	_, errors, err := m.class.Least(context.Background(), costed[[]uint16]{d, ZeroOne.CostMatrix(2)})
	if err != nil {
		t.Fatal(err)
	}
	difference := slices.Min(start.costs) - weightedLoss*errors - m.penalty()
	want := new(big.Rat).Mul(big.NewRat(max(difference, -difference), 1), big.NewRat(5, 100*1000)) // ε = 0.05 for the choice
	found := false
	for seed := range uint64(8) {
		coins := &exact{Coins: noise.Insecure(seed)}
		if _, err := m.Release(context.Background(), d, coins); err != nil {
			t.Fatal(err)
		}
		first := coins.exponents[0]
		if first.Sign() != 0 && first.Cmp(want) != 0 {
			t.Errorf("seed %d: the selection tosses a coin with exponent %v, want 0 or %v", seed, first, want)
		}
		found = found || first.Cmp(want) == 0
	}
	if !found || difference == 0 || errors == 0 {
		t.Errorf("no coin was tossed for a difference of %d", difference)
	}
}

func TestNewtonEitherRefuses(t *testing.T) {
	m := newtonEitherOf(t, privacy.AddRemove, "1.05")
	three, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	small := rhoBudget(t, "1", privacy.AddRemove)
	_, nothing := NewNewtonEither(newtonWithin(t, []int{3, 3, 3, 3}, small, 10, "0.5", "1e-99"), m.class, privacytest.Decimal(t, "1e-99"))
	of := func(c *dectree.Class, choice string) error {
		_, err := NewNewtonEither(m.Newton, class.Tractable[[]uint16, *dectree.Tree](c), privacytest.Decimal(t, choice))
		return err
	}
	two := m.class.(*dectree.Class)
	for want, err := range map[string]error{
		"a class of 3 outcomes":                       of(three, "0.01"),
		"between a card and a class must be positive": of(two, "0"),
		"leave nothing for a sample from the class":   nothing,
		"consume 1.051000000000, more than the":       of(two, "0.051"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	many := tableOf(t, []int{3, 3, 3, 3}, Listed[[]uint16]{{X: make([]uint16, 4), Count: MostRows}, {X: make([]uint16, 4), Count: 1}})
	if _, err := m.Release(context.Background(), many, nil); err != ErrRows {
		t.Errorf("too many rows: %v", err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(canceled, tableOf(t, []int{3, 3, 3, 3}, Listed[[]uint16]{{X: make([]uint16, 4), Count: 1}}), noise.Insecure(1)); err != context.Canceled {
		t.Errorf("a canceled release: %v", err)
	}
}
