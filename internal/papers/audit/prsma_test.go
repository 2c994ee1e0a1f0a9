package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A runLaw is the distribution of one run of PRSMA's base mechanism on one part: the probability of each
// outcome except failure. The number of parts with this distribution is times.
type runLaw struct {
	times int
	mass  []float64
}

func (l runLaw) succeeds() (p float64) {
	for _, m := range l.mass {
		p += m
	}
	return p
}

// A subsampler computes the output distribution of PRSMA by a formula, from the distributions of the runs on
// the parts.
type subsampler struct {
	runs, threshold int
	test            float64 // ε_t
	// If retries is true, the mechanism is a wrong one that repeats failed runs, so that all parts pass.
	retries bool
}

func shapeOf(p robust.PRSMAPlan) subsampler {
	return subsampler{runs: int(p.Runs), threshold: p.Threshold, test: toFloat(p.TestEpsilon)}
}

// goOn returns the probability that PRSMA releases a hypothesis if T = passed parts have passed. It is
// Pr[T + z ≥ θ] with discrete Laplace noise z if T > 0, and 0 if T = 0.
func (s subsampler) goOn(passed int) float64 {
	q := math.Exp(-s.test)
	switch k := s.threshold - passed; {
	case passed == 0:
		return 0
	case k > 0:
		return math.Pow(q, float64(k)) / (1 + q)
	default:
		return 1 - math.Pow(q, float64(1-k))/(1+q)
	}
}

func (s subsampler) passes(l runLaw) float64 {
	if s.retries {
		return 1
	}
	return math.Pow(l.succeeds(), float64(s.runs))
}

// law returns the probability of each outcome of PRSMA, followed by the probability of ⊥. If T parts pass,
// then for each passed part, PRSMA releases the result of a run on this part with probability g(T)/T, where g
// is goOn. The distribution of this result is that of a run, conditional on success.
func (s subsampler) law(parts []runLaw) []float64 {
	out := make([]float64, len(parts[0].mass)+1)
	rest := 1.0
	for i, l := range parts {
		success, pass := l.succeeds(), s.passes(l)
		if l.times == 0 || pass == 0 || success == 0 {
			continue
		}
		others := []float64{1} // the distribution of the number of other parts that pass
		for j, o := range parts {
			p, n := s.passes(o), o.times
			if j == i {
				n--
			}
			for range n {
				others = append(others, 0)
				for t := len(others) - 1; t > 0; t-- {
					others[t] = others[t]*(1-p) + others[t-1]*p
				}
				others[0] *= 1 - p
			}
		}
		chosen := 0.0
		for t, p := range others {
			chosen += p * s.goOn(t+1) / float64(t+1)
		}
		for x, m := range l.mass {
			w := float64(l.times) * pass * chosen * m / success
			out[x] += w
			rest -= w
		}
	}
	out[len(out)-1] = max(rest, 0)
	return out
}

// hockey returns the hockey-stick divergence in the direction in which it is larger. In the first direction, it
// is the maximum of P(A) - e^ε·Q(A) over events A. In the other direction, P and Q are exchanged.
func hockey(p, q []float64, epsilon float64) float64 {
	var a, b float64
	for x := range p {
		a += max(0, p[x]-math.Exp(epsilon)*q[x])
		b += max(0, q[x]-math.Exp(epsilon)*p[x])
	}
	return max(a, b)
}

func toFloat(d privacy.Decimal) float64 {
	f, _ := d.Rat().Float64()
	return f
}

// A blind is a base mechanism for PRSMA with the outcomes 0 and 1. A given function of the part determines the
// probabilities of both outcomes. With the remaining probability, a run fails.
type blind struct {
	epsilon privacy.Decimal
	law     func(d []learn.Example[int]) (weights [2]uint64, of uint64)
}

func (b blind) Guarantee() privacy.Guarantee {
	g, err := privacy.NewPure(privacy.ReplaceOne, b.epsilon, privacy.ExactOracle)
	if err != nil {
		panic(err)
	}
	return g
}

func (b blind) Excess(_, _ int64) learn.Excess { return learn.Excess{} }

