package class_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
)

// An erased class has the same distance as its class, and does not contain hypotheses of another
// type.
func TestErase(t *testing.T) {
	c, err := coded.New(scorecardtest.Fixed()["signs"].Class, 2)
	if err != nil {
		t.Fatal(err)
	}
	erased := class.Erase(c)
	if class.Distance(c) != 2 || class.Distance(erased) != 2 || class.SeparatorBits(erased) != class.SeparatorBits(c) {
		t.Errorf("distance %d, erased %d", class.Distance(c), class.Distance(erased))
	}
	if erased.Contains(7) || erased.Contains(scorecard.Card{}) || !erased.Contains(scorecard.Card{Points: [][]int{{0, 0, 0}, {0, 0}, {0, 0}}}) {
		t.Error("an erased class has other hypotheses")
	}
}
