package union_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/search"
)

type mixedMember = union.MixedMember[record, any]

func treesOver(t *testing.T, outcomes int) class.Tractable[record, any] {
	t.Helper()
	c, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return class.EraseTractable[record](c)
}

// A mixed union contains the hypotheses of its members, and its tree has a final node for each
// tractable member.
func TestMixed(t *testing.T) {
	searched := class.Erase(cards(scorecard.Options{Threshold: 1}, scorecard.Uniform([]int{2}, 0, 1)...))
	trees := treesOver(t, 2)
	u, err := union.NewMixed(mixedMember{Tractable: trees, Penalty: 3}, mixedMember{Searched: searched, Penalty: 2})
	if err != nil {
		t.Fatal(err)
	}
	if u.Size().Int64() != 6+4 || u.Work(5) != trees.Work(5) || u.Layout(5) != trees.Layout(5).And(searched.Layout(5)).And(class.Layout{}) {
		t.Errorf("%v: %v hypotheses, work %d, layout %+v", u, u.Size(), u.Work(5), u.Layout(5))
	}
	parts := u.Parts()
	if one := big.NewRat(1, 1); parts[0].Weight.Cmp(one) != 0 || parts[0].Least.Cmp(big.NewRat(1, 8)) != 0 || parts[0].Penalty != 3 ||
		parts[1].Weight.Cmp(big.NewRat(4, 1)) != 0 || parts[1].Least.Cmp(one) != 0 || parts[1].Penalty != 2 || parts[1].Spread != 0 {
		t.Errorf("parts %+v", parts)
	}
	stump := &dectree.Tree{Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{}}
	for _, c := range []struct {
		h  choice
		in bool
	}{
		{choice{Member: 0, Hypothesis: stump}, true}, {choice{Member: 1, Hypothesis: stump}, false}, {choice{Member: 2, Hypothesis: stump}, false},
		{choice{Member: -1}, false}, {choice{Member: 1, Hypothesis: card{Points: [][]int{{0, 1}}}}, true},
	} {
		if u.Contains(c.h) != c.in || c.in && (!u.Predict(c.h, record{1}) || u.Predict(c.h, record{0})) {
			t.Errorf("%v: %v", c.h, !c.in)
		}
	}
	decay := search.Decay(big.NewRat(1, 2))
	p := problem{Points: []class.Point[record]{{X: record{0}, Cost: [2]int64{0, 5}}, {X: record{1}, Cost: [2]int64{7, 0}}}}
	tree, err := u.Tree(context.Background(), p, decay)
	if err != nil {
		t.Fatal(err)
	}
	w, lambda := tree.Walker(), big.NewRat(1, 2)
	if mass, _ := w.Mass(lambda); w.Children() != 2 || mass != nil || w.Exact() || w.Leaves().Int64() != 4 || w.ChildLeaves(1).Int64() != 4 {
		t.Fatalf("the root has %d children, %v leaves", w.Children(), w.Leaves())
	}
	bound, entered := w.Down(0, math.MinInt64)
	mass, tight := w.Mass(lambda)
	if !entered || !tight || !class.IsFinal(w) {
		t.Fatal("trees are not final")
	}
	if _, least := mass.Bound(); least != 3 || bound != 3 {
		t.Errorf("the mass is bounded from %d and %d", least, bound)
	}
	w.Up()
	if bound, entered = w.Down(1, math.MaxInt64); !entered || bound != 2 || class.IsFinal(w) {
		t.Errorf("cards are final, or bounded from %d", bound)
	}
	w.Up()
	summed, err := union.NewMixed(mixedMember{Tractable: trees, Penalty: 3}, mixedMember{Searched: searched, Summed: summedCard{}, Penalty: 2})
	if err != nil {
		t.Fatal(err)
	}
	if tree, err = summed.Tree(context.Background(), p, decay); err != nil {
		t.Fatal(err)
	}
	if w := tree.Walker(); summed.Work(5) != trees.Work(5)+9 || w.Leaves().Sign() != 0 {
		t.Errorf("a summed member is searched: work %d, %v leaves", summed.Work(5), w.Leaves())
	} else if bound, entered := w.Down(1, math.MinInt64); !entered || bound != 6 || !class.IsFinal(w) {
		t.Errorf("a summed member is not final, or bounded from %d", bound)
	}
	huge := problem{Points: []class.Point[record]{{X: record{0}, Cost: [2]int64{0, math.MaxInt64 / 2}}}}
	if _, err := u.Tree(context.Background(), huge, decay); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond the range: %v", err)
	}
	for name, members := range map[string][]mixedMember{
		"nothing":        nil,
		"nothing walked": {{Tractable: trees}},
		"both":           {{Tractable: trees, Searched: searched}},
		"neither":        {{Searched: searched}, {}},
		"a reward":       {{Searched: searched, Penalty: -1}, {Tractable: trees}},
		"three outcomes": {{Searched: searched}, {Tractable: treesOver(t, 3)}},
	} {
		if _, err := union.NewMixed(members...); err == nil {
			t.Errorf("%s is a union", name)
		}
	}
}

// A summedCard sums up a single hypothesis of cost 4.
type summedCard struct{}

func (summedCard) SumWork(int64) int64 { return 9 }

func (summedCard) Sum(context.Context, problem, func(int64) class.Upper) (class.Mass[any], error) {
	return summedCard{}, nil
}

func (summedCard) Bound() (class.Upper, int64) { return class.One, 4 }

func (summedCard) Descend() class.Descent[any] { panic("descended") }
