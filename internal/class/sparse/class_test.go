package sparse_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/sparse/sparsetest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

func suite() classtest.Suite[[]uint16, sparse.Card] {
	return classtest.Suite[[]uint16, sparse.Card]{
		Fixed:  sparsetest.Fixed(),
		Random: func(draw classtest.Draw) sparsetest.Case { return sparsetest.Random(draw, 400) },
		Seeds:  heavy.Pick(70, 200), Wrong: "the second of two",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestDistance(t *testing.T) {
	for _, c := range sparsetest.Fixed() {
		classtest.Distance(t, c)
	}
}

// The card that a hypothesis and the base produce predicts like the hypothesis, and is the base of
// the next draw.
func TestPoints(t *testing.T) {
	for name, k := range sparsetest.Fixed() {
		c := k.Class.(*sparse.Class)
		for h := range c.All() {
			card := c.Points(h)
			for _, x := range k.Domain {
				if c.Predict(h, x) != (card.Total(x) >= c.Options().Threshold) {
					t.Fatalf("%s: %v makes %v, which predicts otherwise on %v", name, h, card, x)
				}
			}
			next := c.Next(h)
			if again := next.Points(h); !slices.EqualFunc(again.Points, card.Points, slices.Equal) {
				t.Fatalf("%s: %v after itself makes %v instead of %v", name, h, again, card)
			}
		}
	}
}

// Every attribute of any schema is in some set, with groups of adjacent categories of nearly equal
// size.
func TestEveryAttribute(t *testing.T) {
	sizes := []int{1, 2, 15, 16, 17, 42, 65535}
	c, err := sparse.New(sparse.Options{Sizes: sizes, Most: 3, Points: 1, Draws: 1})
	if err != nil {
		t.Fatal(err)
	}
	for j, n := range sizes {
		points := make([]int, min(n, sparse.MostGroups))
		for g := range points {
			points[g] = g % 2
		}
		h := sparse.Card{Attributes: []int{j}, Points: [][]int{points}}
		if !c.Contains(h) {
			t.Errorf("no card is on attribute %d alone", j+1)
			continue
		}
		runs, longest, run := 1, 1, 1
		of := c.Points(h).Points[j]
		for i := 1; i < len(of); i++ {
			if run++; of[i] != of[i-1] {
				runs, run = runs+1, 1
			}
			longest = max(longest, run)
		}
		if want := (n + len(points) - 1) / len(points); runs != len(points) || longest != want {
			t.Errorf("%d categories: %d groups of up to %d, not %d of up to %d", n, runs, longest, len(points), want)
		}
	}
}

// Without data, each number of attributes has the same total weight, and all sets with the same
// number of attributes have equal weights.
func TestCharges(t *testing.T) {
	lambda := big.NewRat(1, 1000) // small enough to make rounding invisible
	c, err := sparse.New(sparse.Options{Sizes: []int{2, 2, 3}, Most: 2, Points: 1, Draws: 1, Rate: lambda})
	if err != nil {
		t.Fatal(err)
	}
	mass := map[string]float64{}
	for h := range c.All() {
		mass[fmt.Sprint(h.Attributes)] += math.Exp(-float64(c.Penalty(h)) / 1000)
	}
	for s, m := range mass {
		if ratio := m / mass["[0]"]; ratio < 0.998 || ratio > 1.002 {
			t.Errorf("the cards on %s weigh %v times those on [0]", s, ratio)
		}
	}
	if len(mass) != 6 {
		t.Errorf("%d sets instead of 6", len(mass))
	}
	more, err := sparse.New(sparse.Options{Sizes: []int{2, 2, 2, 2}, Most: 2, Points: 1, Draws: 1, Rate: lambda})
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]float64{}
	for h := range more.All() {
		of[len(h.Attributes)] += math.Exp(-float64(more.Penalty(h)) / 1000)
	}
	if ratio := of[2] / of[1]; ratio < 0.998 || ratio > 1.002 {
		t.Errorf("the cards on two attributes weigh %v times those on one", ratio)
	}
	weight, _ := more.TotalWeight().Float64()
	if ratio := weight / (of[1] + of[2]); ratio < 0.998 || ratio > 1.002 {
		t.Errorf("the cards are said to weigh %v times what they do", ratio)
	}
	free, err := sparse.New(sparse.Options{Sizes: []int{2, 2, 2, 2}, Most: 2, Points: 1, Draws: 1})
	if err != nil || free.TotalWeight().Cmp(free.Size()) != 0 {
		t.Errorf("%v cards without charges weigh as %v, %v", free.Size(), free.TotalWeight(), err)
	}
}

// Work counts a tenth of a unit for each record and each attribute of each set, and 1.5 units for
// each cell of the tables.
func TestWork(t *testing.T) {
	for want, o := range map[int64]sparse.Options{
		// The sets {0}, {1} and {0, 1} have 2, 3 and 6 cells: 100·(3+3+4) + 1.5·11. With two draws
		// there are 10 totals, and ten times as many cells.
		1016: {Sizes: []int{2, 3}, Most: 2, Points: 1, Draws: 1},
		1165: {Sizes: []int{2, 3}, Most: 2, Points: 1, Draws: 2},
	} {
		c, err := sparse.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Work(1000); got != want {
			t.Errorf("%d draws: %d, not %d", o.Draws, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := sparse.Options{Sizes: []int{2, 3}, Most: 1, Points: 1, Draws: 1}
	if _, err := sparse.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*sparse.Options){
		"no attributes":            func(o *sparse.Options) { o.Sizes = nil },
		"an attribute of none":     func(o *sparse.Options) { o.Sizes = []int{2, 0} },
		"too many categories":      func(o *sparse.Options) { o.Sizes = []int{1 << 16} },
		"none at a time":           func(o *sparse.Options) { o.Most = 0 },
		"seven at a time":          func(o *sparse.Options) { o.Most = 7 },
		"no points":                func(o *sparse.Options) { o.Points = 0 },
		"too many points":          func(o *sparse.Options) { o.Points = 21 },
		"negative groups":          func(o *sparse.Options) { o.Groups = -1 },
		"too many groups":          func(o *sparse.Options) { o.Groups = 17 },
		"no draws":                 func(o *sparse.Options) { o.Draws = 0 },
		"too many draws":           func(o *sparse.Options) { o.Draws = 101 },
		"a threshold out of range": func(o *sparse.Options) { o.Threshold = 1<<20 + 1 },
		"a rate of 0":              func(o *sparse.Options) { o.Rate = new(big.Rat) },
		"a rate too small":         func(o *sparse.Options) { o.Rate = big.NewRat(1, 1<<50) },
		"too many sets":            func(o *sparse.Options) { o.Sizes, o.Most = slices.Repeat([]int{2}, 200), 2 },
	} {
		o := good
		change(&o)
		if _, err := sparse.New(o); err == nil {
			t.Errorf("%s is taken", name)
		} else {
			t.Log(err)
		}
	}
}

// The class contains sets with 36 groups in total, but none with more. Thresholds at both ends of
// the range are valid.
func TestNewTakesLimits(t *testing.T) {
	for _, threshold := range []int{-1 << 20, 1 << 20} {
		if _, err := sparse.New(sparse.Options{Sizes: []int{2, 3}, Most: 1, Points: 1, Draws: 1, Threshold: threshold}); err != nil {
			t.Error(err)
		}
	}
	for last, want := range map[int]int{4: 4 + 6 + 4, 5: 4 + 6 + 2} {
		c, err := sparse.New(sparse.Options{Sizes: []int{16, 16, last, last}, Most: 3, Points: 1, Draws: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Sets(); got != want {
			t.Errorf("%d groups of the last two attributes: %d sets, not %d", last, got, want)
		}
	}
}

// The layouts of the classes of all draws are equal, since the base of a later draw is not a public
// parameter of a release.
func TestLayoutOfLaterDraws(t *testing.T) {
	c, err := sparse.New(sparse.Options{Sizes: []int{3, 4, 2}, Most: 2, Points: 2, Draws: 2})
	if err != nil {
		t.Fatal(err)
	}
	next := c.Next(sparse.Card{Attributes: []int{0, 1}, Points: [][]int{{2, 2, 2}, {-2, 0, 1, 2}}})
	for _, records := range []int64{0, 10, 1000} {
		if a, b := c.Layout(records), next.Layout(records); a != b {
			t.Errorf("%+v at first, %+v later", a, b)
		}
	}
}

// The least prior is the prior of a card on the set with the greatest charge, computed by
// enumeration.
func TestLeastPrior(t *testing.T) {
	lambda := big.NewRat(1, 3)
	c, err := sparse.New(sparse.Options{Sizes: []int{2, 2, 3}, Most: 2, Points: 1, Draws: 2, Rate: lambda})
	if err != nil {
		t.Fatal(err)
	}
	sum, least := 0.0, 1.0
	for h := range c.All() {
		weight := math.Exp(-float64(c.Penalty(h)) / 3)
		sum, least = sum+weight, min(least, weight)
	}
	if got, want := c.LeastPrior(lambda), math.Log(least/sum); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v instead of %v", got, want)
	}
}

func TestReaches(t *testing.T) {
	c, err := sparse.New(sparse.Options{Sizes: []int{2, 4}, Groups: 2, Most: 1, Points: 1, Draws: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]struct {
		points [][]int
		want   bool
	}{
		"nothing":                 {[][]int{{0, 0}, {0, 0, 0, 0}}, true},
		"one attribute":           {[][]int{{0, 0}, {1, 1, -1, -1}}, true},
		"two of one draw":         {[][]int{{0, 1}, {1, 1, -1, -1}}, false},
		"too many points":         {[][]int{{0, 2}, {0, 0, 0, 0}}, false},
		"unlike in one group":     {[][]int{{0, 0}, {1, 0, -1, -1}}, false},
		"unlike in the last pair": {[][]int{{0, 0}, {0, 0, 0, 1}}, false},
	} {
		if got := c.Reaches(scorecard.Card{Points: k.points}); got != k.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The totals of records under a base may differ by more than 256, and each of them is
// distinguished.
func TestWideTotals(t *testing.T) {
	o := sparse.Options{Sizes: []int{2, 2, 2, 2}, Most: 4, Points: 20, Threshold: -60, Draws: 2}
	c, err := sparse.New(o)
	if err != nil {
		t.Fatal(err)
	}
	most := []int{20, 20}
	after := c.Next(sparse.Card{[]int{0, 1, 2, 3}, [][]int{most, most, most, most}})
	p := class.Problem[[]uint16]{Points: []class.Point[[]uint16]{
		{X: []uint16{0, 0, 0, 0}, Cost: [2]int64{7, 0}}, {X: []uint16{1, 0, 0, 1}, Cost: [2]int64{0, 5}},
	}}
	tree, err := after.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	walker := tree.Walker()
	for walker.Children() > 0 {
		if _, entered := walker.Down(0, tree.Ceiling()); !entered {
			t.Fatal("the first child costs more than the ceiling")
		}
	}
	if cost := class.Cost(after, p, walker.Hypothesis()); walker.Bound() != cost {
		t.Errorf("%v costs %d, and its bound is %d", walker.Hypothesis(), cost, walker.Bound())
	}
}
