package explicit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit/explicittest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

func ExampleNew() {
	c, err := explicit.New([]explicit.Hypothesis[string]{
		{Name: "never", Predict: func(string) bool { return false }},
		{Name: "says free", Predict: func(s string) bool { return strings.Contains(s, "free") }},
		{Name: "shouts", Predict: func(s string) bool { return s == strings.ToUpper(s) }, Penalty: 1},
	}, explicit.Options{})
	if err != nil {
		panic(err)
	}
	spam := func(s string, n int64) class.Point[string] { return class.Point[string]{X: s, Cost: [2]int64{n, 0}} }
	ham := func(s string, n int64) class.Point[string] { return class.Point[string]{X: s, Cost: [2]int64{0, n}} }
	tree, err := c.Tree(class.Problem[string]{Points: []class.Point[string]{
		spam("free money", 3), spam("MONEY", 2), ham("are you free?", 1), ham("see you", 4),
	}})
	if err != nil {
		panic(err)
	}
	best, cost := tree.Incumbent()
	fmt.Println(c, "-", c.Name(best), cost)
	// Output: 3 listed hypotheses, penalties up to 1 - says free 3
}

func hypothesis(penalty int64) explicit.Hypothesis[int] {
	return explicit.Hypothesis[int]{Name: "all", Predict: func(int) bool { return true }, Penalty: penalty}
}

func TestNewRefuses(t *testing.T) {
	two := []explicit.Hypothesis[int]{hypothesis(0), hypothesis(1)}
	for what, c := range map[string]struct {
		hypotheses []explicit.Hypothesis[int]
		code       [][]bool
	}{
		"no hypotheses":       {nil, nil},
		"no prediction":       {[]explicit.Hypothesis[int]{{Name: "none"}}, nil},
		"a negative penalty":  {[]explicit.Hypothesis[int]{hypothesis(-1)}, nil},
		"a large penalty":     {[]explicit.Hypothesis[int]{hypothesis(1<<40 + 1)}, nil},
		"a codeword too few":  {two, [][]bool{{true}}},
		"a codeword too many": {two, [][]bool{{true}, {false}, {true}}},
		"no codewords":        {two, [][]bool{}},
		"a short codeword":    {two, [][]bool{{true, true}, {false}}},
		"equal codewords":     {two, [][]bool{{true, true}, {true, true}}},
		"empty codewords":     {two, [][]bool{{}, {}}},
	} {
		if _, err := explicit.New(c.hypotheses, explicit.Options{Code: c.code}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: New returned the error %v; want an error of one line", what, err)
		}
	}
}

func TestLabellings(t *testing.T) {
	domain := []string{"a", "b", "c"}
	same := func(s string) string { return s }
	hs, err := explicit.Labellings(domain, same, []explicit.Labelling{{Name: "b", Labels: []bool{false, true, false}}, {Name: "not b", Labels: []bool{true, false, true}}})
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[string][]bool{"a": {false, true}, "b": {true, false}, "c": {false, true}, "z": {false, false}} {
		if got := []bool{hs[0].Predict(x), hs[1].Predict(x)}; !slices.Equal(got, want) {
			t.Errorf("record %s: predictions %v", x, got)
		}
	}
	if _, err := explicit.Labellings(domain, same, []explicit.Labelling{{Labels: []bool{true}}}); err == nil {
		t.Error("Labellings accepted a hypothesis with fewer labels than domain records")
	}
	if _, err := explicit.Labellings(domain, func(string) int { return 0 }, nil); err == nil {
		t.Error("Labellings accepted a domain with equal keys")
	}
}

// The distance of a code agrees with a comparison of all pairs bit by bit.
func TestDistance(t *testing.T) {
	for seed := range 200 {
		c := explicittest.Random(classtest.FromSeed(seed), 40).Class
		n := int(c.Size().Int64())
		least := class.SeparatorBits(c)
		for a := range n {
			for b := range a {
				d := 0
				for i, set := range class.Separate(c, a) {
					if set != class.Separate(c, b)[i] {
						d++
					}
				}
				least = min(least, d)
			}
		}
		if n == 1 {
			least = 1
		}
		if got := class.Distance(c); got > least || c.(*explicit.Class[record]).Distance() != got {
			t.Errorf("%v: Distance is %d, but the minimum over all pairs is %d", c, got, least)
		}
	}
	if c := explicittest.Fixed()["a code of 63 bits"].Class; class.SeparatorBits(c) != 63 || class.Distance(c) != 32 {
		t.Errorf("wrong distance or length of the simplex code: %v", c)
	}
}

// tables is a class whose table of costs is modified by a function.
type tables struct {
	class.Tabular[record, int]
	change func(p class.Problem[record], costs []int64)
}

func (c tables) Tabulate(p class.Problem[record]) ([]int64, error) {
	costs, err := c.Tabular.Tabulate(p)
	if err == nil {
		c.change(p, costs)
	}
	return costs, err
}

func TestTreeSuiteFails(t *testing.T) {
	c := explicittest.Fixed()["three with penalties"]
	for what, change := range map[string]func(p class.Problem[record], costs []int64){
		"a cost too low":  func(_ class.Problem[record], costs []int64) { costs[2]-- },
		"a cost too high": func(_ class.Problem[record], costs []int64) { costs[0]++ },
		"no regard to the unit": func(p class.Problem[record], costs []int64) {
			for h := range costs {
				costs[h] -= (p.PenaltyUnit() - 1) * c.Class.Penalty(h)
			}
		},
		"another order": func(_ class.Problem[record], costs []int64) { slices.Reverse(costs) },
	} {
		wrong, err := tabulated.New(tables{c.Class.(class.Tabular[record, int]), change})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(what, mustfail.Run(t, func(r *mustfail.Recorder) {
			p := class.Problem[record]{Unit: 5}
			for i, x := range c.Domain {
				p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
			}
			classtest.Tree(r, explicittest.Case{Class: wrong, Domain: c.Domain}, p, classtest.FromSeed(1))
		}))
	}
}
