package search_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// admissions returns ten records with two attributes, as points with the costs of predicting 0 and
// 1.
func admissions() class.Problem[[]uint16] {
	return class.Problem[[]uint16]{Points: []class.Point[[]uint16]{
		{X: []uint16{0, 0}, Cost: [2]int64{0, 4}},
		{X: []uint16{1, 0}, Cost: [2]int64{1, 2}},
		{X: []uint16{1, 1}, Cost: [2]int64{3, 0}},
	}}
}

func smallCards() (*scorecard.Class, error) {
	return scorecard.New(scorecard.Uniform([]int{2, 2}, -1, 1), scorecard.Options{Threshold: 1})
}

// Find a best scorecard and verify its certificate.
func ExampleMinimize() {
	cards, err := smallCards()
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := cards.Tree(admissions())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	best, err := search.Minimize(ctx, tree, search.Options{Certify: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("errors:", best.Cost)
	fmt.Println("verified:", search.Verify(ctx, cards, admissions(), best) == nil)
	// Output:
	// errors: 1
	// verified: true
}

// Sample from the exponential mechanism. The seed makes the example reproducible; a release uses
// noise.Crypto. At this high rate the sample is a best card with overwhelming probability.
func ExampleSample() {
	cards, err := smallCards()
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := cards.Tree(admissions())
	if err != nil {
		fmt.Println(err)
		return
	}
	card, err := search.Sample(context.Background(), tree, big.NewRat(100, 1), noise.Insecure(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("errors:", class.Cost(cards, admissions(), card))
	// Output:
	// errors: 1
}
