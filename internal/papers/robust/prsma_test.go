package robust_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// worked returns plans that were found by hand for ε = 1 and β = 0.05. The keys are the δ of the plans.
func worked(t testing.TB) map[string]robust.PRSMAPlan {
	d := func(s string) privacy.Decimal { return privacytest.Decimal(t, s) }
	return map[string]robust.PRSMAPlan{
		"1e-5": {
			Rows: 15682, Parts: 59, Runs: 920, Threshold: 56, TestEpsilon: d("0.79"), BaseEpsilon: d("0.0326"),
			Floor: 39, LogRatio: d("2.3"), Failing: d("0.01"), Split: d("1e-6"), Tilt: d("0.3"),
		},
		"1e-3": {
			Rows: 15682, Parts: 40, Runs: 31, Threshold: 37, TestEpsilon: d("0.654"), BaseEpsilon: d("0.0315"),
			Floor: 25, LogRatio: d("2.3"), Failing: d("0.12"), Split: d("1e-4"), Tilt: d("0.3"),
		},
	}
}

func TestPRSMAWorkedPlans(t *testing.T) {
	calls := map[string]int64{"1e-5": 54280, "1e-3": 1240}
	for delta, p := range worked(t) {
		b, err := p.Check()
		if err != nil {
			t.Fatal(err)
		}
		if b.Epsilon.Cmp(privacytest.Decimal(t, "1")) > 0 || b.Delta.Cmp(privacytest.Decimal(t, delta)) > 0 || b.Refusal > 0.05 {
			t.Errorf("δ = %s: the plan proves %+v, not its goal", delta, b)
		}
		if p.Calls() != calls[delta] {
			t.Errorf("δ = %s: the plan needs %d calls", delta, p.Calls())
		}
		// After any of these changes to one parameter, Check must not prove the guarantee of the plan.
		for name, change := range map[string]func(*robust.PRSMAPlan){
			"runs":      func(p *robust.PRSMAPlan) { p.Runs /= 2 },
			"threshold": func(p *robust.PRSMAPlan) { p.Threshold -= 2 },
			"ψ":         func(p *robust.PRSMAPlan) { p.Failing = privacytest.Decimal(t, "0.001") },
			"δ_Q":       func(p *robust.PRSMAPlan) { p.Split = privacytest.Decimal(t, "0.01") },
			"r":         func(p *robust.PRSMAPlan) { p.LogRatio = privacytest.Decimal(t, "2.6") },
			"u₀":        func(p *robust.PRSMAPlan) { p.Floor -= 4 },
			"ε_t":       func(p *robust.PRSMAPlan) { p.TestEpsilon = privacytest.Decimal(t, "0.9") },
			"ε′":        func(p *robust.PRSMAPlan) { p.BaseEpsilon = privacytest.Decimal(t, "0.05") },
		} {
			q := p
			change(&q)
			b, err := q.Check()
			if err == nil && b.Epsilon.Cmp(privacytest.Decimal(t, "1")) <= 0 && b.Delta.Cmp(privacytest.Decimal(t, delta)) <= 0 {
				t.Errorf("δ = %s: with a changed %s the plan still proves %+v", delta, name, b)
			}
		}
	}
}

