package sibyl_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"testing/fstest"

	_ "modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/account"
)

type Visit struct {
	Age   int  `sibyl:"age,cuts=60"`
	Stays int  `sibyl:"stays,cuts=1|3"`
	Back  bool `sibyl:"back,label"`
}

// Learn a scorecard from a slice of structs, and predict.
func Example() {
	visits := slices.Repeat([]Visit{{34, 0, false}, {71, 2, true}, {82, 4, true}, {45, 1, false}}, 500)
	schema, err := sibyl.SchemaOf[Visit]()
	check(err)
	card, err := sibyl.Learn(context.Background(), sibyl.Slice(visits), schema, sibyl.Scorecard{}, sibyl.Settings{Epsilon: "1"})
	check(err)
	back, err := card.Predict(Visit{Age: 79, Stays: 3})
	check(err)
	fmt.Println(back, card.Guarantee().Epsilon)
	// Output: true 1
}

// Make synthetic data from a database.
func ExampleSynthesize() {
	ctx, db, schema := context.Background(), shop(), shopSchema()
	data := sibyl.Query(db, "SELECT age, ticket FROM visitors")
	s, err := sibyl.Synthesize(ctx, data, schema, sibyl.Synthesis{}, sibyl.Settings{Epsilon: "2", Delta: "1e-6"})
	check(err)
	old := 0
	for row, err := range s.Rows(ctx) {
		check(err)
		if row[1] == "senior" {
			old++
		}
	}
	fmt.Println(s.Len(), s.Columns(), "about a third old:", 900 < old && old < 1100)
	// Output: 3000 [age ticket] about a third old: true
}

// Evaluate a model privately, with an account that limits the total ε for the table.
func ExampleEvaluate() {
	ctx, model, visits := context.Background(), visitModel(), sibyl.Slice(slices.Repeat([]Visit{{30, 0, false}, {70, 2, true}}, 500))
	defer os.Remove("visits.account")
	terms, err := account.NewTerms("3", "", "visits of 2025")
	check(err)
	check(account.Create(ctx, "visits.account", terms))
	ledger, err := account.Open(ctx, "visits.account")
	check(err)
	defer ledger.Close()
	e, err := sibyl.Evaluate(ctx, model, visits, sibyl.Settings{Epsilon: "2", Account: ledger})
	check(err)
	fmt.Println("accuracy above 0.9:", e.Rows.Accuracy.Least > 0.9, "for ε =", e.Guarantee.Epsilon)
	_, err = sibyl.Evaluate(ctx, model, visits, sibyl.Settings{Epsilon: "2", Account: ledger})
	fmt.Println(errors.Is(err, sibyl.ErrBudgetExhausted))
	// Output:
	// accuracy above 0.9: true for ε = 2
	// true
}

// A plan bounds the error of a release before any data is read.
func ExamplePlanFor() {
	schema, err := sibyl.SchemaOf[Visit]()
	check(err)
	plan, err := sibyl.PlanFor(schema, sibyl.Scorecard{Points: sibyl.Points{Least: -2, Most: 2}}, sibyl.Settings{Epsilon: "0.5", Rows: 2000})
	check(err)
	fmt.Print(plan)
	// Output:
	// 3125 hypotheses
	// exponential: excess cost at most 40.2 on average, and 55.2 with probability 0.95 (the smallest bound)
	// rspm laplace: excess cost at most 1031.2 on average, and 2000.0 with probability 0.95
	// rspm cube: excess cost at most 541.6 on average, and 1763.8 with probability 0.95
	// opdisc: excess cost at most 1049.9 on average, and 2000.0 with probability 0.95
}

// A label may have more than two classes.
func ExampleModel_Outcome() {
	type patient struct {
		Pain int    `sibyl:"pain,cuts=4|8"`
		Sent string `sibyl:"sent,values=home|ward|surgery,label"`
	}
	patients := slices.Repeat([]patient{{2, "home"}, {5, "ward"}, {9, "surgery"}, {9, "ward"}, {9, "surgery"}}, 500)
	schema, err := sibyl.SchemaOf[patient]()
	check(err)
	m, err := sibyl.Learn(context.Background(), sibyl.Slice(patients), schema, sibyl.Tree{Depth: 2}, sibyl.Settings{Epsilon: "1"})
	check(err)
	name, number, err := m.Outcome(patient{Pain: 9})
	check(err)
	fmt.Println(name, number)
	// Output: surgery 2
}

// The mechanism also selects one of several classes.
func ExampleUnion() {
	schema, err := sibyl.SchemaOf[Visit]()
	check(err)
	files := fstest.MapFS{"visits.csv": {Data: []byte("age,stays,back\n" + strings.Repeat("34,0,false\n71,2,true\n82,4,true\n45,1,false\n", 500))}}
	either := sibyl.Union{Classes: []sibyl.Class{sibyl.Scorecard{Rising: []string{"age"}}, sibyl.DecisionList{Rules: 2}}, Balanced: true}
	m, err := sibyl.Learn(context.Background(), sibyl.FileIn(files, "visits.csv"), schema, either, sibyl.Settings{Epsilon: "1"})
	check(err)
	young, err := m.Predict(map[string]string{"age": "20", "stays": "0"})
	fmt.Println(young, err)
	// Output: false <nil>
}

// A ParameterError names the field.
func ExampleParameterError() {
	schema, err := sibyl.SchemaOf[Visit]()
	check(err)
	_, err = sibyl.Learn(context.Background(), sibyl.Slice([]Visit{}), schema, sibyl.DecisionList{Literals: 3}, sibyl.Settings{Epsilon: "1"})
	if p, ok := errors.AsType[*sibyl.ParameterError](err); ok {
		fmt.Println(p.Field, "-", p)
	}
	// Output: Literals - Literals 3 must be 1 or 2
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// shop returns a database with 3,000 visitors.
func shop() *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	check(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("CREATE TABLE visitors (age INTEGER, ticket TEXT)")
	check(err)
	for range 3 {
		_, err := db.Exec("INSERT INTO visitors WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) " +
			"SELECT CASE i % 3 WHEN 0 THEN 7 WHEN 1 THEN 35 ELSE 71 END, CASE i % 3 WHEN 0 THEN 'child' WHEN 1 THEN 'full' ELSE 'senior' END FROM n")
		check(err)
	}
	return db
}

func shopSchema() *sibyl.Schema {
	s, err := sibyl.ParseSchema("visitors", strings.NewReader(`
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
	return s
}

// visitModel learns a model of visits.
func visitModel() *sibyl.Model {
	schema, err := sibyl.SchemaOf[Visit]()
	check(err)
	visits := slices.Repeat([]Visit{{34, 0, false}, {71, 2, true}}, 500)
	m, err := sibyl.Learn(context.Background(), sibyl.Slice(visits), schema, sibyl.Scorecard{}, sibyl.Settings{Epsilon: "5"})
	check(err)
	return m
}
