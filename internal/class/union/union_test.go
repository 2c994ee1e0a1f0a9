package union_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	choice     = union.Choice[any]
	member     = union.Member[record, any]
	card       = scorecard.Card
	enumerable = class.Enumerable[record, choice]
	testCase   = classtest.Case[record, choice]
)

func cards(o scorecard.Options, attributes ...scorecard.Attribute) class.Class[record, card] {
	c, err := scorecard.New(attributes, o)
	if err != nil {
		panic(err)
	}
	return c
}

// A repeated class repeats every bit of the separator of its class.
type repeated struct {
	class.Enumerable[record, card]
	times int
}

func (c repeated) Distance() int  { return c.times }
func (c repeated) Separator() int { return c.times * class.SeparatorBits(c.Enumerable) }
func (c repeated) Separate(h card) (set []bool) {
	for range c.times {
		set = append(set, class.Separate(c.Enumerable, h)...)
	}
	return set
}

// once returns the same problem for the class without repetition: the term of a bit is the sum of the
// terms of its copies.
func (c repeated) once(p problem) problem {
	if p.Terms == nil {
		return p
	}
	terms := make([]int64, class.SeparatorBits(c.Enumerable))
	for i, t := range p.Terms {
		terms[i%len(terms)] += t
	}
	p.Terms = terms
	return p
}

func (c repeated) Tree(p problem) (class.Tree[card], error) { return c.Enumerable.Tree(c.once(p)) }
func (c repeated) Checker(p problem, plan []int) (class.Checker, error) {
	return c.Enumerable.Checker(c.once(p), plan)
}

func erased(c class.Class[record, card]) class.Class[record, any] { return class.Erase(c) }

// constant returns the class with one hypothesis, a constant prediction. The root of its tree is
// exact.
func constant(t testing.TB, label bool) class.Class[record, any] {
	c, err := explicit.New([]explicit.Hypothesis[record]{{Name: "constant", Predict: func(record) bool { return label }}}, explicit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return class.Erase(c)
}

func join(t testing.TB, sizes []int, members ...member) testCase {
	c, err := union.New(members...)
	if err != nil {
		t.Fatal(err)
	}
	return testCase{Class: c.(enumerable), Domain: classtest.Records(sizes)}
}

// fixed returns unions by name. Together they cover every feature.
func fixed(t testing.TB) map[string]testCase {
	sign := scorecard.OneHot(2, -1, 1)
	one := scorecard.OneHot(2, 0, 0)
	var (
		signs   = cards(scorecard.Options{Threshold: 1}, sign, sign)
		costly  = cards(scorecard.Options{Penalty: 2}, sign, scorecard.Numeric([]int{0, 2}, -1, 1))
		monocle = cards(scorecard.Options{}, one, one)
		code    = repeated{signs.(class.Enumerable[record, card]), 3}
		code2   = repeated{costly.(class.Enumerable[record, card]), 2}
	)
	nested, err := union.New(member{erased(monocle), 3}, member{erased(costly), 0}, member{erased(monocle), 1})
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{2, 2}
	return map[string]testCase{
		"one member":                join(t, sizes, member{erased(signs), 2}),
		"one hypothesis":            join(t, sizes, member{erased(monocle), 5}),
		"single hypotheses":         join(t, sizes, member{erased(monocle), 0}, member{erased(monocle), 1}, member{erased(class.Negate(monocle)), 0}),
		"exact members":             join(t, sizes, member{constant(t, false), 0}, member{constant(t, true), 0}, member{constant(t, false), 1}),
		"two":                       join(t, sizes, member{erased(signs), 0}, member{erased(costly), 1}),
		"three, unlike in size":     join(t, sizes, member{erased(signs), 1}, member{erased(monocle), 0}, member{erased(class.Negate(signs)), 0}),
		"with a great penalty":      join(t, sizes, member{erased(signs), 1 << 40}, member{erased(costly), 0}),
		"codes":                     join(t, sizes, member{erased(code), 0}, member{erased(code2), 1}),
		"a code and a single":       join(t, sizes, member{erased(code), 0}, member{erased(monocle), 0}),
		"a union in a union":        join(t, sizes, member{class.Erase(nested), 1}, member{erased(signs), 0}),
		"five, three selector bits": join(t, sizes, member{erased(monocle), 0}, member{erased(code2), 0}, member{erased(monocle), 2}, member{erased(costly), 0}, member{erased(monocle), 1}),
	}
}

// random returns a random union of up to four classes of cards over the same records.
func random(draw classtest.Draw) testCase {
	var sizes []int
	for range draw(1, 3) {
		sizes = append(sizes, draw(1, 3))
	}
	var members []member
	for range draw(1, 4) {
		var attributes []scorecard.Attribute
		for _, n := range sizes {
			lo := draw(-1, 1)
			a := scorecard.OneHot(n, lo, lo+draw(0, 1))
			if draw(0, 3) == 0 {
				values := make([]int, n)
				for i := range values {
					values[i] = draw(-2, 2)
				}
				a = scorecard.Numeric(values, lo, lo+draw(0, 2))
			}
			attributes = append(attributes, a)
		}
		c := cards(scorecard.Options{Threshold: draw(-1, 2), Penalty: int64(draw(0, 2))}, attributes...)
		switch draw(0, 3) {
		case 0:
			c = class.Negate(c)
		case 1:
			c = repeated{c.(class.Enumerable[record, card]), draw(2, 3)}
		}
		members = append(members, member{erased(c), int64(draw(0, 3))})
		if c.Size().Int64() > 200 {
			break
		}
	}
	c, err := union.New(members...)
	if err != nil {
		panic(err)
	}
	return testCase{Class: c.(enumerable), Domain: classtest.Records(sizes)}
}

func suite(t testing.TB) classtest.Suite[record, choice] {
	return classtest.Suite[record, choice]{Fixed: fixed(t), Random: random, Seeds: 300, Wrong: "three, unlike in size"}
}

func TestTree(t *testing.T) { classtest.Run(t, suite(t)) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite(f)) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite(t)) }

