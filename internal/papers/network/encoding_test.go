package network_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

type record = []uint16

// exact checks an encoding by enumeration of all assignments. The allowed assignments must map onto the class. The
// cost of a hypothesis must be the least cost of the assignments that map to it.
func exact[H any](t *testing.T, c class.Enumerable[record, H], e network.Encoding[record, H], p class.Problem[record]) {
	t.Helper()
	n := e.Encode(p)
	assignment := make([]int, len(n.Costs))
	least := map[string]int64{}
	for more := true; more; more = networktest.Next(n, assignment) {
		cost, allowed := n.Cost(assignment)
		if cost-n.Base > n.Spread() {
			t.Fatalf("%v: a cost of %d exceeds the base %d by more than the spread %d", c, cost, n.Base, n.Spread())
		}
		if !n.Valid(assignment) {
			t.Fatalf("%v: assignment %v of a hypothesis is not valid", c, assignment)
		}
		if !allowed {
			continue
		}
		h := e.Decode(assignment)
		if !c.Contains(h) {
			t.Fatalf("%v: assignment %v decodes to %v, which is not in the class", c, assignment, h)
		}
		key := fmt.Sprint(h)
		if best, ok := least[key]; !ok || cost < best {
			least[key] = cost
		}
	}
	for h := range c.All() {
		if cost, ok := least[fmt.Sprint(h)]; !ok || cost != class.Cost(c, p, h) {
			t.Fatalf("%v: %v costs %d, valid %v, in the network; want %d", c, h, cost, ok, class.Cost(c, p, h))
		}
	}
}

func all[H any](t *testing.T, fixed map[string]classtest.Case[record, H], random func(classtest.Draw, int) classtest.Case[record, H], encode func(class.Enumerable[record, H]) network.Encoding[record, H]) {
	for name, c := range fixed {
		t.Run(name, func(t *testing.T) {
			for _, p := range c.Weird() {
				if _, ok := p.Range(); ok {
					exact(t, c.Class, encode(c.Class), p)
				}
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		for seed := range 300 {
			draw := classtest.FromSeed(seed)
			c := random(draw, 1000)
			exact(t, c.Class, encode(c.Class), c.Random(draw))
		}
	})
}

func TestScorecardsAreExact(t *testing.T) {
	all(t, scorecardtest.Fixed(), scorecardtest.Random, func(c class.Enumerable[record, scorecard.Card]) network.Encoding[record, scorecard.Card] {
		return network.Scorecards(c.(*scorecard.Class))
	})
}

func TestConjunctionsAreExact(t *testing.T) {
	all(t, conjunctiontest.Fixed(), conjunctiontest.Random, func(c class.Enumerable[record, conjunction.Formula]) network.Encoding[record, conjunction.Formula] {
		return network.Conjunctions(c.(*conjunction.Class))
	})
}

func TestSpreadIsBounded(t *testing.T) {
	n := &network.Network{}
	for range 20 {
		n.Variable([]int64{0, 1 << 60})
	}
	if n.Spread() != math.MaxInt64 {
		t.Errorf("wrong spread %d", n.Spread())
	}
}

func TestValid(t *testing.T) {
	n := &network.Network{}
	n.Variable([]int64{0, 1})
	for _, wrong := range [][]int{nil, {2}, {-1}, {0, 0}} {
		if n.Valid(wrong) {
			t.Errorf("the assignment %v was accepted as valid", wrong)
		}
	}
}