func (b blind) Draw(d []learn.Example[int], coins noise.Coins) func(context.Context) (int, error) {
	w, of := b.law(d)
	x := coins.Pick([]uint64{w[0], w[0] + w[1], of})
	return func(context.Context) (int, error) {
		if x == 2 {
			return 0, errors.New("failed")
		}
		return x, nil
	}
}

// threeParts returns a plan with three parts of one row each. It is so small that all random choices can be
// enumerated.
func threeParts(t testing.TB, runs int64) robust.PRSMAPlan {
	return robust.PRSMAPlan{
		Rows: 3, Parts: 3, Runs: runs, Threshold: 3, TestEpsilon: privacytest.Decimal(t, "2"), BaseEpsilon: privacytest.Decimal(t, "0.49"),
		Floor: 2, LogRatio: privacytest.Decimal(t, "0.5"), Failing: privacytest.Decimal(t, "0.5"), Tilt: privacytest.Decimal(t, "0.9"),
	}
}

func boundsOf(t testing.TB, p robust.PRSMAPlan) (epsilon, delta float64) {
	t.Helper()
	b, err := p.Check()
	if err != nil {
		t.Fatal(err)
	}
	return toFloat(b.Epsilon), toFloat(b.Delta)
}

// holds1 reports whether a part has a row of kind 1.
func holds1(d []learn.Example[int]) bool {
	for _, e := range d {
		if e.X == 1 {
			return true
		}
	}
	return false
}

// The output distribution of the shipped PRSMA, by enumeration of all random choices, equals the formula and
// satisfies (ε, δ). The base mechanisms of the test have four kinds of failures: they never fail, they fail only
// on the part with the differing record, they fail only with outcome 0 on the other parts, or they fail
// independently of the data. By the formula, a mechanism that repeats failed runs violates (ε, δ).
func TestPRSMAEnumerated(t *testing.T) {
	plan := threeParts(t, 2)
	epsilon, delta := boundsOf(t, plan)
	// A perfect base has outcome 0 with probability 3/1000 on a part that has a row of kind 1, and with
	// probability 2/1000 on other parts. The ratio is below e^0.49.
	for name, w := range map[string]struct{ with, without [2]uint64 }{
		"never":                {[2]uint64{3, 997}, [2]uint64{2, 998}},
		"on the record":        {[2]uint64{3, 0}, [2]uint64{2, 998}},
		"half on the record":   {[2]uint64{3, 497}, [2]uint64{2, 998}},
		"hiding":               {[2]uint64{3, 997}, [2]uint64{0, 998}},
		"hiding and where":     {[2]uint64{3, 497}, [2]uint64{0, 998}},
		"at random":            {[2]uint64{2, 664}, [2]uint64{1, 499}},
		"always on the record": {[2]uint64{0, 0}, [2]uint64{2, 998}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := robust.NewPRSMA(blind{plan.BaseEpsilon, func(d []learn.Example[int]) ([2]uint64, uint64) {
				if holds1(d) {
					return w.with, 1000
				}
				return w.without, 1000
			}}, plan)
			if err != nil {
				t.Fatal(err)
			}
			release := func(d []learn.Example[int]) audit.Law[robust.Answer[int]] {
				return audit.LawOf(t, func(coins noise.Coins) robust.Answer[int] {
					a, err := m.Release(context.Background(), d, coins)
					if err != nil {
						t.Fatal(err)
					}
					return a
				}, audit.InFull(1e-7, 1e-10))
			}
			p := release([]learn.Example[int]{{X: 0, Count: 2}, {X: 1, Count: 1}})
			q := release([]learn.Example[int]{{X: 0, Count: 3}})
			lo, hi := audit.Excess(p, q, epsilon)
			t.Logf("δ = %.4f: between %.6f and %.6f", delta, lo, hi)
			if hi > delta {
				t.Errorf("the release exceeds (%g, %g): δ is up to %g", epsilon, delta, hi)
			}
			law := func(w [2]uint64, n int) runLaw {
				return runLaw{n, []float64{float64(w[0]) / 1000, float64(w[1]) / 1000}}
			}
			formula := shapeOf(plan)
			for _, side := range []struct {
				law   audit.Law[robust.Answer[int]]
				parts []runLaw
			}{{p, []runLaw{law(w.with, 1), law(w.without, 2)}}, {q, []runLaw{law(w.without, 3)}}} {
				for x, want := range formula.law(side.parts) {
					a := robust.Answer[int]{Hypothesis: x, OK: true}
					if x == 2 {
						a = robust.Answer[int]{}
					}
					if lo, hi := side.law.Bounds(a); want < lo-1e-9 || want > hi+1e-9 {
						t.Errorf("output %v: the formula gives the probability %g, enumeration %g to %g", a, want, lo, hi)
					}
				}
			}
		})
	}
}