func TestDistance(t *testing.T) {
	for name, want := range map[string]int{
		"one member": 1, "two": 1, "codes": 2, "a code and a single": 3, "one hypothesis": -1, "single hypotheses": 1,
	} {
		if got := classtest.Distance(t, fixed(t)[name]); got != want {
			t.Errorf("%s: distance %d instead of %d", name, got, want)
		}
	}
	for seed := range 200 {
		classtest.Distance(t, random(classtest.FromSeed(seed)))
	}
}

func TestPartial(t *testing.T) {
	for seed := range 60 {
		classtest.Partial(t, random(classtest.FromSeed(seed)))
	}
}

func TestCertificates(t *testing.T) {
	refused, taken := 0, 0
	for seed := range 60 {
		draw := classtest.FromSeed(seed)
		c := random(draw)
		r, k := searchtest.Certificates(t, c, c.Random(draw))
		refused, taken = refused+r, taken+k
	}
	t.Logf("%d changes refused, %d taken that leave a proof", refused, taken)
	if refused == 0 {
		t.Error("no change is refused")
	}
}

func TestCheckerRefuses(t *testing.T) {
	c := fixed(t)["two"]
	tree, err := c.Class.Tree(problem{})
	if err != nil {
		t.Fatal(err)
	}
	good := tree.Plan()
	for name, plan := range map[string][]int{
		"none":            {},
		"a negative size": append([]int{-1}, good[1:]...),
		"a size too long": append([]int{math.MaxInt}, good[1:]...),
		"one member only": good[:1+good[0]],
		"a longer plan":   append(good[:len(good):len(good)], 0),
	} {
		if _, err := c.Class.Checker(problem{}, plan); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := c.Class.Checker(problem{Terms: []int64{1}}, good); err == nil {
		t.Error("one term is taken")
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	inner := cards(scorecard.Options{Penalty: 1 << 20}, scorecard.OneHot(2, 0, 1))
	c, err := union.New(member{erased(inner), 1 << 40}, member{erased(inner), 0})
	if err != nil {
		t.Fatal(err)
	}
	// The hypothesis with the greatest penalty has penalty 2^40 + 2^20.
	for unit, ok := range map[int64]bool{1: true, 1 << 20: true, 1<<61/(1<<40+1<<20) + 1: false, 1 << 21: false, 1 << 41: false, 1 << 62: false} {
		p := problem{Unit: unit}
		_, err := c.Tree(p)
		if (err == nil) != ok || err != nil && !errors.Is(err, class.ErrRange) {
			t.Errorf("unit %d: error %v", unit, err)
		}
		o, err := oracle.Exhaust(c.(enumerable))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Minimize(context.Background(), p, oracle.Budget{}); (err == nil) != ok {
			t.Errorf("unit %d, by enumeration: error %v", unit, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := cards(scorecard.Options{}, scorecard.OneHot(2, 0, 1))
	for name, members := range map[string][]member{
		"no member":          nil,
		"no class":           {{Class: erased(good)}, {}},
		"a negative penalty": {{Class: erased(good), Penalty: -1}},
		"a penalty too high": {{Class: erased(good), Penalty: 1<<40 + 1}},
	} {
		if _, err := union.New(members...); err == nil {
			t.Errorf("%s is taken", name)
		} else {
			t.Log(err)
		}
	}
}

// hidden is a class that cannot be enumerated.
type hidden struct{ class.Class[record, any] }

func TestEnumerableIfAllAre(t *testing.T) {
	c := erased(cards(scorecard.Options{}, scorecard.OneHot(2, 0, 1)))
	u, err := union.New(member{Class: c}, member{Class: hidden{c}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := u.(enumerable); ok {
		t.Error("a union with a member that lists nothing lists itself")
	}
	if u.Contains(choice{Member: 2}) || u.Contains(choice{Member: -1}) || u.Contains(choice{Hypothesis: "a card"}) {
		t.Error("a union contains what is of no member")
	}
}

func TestClosure(t *testing.T) {
	for seed := range 60 {
		draw := classtest.FromSeed(seed)
		inner := scorecardtest.Random(draw, 256)
		closed := union.Closure(inner.Class)
		c := classtest.Case[record, union.Choice[card]]{Class: closed.(class.Enumerable[record, union.Choice[card]]), Domain: inner.Domain}
		classtest.Tree(t, c, c.Random(draw), draw)
		for h := range c.Class.All() {
			for _, x := range c.Domain {
				if want := inner.Class.Predict(h.Hypothesis, x) != (h.Member == union.Negated); c.Class.Predict(h, x) != want {
					t.Fatalf("%v predicts %v on %v", h, !want, x)
				}
			}
		}
	}
	code := repeated{cards(scorecard.Options{}, scorecard.OneHot(2, 0, 1)).(class.Enumerable[record, card]), 4}
	closed := union.Closure(code)
	if m, d := class.SeparatorBits(closed), class.Distance(closed); m != 8+4 || d != 4 {
		t.Errorf("the closure of an 8-bit code at distance 4 has %d bits at distance %d", m, d)
	}
}

// If the exact penalty is slightly above an integer, it is rounded up, so that the total weight of
// the larger class does not exceed that of the smaller one.
func TestBalancedRoundsUp(t *testing.T) {
	two := []explicit.Hypothesis[record]{
		{Name: "0", Predict: func(record) bool { return false }}, {Name: "1", Predict: func(record) bool { return true }},
	}
	c, err := explicit.New(two, explicit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	below, _ := new(big.Rat).SetString("0.693147180559945309417232121458") // ln 2, rounded down
	above, _ := new(big.Rat).SetString("0.693147180559945309417232")
	above.Add(above, big.NewRat(1, 1e18))
	for want, lambda := range map[int64]*big.Rat{2: below, 1: above} {
		members, err := union.Balanced(lambda, constant(t, true), class.Erase(class.Class[record, int](c)))
		if err != nil {
			t.Fatal(err)
		}
		if members[0].Penalty != 0 || members[1].Penalty != want {
			t.Errorf("λ = %s: penalties %d and %d", lambda.FloatString(30), members[0].Penalty, members[1].Penalty)
		}
	}
}

func TestBalanced(t *testing.T) {
	var classes []class.Class[record, any]
	sizes := []int{1, 2, 3, 30, 700}
	for _, n := range sizes {
		classes = append(classes, erased(cards(scorecard.Options{}, scorecard.OneHot(n, 0, 2))))
	}
	for _, rate := range []string{"1/10", "1", "3/7", "5", "1/1000"} {
		lambda, _ := new(big.Rat).SetString(rate)
		members, err := union.Balanced(lambda, classes...)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := lambda.Float64()
		for i, m := range members {
			if want := int64(math.Ceil(float64(sizes[i]-1) * math.Log(3) / l)); m.Penalty != want {
				t.Errorf("rate %s, 3^%d hypotheses: penalty %d instead of %d", rate, sizes[i], m.Penalty, want)
			}
		}
	}
	for _, rate := range []int64{0, -1} {
		if _, err := union.Balanced(big.NewRat(rate, 1), classes...); err == nil {
			t.Errorf("rate %d is taken", rate)
		}
	}
	if _, err := union.Balanced(big.NewRat(1, 1<<50), classes...); err == nil {
		t.Error("penalties beyond 2^40 are taken")
	}
	if _, err := union.Balanced[record, any](big.NewRat(1, 1)); err == nil {
		t.Error("no class is taken")
	}
}

// A sample from a union includes the selected class.
func ExampleNew() {
	short := cards(scorecard.Options{Threshold: 1, Most: 1}, scorecard.OneHot(2, -1, 1), scorecard.OneHot(2, -1, 1))
	long := cards(scorecard.Options{Threshold: 1}, scorecard.OneHot(2, -2, 2), scorecard.OneHot(2, -2, 2))
	members, err := union.Balanced(big.NewRat(1, 2), class.Erase(short), class.Erase(long))
	if err != nil {
		panic(err)
	}
	c, err := union.New(members...)
	if err != nil {
		panic(err)
	}
	fmt.Println(members[0].Penalty, members[1].Penalty, c.Size(), class.SeparatorBits(c))
	// Output: 0 8 642 17
}
