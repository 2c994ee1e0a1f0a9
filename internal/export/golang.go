package export

import (
	_ "embed"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/model"
)

var goFormat = Format{Name: "go", Ending: ".go", What: "a Go file with a function Predict(record), which imports only the standard library", Write: Go}

//go:embed runtime/predict.go.txt
var goRuntime string

// Go returns a Go file that predicts as the model does: its function Predict(record) returns what the command
// predict writes for the record.
func Go(m *model.Model, _ Options) ([]byte, error) {
	field := map[string]string{"points": "Points", "rule": "Rule", "leaf": "Leaf", "": "Grade"}[MeasureOf(m.Rule())]
	return program(m, strings.ReplaceAll(goRuntime, "MeasureOfTheExport", field), goSyntax)
}
