package class_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

// unseparated hides the separator of a class.
type unseparated struct {
	class.Class[[]uint16, scorecard.Card]
}

// A class without a separator has no separator bits and no embedding. The same holds for a class
// that is built from it.
func TestWithoutSeparator(t *testing.T) {
	cards := scorecardtest.Fixed()["signs"].Class
	plain := unseparated{cards}
	negated := class.Negate[[]uint16, scorecard.Card](plain)
	erased := class.Erase[[]uint16, scorecard.Card](plain)
	both, err := union.New(union.Member[[]uint16, any]{Class: class.Erase(cards)}, union.Member[[]uint16, any]{Class: erased})
	if err != nil {
		t.Fatal(err)
	}
	if n := class.SeparatorBits[[]uint16, scorecard.Card](plain); n != -1 {
		t.Errorf("%d bits", n)
	}
	if a, b, c := class.SeparatorBits(negated), class.SeparatorBits(erased), class.SeparatorBits(both); a != -1 || b != -1 || c != -1 {
		t.Errorf("%d bits negated, %d erased, %d in a union", a, b, c)
	}
	if class.EmbeddingOf(negated) != nil || class.EmbeddingOf(erased) != nil || class.EmbeddingOf(both) != nil {
		t.Error("a class without a separator has an embedding")
	}
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
		defer func() {
			if v := recover(); v != nil {
				r.Fatalf("%v", v)
			}
		}()
		class.Separate(negated, scorecard.Card{})
	}))
	if separated := class.Negate(class.Class[[]uint16, scorecard.Card](cards)); class.SeparatorBits(separated) != class.SeparatorBits[[]uint16, scorecard.Card](cards) {
		t.Error("a negated class has another separator")
	}
}
