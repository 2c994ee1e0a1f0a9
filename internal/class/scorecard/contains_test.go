package scorecard_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// TestContains compares Contains with the list of all cards, for the cards of a class without limits.
func TestContains(t *testing.T) {
	attributes := scorecard.Uniform([]int{2, 2, 3}, -1, 1)
	whole, err := scorecard.New(attributes, scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []scorecard.Options{{Threshold: 1, Most: 1}, {Threshold: 1, Most: 2}, {Threshold: 1, Norm: 2}} {
		c, err := scorecard.New(attributes, o)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for h := range c.All() {
			listed[fmt.Sprint(h)] = true
		}
		outside := 0
		for h := range whole.All() {
			if c.Contains(h) != listed[fmt.Sprint(h)] {
				t.Errorf("%+v: Contains(%v) is %t", o, h, c.Contains(h))
			}
			if !listed[fmt.Sprint(h)] {
				outside++
			}
		}
		if outside == 0 || len(listed) == 0 {
			t.Errorf("%+v: %d cards in the class, and %d outside", o, len(listed), outside)
		}
	}
}
