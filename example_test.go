package sibyl_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The files of a hospital, in a directory that is gone when the example ends.
func hospital() (directory string, gone func()) {
	directory, err := os.MkdirTemp("", "sibyl-example-")
	check(err)
	files := map[string]string{
		"people.csv": "age,stays,back\n" + strings.Repeat("34,0,no\n71,2,yes\n82,4,yes\n45,1,no\n", 500),
		"people.toml": `[label]
column = "back"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [60]
[[attribute]]
column = "stays"
cuts = [1, 3]
`}
	for name, text := range files {
		check(os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
	return directory, func() { os.RemoveAll(directory) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Learn a scorecard, save it, read it again and use it.
func Example() {
	directory, gone := hospital()
	defer gone()
	os.Chdir(directory)
	ctx := context.Background()

	schema, err := sibyl.ReadSchema("people.toml")
	check(err)
	card, err := sibyl.Learn(ctx, sibyl.File("people.csv"), schema, sibyl.Scorecard(), sibyl.Epsilon("1"))
	check(err)
	check(card.Save("model.json"))
	model, err := sibyl.ReadModel("model.json")
	check(err)
	back, err := model.Predict(map[string]string{"age": "79", "stays": "3"})
	check(err)
	fmt.Println(back, model.Guarantee().Epsilon)
	// Output: true 1
}

// A scorecard tells the risk of a row, and is evaluated privately on another table.
func ExampleEvaluate() {
	directory, gone := hospital()
	defer gone()
	ctx := context.Background()
	people := sibyl.File(filepath.Join(directory, "people.csv"))
	schema, err := sibyl.ReadSchema(filepath.Join(directory, "people.toml"))
	check(err)
	card, err := sibyl.Learn(ctx, people, schema, sibyl.Scorecard(), sibyl.Epsilon("5"), sibyl.Risk("0.4"))
	check(err)
	share, least, most, err := card.Risk(map[string]string{"age": "79", "stays": "3"})
	check(err)
	fmt.Println("most such people are back:", share > 0.9 && least > 0.7 && most <= 1)
	e, err := sibyl.Evaluate(ctx, card, people, sibyl.Epsilon("5"))
	check(err)
	fmt.Println("AUC above 0.9:", e.Rows.AUC.Least > 0.9, "for ε =", e.Guarantee.Epsilon)
	// Output:
	// most such people are back: true
	// AUC above 0.9: true for ε = 5
}

// Synthetic data has rows like those of the table, and answers questions about it.
func ExampleSynthesize() {
	schema, err := table.ParseSchema("visitors", strings.NewReader(`
[[attribute]]
column = "age"
cuts = [18, 60]
draw = "integer"
least = 0
most = 99
[[attribute]]
column = "ticket"
values = ["child", "full", "senior"]
[[rule]]
forbid = { age = ["<18"], ticket = ["senior"] }
`))
	check(err)
	var visitors iter.Seq[[]string] = func(yield func([]string) bool) {
		for range 1000 {
			if !yield([]string{"7", "child"}) || !yield([]string{"35", "full"}) || !yield([]string{"71", "senior"}) {
				return
			}
		}
	}
	ctx := context.Background()
	s, err := sibyl.Synthesize(ctx, sibyl.Rows([]string{"age", "ticket"}, visitors), schema, sibyl.EpsilonDelta("2", "1e-6"))
	check(err)
	old, err := s.Ask(ctx, "age ≥ 60 and ticket = senior")
	check(err)
	fmt.Println(s.Len(), "rows; about a third are old:", old.Share > 0.3 && old.Share < 0.37)
	more, err := s.Draw(ctx, 10_000, 1)
	check(err)
	fmt.Println(more.Len(), "more rows, for ε =", s.Guarantee().Epsilon, "still")
	// Output:
	// 3000 rows; about a third are old: true
	// 10000 more rows, for ε = 2 still
}

// Before any data is touched, a plan tells how much worse than the best of the class what
// is released may be.
func ExamplePlanFor() {
	directory, gone := hospital()
	defer gone()
	schema, err := sibyl.ReadSchema(filepath.Join(directory, "people.toml"))
	check(err)
	plan, err := sibyl.PlanFor(schema, sibyl.Scorecard(sibyl.Points(-2, 2)), 2000, sibyl.Epsilon("0.5"))
	check(err)
	fmt.Printf("%v scorecards; take %s: at most %.0f errors more than the best, in 95 of 100 runs\n", plan.Size, plan.Choice, plan.Bounds[0].Most)
	// Output: 3125 scorecards; take exponential: at most 55 errors more than the best, in 95 of 100 runs
}

// Rows may come from anywhere.
func ExampleRows() {
	schema, err := table.ParseSchema("answers", strings.NewReader(`
[label]
column = "late"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "rain"
values = ["no", "yes"]
`))
	check(err)
	var days iter.Seq[[]string] = func(yield func([]string) bool) {
		for i := range 1000 {
			day := []string{"no", "0"}
			if i%3 == 0 {
				day = []string{"yes", "1"}
			}
			if !yield(day) {
				return
			}
		}
	}
	m, err := sibyl.Learn(context.Background(), sibyl.Rows([]string{"rain", "late"}, days), schema, sibyl.Conjunction(), sibyl.Epsilon("0.5"))
	check(err)
	fmt.Print(m)
	// Output:
	// This conjunction predicts late.
	//
	// Predict 1 if rain is yes.
	// Otherwise predict 0.
	//
	// Differentially private: ε = 0.5, δ = 0, one record replaced.
	// Replace one person's record by any other, and the probability of any given
	// conjunction changes by a factor of at most e^0.5 ≈ 1.65.
	// The number of records is public.
}

// Of a label with more than two outcomes one is predicted by its name.
func ExampleModel_Outcome() {
	schema, err := table.ParseSchema("triage", strings.NewReader(`
[label]
column = "sent"
values = ["home", "ward", "surgery"]
[[attribute]]
column = "pain"
cuts = [4, 8]
`))
	check(err)
	var visits iter.Seq[[]string] = func(yield func([]string) bool) {
		for range 500 {
			for _, visit := range [][]string{{"2", "home"}, {"5", "ward"}, {"9", "surgery"}, {"9", "ward"}, {"9", "surgery"}} {
				if !yield(visit) {
					return
				}
			}
		}
	}
	people := sibyl.Rows([]string{"pain", "sent"}, visits)
	m, err := sibyl.Learn(context.Background(), people, schema, sibyl.DecisionTree(sibyl.Depth(2)), sibyl.Epsilon("1"))
	check(err)
	name, number, err := m.Outcome(map[string]string{"pain": "9"})
	check(err)
	fmt.Println(name, number)
	e, err := sibyl.Evaluate(context.Background(), m, people, sibyl.Epsilon("1"))
	check(err)
	fmt.Println("about 80 %:", e.Counts.Compare(risk.Rows).Accuracy.Least > 0.7)
	// Output:
	// surgery 2
	// about 80 %: true
}

// A class and its mechanism have options, and what does not go together does not compile.
func ExampleUnion() {
	cards := sibyl.Scorecard(sibyl.Points(-2, 2), sibyl.Rising("age"))
	lists := sibyl.DecisionList(sibyl.Rules(2))
	either := sibyl.Union([]sibyl.Class{cards, lists}, sibyl.Balanced())
	directory, gone := hospital()
	defer gone()
	schema, err := sibyl.ReadSchema(filepath.Join(directory, "people.toml"))
	check(err)
	m, err := sibyl.Learn(context.Background(), sibyl.File(filepath.Join(directory, "people.csv")), schema, either, sibyl.Epsilon("1"), sibyl.NumberOfRows(2000))
	check(err)
	young, err := m.Predict(map[string]string{"age": "20", "stays": "0"})
	fmt.Println(young, err)
	// Output: false <nil>
}
