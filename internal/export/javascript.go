package export

import (
	_ "embed"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/model"
)

var javascriptFormat = Format{Name: "javascript", Ending: ".mjs", What: "an ES module with a function predict(record), without dependencies", Write: JavaScript}

//go:embed runtime/predict.js
var javascriptRuntime string

// modelMark is the placeholder for the model's document in the templates of programs.
const modelMark = "MODEL_OF_THE_EXPORT"

// JavaScript returns an ES module that predicts as the model does: its function predict(record) returns what the
// command predict writes for the record.
func JavaScript(m *model.Model, _ Options) ([]byte, error) {
	if err := exactTotals(m, "JavaScript", mostTotal); err != nil {
		return nil, err
	}
	return program(m, javascriptRuntime, jsonSyntax)
}

// program returns the text of a program, given its template and the syntax of its language. The document of the
// model replaces modelMark.
func program(m *model.Model, text string, s syntax) ([]byte, error) {
	d, err := documentOf(m)
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(text, modelMark)
	return []byte(strings.ReplaceAll(before, promiseMark, d.Guarantee) + d.written(s) + after), nil
}

// promiseMark is the placeholder for the privacy guarantee in the comment at the beginning of a program.
const promiseMark = "GUARANTEE_OF_THE_EXPORT"
