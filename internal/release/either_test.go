package release

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
)

// The union of a card and a tree has the running time of both and the memory of the larger, accepts as many rows as
// trees, and consumes a tenth of ε for risks.
func TestEitherTakes(t *testing.T) {
	s := wideSchema(14, 7)
	asked := func(f model.Form, m mechanism.Mechanism) Request {
		none := decimal(t, "0")
		return Request{Schema: s, Form: f, Mechanism: m, Epsilon: decimal(t, "1"), Rows: 10_000, Risk: &none}
	}
	either := asked(model.CardOrTree{Scale: 4, Depth: 4}, nil)
	both := prepared(t, either)
	card := prepared(t, asked(model.Additive{Kind: model.NaiveBayes}, &mechanism.Weighted{}))
	tree := prepared(t, asked(model.DecisionTree{Depth: 4}, nil))
	if got, want := both.Effort.Seconds, card.Effort.Seconds+tree.Effort.Seconds; got < 0.999*want || got > 1.001*want || tree.Effort.Seconds < 0.1 {
		t.Errorf("%g s, and %g s are those of both", got, want)
	}
	if got, want := both.Effort.Bytes, max(card.Effort.Bytes, tree.Effort.Bytes)+8*card.Effort.Cells; got != want {
		t.Errorf("%d bytes, and %d are those of the costs of cards, and of what takes more", got, want)
	}
	if both.most != tree.most || both.Effort.MostRows != tree.most || tree.most >= learn.MostRows {
		t.Errorf("room for %d rows, trees have it for %d", both.most, tree.most)
	}
	either.Rows = tree.most + 1
	if _, err := either.Prepare(); err == nil {
		t.Error("more rows than there is room for")
	}
	either.Rows, either.Risk = 10_000, nil
	if p, err := either.Prepare(); err != nil || p.Risks.String() != "0.1" || p.Guarantee.Epsilon.String() != "1" {
		t.Errorf("risks of %s, a guarantee of %v, %v", p.Risks, p.Guarantee, err)
	}
}
