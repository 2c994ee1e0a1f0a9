package dual_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/dual"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	record     = []uint16
	card       = scorecard.Card
	problem    = class.Problem[card]
	enumerable = class.Enumerable[card, record]
	testCase   = classtest.Case[card, record]
)

// silent is a primal class that predicts only if all attributes are known.
type silent struct{ class.Class[record, card] }

// swap returns a case of the dual of the primal class. Its hypotheses are the records of the domain of c, and its
// records are every step-th scorecard.
func swap(primal class.Class[record, card], c scorecardtest.Case, step int) testCase {
	var sizes []int
	for _, last := range c.Domain[len(c.Domain)-1] {
		sizes = append(sizes, int(last)+1)
	}
	d, err := dual.New(primal, sizes)
	if err != nil {
		panic(err)
	}
	out := testCase{Class: d}
	i := 0
	for h := range c.Class.All() {
		if i%step == 0 {
			out.Domain = append(out.Domain, h)
		}
		i++
	}
	return out
}

func fixed() map[string]testCase {
	out := map[string]testCase{}
	for name, c := range scorecardtest.Fixed() {
		step := 1 + int(c.Class.Size().Int64())/20
		out[name] = swap(c.Class, c, step)
		out[name+", known in full only"] = swap(silent{c.Class}, c, step)
		out[name+", negated"] = swap(class.Negate(c.Class), c, step)
	}
	return out
}

func random(draw classtest.Draw) testCase {
	c := scorecardtest.Random(draw, 400)
	var primal class.Class[record, card] = c.Class
	if draw(0, 3) == 0 {
		primal = silent{primal}
	}
	return swap(primal, c, 1+int(c.Class.Size().Int64())/draw(1, 40))
}

