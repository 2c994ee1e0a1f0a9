package scorecard_test

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// Two attributes with three and two categories and points -1, 0 and 1, where the points for age
// must not decrease, and threshold 1.
func Example() {
	cards, err := scorecard.New([]scorecard.Attribute{
		scorecard.OneHot(3, -1, 1).Monotone([]int{0, 1, 2}), // age: young, middle, old
		scorecard.OneHot(2, -1, 1),                          // admission: planned, emergency
	}, scorecard.Options{Threshold: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cards.Size(), "cards")

	card := scorecard.Card{Points: [][]int{{-1, 0, 1}, {0, 1}}}
	fmt.Println("in the class:", cards.Contains(card))
	young, old := []uint16{0, 1}, []uint16{2, 1} // both by emergency
	fmt.Println("young:", card.Total(young), cards.Predict(card, young))
	fmt.Println("old:", card.Total(old), cards.Predict(card, old))
	// Output:
	// 90 cards
	// in the class: true
	// young: 0 false
	// old: 2 true
}