// The bounds agree with those of the theorem, which were computed by other means to sixty digits. The bounds are
// not smaller than these, and differ from them in the ninth digit at most. The largest terms of δ and of ε differ
// between the cases.
func TestPRSMABounds(t *testing.T) {
	within := func(name string, got privacy.Decimal, want string) {
		t.Helper()
		w := privacytest.Decimal(t, want).Rat()
		over := new(big.Rat).Quo(got.Rat(), w)
		if f, _ := over.Sub(over, big.NewRat(1, 1)).Float64(); f < 0 || f > 1.1e-8 {
			t.Errorf("%s is %v; the theorem gives %s", name, got, want)
		}
	}
	d := func(s string) privacy.Decimal { return privacytest.Decimal(t, s) }
	hand := worked(t)
	for _, c := range []struct {
		plan                    robust.PRSMAPlan
		epsilon, delta, refusal string
	}{
		{hand["1e-5"], "0.99919922615625697221", "0.00000999691254580493", "0.02918175393837122048"},
		{hand["1e-3"], "0.99997828899837750187", "0.00086406335574961123", "0.04808980014381426307"},
		{robust.PRSMAPlan{
			Rows: 50, Parts: 5, Runs: 100, Threshold: 5, TestEpsilon: d("3"), BaseEpsilon: d("0.01"),
			Floor: 5, LogRatio: d("0.5"), Failing: d("0.001"), Split: d("0.01"), Tilt: d("1"),
		}, "3.12228340796675752004", "0.22980219107609396718", "0.04742587317756678087"},
		{robust.PRSMAPlan{
			Rows: 420, Parts: 210, Runs: 100, Threshold: 200, TestEpsilon: d("0.05"), BaseEpsilon: d("0.1"),
			Floor: 2, LogRatio: d("0.5"), Failing: d("0.1"), Tilt: d("0.04"),
		}, "1.04095228658326924907", "0.00909605380072996000", "0.29568527572205826652"},
	} {
		b, err := c.plan.Check()
		if err != nil {
			t.Fatal(err)
		}
		within("ε", b.Epsilon, c.epsilon)
		within("δ", b.Delta, c.delta)
		refusal, err := privacy.RoundUpFloat(b.Refusal, 20)
		if err != nil {
			t.Fatal(err)
		}
		within("the refusal", refusal, c.refusal)
	}
	for _, c := range []struct {
		r      string
		rows   int64
		parts  int
		split  string
		wanted string
	}{
		{"2.3", 265, 59, "1e-6", "0.0326599398514611639434"},
		{"1", 1, 3, "0.01", "0.254178683005999965158"},
		{"0.4", 1000000, 40, "1e-9", "0.0000799517996138645226017"},
		{"1", 4, 9, "0", "0.25"},
	} {
		got, err := robust.BaseEpsilon(d(c.r), c.rows, c.parts, d(c.split))
		if err != nil {
			t.Fatal(err)
		}
		want := d(c.wanted)
		less := new(big.Rat).Quo(got.Rat(), want.Rat())
		if f, _ := less.Float64(); got.Cmp(want) > 0 || f < 1-1.1e-8 {
			t.Errorf("%+v: wrong ε′ %v", c, got)
		}
	}
}

// Each run receives the records of its part in a uniformly random order, which depends only on the coins. Each
// run has a budget of its own.
func TestPRSMAShuffles(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{3}, 1))
	var order string
	m, err := perturb.NewRSPM(listing{oracle.Search(c), &order}, perturb.Cube, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, 4)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := m.Within(oracle.Budget{Nodes: 50})
	if err != nil {
		t.Fatal(err)
	}
	law, err := audit.Enumerate(func(coins noise.Coins) string {
		d := examples{{X: record{0}, Count: 1}, {X: record{1}, Count: 2}, {X: record{2}, Count: 3}}
		run := trial.Draw(d, &given{Coins: coins, radius: new(big.Int), part: 3})
		if _, err := run(context.Background()); err != nil {
			t.Error(err)
		}
		return order
	}, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(law.Outcomes()); n != 6 {
		t.Errorf("%d orders of three records were found; want 6", n)
	}
	for _, o := range law.Outcomes() {
		if low, high := law.Bounds(o); math.Abs(low-1.0/6) > 1e-9 || math.Abs(high-1.0/6) > 1e-9 {
			t.Errorf("order %s has a probability of %g to %g", o, low, high)
		}
	}
}

// listing is an oracle that records the order of the points.
type listing struct {
	oracle.Minimizer[record, card]
	order *string
}

func (o listing) Minimize(ctx context.Context, p class.Problem[record], b oracle.Budget) (oracle.Solution[card], error) {
	if b.Nodes != 50 {
		return oracle.Solution[card]{}, fmt.Errorf("the oracle received a budget of %d nodes", b.Nodes)
	}
	*o.order = ""
	for _, pt := range p.Points {
		*o.order += fmt.Sprint(pt.X, pt.Cost)
	}
	return o.Minimizer.Minimize(ctx, p, b)
}

