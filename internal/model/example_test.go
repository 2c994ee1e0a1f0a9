package model_test

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func ExampleForm() {
	schema, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{
		{Column: "age", Cuts: []table.Decimal{"30", "50"}},
		{Column: "home", Values: []string{"own", "rent"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	literals := model.Literals{Negated: true, Intervals: true}
	for _, f := range []model.Form{
		model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Threshold: 1},
		model.Conjunction{Literals: literals},
		model.DecisionList{Literals: literals, Rules: 2},
	} {
		space, err := f.Over(schema)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %v\n", space.Sampling().Class, space.Sampling().Class.Size())
	}
	// Output:
	// scorecards over 2 attributes, threshold 1: 243
	// conjunctions of 8 tests on 2 attributes: 21
	// decision lists of at most 2 rules over 2 attributes, 8 antecedents: 186
}
