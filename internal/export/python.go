package export

import (
	_ "embed"

	"github.com/sibyl-dp/sibyl/internal/model"
)

var pythonFormat = Format{Name: "python", Ending: ".py", What: "a Python module with a function predict(record), without dependencies", Write: Python}

//go:embed runtime/predict.py
var pythonRuntime string

// Python returns a Python module that predicts as the model does: its function predict(record) returns what the
// command predict writes for the record.
func Python(m *model.Model, _ Options) ([]byte, error) {
	return program(m, pythonRuntime, pythonSyntax)
}
