package learn_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// A scorecard from a table of four hundred made-up people.
func ExampleExponential() {
	schema, err := table.ParseSchema("visits.toml", strings.NewReader(`
		name = "visits"
		[label]
		column = "again"
		positive = ["yes"]
		negative = ["no"]
		[[attribute]]
		column = "age"
		cuts = [40, 65]
		[[attribute]]
		column = "admission"
		values = ["planned", "emergency"]
	`))
	if err != nil {
		fmt.Println(err)
		return
	}
	data := "age,admission,again\n" +
		strings.Repeat("30,planned,no\n50,planned,no\n70,emergency,yes\n80,planned,yes\n", 100)
	ctx := context.Background()
	people, err := source.Read(ctx, "-", schema, source.Options{Stdin: strings.NewReader(data)})
	if err != nil {
		fmt.Println(err)
		return
	}

	var attributes []scorecard.Attribute
	for _, categories := range schema.Sizes() {
		attributes = append(attributes, scorecard.OneHot(categories, -1, 1))
	}
	cards, err := scorecard.New(attributes, scorecard.Options{Threshold: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	epsilon, err := privacy.ParseDecimal("1")
	if err != nil {
		fmt.Println(err)
		return
	}
	mechanism, err := learn.NewExponential[[]uint16, scorecard.Card](cards, epsilon, privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("δ = %v at ε = 1; at most %.1f errors more than the best card, on average\n",
		mechanism.Guarantee().Delta(1), mechanism.Excess(people.Rows()).Mean)

	// noise.Insecure makes this example repeatable; a release takes noise.Crypto.
	card, err := mechanism.Release(ctx, learn.Examples(people), noise.Insecure(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	wrong := mistakes(cards, card, people)
	fmt.Println("within that bound:", wrong <= 11)
	// Output:
	// δ = 0 at ε = 1; at most 11.0 errors more than the best card, on average
	// within that bound: true
}

// mistakes counts the errors of a card: not private.
func mistakes(cards *scorecard.Class, card scorecard.Card, people *table.Table) (n int64) {
	for _, e := range learn.Examples(people) {
		if cards.Predict(card, e.X) != e.Label {
			n += e.Count
		}
	}
	return n
}