func suite() classtest.Suite[card, record] {
	return classtest.Suite[card, record]{Fixed: fixed(), Random: random, Seeds: 400, Wrong: "signs"}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestCertificates(t *testing.T) {
	refused, taken := 0, 0
	for seed := range 100 {
		draw := classtest.FromSeed(seed)
		c := random(draw)
		r, k := searchtest.Certificates(t, c, c.Random(draw))
		refused, taken = refused+r, taken+k
	}
	t.Logf("%d changes refused, %d taken that leave a proof", refused, taken)
	if refused == 0 {
		t.Error("no changed certificate was refused")
	}
}

func TestCheckerRefuses(t *testing.T) {
	c := fixed()["signs"].Class // three attributes
	for name, plan := range map[string][]int{
		"none": {}, "an attribute short": {0, 1}, "an attribute more": {0, 1, 2, 2},
		"an attribute twice": {0, 1, 1}, "no such attribute": {0, 1, 3}, "a negative attribute": {0, 1, -1},
	} {
		if _, err := c.Checker(problem{}, plan); err == nil {
			t.Errorf("Checker accepted the plan: %s", name)
		} else {
			t.Log(err)
		}
	}
	if _, err := c.Checker(problem{Terms: []int64{1}}, []int{2, 0, 1}); err == nil {
		t.Error("Checker accepted a problem with one term")
	}
	far := problem{Points: []class.Point[card]{{Cost: [2]int64{1 << 61, 1}}}}
	if _, err := c.Checker(far, []int{2, 0, 1}); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond 62 bits: error %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	c := scorecardtest.Fixed()["signs"].Class
	for name, sizes := range map[string][]int{"no attribute": nil, "no category": {2, 0}, "too many categories": {1<<16 + 1}} {
		if _, err := dual.New(c, sizes); err == nil {
			t.Errorf("New accepted: %s", name)
		} else {
			t.Log(err)
		}
	}
}

func TestContains(t *testing.T) {
	c := fixed()["signs"].Class
	for _, x := range []record{{}, {0, 0}, {0, 0, 2}, {3, 0, 0}, {0, 0, 0, 0}} {
		if c.Contains(x) {
			t.Errorf("Contains accepted %v", x)
		}
	}
}

func TestLargeDomains(t *testing.T) {
	c, err := dual.New(scorecardtest.Fixed()["signs"].Class, []int{1 << 16, 3, 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	if want := new(big.Int).Lsh(big.NewInt(3), 32); c.Size().Cmp(want) != 0 || c.Separator() != 34 {
		t.Errorf("wrong size %v or number of separator bits %d", c.Size(), c.Separator())
	}
}

// The scorecards with points on a single category are a separator set of the dual class, if the primal class
// contains them: any two records get different predictions from one of them.
func TestSeparatorSetOfCards(t *testing.T) {
	primal := scorecardtest.Fixed()["signs"]
	var set []card
	for h := range primal.Class.All() {
		ones, others := 0, 0
		for _, points := range h.Points {
			for _, v := range points {
				if v == 1 {
					ones++
				} else if v != 0 {
					others++
				}
			}
		}
		if ones == 1 && others == 0 {
			set = append(set, h)
		}
	}
	seen := map[string]bool{}
	for _, x := range primal.Domain {
		bits := ""
		for _, h := range set {
			bits += fmt.Sprint(primal.Class.Predict(h, x))
		}
		if seen[bits] {
			t.Fatalf("another record has the same labels as %v", x)
		}
		seen[bits] = true
	}
}

// forgetful is a primal class that does not always repeat a prediction when more attributes are known.
type forgetful struct{ *scorecard.Class }

func (c forgetful) PredictPartial(h card, x []uint16, known []bool) (label, ok bool) {
	n := 0
	for _, k := range known {
		if k {
			n++
		}
	}
	if n == 2 && len(known) == 3 {
		return false, false
	}
	return c.Class.PredictPartial(h, x, known)
}

func TestTreeOfAForgetfulPrimal(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	d := swap(forgetful{c.Class.(*scorecard.Class)}, c, 40)
	classtest.Weird(t, d)
}

func TestWalkAllocatesNothing(t *testing.T) {
	c, p := instance(t, []int{2, 2, 2, 2, 2, 2}, 3, 50)
	tree, err := c.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	if n := testing.AllocsPerRun(10, func() {
		for range 6 {
			w.Down(1, 1<<62)
		}
		for range 6 {
			w.Up()
		}
	}); n != 0 {
		t.Errorf("Down and Up allocate %v times per run", n)
	}
}

// hasty is a wrong primal class that predicts as if every unknown category were the first category.
type hasty struct{ *scorecard.Class }

func (c hasty) PredictPartial(h card, x []uint16, known []bool) (label, ok bool) {
	guess := make([]uint16, len(x))
	for j, k := range known {
		if k {
			guess[j] = x[j]
		}
	}
	return c.Predict(h, guess), true
}

// walked is a dual class in which a function modifies the walkers. checked is a dual class in which a function
// modifies the plan of each checker. termless is a dual class whose trees ignore the terms.
type (
	walked struct {
		enumerable
		change func(class.Walker[record]) class.Walker[record]
	}
	walkedTree struct {
		class.Tree[record]
		change func(class.Walker[record]) class.Walker[record]
	}
	checked struct {
		enumerable
		plan func(plan []int) []int
	}
	termless struct{ enumerable }
)

func (b walked) Separator() int             { return class.SeparatorBits(b.enumerable) }
func (b walked) Separate(h record) []bool   { return class.Separate(b.enumerable, h) }
func (c checked) Separator() int            { return class.SeparatorBits(c.enumerable) }
func (c checked) Separate(h record) []bool  { return class.Separate(c.enumerable, h) }
func (c termless) Separator() int           { return class.SeparatorBits(c.enumerable) }
func (c termless) Separate(h record) []bool { return class.Separate(c.enumerable, h) }

func (b walked) Tree(p problem) (class.Tree[record], error) {
	t, err := b.enumerable.Tree(p)
	return walkedTree{t, b.change}, err
}

func (t walkedTree) Walker() class.Walker[record] { return t.change(t.Tree.Walker()) }

func (c checked) Checker(p problem, plan []int) (class.Checker, error) {
	return c.enumerable.Checker(p, c.plan(plan))
}

func (c termless) Tree(p problem) (class.Tree[record], error) {
	p.Terms = nil
	return c.enumerable.Tree(p)
}

// backwards is a wrong walker that exchanges two attributes.
type backwards struct{ class.Walker[record] }

func (w backwards) Hypothesis() record {
	x := w.Walker.Hypothesis()
	x[0], x[1] = x[1], x[0]
	return x
}

// settled is a wrong walker that reports Exact one attribute too early.
type settled struct{ class.Walker[record] }

func (w settled) Exact() bool { return w.Walker.Exact() || w.Leaves().Cmp(big.NewInt(2)) <= 0 }

// careless is a wrong walker that returns too high a bound for children that it does not enter.
type careless struct{ class.Walker[record] }

func (w careless) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.Walker.Down(i, limit)
	if !entered {
		bound += 3
	}
	return bound, entered
}

func TestSuiteFails(t *testing.T) {
	primal := scorecardtest.Fixed()["signs"]
	good := swap(primal.Class, primal, 37)
	p := problem{Terms: []int64{2, 0, -1, 3}}
	for i, h := range good.Domain {
		p.Points = append(p.Points, class.Point[card]{X: h, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	walk := func(change func(class.Walker[record]) class.Walker[record]) testCase {
		return testCase{Class: walked{good.Class, change}, Domain: good.Domain}
	}
	for name, c := range map[string]testCase{
		"a primal that guesses":     swap(hasty{primal.Class.(*scorecard.Class)}, primal, 37),
		"attributes out of order":   walk(func(w class.Walker[record]) class.Walker[record] { return backwards{w} }),
		"exact too early":           walk(func(w class.Walker[record]) class.Walker[record] { return settled{w} }),
		"refusals too high":         walk(func(w class.Walker[record]) class.Walker[record] { return careless{w} }),
		"terms ignored":             {Class: termless{good.Class}, Domain: good.Domain},
		"a checker of another plan": {Class: checked{good.Class, func(plan []int) []int { return []int{plan[1], plan[0], plan[2]} }}, Domain: good.Domain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Tree(r, c, p, classtest.FromSeed(1)) }))
		})
	}
}

// This example finds the record with the largest weighted sum of queries, as the data player of a query game does.
func ExampleNew() {
	c, err := scorecard.New(scorecard.Uniform([]int{2, 2}, 0, 1), scorecard.Options{Threshold: 2})
	if err != nil {
		panic(err)
	}
	both := card{Points: [][]int{{0, 1}, {0, 1}}}
	neither := card{Points: [][]int{{1, 0}, {1, 0}}}
	d, err := dual.New(c, []int{2, 2})
	if err != nil {
		panic(err)
	}
	tree, err := d.Tree(problem{Points: []class.Point[card]{
		{X: both, Cost: [2]int64{3, 0}}, {X: neither, Cost: [2]int64{2, 0}},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println(tree.Incumbent())
	// Output: [1 1] 2
}
