package lazy_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/lazy"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/search"
)

type (
	record   = []uint16
	problem  = class.Problem[record]
	choice   = union.Choice[scorecard.Card]
	testCase = classtest.Case[record, choice]
)

// A lazily is a union of scorecard classes, with a tree of package lazy. Each part is the tree of a
// member. The bound of a part is the bound of this tree's root minus slack or, if slack is negative,
// the least cost in the member. The size of every tree counts as one byte.
type lazily struct {
	class.Enumerable[record, choice] // the union, which has a separator
	members                          []*scorecard.Class
	penalties                        []int64
	slack                            int64
	room                             int64
	laid                             *[]int // the parts whose trees were built, in that order
}

// own returns the problem of member i, and the cost of the member's cards beyond their cost in this
// problem.
func (c lazily) own(p problem, i int) (problem, int64) {
	extra := c.penalties[i] * p.PenaltyUnit()
	if p.Terms == nil {
		return p, extra
	}
	at := class.NumberBits(len(c.members))
	for b, set := range class.Number(i, at) {
		if set {
			extra += p.Terms[b]
		}
	}
	p.Terms = p.Terms[at : at+c.members[i].Separator()]
	return p, extra
}

func (c lazily) Separator() int           { return class.SeparatorBits(c.Enumerable) }
func (c lazily) Separate(h choice) []bool { return class.Separate(c.Enumerable, h) }

func (c lazily) Tree(p problem) (class.Tree[choice], error) {
	var parts lazy.Parts[choice]
	trees := make([]class.Tree[scorecard.Card], len(c.members))
	parts.Ceiling = math.MinInt64
	for i, m := range c.members {
		own, extra := c.own(p, i)
		inner, err := m.Tree(own)
		if err != nil {
			return nil, err
		}
		if _, ok := p.Spread(slices.Max(c.penalties)); !ok {
			return nil, class.ErrRange
		}
		trees[i] = inner
		parts.List = append(parts.List, lazy.Part{Leaves: m.Size(), Bound: c.bound(inner) + extra, Extra: extra, Bytes: 1})
		parts.Ceiling = max(parts.Ceiling, inner.Ceiling()+extra)
	}
	var mu sync.Mutex
	parts.Build = func(i int) class.Tree[choice] {
		mu.Lock()
		defer mu.Unlock()
		*c.laid = append(*c.laid, i)
		return class.MapTree(trees[i], func(h scorecard.Card) choice { return choice{Member: i, Hypothesis: h} })
	}
	parts.CacheBytes = c.room
	return lazy.New(parts), nil
}

// bound returns the bound of a member with tree t, without the extra cost of the member.
func (c lazily) bound(t class.Tree[scorecard.Card]) int64 {
	if c.slack >= 0 {
		return t.Walker().Bound() - c.slack
	}
	best, err := search.Minimize(context.Background(), t, search.Options{})
	if err != nil {
		panic(err)
	}
	return best.Cost
}

func (c lazily) Checker(p problem, plan []int) (class.Checker, error) {
	return lazy.NewChecker(lazy.Checked{
		Parts: len(c.members),
		Bound: func(i int) int64 {
			own, extra := c.own(p, i)
			t, err := c.members[i].Tree(own)
			if err != nil {
				panic(err)
			}
			return c.bound(t) + extra
		},
		Extra: func(i int) int64 { _, extra := c.own(p, i); return extra },
		Checker: func(i int, plan []int) (class.Checker, error) {
			own, _ := c.own(p, i)
			return c.members[i].Checker(own, plan)
		},
	}, plan)
}

func of(sizes []int, slack, room int64, penalties []int64, members ...*scorecard.Class) testCase {
	c := lazily{members: members, penalties: penalties, slack: slack, room: room, laid: new([]int)}
	var joined []union.Member[record, scorecard.Card]
	for i, m := range members {
		joined = append(joined, union.Member[record, scorecard.Card]{Class: m, Penalty: penalties[i]})
	}
	u, err := union.New(joined...)
	if err != nil {
		panic(err)
	}
	c.Enumerable = u.(class.Enumerable[record, choice])
	return testCase{Class: c, Domain: classtest.Records(sizes)}
}

func cards(threshold int, attributes ...scorecard.Attribute) *scorecard.Class {
	c, err := scorecard.New(attributes, scorecard.Options{Threshold: threshold})
	if err != nil {
		panic(err)
	}
	return c
}

func fixed() map[string]testCase {
	sign, one := scorecard.OneHot(2, -1, 1), scorecard.OneHot(2, 0, 0)
	signs, wide, single := cards(1, sign, sign), cards(0, sign, scorecard.Numeric([]int{0, 2}, -1, 1)), cards(0, one, one)
	sizes := []int{2, 2}
	return map[string]testCase{
		"one part":                  of(sizes, 0, 9, []int64{0}, signs),
		"one hypothesis":            of(sizes, 0, 9, []int64{3}, single),
		"two":                       of(sizes, 0, 9, []int64{0, 2}, signs, wide),
		"nothing is kept":           of(sizes, 0, 0, []int64{1, 0, 2}, signs, wide, single),
		"one is kept":               of(sizes, 0, 1, []int64{1, 0, 2}, signs, wide, signs),
		"a bound too low":           of(sizes, 5, 9, []int64{1, 0, 0}, signs, wide, single),
		"a bound that is the least": of(sizes, -1, 9, []int64{1, 0, 0}, signs, wide, single),
		"single hypotheses":         of(sizes, 0, 1, []int64{1, 0, 0}, single, single, single),
		"with a great extra":        of(sizes, 1, 1, []int64{1 << 40, 0}, wide, signs),
	}
}

