package learn_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Learn a scorecard from a generated table of four hundred people.
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

	cards, err := scorecard.New(scorecard.Uniform(schema.Sizes(), -1, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	epsilon, err := privacy.ParseDecimal("1")
	if err != nil {
		fmt.Println(err)
		return
	}
	mechanism, err := learn.NewExponential(cards, epsilon, privacy.ReplaceOne, learn.ZeroOne)
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
	wrong := missed(cards, card, learn.Examples(people))
	fmt.Println("within that bound:", wrong <= 11)
	// Output:
	// δ = 0 at ε = 1; at most 11.0 errors more than the best card, on average
	// within that bound: true
}

// The target drifts: for a year labels follow the first attribute, then the second. A hypothesis is
// released before each month of thirty visits.
func ExampleLeader() {
	cards, err := scorecard.New(scorecard.Uniform([]int{2, 2}, -1, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	epsilon, err := privacy.ParseDecimal("0.05")
	if err != nil {
		fmt.Println(err)
		return
	}
	base, err := learn.NewExponential(cards, epsilon, privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		fmt.Println(err)
		return
	}
	const months, visits = 24, 30
	leader, err := learn.NewLeader(base, visits)
	if err != nil {
		fmt.Println(err)
		return
	}

	coins := noise.Insecure(1) // repeatable; a release takes noise.Crypto
	loss, fixed := int64(0), map[string]int64{}
	for month := range months {
		card, err := leader.Next(context.Background(), coins)
		if err != nil {
			fmt.Println(err)
			return
		}
		var seen []learn.Example[[]uint16]
		for x := range uint16(4) {
			record := []uint16{x % 2, x / 2}
			seen = append(seen, learn.Example[[]uint16]{X: record, Label: record[month/12] == 1, Count: 6 + int64(x)%2*3})
		}
		for h := range cards.All() {
			fixed[fmt.Sprint(h)] += missed(cards, h, seen)
		}
		loss += missed(cards, card, seen)
		if err := leader.See(seen); err != nil {
			fmt.Println(err)
			return
		}
		if least := slices.Min(slices.Collect(maps.Values(fixed))); month%6 == 5 {
			fmt.Printf("month %2d: loss %3d, of the best fixed card %3d, at most %3.0f\n",
				month+1, loss, least, float64(least)+leader.Regret(leader.Rounds(), float64(least)))
		}
	}
	guarantee, err := leader.Guarantee(months)
	if err != nil {
		fmt.Println(err)
		return
	}
	total, err := privacy.Epsilon(guarantee, privacy.Decimal{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε = %v in all\n", total)
	// Output:
	// month  6: loss  57, of the best fixed card   0, at most 180
	// month 12: loss  75, of the best fixed card   0, at most 210
	// month 18: loss 150, of the best fixed card  90, at most 316
	// month 24: loss 243, of the best fixed card 180, at most 423
	// ε = 1.2 in all
}

// missed counts the misclassifications of a card. The count is not private.
func missed(cards *scorecard.Class, card scorecard.Card, d []learn.Example[[]uint16]) (n int64) {
	for _, e := range d {
		if cards.Predict(card, e.X) != e.Label {
			n += e.Count
		}
	}
	return n
}