// A wrong mechanism repeats a failed run until it succeeds, and otherwise equals the shipped code. If all runs on
// a part with an outcome other than 0 fail, this part always returns 0. The audit refutes the (ε, δ) of the
// mechanism.
func TestPRSMARetryingIsRefuted(t *testing.T) {
	plan := threeParts(t, 2)
	epsilon, delta := boundsOf(t, plan)
	m, err := robust.NewPRSMA(blind{plan.BaseEpsilon, func(d []learn.Example[int]) ([2]uint64, uint64) {
		if holds1(d) {
			return [2]uint64{3, 0}, 3
		}
		return [2]uint64{2, 998}, 1000
	}}, plan)
	if err != nil {
		t.Fatal(err)
	}
	release := func(coins noise.Coins, d []learn.Example[int]) robust.Answer[int] {
		a, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	o := audit.Options{Floor: 1e-10, Recheck: audit.Rechecks}
	p := audit.LawOf(t, func(c noise.Coins) robust.Answer[int] {
		return release(c, []learn.Example[int]{{X: 0, Count: 2}, {X: 1, Count: 1}})
	}, o)
	q := audit.LawOf(t, func(c noise.Coins) robust.Answer[int] {
		return release(c, []learn.Example[int]{{X: 0, Count: 3}})
	}, o)
	if lo, hi := audit.Excess(p, q, epsilon); lo <= delta {
		t.Errorf("δ = %g was not refuted: the enumerated δ is %g to %g", delta, lo, hi)
	}
}

// contents is a base whose run returns the numbers of rows of kind 0 and of null rows in its part.
type contents struct{ blind }

func (c contents) Draw(d []learn.Example[int], _ noise.Coins) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		seen := 0
		for _, e := range d {
			seen += int(e.Count) * (1 + 9*e.X)
		}
		return seen, nil
	}
}

// The parts are uniformly random subsets of the rows, which include null records: the numbers of rows of each kind
// in a part have the hypergeometric distribution.
func TestPRSMAPartition(t *testing.T) {
	plan := threeParts(t, 1)
	plan.Rows = 8 // parts of 2, two rows discarded
	plan.BaseEpsilon = privacytest.Decimal(t, "0.1")
	m, err := robust.NewPRSMA(contents{blind{epsilon: plan.BaseEpsilon}}, plan)
	if err != nil {
		t.Fatal(err)
	}
	counts := [3]int64{3, 3, 2} // the last are null records, in no example
	law := audit.LawOf(t, func(coins noise.Coins) robust.Answer[int] {
		a, err := m.Release(context.Background(), []learn.Example[int]{{X: 0, Count: counts[0]}, {X: 1, Count: counts[1]}}, coins)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}, audit.Options{Floor: 1e-12, Recheck: audit.Rechecks})
	choose := func(n, k int64) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	goOn := shapeOf(plan).goOn(3)
	for i := range int64(3) {
		for j := range 3 - i {
			want := goOn * choose(3, i) * choose(3, j) * choose(2, 2-i-j) / choose(8, 2)
			lo, hi := law.Bounds(robust.Answer[int]{Hypothesis: int(i + 10*j), OK: true})
			if want < lo-1e-9 || want > hi+1e-9 {
				t.Errorf("probability of %d and %d rows in a part: %g to %g; want %g", i, j, lo, hi, want)
			}
		}
	}
}