// given is a random source whose samples are given: the radius of cube noise, the noise on the number of passed
// parts, and the choice among three parts.
type given struct {
	noise.Coins
	radius *big.Int
	z      int64
	part   uint64 // 3 leaves the choice to the coins
}

func (c *given) Draw(s noise.Sampler) *big.Int {
	if _, ok := s.(noise.Laplace); ok {
		return big.NewInt(c.z)
	}
	return new(big.Int).Set(c.radius)
}

func (c *given) Uint64n(n uint64) uint64 {
	if n == 3 && c.part < 3 {
		return c.part
	}
	return c.Coins.Uint64n(n)
}

// Noise beyond 64 bits makes a run fail.
func TestPRSMAFailsBeyondWords(t *testing.T) {
	m, err := perturb.NewRSPM(oracle.Search(class.Class[record, card](learntest.Signs(t, []int{3}, 1))), perturb.Cube, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne, 4)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := m.Within(oracle.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	coins := &given{Coins: noise.Crypto(), radius: new(big.Int).Lsh(big.NewInt(1), 200)}
	if h, err := trial.Draw(nil, coins)(context.Background()); !errors.Is(err, oracle.ErrFail) {
		t.Errorf("%v, %v", h, err)
	}
}

// counting is an oracle whose answer is the number of the call. From a given call on, it fails.
type counting struct {
	oracle.Minimizer[record, card]
	calls *atomic.Int64
	fails int64
}

func (o counting) Minimize(context.Context, class.Problem[record], oracle.Budget) (oracle.Solution[card], error) {
	n := o.calls.Add(1)
	if n > o.fails {
		return oracle.Solution[card]{}, oracle.ErrFail
	}
	return oracle.Solution[card]{Hypothesis: card{Points: [][]int{{int(n)}}}}, nil
}

// With three parts and two runs on each, PRSMA releases a hypothesis if the noisy number of passed parts is at
// least θ = 3 and some part passed. The last random sample selects the part whose hypothesis is released.
func TestPRSMAGoesOn(t *testing.T) {
	for _, c := range []struct {
		passing int64
		z       int64
		part    uint64
		want    int64 // 0 for none
	}{
		{3, 0, 0, 1}, {3, 0, 1, 2}, {3, 0, 2, 3}, {3, -1, 0, 0}, {3, 5, 2, 3},
		{1, 1, 3, 0}, {1, 2, 3, 1}, {0, 3, 3, 0}, {0, 9, 3, 0},
	} {
		o := counting{oracle.Search(class.Class[record, card](learntest.Signs(t, []int{3}, 1))), new(atomic.Int64), 2 * c.passing}
		coins := &given{Coins: noise.Crypto(), radius: new(big.Int), z: c.z, part: c.part}
		a, err := prsmaOn(t, o, threeParts(t), oracle.Budget{}).Release(context.Background(), examples{{X: record{0}, Count: 8}}, coins)
		if err != nil {
			t.Fatal(err)
		}
		part := int64(0)
		if a.OK {
			part = int64(a.Hypothesis.Points[0][0]+1) / 2
		}
		if part != c.want {
			t.Errorf("%d parts passed, noise %d, choice %d: the output is that of part %d; want part %d", c.passing, c.z, c.part, part, c.want)
		}
	}
}

// The planner finds plans at least as good as those that were found by hand.
func TestPlanPRSMA(t *testing.T) {
	for delta, hand := range worked(t) {
		goal := robust.PRSMAGoal{Rows: hand.Rows, Epsilon: privacytest.Decimal(t, "1"), Delta: privacytest.Decimal(t, delta), Refusal: 0.05}
		fewest, powerful := goal, goal
		fewest.LeastPower, powerful.MostCalls = hand.Power(), hand.Calls()
		goals := []robust.PRSMAGoal{fewest, powerful}
		if !heavy.On() && delta == "1e-3" { // one for each δ
			goals = goals[:1]
		} else if !heavy.On() {
			goals = goals[1:]
		}
		for _, g := range goals {
			p, err := robust.PlanPRSMA(g)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("δ = %s: %d calls, power %.2f: %+v", delta, p.Calls(), p.Power(), p)
			b, err := p.Check()
			if err != nil || b.Epsilon.Cmp(g.Epsilon) > 0 || b.Delta.Cmp(g.Delta) > 0 || b.Refusal > g.Refusal {
				t.Errorf("δ = %s: the searched plan proves %+v, error %v", delta, b, err)
			}
			if p.Calls() > hand.Calls() || p.Power() < hand.Power() {
				t.Errorf("δ = %s: the searched plan is worse than %d calls with power %g", delta, hand.Calls(), hand.Power())
			}
		}
	}
}

func TestPlanPRSMARefuses(t *testing.T) {
	good := robust.PRSMAGoal{Rows: 15682, Epsilon: privacytest.Decimal(t, "1"), Delta: privacytest.Decimal(t, "1e-3"), Refusal: 0.05, MostCalls: 1240}
	for name, change := range map[string]func(*robust.PRSMAGoal){
		"no rows":         func(g *robust.PRSMAGoal) { g.Rows = 0 },
		"three rows":      func(g *robust.PRSMAGoal) { g.Rows = 3 },
		"no ε":            func(g *robust.PRSMAGoal) { g.Epsilon = privacy.Decimal{} },
		"no δ":            func(g *robust.PRSMAGoal) { g.Delta = privacy.Decimal{} },
		"no refusal":      func(g *robust.PRSMAGoal) { g.Refusal = 0 },
		"no calls":        func(g *robust.PRSMAGoal) { g.MostCalls = 0 },
		"one call":        func(g *robust.PRSMAGoal) { g.MostCalls = 1 },
		"both":            func(g *robust.PRSMAGoal) { g.LeastPower = 1 },
		"too much power":  func(g *robust.PRSMAGoal) { g.MostCalls, g.LeastPower = 0, 1e6 },
		"refusal of NaN":  func(g *robust.PRSMAGoal) { g.Refusal = math.NaN() },
		"power of NaN":    func(g *robust.PRSMAGoal) { g.MostCalls, g.LeastPower = 0, math.NaN() },
		"ε beyond floats": func(g *robust.PRSMAGoal) { g.Epsilon = privacytest.Decimal(t, "1e99") },
	} {
		g := good
		change(&g)
		if p, err := robust.PlanPRSMA(g); err == nil {
			t.Errorf("%s: PlanPRSMA returned the plan %+v; want an error", name, p)
		}
	}
}

// smallPlan returns a plan for 40 rows and a small class.
func smallPlan(t testing.TB) robust.PRSMAPlan {
	return robust.PRSMAPlan{
		Rows: 40, Parts: 9, Runs: 100, Threshold: 7, TestEpsilon: privacytest.Decimal(t, "2"), BaseEpsilon: privacytest.Decimal(t, "0.2"),
		Floor: 4, LogRatio: privacytest.Decimal(t, "1"), Failing: privacytest.Decimal(t, "0.1"), Tilt: privacytest.Decimal(t, "1"),
	}
}

// threeParts returns a plan with three parts and two runs on each.
func threeParts(t testing.TB) robust.PRSMAPlan {
	return robust.PRSMAPlan{
		Rows: 8, Parts: 3, Runs: 2, Threshold: 3, TestEpsilon: privacytest.Decimal(t, "2.5"), BaseEpsilon: privacytest.Decimal(t, "0.1"),
		Floor: 2, LogRatio: privacytest.Decimal(t, "0.4"), Failing: privacytest.Decimal(t, "0.5"), Tilt: privacytest.Decimal(t, "1"),
	}
}

func smallTable() examples {
	return examples{{X: record{0, 0}, Count: 15}, {X: record{0, 1}, Label: true, Count: 9}, {X: record{1, 1}, Label: true, Count: 13}}
}

func TestPRSMAGuarantee(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	sure := oracle.Search(c)
	plan := smallPlan(t)
	bounds, err := plan.Check()
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]oracle.Minimizer[record, card]{"": sure, "weak": oracletest.Weak[record, card]{Minimizer: sure}} {
		g := prsmaOn(t, o, plan, oracle.Budget{Nodes: 50}).Guarantee()
		if len(g.Assumes()) != 0 || g.Relation() != privacy.ReplaceOne {
			t.Errorf("%s: wrong assumptions %v or relation %v", name, g.Assumes(), g.Relation())
		}
		if e, err := privacy.Epsilon(g, bounds.Delta); err != nil || e.Cmp(bounds.Epsilon) > 0 {
			t.Errorf("%s: the guarantee has ε = %v (error %v); the plan proves %v", name, e, err, bounds.Epsilon)
		}
	}
	if g := prsmaOn(t, oracletest.Floating[record, card]{Minimizer: sure}, plan, oracle.Budget{}).Guarantee(); !slices.Equal(g.Assumes(), []privacy.Assumption{privacy.FloatBound}) {
		t.Errorf("an oracle with a floating-point bound: wrong assumptions %v", g.Assumes())
	}
}