func random(draw classtest.Draw) testCase {
	var members []*scorecard.Class
	var penalties []int64
	sizes := []int{draw(1, 3), draw(1, 2)}
	for range draw(1, 4) {
		lo := draw(-2, 0)
		members = append(members, cards(draw(-1, 2), scorecard.OneHot(sizes[0], lo, lo+draw(0, 2)), scorecard.OneHot(sizes[1], -1, draw(-1, 1))))
		penalties = append(penalties, int64(draw(0, 3)))
	}
	return of(sizes, int64(draw(-1, 3)), int64(draw(0, 3)), penalties, members...)
}

func suite() classtest.Suite[record, choice] {
	return classtest.Suite[record, choice]{Fixed: fixed(), Random: random, Seeds: 300, Wrong: "nothing is kept"}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestCertificates(t *testing.T) {
	for seed := range 60 {
		draw := classtest.FromSeed(seed)
		c := random(draw)
		searchtest.Certificates(t, c, c.Random(draw))
	}
}

// The tree of a part is built when a walker enters it, and again when a walker enters it later if
// it was not cached.
func TestLaidOutWhenEntered(t *testing.T) {
	for room, want := range map[int64][]int{0: {1, 2, 1, 2}, 1: {1, 2, 2}, 2: {1, 2}} {
		c := fixed()["nothing is kept"].Class.(lazily)
		c.room = room
		tr, err := c.Tree(problem{})
		if err != nil {
			t.Fatal(err)
		}
		w := tr.Walker()
		visit := func(i int, below bool) {
			w.Down(i, math.MaxInt64)
			w.Leaves()
			w.Bound()
			if below {
				for range 2 { // a walker stores the tree of the part that it entered last
					w.Down(0, math.MaxInt64)
					w.Up()
				}
				if _, entered := w.Down(0, w.Bound()-1); entered {
					t.Error("entered above the limit")
				}
			}
			w.Up()
		}
		visit(0, false)
		visit(1, true)
		visit(2, true)
		visit(1, true)
		visit(2, true)
		if !slices.Equal(*c.laid, want) {
			t.Errorf("with room for %d, laid out %v instead of %v", room, *c.laid, want)
		}
	}
}

// The incumbent is the best of the incumbents of the three parts with the least bounds, in any
// order of the parts. The trees of all other parts are not built.
func TestIncumbent(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {3, 0, 4, 2, 1}, {1, 4, 3, 0, 2}} {
		for slack := range int64(3) { // 0: the bounds are tight
			var laid []int
			parts := lazy.Parts[choice]{Ceiling: 100}
			for _, k := range order {
				parts.List = append(parts.List, lazy.Part{Leaves: big.NewInt(1), Bound: int64(10 * k), Extra: int64(k), Bytes: 1})
			}
			parts.Build = func(i int) class.Tree[choice] {
				laid = append(laid, order[i])
				return known{i, int64(10*order[i]-order[i]) + 12*slack}
			}
			h, cost := lazy.New(parts).Incumbent()
			if least := slices.Index(order, 0); h.Member != least || cost != 12*slack {
				t.Errorf("%v: the incumbent is of part %d and costs %d, not of %d and %d", order, h.Member, cost, least, 12*slack)
			}
			want := []int{0, 1, 2}[:1+slack] // the parts with bounds below the best cost so far
			if !slices.Equal(laid, want) {
				t.Errorf("%v: laid out %v, not %v", order, laid, want)
			}
		}
	}
}

// A known is a tree that has only an incumbent.
type known struct {
	member int
	cost   int64
}

func (k known) Incumbent() (choice, int64)   { return choice{Member: k.member}, k.cost }
func (k known) Walker() class.Walker[choice] { panic("walked") }
func (k known) Plan() []int                  { panic("planned") }
func (k known) Ceiling() int64               { return 100 }

func TestCheckerRefuses(t *testing.T) {
	c := fixed()["two"].Class
	tr, err := c.Tree(problem{})
	if err != nil {
		t.Fatal(err)
	}
	good := tr.Plan()
	for name, plan := range map[string][]int{
		"none":            {},
		"a negative size": append([]int{-1}, good[1:]...),
		"a size too long": append([]int{math.MaxInt}, good[1:]...),
		"one part only":   good[:1+good[0]],
		"a longer plan":   append(good[:len(good):len(good)], 0),
		"a refused part":  append([]int{0}, good[1+good[0]:]...),
	} {
		if _, err := c.Checker(problem{}, plan); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
