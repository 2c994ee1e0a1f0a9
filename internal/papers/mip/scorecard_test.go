package mip

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// sameCosts compares the cost of every scorecard with the cost of its halfspace. ok is false if Scorecards rejects
// the class.
func sameCosts(t *testing.T, c scorecardtest.Case, problems []class.Problem[[]uint16]) (ok bool) {
	t.Helper()
	o, err := Scorecards(c.Class.(*scorecard.Class), nil)
	if err != nil {
		return false
	}
	m := o.(*cards)
	halfspaces := m.halfspaces.class
	if halfspaces.Size().Cmp(c.Class.Size()) != 0 {
		t.Fatalf("%v: %v halfspaces for %v cards", c.Class, halfspaces.Size(), c.Class.Size())
	}
	for _, p := range problems {
		if _, ok := p.Range(); !ok {
			continue
		}
		q, offset := m.problem(p)
		var h numeric.Halfspace
		for h = range halfspaces.All() {
			card := m.card(h)
			if !c.Class.Contains(card) {
				t.Fatalf("%v: %v, decoded from %v, is not a card of the class", c.Class, card, h)
			}
			want := class.Cost(c.Class, p, card)
			if got := class.Cost(halfspaces, q, h) + offset; got != want {
				t.Fatalf("%v, %v: halfspace %v costs %d, but its card %v costs %d", c.Class, p, h, got, card, want)
			}
		}
	}
	return true
}

func TestCardsCostWhatTheirHalfspacesDo(t *testing.T) {
	of := map[string]bool{}
	for name, c := range scorecardtest.Fixed() {
		var problems []class.Problem[[]uint16]
		for _, p := range c.Weird() {
			problems = append(problems, p)
		}
		of[name] = sameCosts(t, c, problems)
	}
	for name, want := range map[string]bool{
		"signs": true, "positive": true, "one card": true, "all constant predictions": true, "one attribute of one category": true,
		"norm": true, "norm of all kinds": false, "monotone": false, "lists": false, "penalty": false, "at most one": false, "all kinds": false,
	} {
		if of[name] != want {
			t.Errorf("%s: accepted %v", name, of[name])
		}
	}
	taken := 0
	for seed := range heavy.Pick(400, 1000) {
		draw := classtest.FromSeed(seed)
		c := scorecardtest.Random(draw, 500)
		if sameCosts(t, c, []class.Problem[[]uint16]{c.Random(draw), c.Random(draw), c.Random(draw)}) {
			taken++
		}
	}
	if taken < 40 {
		t.Errorf("only %d of the classes are accepted", taken)
	}
}

// If each attribute of a class of scorecards has one weight, then the costs, limits and penalties of the scorecards
// equal those of the halfspaces that encode them.
func TestWeightedAttributes(t *testing.T) {
	weighted := []scorecard.Attribute{
		scorecard.Numeric([]int{0, 1, 2}, -1, 2), scorecard.Numeric([]int{-1, 0, 3}, -2, 1),
		scorecard.Numeric([]int{0, 0}, -1, 1), scorecard.Numeric([]int{2, 4}, 1, 1), scorecard.OneHot(1, -1, 1),
	}
	domain := classtest.Records([]int{3, 3, 2, 2, 1})
	for name, o := range map[string]scorecard.Options{
		"plain": {Threshold: 1}, "penalty": {Penalty: 3}, "at most": {Most: 2, Penalty: 1}, "no limit": {Most: 5},
	} {
		c, err := scorecard.New(weighted, o)
		if err != nil {
			t.Fatal(err)
		}
		of := scorecardtest.Case{Class: c, Domain: domain}
		var problems []class.Problem[[]uint16]
		for _, p := range of.Weird() {
			problems = append(problems, p)
		}
		for seed := range 50 {
			problems = append(problems, of.Random(classtest.FromSeed(seed)))
		}
		if !sameCosts(t, of, problems) {
			t.Errorf("%s: Scorecards refused the class", name)
		}
	}
	// A limit that is equal to the number of attributes has no effect and is accepted.
	sign := scorecard.OneHot(3, -1, 1)
	c, err := scorecard.New([]scorecard.Attribute{sign}, scorecard.Options{Most: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !sameCosts(t, scorecardtest.Case{Class: c, Domain: classtest.Records([]int{3})}, nil) {
		t.Error("a limit equal to the number of attributes was refused")
	}
}

func TestCardsKind(t *testing.T) {
	c := scorecardtest.Fixed()["signs"].Class.(*scorecard.Class)
	o, err := Scorecards(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := o.(*cards); m.Kind() != m.halfspaces.Kind() || !m.FloatBound() {
		t.Errorf("wrong kind %v or FloatBound %v", m.Kind(), m.FloatBound())
	}
}
