package papers_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/papers"
)

// RSPM chooses the scorecard in place of the exponential mechanism.
func ExampleRSPM() {
	schema, err := table.ParseSchema("people", strings.NewReader(`
[label]
column = "back"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [60]
`))
	check(err)
	var rows iter.Seq[[]string] = func(yield func([]string) bool) {
		for range 1000 {
			if !yield([]string{"34", "no"}) || !yield([]string{"71", "yes"}) {
				return
			}
		}
	}
	people := sibyl.Rows([]string{"age", "back"}, rows)

	model, err := sibyl.Learn(context.Background(), people, schema,
		sibyl.Scorecard(sibyl.By(&papers.RSPM{Noise: "cube"})), sibyl.Epsilon("1"))
	check(err)
	back, err := model.Predict(map[string]string{"age": "79"})
	check(err)
	fmt.Println(back, model.Guarantee().Epsilon)
	// Output: true 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