// If a table is partitioned group by group, all partitions of the rows into parts are equally probable, also if the
// table has null records. The test checks the joint distribution of the contents of all parts, by enumeration of all
// random choices. The first group has two different records, so that both Divide and Deal affect the result.
func TestPRSMADivision(t *testing.T) {
	plan := threeParts(t, 1)
	plan.Rows = 7 // parts of 2, one row discarded
	plan.BaseEpsilon = privacytest.Decimal(t, "0.1")
	m, err := robust.NewPRSMA(blind{epsilon: plan.BaseEpsilon}, plan)
	if err != nil {
		t.Fatal(err)
	}
	groups := [][]learn.Example[int]{{{X: 0, Count: 2}, {X: 1, Count: 1}}, {{X: 2, Count: 2}}}
	counts, sizes := [4]int{2, 1, 2, 2}, [4]int{2, 2, 2, 1} // of records, null ones last; of parts, those discarded last
	law := audit.LawOf(t, func(coins noise.Coins) [4][4]int {
		numbers, err := m.PartSizes([]int64{3, 2}, coins)
		if err != nil {
			t.Fatal(err)
		}
		var held [4][4]int // of each record in each part
		held[3] = sizes
		for g, group := range groups {
			for i, part := range robust.AssignRows(group, numbers[g], coins) {
				for _, e := range part {
					held[e.X][i] += int(e.Count)
					held[3][i] -= int(e.Count)
				}
			}
		}
		return held
	}, audit.Options{Floor: 1e-12, Recheck: audit.Rechecks})
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	total := 0.0
	for _, held := range law.Outcomes() {
		want := 1 / factorial(7)
		for i := range sizes {
			want *= factorial(sizes[i]) * factorial(counts[i])
		}
		for x := range held {
			of := 0
			for i := range held[x] {
				of += held[x][i]
				if held[x][i] < 0 {
					t.Fatalf("wrong contents of the parts: %v", held)
				}
				want /= factorial(held[x][i])
			}
			if of != counts[x] {
				t.Fatalf("wrong contents of the parts: %v", held)
			}
		}
		total += want
		if lo, hi := law.Bounds(held); want < lo-1e-9 || want > hi+1e-9 {
			t.Errorf("division %v: probability %g to %g; want %g", held, lo, hi, want)
		}
	}
	if math.Abs(total-1) > 1e-9 {
		t.Errorf("the probabilities of the divisions found sum to %g", total)
	}
}

// A failing is an oracle that returns true minimizers, but fails for problems and answers that a test selects.
type failing struct {
	oracle.Minimizer[[]uint16, scorecard.Card]
	fails func(p class.Problem[[]uint16], found scorecard.Card) bool
}

func (failing) Kind() oracle.Kind { return oracle.Certifiable }

func (o failing) Minimize(ctx context.Context, p class.Problem[[]uint16], b oracle.Budget) (oracle.Solution[scorecard.Card], error) {
	s, err := o.Minimizer.Minimize(ctx, p, b)
	if err == nil && o.fails(p, s.Hypothesis) {
		return oracle.Solution[scorecard.Card]{}, oracle.ErrFail
	}
	return s, err
}

