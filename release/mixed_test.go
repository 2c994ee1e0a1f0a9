package release

import (
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/model"
)

// A union with decision trees is balanced unless it has charges: a class of N hypotheses
// that are searched is charged ln N/λ, trees nothing. Its mechanism is the exponential one
// alone, and what it says is believed only if it follows.
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
	size, _ := cards.Class().Size().Float64()
	members := p.setting.form.(model.Union).Members
	if members[0].Penalty != 0 || float64(members[1].Penalty) != math.Ceil(math.Log(size)*2) {
		t.Errorf("charges %d and %d for %v cards", members[0].Penalty, members[1].Penalty, size)
	}
	if p.Effort.Search == Fixed || p.Effort.Seconds <= 0 {
		t.Errorf("effort %+v", p.Effort)
	}
	ask.Rows = 1000
	plan, err := ask.Plan(nil, false)
	if err != nil || len(plan.Bounds) != 1 || plan.Bounds[0].Name() != "exponential" || plan.Bounds[0].Mean > 1000 {
		t.Fatalf("%+v: %v", plan, err)
	}
	if !strings.HasSuffix(plan.Members[0], "weighed by a prior that adds up to 1, and charged 0 each") {
		t.Errorf("the trees are told as %s", plan.Members[0])
	}
	own := model.Union{Members: []model.Member{{Form: tree}, {Form: plain, Penalty: 5}}}
	ask.Form = own
	if p, err = ask.Prepare(); err != nil || p.setting.form.(model.Union).Members[1].Penalty != 5 {
		t.Errorf("a charge that was given: %v", err)
	}
	ask.Balanced = true
	if p, err = ask.Prepare(); err != nil || p.setting.form.(model.Union).Members[1].Penalty != members[1].Penalty {
		t.Errorf("balanced: %v", err)
	}
	ask.Form, ask.Balanced = model.UnionOf([]model.Form{tree}), false
	if _, err = ask.Prepare(); err == nil || err.Error() != "there is no such class: no member is searched, and a union needs one that is" {
		t.Errorf("trees alone: %v", err)
	}
	if _, err := MechanismFor(own.Kind(), "rspm"); err == nil {
		t.Error("rspm draws from a class with a prior")
	}
}