// lying is an oracle that may return a hypothesis that is not a minimizer.
type lying struct{ oracle.Minimizer[record, card] }

func (lying) Kind() oracle.Kind { return oracle.Heuristic }

func TestPRSMARefuses(t *testing.T) {
	c := oracle.Search(class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1)))
	plan := smallPlan(t)
	rspm := func(o oracle.Minimizer[record, card], epsilon string, r privacy.Relation) *perturb.RSPM[record, card] {
		m, err := perturb.NewRSPM(o, perturb.Cube, privacytest.Decimal(t, epsilon), r, learn.ZeroOne, 0)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, err := rspm(lying{c}, "0.2", privacy.ReplaceOne).Within(oracle.Budget{}); !errors.Is(err, perturb.ErrHeuristic) {
		t.Errorf("a heuristic oracle: error %v", err)
	}
	for want, base := range map[error]*perturb.RSPM[record, card]{
		privacy.ErrRelation: rspm(c, "0.2", privacy.AddRemove),
		robust.ErrPlan:      rspm(c, "0.21", privacy.ReplaceOne),
	} {
		trial, err := base.Within(oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := robust.NewPRSMA(trial, plan); !errors.Is(err, want) {
			t.Errorf("error %v; want %v", err, want)
		}
	}
	for name, change := range map[string]func(*robust.PRSMAPlan){
		"two parts":     func(p *robust.PRSMAPlan) { p.Parts = 2 },
		"few rows":      func(p *robust.PRSMAPlan) { p.Rows = 8 },
		"no runs":       func(p *robust.PRSMAPlan) { p.Runs = 0 },
		"u₀ above θ":    func(p *robust.PRSMAPlan) { p.Floor = 8 },
		"θ above K":     func(p *robust.PRSMAPlan) { p.Threshold = 10 },
		"u₀ of 1":       func(p *robust.PRSMAPlan) { p.Floor = 1 },
		"ψ of 1":        func(p *robust.PRSMAPlan) { p.Failing = privacytest.Decimal(t, "1") },
		"no tilt":       func(p *robust.PRSMAPlan) { p.Tilt = privacy.Decimal{} },
		"δ beyond 1":    func(p *robust.PRSMAPlan) { p.Runs, p.LogRatio = 1, privacytest.Decimal(t, "15") },
		"ε′ beyond r/b": func(p *robust.PRSMAPlan) { p.BaseEpsilon = privacytest.Decimal(t, "0.26") },
	} {
		p := plan
		change(&p)
		trial, err := rspm(c, "0.2", privacy.ReplaceOne).Within(oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := robust.NewPRSMA(trial, p); !errors.Is(err, robust.ErrPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The same coins give the same answer for any number of processors, also if some parts fail.
func TestPRSMADoesNotDependOnTheSchedule(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, nodes := range []int64{0, 3} {
		m := prsmaOn(t, oracle.Search(c), smallPlan(t), oracle.Budget{Nodes: nodes})
		type outcome struct {
			answer string
			next   uint64
			passed int
		}
		run := func(processors int, seed uint64) outcome {
			runtime.GOMAXPROCS(processors)
			var last robust.PRSMAProgress
			m.Observe = func(p robust.PRSMAProgress) { last = p }
			coins := noise.Insecure(seed)
			a, err := m.Release(context.Background(), smallTable(), coins)
			if err != nil {
				t.Fatal(err)
			}
			if last.Parts != 9 || last.Left != 0 || last.Passed == 9 && last.Calls != 900 {
				t.Errorf("wrong last progress %+v", last)
			}
			return outcome{show(a), coins.Uint64n(1 << 62), last.Passed}
		}
		for seed := range heavy.Pick[uint64](2, 5) {
			if one, four := run(1, seed), run(4, seed); one != four {
				t.Errorf("%d nodes, seed %d: answers %v with one processor and %v with four", nodes, seed, one, four)
			}
		}
	}
}

// parity groups records by their first code.
func parity(x record, _ bool) int { return int(x[0] % 2) }

// For the same coins, the separate steps of a release give the answer of Release. This holds even if each step is
// repeated, keys are sampled in advance, and parts are processed in another order.
func TestPRSMASteps(t *testing.T) {
	ctx := context.Background()
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	plan := smallPlan(t)
	answers := map[string]bool{}
	for _, nodes := range []int64{0, 3} {
		m := prsmaOn(t, listed{oracle.Search(c)}, plan, oracle.Budget{Nodes: nodes})
		m.Grouping = robust.Grouping[record]{Groups: 2, Of: parity}
		d := examples{{X: record{0, 0}, Count: 15}, {X: record{1, 0}, Count: 9}, {X: record{0, 1}, Label: true, Count: 4}, {X: record{1, 1}, Label: true, Count: 9}}
		for seed := range uint64(heavy.Pick(4, 8)) {
			coins := noise.Insecure(seed)
			division := noise.NewKey(coins)
			var groupKeys, partKeys []noise.Key
			for range 2 {
				groupKeys = append(groupKeys, noise.NewKey(coins))
			}
			for range plan.Parts {
				partKeys = append(partKeys, noise.NewKey(coins))
			}
			var parts []examples
			for range 2 { // once more, as after a failure
				parts = make([]examples, plan.Parts)
				numbers, err := m.PartSizes([]int64{19, 18}, noise.Keyed(division))
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range []int{1, 0} {
					group := examples{d[g], d[g+2]}
					for i, got := range robust.AssignRows(group, numbers[g], noise.Keyed(groupKeys[g]))[:plan.Parts] {
						parts[i] = append(parts[i], got...)
					}
				}
			}
			tried := make([]robust.Answer[card], plan.Parts)
			for i := plan.Parts - 1; i >= 0; i-- {
				slices.SortFunc(parts[i], func(a, b learn.Example[record]) int {
					at := func(e learn.Example[record]) int {
						return slices.IndexFunc(d, func(x learn.Example[record]) bool { return slices.Equal(x.X, e.X) })
					}
					return at(a) - at(b)
				})
				for range 2 {
					var err error
					if tried[i], err = m.Try(ctx, parts[i], noise.Keyed(partKeys[i])); err != nil {
						t.Fatal(err)
					}
				}
			}
			want, err := m.Release(ctx, d, noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(m.Combine(tried, coins)); got != show(want) {
				t.Errorf("%d nodes, seed %d: the steps give %s; Release gives %s", nodes, seed, got, show(want))
			}
			answers[show(want)] = true
		}
	}
	if len(answers) < 5 {
		t.Errorf("only %d different answers occurred, so the test checks too little", len(answers))
	}
}

// listed is an oracle whose answer depends on the order of the points and on their noisy costs.
type listed struct{ oracle.Minimizer[record, card] }

func (o listed) Minimize(ctx context.Context, p class.Problem[record], b oracle.Budget) (oracle.Solution[card], error) {
	s, err := o.Minimizer.Minimize(ctx, p, b)
	if err != nil {
		return s, err
	}
	s.Hypothesis = card{}
	for _, pt := range p.Points {
		s.Hypothesis.Points = append(s.Hypothesis.Points, []int{int(pt.X[0]), int(pt.X[1]), int(pt.Cost[0]), int(pt.Cost[1])})
	}
	return s, nil
}

// PartSizes rejects groups with more rows than the plan, before it uses randomness. Combine panics if the number of
// answers is not the number of parts.
func TestPRSMADivideRefuses(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	m := prsmaOn(t, oracle.Search(c), smallPlan(t), oracle.Budget{})
	if _, err := m.PartSizes([]int64{20, 21}, nil); !errors.Is(err, robust.ErrPlanRows) {
		t.Errorf("a table of 41 rows: error %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Combine accepted 8 answers for 9 parts")
		}
	}()
	m.Combine(make([]robust.Answer[card], 8), noise.Crypto())
}

// The number of groups of RecordGroups is within its limits, and each record is assigned to one of the groups.
func TestRecordGroups(t *testing.T) {
	for _, c := range []struct {
		rows int64
		part int
		want int
	}{{8, 3, 1}, {100_000, 50, 24}, {1 << 30, 50, 4096}, {1 << 30, 1<<14 - 1, 256}} {
		g := robust.RecordGroups(robust.PRSMAPlan{Rows: c.rows, Parts: c.part})
		if g.Groups != c.want {
			t.Errorf("%d rows, %d rows per part: %d groups; want %d", c.rows, c.part, g.Groups, c.want)
		}
		seen := make([]int, g.Groups)
		for x := range 1 << 16 {
			of := g.Of(record{uint16(x), 7, uint16(x >> 3)}, x%2 == 0)
			if of < 0 || of >= g.Groups {
				t.Fatalf("group number %d is not below %d", of, g.Groups)
			}
			seen[of]++
		}
		if most := slices.Max(seen); most > 3*(1<<16)/g.Groups {
			t.Errorf("one group has %d of %d records, with %d groups", most, 1<<16, g.Groups)
		}
	}
}

func show(a robust.Answer[card]) string {
	if !a.OK {
		return "⊥"
	}
	return fmt.Sprint(a.Hypothesis.Points)
}

func TestPRSMARelease(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	m := prsmaOn(t, oracle.Search(c), smallPlan(t), oracle.Budget{})
	d := smallTable()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := m.Release(ctx, d, noise.Crypto()); !errors.Is(err, context.Canceled) || a.OK {
		t.Errorf("cancelled context: %v, error %v", a, err)
	}
	d[0].Count += 4
	if _, err := m.Release(context.Background(), d, nil); !errors.Is(err, robust.ErrPlanRows) {
		t.Errorf("a table of 41 rows: error %v", err)
	}
	for _, d := range []examples{nil, d[:1]} { // null records only, and many of them
		d = slices.Clone(d)
		for i := range d {
			d[i].Count = 3
		}
		if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
			t.Error(err)
		}
	}
	never := prsmaOn(t, broken{oracle.Search(c)}, smallPlan(t), oracle.Budget{})
	if a, err := never.Release(context.Background(), smallTable(), noise.Crypto()); a.OK || err != nil {
		t.Errorf("an oracle that always fails: answer %v, error %v", a, err)
	}
	if e, f := m.Excess(40), m.Excess(40); e != f || !(e.Mean > 0 && e.Mean <= e.Most) {
		t.Errorf("wrong excess %v", e)
	}
}

// broken is an oracle that fails with its own error.
type broken struct{ oracle.Minimizer[record, card] }

func (broken) Minimize(context.Context, class.Problem[record], oracle.Budget) (oracle.Solution[card], error) {
	return oracle.Solution[card]{}, errors.New("out of order")
}