// PRSMA with the shipped RSPM as its base mechanism satisfies (ε, δ). The test enumerates the exact distribution of
// a run on every part, and averages the formula of PRSMA over all partitions into parts. TestPRSMAEnumerated
// compares this formula with the shipped code. The oracle fails if the part has a given record, if the noise lies in
// a given region, if the answer is a given one, or for a given combination of a record and an answer.
func TestPRSMAOnRSPM(t *testing.T) {
	const epsilonOfRun, rows, parts = "0.49", 6, 3
	c, err := scorecard.New(scorecard.Uniform([]int{1}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	plan := threeParts(t, 3)
	plan.Rows, plan.LogRatio = rows, privacytest.Decimal(t, "0.99") // parts of two rows
	epsilon, delta := boundsOf(t, plan)
	labelled := func(p class.Problem[[]uint16]) bool { // a row labelled 1
		for _, pt := range p.Points {
			if pt.Cost[0] > 0 {
				return true
			}
		}
		return false
	}
	o := audit.InFull(1e-6, 1e-9)
	ones := func(h scorecard.Card) bool { return h.Points[0][0] == 1 }
	for why, fails := range map[string]func(class.Problem[[]uint16], scorecard.Card) bool{
		"never":                   func(class.Problem[[]uint16], scorecard.Card) bool { return false },
		"on a record":             func(p class.Problem[[]uint16], _ scorecard.Card) bool { return labelled(p) },
		"on noise":                func(p class.Problem[[]uint16], _ scorecard.Card) bool { return p.Terms[0] > 2 },
		"on an answer":            func(_ class.Problem[[]uint16], h scorecard.Card) bool { return ones(h) },
		"on a record's answer":    func(p class.Problem[[]uint16], h scorecard.Card) bool { return labelled(p) && ones(h) },
		"unless on that":          func(p class.Problem[[]uint16], h scorecard.Card) bool { return labelled(p) != ones(h) },
		"on even noise or record": func(p class.Problem[[]uint16], _ scorecard.Card) bool { return labelled(p) && p.Terms[0]%2 == 0 },
	} {
		t.Run(why, func(t *testing.T) {
			base, err := perturb.NewRSPM(failing{oracle.Search(c), fails}, perturb.Laplace, privacytest.Decimal(t, epsilonOfRun), privacy.ReplaceOne, learn.ZeroOne, 1)
			if err != nil {
				t.Fatal(err)
			}
			trial, err := base.Within(oracle.Budget{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := robust.NewPRSMA(trial, plan); err != nil {
				t.Fatal(err)
			}
			runs := make([]runLaw, parts) // by the number of rows labelled 1, of two
			for ones := range runs {
				var d []learn.Example[[]uint16]
				for label, n := range []int{2 - ones, ones} {
					if n > 0 {
						d = append(d, learn.Example[[]uint16]{X: []uint16{0}, Label: label == 1, Count: int64(n)})
					}
				}
				law := audit.LawOf(t, func(coins noise.Coins) string {
					h, err := trial.Draw(d, coins)(context.Background())
					if err != nil {
						return "failed"
					}
					return fmt.Sprint(h.Points)
				}, o)
				runs[ones] = runLaw{1, make([]float64, 2)}
				for x := range 2 {
					runs[ones].mass[x], _ = law.Bounds(fmt.Sprintf("[[%d]]", x))
				}
			}
			laws := make([][]float64, rows+1) // by the number of rows labelled 1
			for ones := range laws {
				laws[ones] = overPartitions(shapeOf(plan), runs, ones, rows, parts)
			}
			worst := 0.0
			for i := range rows {
				worst = max(worst, hockey(laws[i], laws[i+1], epsilon))
			}
			t.Logf("δ = %.4f: %.6f", delta, worst)
			if worst > delta {
				t.Errorf("the release exceeds (%g, %g): δ is up to %g", epsilon, delta, worst)
			}
		})
	}
}

// overPartitions returns the mean of the output distribution over all partitions of the rows into parts of equal
// size and discarded rows. rows is the number of rows, and ones is the number of rows with label 1. runs[k] is the
// distribution of a run on a part that has k rows with label 1. number is the number of parts.
func overPartitions(s subsampler, runs []runLaw, ones, rows, number int) []float64 {
	total, ways := make([]float64, 3), 0
	for set := range 1 << rows {
		inParts, n := make([]int, number), 0
		for i := range rows {
			n += set >> i & 1
			if at := i / (rows / number); at < number {
				inParts[at] += set >> i & 1
			}
		}
		if n != ones {
			continue
		}
		ways++
		parts := make([]runLaw, len(inParts))
		for i, k := range inParts {
			parts[i] = runs[k]
		}
		for x, m := range s.law(parts) {
			total[x] += m
		}
	}
	for x := range total {
		total[x] /= float64(ways)
	}
	return total
}

// workedPlan is a plan for 15,682 rows and ε = 1.
func workedPlan(t testing.TB, delta string) robust.PRSMAPlan {
	d := func(s string) privacy.Decimal { return privacytest.Decimal(t, s) }
	if delta == "1e-5" {
		return robust.PRSMAPlan{
			Rows: 15682, Parts: 59, Runs: 920, Threshold: 56, TestEpsilon: d("0.79"), BaseEpsilon: d("0.0326"),
			Floor: 39, LogRatio: d("2.3"), Failing: d("0.01"), Split: d("1e-6"), Tilt: d("0.3"),
		}
	}
	return robust.PRSMAPlan{
		Rows: 15682, Parts: 40, Runs: 31, Threshold: 37, TestEpsilon: d("0.654"), BaseEpsilon: d("0.0315"),
		Floor: 25, LogRatio: d("2.3"), Failing: d("0.12"), Split: d("1e-4"), Tilt: d("0.3"),
	}
}

// An adversary chooses how the runs fail. The partition is one on which the probabilities μ of an event on two
// parts differ by a factor of at most e^r. The parts without the differing record form three groups. For each of
// these groups, and for the part with the differing record on each of the two tables, the adversary chooses two
// things: the probability of a failure, and whether runs fail on the event or on its complement. logs holds
// logarithms of probabilities, first ln μ and then those of failures. shares[0] is the fraction of the parts that the
// first group has, and shares[1] the fraction of the remaining parts that the second group has.
type adversary struct {
	logs   [6]float64 // μ; three groups; the differing part; the same on the neighbour
	shares [2]float64
	hides  [5]bool // whether failures replace the event (true) or its complement, in the order of the failures in logs
}

// run returns the distribution of a run in which the event has probability mu if the run cannot fail.
func (a adversary) run(times, i int, mu float64) runLaw {
	f := math.Exp(a.logs[i+1])
	event, rest := mu, 1-mu
	if a.hides[i] {
		rest = min(rest, 1-f)
		event = 1 - f - rest
	} else {
		event = min(event, 1-f)
		rest = 1 - f - event
	}
	return runLaw{times, []float64{max(event, 0), max(rest, 0)}}
}

// excess returns the maximum of P(A) - e^ε·Q(A) over events A for the adversary's two tables.
func (a adversary) excess(s subsampler, parts int, r, epsilon float64) float64 {
	others := parts - 1
	first := int(a.shares[0] * float64(others))
	second := int(a.shares[1] * float64(others-first))
	mu := math.Exp(a.logs[0])
	groups := []runLaw{{}, a.run(first, 0, mu), a.run(second, 1, mu), a.run(others-first-second, 2, mu)}
	differing := min(1, mu*math.Exp(r))
	groups[0] = a.run(1, 3, differing)
	p := s.law(groups)
	groups[0] = a.run(1, 4, differing)
	return hockey(p, s.law(groups), epsilon)
}

// attack searches for the adversary with the greatest excess, by hill climbing from random starts.
func attack(s subsampler, parts int, r, epsilon float64) (worst float64) {
	random := rand.New(rand.NewPCG(3, 4))
	for range heavy.Pick(10, 30) {
		var a adversary
		for i := range a.logs {
			a.logs[i] = -15 * random.Float64()
		}
		for i := range a.shares {
			a.shares[i] = random.Float64()
		}
		for i := range a.hides {
			a.hides[i] = random.IntN(2) == 0
		}
		best, width := a.excess(s, parts, r, epsilon), 3.0
		for range 700 {
			b := a
			switch i := random.IntN(len(a.logs) + len(a.shares) + len(a.hides)); {
			case i < len(a.logs):
				b.logs[i] = min(0, b.logs[i]+width*random.NormFloat64())
			case i < len(a.logs)+len(a.shares):
				b.shares[i-len(a.logs)] = random.Float64()
			default:
				b.hides[i-len(a.logs)-len(a.shares)] = random.IntN(2) == 0
			}
			if random.IntN(20) == 0 { // never fail
				b.logs[1+random.IntN(5)] = -60
			}
			if e := b.excess(s, parts, r, epsilon); e >= best {
				a, best = b, e
			} else {
				width = max(width*0.99, 0.02)
			}
		}
		worst = max(worst, best)
	}
	return worst
}

// On partitions that satisfy condition (Q) of the proof, and for plans of realistic size, the search finds no
// adversary whose excess exceeds δ - δ_Q. It finds an adversary whose excess is at least half of this. The same search
// refutes a plan with half of the runs, and a mechanism that repeats failed runs.
func TestPRSMAAdversary(t *testing.T) {
	for _, delta := range heavy.Pick([]string{"1e-3"}, []string{"1e-5", "1e-3"}) {
		plan := workedPlan(t, delta)
		epsilon, total := boundsOf(t, plan)
		allowed := total - toFloat(plan.Split)
		ratio := func(s subsampler) float64 {
			return attack(s, plan.Parts, toFloat(plan.LogRatio), epsilon) / allowed
		}
		sound := shapeOf(plan)
		hasty, retrying := sound, sound
		hasty.runs /= 2
		retrying.retries = true
		worst, half, again := ratio(sound), ratio(hasty), ratio(retrying)
		t.Logf("δ = %s: %.3f of what it allows; %.3f with half of the runs, %.3g by making them again", delta, worst, half, again)
		if worst > 1 || worst < 0.5 {
			t.Errorf("δ = %s: the worst adversary reaches %g of the permitted δ; want 0.5 to 1", delta, worst)
		}
		if half <= 1 || again <= 10 {
			t.Errorf("δ = %s: the search did not refute half of the runs or repeated runs: %g, %g", delta, half, again)
		}
		if !heavy.On() {
			continue
		}
		planned, err := robust.PlanPRSMA(robust.PRSMAGoal{
			Rows: plan.Rows, Epsilon: privacytest.Decimal(t, "1"), Delta: privacytest.Decimal(t, delta), Refusal: 0.05, LeastPower: plan.Power()})
		if err != nil {
			t.Fatal(err)
		}
		epsilon, total = boundsOf(t, planned)
		got := attack(shapeOf(planned), planned.Parts, toFloat(planned.LogRatio), epsilon) / (total - toFloat(planned.Split))
		t.Logf("δ = %s: %.3f for the plan found", delta, got)
		if got > 1 {
			t.Errorf("δ = %s: an adversary exceeds the guarantee of the searched plan: %g", delta, got)
		}
	}
}

// Neel, Roth and Wu, Theorem 8, as printed. The number of parts is K = (1 + ln(2/δ'))/ε', and the threshold is
// (1 + ln(1/δ'))/ε'. They differ by (ln 2)/ε'. So with noise of scale 1/ε', the output is ⊥ with probability
// ½e^{-ln 2} = 1/4 even if the oracle never fails. The printed parameters are ε' = ε/62, δ' = δ/11 and
// ln(K/δ')/δ' runs on each part. With these, the mechanism needs 2.2e10 calls at ε = 1, δ = 1e-5.
func TestNeelRothWuTheorem8(t *testing.T) {
	epsilon, delta := 1./62, 1e-5/11
	parts := (1 + math.Log(2/delta)) / epsilon
	threshold := (1 + math.Log(1/delta)) / epsilon
	refused := math.Exp(-epsilon*(parts-threshold)) / 2
	if math.Abs(refused-0.25) > 1e-12 {
		t.Errorf("with a perfect oracle the output is ⊥ with probability %g; want 1/4", refused)
	}
	if calls := parts * math.Log(parts/delta) / delta; math.Abs(calls/2.2e10-1) > 0.01 {
		t.Errorf("the printed numbers need %g calls; want 2.2e10", calls)
	}
	// With integer thresholds, as in the code, the probability of ⊥ is also about 1/4. For the worked plans,
	// it is the probability that the plan states.
	printed := subsampler{runs: 1, threshold: int(math.Ceil(threshold)), test: epsilon}
	never := []float64{1, 0}
	if bottom := printed.law([]runLaw{{int(parts), never}})[2]; bottom < 0.23 || bottom > 0.27 {
		t.Errorf("the output is ⊥ with probability %g; want about 1/4", bottom)
	}
	for _, delta := range []string{"1e-5", "1e-3"} {
		plan := workedPlan(t, delta)
		bounds, err := plan.Check()
		if err != nil {
			t.Fatal(err)
		}
		bottom := shapeOf(plan).law([]runLaw{{plan.Parts, never}})[2]
		if bottom > 0.05 || math.Abs(bottom-bounds.Refusal) > 1e-8 {
			t.Errorf("the output is ⊥ with probability %g; the plan states %g", bottom, bounds.Refusal)
		}
	}
}
