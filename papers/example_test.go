package papers_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/papers"
)

// This example learns a scorecard by RSPM instead of the default mechanism.
func ExampleRSPM() {
	type visit struct {
		Age  int  `sibyl:"age,cuts=60"`
		Back bool `sibyl:"back,label"`
	}
	visits := slices.Repeat([]visit{{34, false}, {71, true}}, 1000)
	schema, err := sibyl.SchemaOf[visit]()
	check(err)
	model, err := sibyl.Learn(context.Background(), sibyl.Slice(visits), schema, sibyl.Scorecard{},
		sibyl.Settings{Epsilon: "1", Mechanism: papers.RSPM{Noise: "cube"}})
	check(err)
	back, err := model.Predict(visit{Age: 79})
	check(err)
	fmt.Println(back, model.Guarantee().Epsilon)
	// Output: true 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
