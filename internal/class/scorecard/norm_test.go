package scorecard_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
)

// The class of the paper for 23 columns: its embedding as halfspaces has d + 4 dimensions.
func TestThePapersBall(t *testing.T) {
	sizes := []int{5, 5, 4, 3, 2, 4}
	var columns []numeric.Column
	for _, n := range sizes {
		for range n {
			columns = append(columns, numeric.Bounded(0, 1, 4))
		}
	}
	c, err := scorecard.New(scorecard.Uniform(sizes, -4, 4), scorecard.Options{Threshold: 1, Norm: 23})
	if err != nil {
		t.Fatal(err)
	}
	h, err := numeric.New(columns, []int64{1}, numeric.Options{Norm: 23, NormBits: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.Size().Cmp(h.Size()) != 0 || c.Separator() != h.Separator() || c.Embedding().Sphere() != h.Embedding().Sphere() {
		t.Errorf("%v cards, %d bits, %+v; %v halfspaces, %d bits, %+v",
			c.Size(), c.Separator(), c.Embedding().Sphere(), h.Size(), h.Separator(), h.Embedding().Sphere())
	}
}

func TestNormLimitsRefused(t *testing.T) {
	sign := scorecard.OneHot(2, -1, 1)
	for name, bad := range map[string]struct {
		a scorecard.Attribute
		o scorecard.Options
	}{
		"a negative limit":          {sign, scorecard.Options{Norm: -1}},
		"a limit too large":         {sign, scorecard.Options{Norm: 1<<10 + 1}},
		"too many choices":          {scorecard.OneHot(1<<12, -1, 1), scorecard.Options{Norm: 1 << 10}},
		"a limit that leaves none":  {scorecard.OneHot(2, 1, 2), scorecard.Options{Norm: 1}},
		"a limit with a penalty":    {sign, scorecard.Options{Norm: 1, Penalty: 1}},
		"a limit on attributes too": {sign, scorecard.Options{Norm: 1, Most: 1}},
	} {
		if _, err := scorecard.New([]scorecard.Attribute{bad.a}, bad.o); err == nil {
			t.Errorf("%s is taken", name)
		} else {
			t.Log(err)
		}
	}
}

// For any multipliers in a plan, the checker's tree has a leaf for each card of the class, and the
// true minimum cost. The checker refuses multipliers that are too large.
func TestAnyMultipliersAreRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"norm", "norm of all kinds"} {
		c := scorecardtest.Fixed()[name]
		for round := range 20 {
			p := problem{}
			for i, x := range c.Domain {
				p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 5), int64(i*2%3) + 7}})
			}
			if round%2 == 0 {
				for range class.SeparatorBits(c.Class) {
					p.Terms = append(p.Terms, rng.Int64N(9)-4)
				}
			}
			tree, err := c.Class.Tree(p)
			if err != nil {
				t.Fatal(err)
			}
			plan := tree.Plan()
			first := len(plan) - len(c.Domain)
			for i := first; i < len(plan); i++ {
				plan[i] = rng.IntN(21) - 10
			}
			k, err := c.Class.Checker(p, plan)
			if err != nil {
				t.Fatal(err)
			}
			want := int64(1 << 60)
			for h := range c.Class.All() {
				want = min(want, class.Cost(c.Class, p, h))
			}
			if leaves, least := searchtest.LeastLeaf(t, k); int64(leaves) != c.Class.Size().Int64() || least != want {
				t.Fatalf("%s: %d leaves, the least at %d, not %v and %d", name, leaves, least, c.Class.Size(), want)
			}
			const most = min(1<<44, math.MaxInt)
			for _, large := range [][2]int{{most, 1}, {-most, -1}, {math.MinInt, 0}} {
				copy(plan[first:], large[:])
				if _, err := c.Class.Checker(p, plan); err == nil {
					t.Errorf("multipliers of %d are taken", large)
				}
			}
			if _, err := c.Class.Checker(p, plan[:len(plan)-1]); err == nil {
				t.Error("a plan without the last multiplier is taken")
			}
			if half := int64(1) << 43; strconv.IntSize == 64 { // on 32 bits, no two multipliers reach this sum
				plan[first], plan[first+1] = int(half), int(-half-1)
				if _, err := c.Class.Checker(p, plan); err == nil {
					t.Error("multipliers that come to more than 2^44 are taken")
				}
			}
			plan[first], plan[first+1] = 1, 1
			plan[0], plan[1] = plan[2], plan[3]
			if _, err := c.Class.Checker(p, plan); err == nil {
				t.Error("a plan that decides one category twice, and one never, is taken")
			}
		}
	}
}

// At a node that is exact, all cards have the same cost, even if the problem has terms and a category has no record.
func TestExactNorms(t *testing.T) {
	for _, terms := range []bool{false, true} {
		c := scorecardtest.Fixed()["norm"].Class
		var p problem
		if terms {
			for i := range class.SeparatorBits(c) {
				p.Terms = append(p.Terms, int64(i%3+1))
			}
		}
		tree, err := c.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		w, exact := tree.Walker(), 0
		var visit func() (least, most int64)
		visit = func() (least, most int64) {
			if w.Children() == 0 {
				return w.Bound(), w.Bound()
			}
			least, most = math.MaxInt64, math.MinInt64
			now := w.Exact()
			for i := range w.Children() {
				w.Down(i, math.MaxInt64)
				a, b := visit()
				w.Up()
				least, most = min(least, a), max(most, b)
			}
			if now {
				exact++
			}
			if now && least != most {
				t.Fatalf("terms %v: an exact node has costs from %d to %d", terms, least, most)
			}
			return least, most
		}
		visit()
		if !terms && exact == 0 {
			t.Error("no node is exact, but all cards have the cost 0")
		}
	}
}
