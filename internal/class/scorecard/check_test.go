package scorecard_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
)

func TestCheckerRefusesPlans(t *testing.T) {
	c, err := scorecard.New([]scorecard.Attribute{
		scorecard.OneHot(3, -1, 1), scorecard.OneHot(2, -1, 1), scorecard.Numeric([]int{0, 1}, -1, 1),
	}, scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	points := problem{}
	for i, x := range classtest.Records([]int{3, 2, 2}) {
		points.Points = append(points.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i % 3), int64(i % 4)}})
	}
	terms := points
	terms.Terms = make([]int64, c.Separator())
	terms.Terms[0] = 1
	// Steps decide attributes 0 and 2; attribute 1 is last.
	plan := []int{0, 1, -1, 1, 4, 0, 1, 0, 2, 2, 0, 2, 1, 1, 0}
	uncoded := []int{-1, -1, -1, 1, 5, 0, 1, 0, 2, 2, 0, 2, 1, 0, 0, 1, 0, 1, 1}
	for _, good := range []struct {
		p    problem
		plan []int
	}{{points, plan}, {points, uncoded}, {terms, uncoded}} {
		if _, err := c.Checker(good.p, good.plan); err != nil {
			t.Fatalf("a good plan %v is refused: %v", good.plan, err)
		}
	}
	with := func(at, v int) []int {
		changed := slices.Clone(plan)
		changed[at] = v
		return changed
	}
	for name, bad := range map[string]struct {
		p    problem
		plan []int
	}{
		"none":                          {points, nil},
		"too short for the head":        {points, plan[:4]},
		"one decision short":            {points, plan[:13]},
		"one entry short":               {points, plan[:14]},
		"one entry more":                {points, append(slices.Clone(plan), 0)},
		"one decision more":             {points, append(slices.Clone(plan), 0, 1)},
		"reference beyond the range":    {points, with(0, 3)},
		"reference below the range":     {points, with(0, -2)},
		"reference of a list":           {points, []int{0, 1, 0, 1, 3, 0, 1, 0, 2, 2, 1, 1, 0}},
		"no such last attribute":        {points, with(3, 3)},
		"negative last attribute":       {points, with(3, -1)},
		"negative steps":                {points, with(4, -1)},
		"more steps than decisions":     {points, with(4, 6)},
		"most steps":                    {points, with(4, math.MaxInt)},
		"no such attribute":             {points, with(5, 3)},
		"negative attribute":            {points, with(5, -1)},
		"no such category":              {points, with(6, 3)},
		"negative category":             {points, with(6, -1)},
		"a decision twice":              {points, with(6, 2)},
		"the reference decided":         {points, with(6, 0)},
		"a category that matters, left": {points, with(4, 3)},
		"another last attribute":        {points, with(3, 0)},
		"reference coding with terms":   {terms, plan},
		"terms of a category left":      {problem{Terms: terms.Terms}, []int{-1, -1, -1, 1, 0, 0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 2, 0, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Checker(bad.p, bad.plan)
			if err == nil {
				t.Fatalf("plan %v is taken", bad.plan)
			}
			t.Log(err)
		})
	}
	for name, p := range map[string]problem{
		"a record too short":      {Points: []class.Point[record]{{X: record{0, 0}}}},
		"a category out of range": {Points: []class.Point[record]{{X: record{0, 0, 2}}}},
		"too few terms":           {Terms: []int64{1}},
	} {
		if _, err := c.Checker(p, uncoded); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := c.Checker(problem{Points: []class.Point[record]{{X: record{0, 0, 0}, Cost: [2]int64{1 << 61, 1}}}}, plan); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond 62 bits: %v", err)
	}
}

