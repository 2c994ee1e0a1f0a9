package release

import (
	"bytes"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A union with decision trees is balanced unless it has penalties: a searched class of N hypotheses
// has the penalty ln N/λ, trees none. Only the exponential mechanism supports it. Its record is
// checked.
func TestMixedUnion(t *testing.T) {
	tree := model.DecisionTree{Depth: 2}
	ask := Request{Schema: parseSchema(t), Form: model.UnionOf([]model.Form{tree, plain}), Epsilon: decimal(t, "1")}
	zero := decimal(t, "0")
	ask.Risk = &zero
	p, err := ask.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	cards, err := plain.Over(ask.Schema)
	if err != nil {
		t.Fatal(err)
	}
	size, _ := cards.Sampling().Class.Size().Float64()
	members := p.setting.Form.(model.Union).Members
	if members[0].Penalty != 0 || float64(members[1].Penalty) != math.Ceil(math.Log(size)*2) {
		t.Errorf("charges %d and %d for %v cards", members[0].Penalty, members[1].Penalty, size)
	}
	if p.Effort.Search == mechanism.Fixed || p.Effort.Seconds <= 0 {
		t.Errorf("effort %+v", p.Effort)
	}
	ask.Rows = 1000
	plan, err := ask.Plan(nil, false)
	if err != nil || len(plan.Bounds) != 1 || plan.Bounds[0].Name() != "exponential" || plan.Bounds[0].Mean > 1000 {
		t.Fatalf("%+v: %v", plan, err)
	}
	if !strings.HasSuffix(plan.Members[0], "with prior weights that sum to 1 and a penalty of 0 each") {
		t.Errorf("the trees are told as %s", plan.Members[0])
	}
	own := model.Union{Members: []model.Member{{Form: tree}, {Form: plain, Penalty: 5}}}
	ask.Form = own
	if p, err = ask.Prepare(); err != nil || p.setting.Form.(model.Union).Members[1].Penalty != 5 {
		t.Errorf("a charge that was given: %v", err)
	}
	ask.Balanced = true
	if p, err = ask.Prepare(); err != nil || p.setting.Form.(model.Union).Members[1].Penalty != members[1].Penalty {
		t.Errorf("balanced: %v", err)
	}
	ask.Form, ask.Balanced = model.UnionOf([]model.Form{tree}), false
	if _, err = ask.Prepare(); err == nil || err.Error() != "invalid class: a union cannot consist of trees only; add a class of another kind" {
		t.Errorf("trees alone: %v", err)
	}
	if _, err := mechanism.Named(own.Kind(), "rspm"); err == nil {
		t.Error("rspm draws from a class with a prior")
	}
}

// Sparse cards in a union have their internal penalties at the rate of the draw. They are sampled
// in one stage as whole cards. The plan includes the time of counting.
func TestSparseInUnions(t *testing.T) {
	cards, tree := model.Sparse{Attributes: 2, Draws: 1, Points: 1, Threshold: 1}, model.DecisionTree{Depth: 2}
	ask := Request{Schema: parseSchema(t), Form: model.UnionOf([]model.Form{cards, tree}), Epsilon: decimal(t, "1")}
	p := prepared(t, ask)
	members := p.setting.Form.(model.Union).Members
	space, err := cards.Over(ask.Schema)
	if err != nil {
		t.Fatal(err)
	}
	half := big.NewRat(1, 2)
	weight, err := space.Sampling().Staged.Weight(half)
	if err != nil {
		t.Fatal(err)
	}
	of, _ := weight.Float64()
	if m := members[0]; m.Rate == nil || m.Rate.Cmp(half) != 0 || float64(m.Penalty) != math.Ceil(math.Log(of)*2) || members[1].Penalty != 0 || members[1].Rate != nil {
		t.Errorf("%+v, where the cards weigh as %v", members, weight)
	}
	mixed := p.setting.Space.Sampling().Mixed.Mixed()
	stage, err := space.Sampling().Staged.Stage(half, nil)
	if err != nil {
		t.Fatal(err)
	}
	free, err := stage.Tree(class.Problem[table.Record]{})
	if err != nil {
		t.Fatal(err)
	}
	if got := mixed.Parts()[0].Spread; got != free.Ceiling() || got == 0 {
		t.Errorf("cards are charged up to %d within, not %d", got, free.Ceiling())
	}
	drawn := map[int]bool{}
	for range 200 {
		m, err := p.Release(t.Context(), given{table.NewBuilder(ask.Schema.Sizes()).Table()}, Terms{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mechanism.Read(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		drawn[m.Hypothesis.(union.Choice[any]).Member] = true
	}
	if !drawn[0] || !drawn[1] {
		t.Errorf("in 200 draws from an empty table, of either about as likely, members %v", drawn)
	}
	both := ask
	both.Schema, both.Rows = wideSchema(10, 7), 10_000
	alone := both
	alone.Form = cards
	if got := prepared(t, alone).Effort; got.Seconds <= 0 || got.Search != mechanism.Usually {
		t.Errorf("sparse cards take %+v", got)
	}
	if got := prepared(t, both).Effort; got.Seconds <= 0 || got.Search != mechanism.Fixed {
		t.Errorf("a union with cards of two attributes takes %+v", got)
	}
	cards.Attributes = 3
	both.Form = model.UnionOf([]model.Form{cards, tree})
	if got := prepared(t, both).Effort.Search; got != mechanism.Usually {
		t.Errorf("the search of a union with cards of three attributes is %s", got)
	}
	cards.Draws = 2
	ask.Form = model.UnionOf([]model.Form{cards, tree})
	if _, err := ask.Prepare(); err == nil || err.Error() != "in a union, --class sparse supports only one draw; leave --draws out" {
		t.Errorf("two draws: %v", err)
	}
}
