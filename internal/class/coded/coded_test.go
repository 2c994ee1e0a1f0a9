package coded_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	card       = scorecard.Card
	enumerable = class.Enumerable[record, card]
)

func at(c scorecardtest.Case, h int) scorecardtest.Case {
	code, err := coded.New(c.Class, h)
	if err != nil {
		panic(err)
	}
	c.Class = code.(enumerable)
	return c
}

// suite returns the fixed scorecards with codes of several distances.
func suite() classtest.Suite[record, card] {
	s := classtest.Suite[record, card]{Fixed: map[string]scorecardtest.Case{}}
	for name, c := range scorecardtest.Fixed() {
		if !heavy.On() && name != "signs" && name != "lists" {
			continue // the trees are those of scorecards
		}
		for _, h := range heavy.Pick([]int{2}, []int{1, 2, 5}) {
			s.Fixed[fmt.Sprintf("%s at %d", name, h)] = at(c, h)
		}
	}
	return s
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func TestDistance(t *testing.T) {
	for name, c := range scorecardtest.Fixed() {
		if c.Class.Size().Int64() > 1500 {
			continue
		}
		for _, h := range []int{1, 2, 3, 4, 6} {
			if got := classtest.Distance(t, at(c, h)); got >= 0 && got < h {
				t.Errorf("%s: distance %d instead of %d", name, got, h)
			}
		}
	}
}

func TestRandom(t *testing.T) {
	for seed := range heavy.Pick(20, 200) {
		draw := classtest.FromSeed(seed)
		c := at(scorecardtest.Random(draw, 300), draw(1, 5))
		p := c.Random(draw)
		p.Terms = make([]int64, class.SeparatorBits(c.Class))
		for i := range p.Terms {
			p.Terms[i] = int64(draw(-4, 4))
		}
		classtest.Tree(t, c, p, draw)
		classtest.Distance(t, c)
		if seed < heavy.Pick(3, 20) {
			classtest.Partial(t, c)
			searchtest.Certificates(t, c, p)
		}
	}
}

func TestOracles(t *testing.T) {
	some := classtest.Suite[record, card]{Fixed: map[string]scorecardtest.Case{}}
	for _, name := range heavy.Pick([]string{"signs"}, []string{"signs", "monotone", "all kinds"}) {
		some.Fixed[name] = at(scorecardtest.Fixed()[name], 2)
	}
	oracletest.Own(t, some)
}

// plain is a class that is not Unary. lying has blocks that do not match its separator.
type (
	plain struct{ class.Class[record, card] }
	lying struct {
		class.Class[record, card]
		blocks []int
	}
)

func (l lying) Blocks() []int { return l.blocks }

func TestNewRefuses(t *testing.T) {
	c := scorecardtest.Fixed()["one attribute"].Class
	for name, try := range map[string]struct {
		c class.Class[record, card]
		h int
	}{
		"no blocks":              {plain{c}, 1},
		"a distance of 0":        {c, 0},
		"a distance too great":   {c, 1<<10 + 1},
		"a block without option": {lying{c, []int{9, 0}}, 1},
		"a block short":          {lying{c, []int{3, 3, 3}}, 1},
	} {
		if _, err := coded.New(try.c, try.h); err == nil {
			t.Errorf("%s is taken", name)
		} else {
			t.Log(err)
		}
	}
	code := at(scorecardtest.Fixed()["one attribute"], 2).Class
	if _, err := code.Checker(problem{Terms: []int64{1}}, nil); err == nil {
		t.Error("one term is taken")
	}
}

// The conversion to unary bits multiplies the range of terms by at most T-1.
func TestTermsNearTheRange(t *testing.T) {
	c := at(scorecardtest.Fixed()["one attribute"], 2).Class // T = 3
	for term, fits := range map[int64]bool{1 << 60: true, 1 << 61: false} {
		for i := range class.SeparatorBits(c) {
			p := problem{Terms: make([]int64, class.SeparatorBits(c))}
			p.Terms[i] = term
			if _, err := c.Tree(p); err != nil && (fits || !errors.Is(err, class.ErrRange)) {
				t.Errorf("term %d of %d: %v", i, term, err)
			}
		}
	}
	// The sum of these terms would overflow, and the result would be in range.
	wrapping := problem{Terms: slices.Repeat([]int64{math.MinInt64}, class.SeparatorBits(c))}
	if _, err := c.Tree(wrapping); !errors.Is(err, class.ErrRange) {
		t.Errorf("terms of -2^63: %v", err)
	}
	if _, err := c.Checker(wrapping, nil); !errors.Is(err, class.ErrRange) {
		t.Errorf("the checker, terms of -2^63: %v", err)
	}
}

// A crossed class returns the separator bits in another order than that of the terms.
type crossed struct{ enumerable }

func (c crossed) Separator() int { return class.SeparatorBits(c.enumerable) }

func (c crossed) Separate(h card) []bool {
	set := class.Separate(c.enumerable, h)
	set[0], set[len(set)-1] = set[len(set)-1], set[0]
	return set
}

// A short class returns a Distance that is 1 too large.
type short struct{ enumerable }

func (c short) Separator() int         { return class.SeparatorBits(c.enumerable) }
func (c short) Separate(h card) []bool { return class.Separate(c.enumerable, h) }

func (c short) Distance() int { return class.Distance(c.enumerable) + 1 }

func TestSuitesFail(t *testing.T) {
	c := at(scorecardtest.Fixed()["signs"], 2)
	p := problem{Terms: make([]int64, class.SeparatorBits(c.Class))}
	p.Terms[0] = 3
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
		classtest.Tree(r, scorecardtest.Case{Class: crossed{c.Class}, Domain: c.Domain}, p, classtest.FromSeed(1))
	}))
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
		classtest.Distance(r, scorecardtest.Case{Class: short{c.Class}, Domain: c.Domain})
	}))
}

// TestAdult checks m and h of the codes for the cards of the benchmarks. RSPM's noise on a bit is
// proportional to m/h.
func TestAdult(t *testing.T) {
	for _, points := range []int{1, 2, 3} {
		sizes := census.Schema(t, "adult", "adult-7.toml").Sizes()
		blocks := 0
		for _, n := range sizes {
			blocks += n
		}
		c, err := scorecard.New(scorecard.Uniform(sizes, -points, points), scorecard.Options{Threshold: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []int{1, 2, 4, 8} {
			code, err := coded.New(c, h)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("points -%d..%d: %d bits; at distance %d, %d bits: %.2f for each of distance", points, points, class.SeparatorBits(c), h, class.SeparatorBits(code), float64(class.SeparatorBits(code))/float64(h))
			if points == 1 && h > 1 && class.SeparatorBits(code) != blocks*3*h/2 {
				t.Errorf("%d bits", class.SeparatorBits(code))
			}
		}
	}
}