// The best contribution of a list with gaps may lie between the least and the greatest one: here
// only contribution 0 distinguishes two records whose other totals are -1 and 1.
func TestCheckerTriesAllOfAList(t *testing.T) {
	sign := scorecard.OneHot(2, -1, 1)
	c, err := scorecard.New([]scorecard.Attribute{scorecard.Vectors([][]int{{-4, -4}, {0, 0}, {4, 4}}), sign, sign}, scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := problem{Points: []class.Point[record]{{X: record{0, 0, 0}, Cost: [2]int64{0, 5}}, {X: record{0, 1, 0}, Cost: [2]int64{5, 0}}}}
	k, err := c.Checker(p, []int{-1, -1, -1, 2, 4, 1, 0, 1, 1, 0, 0, 0, 1, 2, 0, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	if leaves, least := searchtest.LeastLeaf(t, k); int64(leaves) != c.Size().Int64() || least != 0 {
		t.Errorf("%d leaves, the least at %d; the class has %v, the least at 0", leaves, least, c.Size())
	}
}

// The penalties of all attributes together, in the problem's unit, must fit 62 bits together with
// the costs.
func TestPenaltiesInRange(t *testing.T) {
	sign := scorecard.OneHot(2, -1, 1)
	c, err := scorecard.New([]scorecard.Attribute{sign, sign, sign}, scorecard.Options{Penalty: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for unit, ok := range map[int64]bool{1 << 39: true, 1<<41/3 - 1: true, 1<<41/3 + 1: false, 1 << 41: false} {
		p := problem{Unit: unit}
		tree, err := c.Tree(p)
		if ok != (err == nil) || err != nil && !errors.Is(err, class.ErrRange) {
			t.Errorf("unit %d: %v", unit, err)
		}
		if err == nil && tree.Ceiling() < 3<<20*unit {
			t.Errorf("unit %d: ceiling %d", unit, tree.Ceiling())
		}
		if _, err := c.Checker(p, []int{0, 0, 0, 2, 3, 0, 1, 1, 1, 2, 1}); ok != (err == nil) {
			t.Errorf("unit %d: the checker: %v", unit, err)
		}
	}
}

// FuzzPlan passes arbitrary plans to the checker, for a problem with terms and one without. The
// checker must either refuse a plan, or walk a tree with as many leaves as the class has cards and
// with the true minimum.
func FuzzPlan(f *testing.F) {
	cases := scorecardtest.Fixed()
	var names []string
	for name, c := range cases {
		if c.Class.Size().Int64() <= 800 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	problems := func(c scorecardtest.Case) []problem {
		p := problem{}
		for i, x := range c.Domain {
			p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 5), int64(i * 2 % 3)}})
		}
		p.Points = p.Points[:len(p.Points)*2/3]
		withTerms := p
		for i := range class.SeparatorBits(c.Class) {
			withTerms.Terms = append(withTerms.Terms, int64(i%3)-1)
		}
		return []problem{p, withTerms}
	}
	encode := func(plan []int) []byte {
		var out []byte
		for _, v := range plan {
			out = binary.AppendVarint(out, int64(v))
		}
		return out
	}
	for i, name := range names {
		for j, p := range problems(cases[name]) {
			tree, err := cases[name].Class.Tree(p)
			if err != nil {
				f.Fatal(err)
			}
			plan := tree.Plan()
			f.Add(uint8(2*i+j), encode(plan))
			reversed := slices.Clone(plan)
			k := len(cases[name].Domain[0])
			slices.Reverse(reversed[k+2:])
			f.Add(uint8(2*i+j), encode(reversed))
			for at := range k + 2 {
				changed := slices.Clone(plan)
				changed[at]--
				f.Add(uint8(2*i+j), encode(changed))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, encoded []byte) {
		c := cases[names[int(which/2)%len(names)]]
		p := problems(c)[which%2]
		var plan []int
		for len(encoded) > 0 {
			v, n := binary.Varint(encoded)
			if n <= 0 {
				break
			}
			plan, encoded = append(plan, int(v)), encoded[n:]
		}
		k, err := c.Class.Checker(p, plan)
		if err != nil {
			return
		}
		least := int64(math.MaxInt64)
		for h := range c.Class.All() {
			least = min(least, class.Cost(class.Class[record, scorecard.Card](c.Class), p, h))
		}
		leaves, found := searchtest.LeastLeaf(t, k)
		if int64(leaves) != c.Class.Size().Int64() || found != least {
			t.Fatalf("plan %v: %d leaves, the least at %d; the class has %v, the least at %d", plan, leaves, found, c.Class.Size(), least)
		}
	})
}

// Thresholds at both ends of the range are valid, and those beyond it are not.
func TestThresholdsInRange(t *testing.T) {
	for threshold, ok := range map[int]bool{-1<<20 - 1: false, -1 << 20: true, 1 << 20: true, 1<<20 + 1: false} {
		_, err := scorecard.New([]scorecard.Attribute{scorecard.OneHot(2, -1, 1)}, scorecard.Options{Threshold: threshold})
		if ok != (err == nil) {
			t.Errorf("threshold %d: %v", threshold, err)
		}
	}
}
