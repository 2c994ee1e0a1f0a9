package report_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/model"
)

const list = `{
  "format": "sibyl-model/1",
  "guarantee": {"epsilon": "0.5", "delta": "0", "relation": "replace", "assumes": []},
  "mechanism": {"name": "exponential", "loss": {"false_positive": 1, "false_negative": 1}, "rate": "1/4"},
  "class": {
    "name": "decision-list", "negated": false, "intervals": true, "monotone": false,
    "most_rules": 2, "literals": 2, "penalty": 0
  },
  "hypothesis": {
    "rules": [
      {"if": [{"attribute": "age", "is": ["<30"]}], "predict": 0},
      {"if": [{"attribute": "age", "is": ["≥50"]}, {"attribute": "home", "is": ["rent"]}], "predict": 0}
    ],
    "otherwise": 1
  },
  "schema": {
    "label": {"column": "repaid", "positive": ["yes"], "negative": ["no", "not yet"]},
    "attribute": [
      {"name": "age", "column": "age", "cuts": [30, 50]},
      {"name": "home", "column": "home", "values": ["own", "rent"]}
    ]
  }
}`

func ExampleSheet() {
	m, err := model.Read(strings.NewReader(list))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Sheet().Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// This decision list predicts repaid.
	//
	// The first rule that applies decides:
	//   1. If age < 30, predict "no" or "not yet".
	//   2. If age ≥ 50 and home is rent, predict "no" or "not yet".
	// Otherwise predict yes.
}
