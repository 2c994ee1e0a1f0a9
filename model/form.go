package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Form is what the hypothesis of a model is, by its public parameters: a
// Family, of which one was chosen, or Additive. The forms are those of this
// package.
type Form interface {
	// Name is what commands and files call the form.
	Name() string

	// parameters returns what stands for the form in JSON, its name included.
	parameters() any
	// write returns what stands for a hypothesis in JSON.
	write(*table.Schema, any) any
	// read returns the hypothesis that write wrote. It need not be of the form,
	// but is well formed for the schema.
	read(*table.Schema, json.RawMessage) (any, error)
	// predictor returns how a hypothesis predicts, or an error that says in one
	// sentence why it is none of the form over the schema.
	predictor(*table.Schema, any) (func(table.Record) bool, error)
}

// A Graded form tells more of a record than the prediction.
type Graded interface {
	Form
	// Grade names the number, such as "total".
	Grade() string
	// Grader returns the function that tells it of a record.
	Grader(s *table.Schema, h any) (func(table.Record) int, error)
}

// formNames are the names that models may have for their forms.
var formNames = []string{
	scorecardName, halfspaceName, conjunctionName, disjunctionName, decisionListName,
	parityName, majorityName, nandName, unionName, NaiveBayes, Logistic, SVM, LeastSquares,
}

// readForm reads the parameters of a form.
func readForm(text json.RawMessage) (Form, error) {
	var start struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &start) != nil {
		return nil, errors.New("the class is malformed: it is no object with a name")
	}
	var f Form
	var err error
	switch start.Name {
	case scorecardName:
		f, err = readScorecard(text)
	case halfspaceName:
		f, err = readHalfspace(text)
	case conjunctionName, disjunctionName:
		f, err = readConjunction(text)
	case decisionListName:
		f, err = readDecisionList(text)
	case parityName:
		f, err = readParity(text)
	case majorityName, nandName:
		f, err = readReadOnce(text)
	case unionName:
		f, err = readUnion(text)
	case NaiveBayes, Logistic, SVM, LeastSquares:
		f, err = readAdditive(text)
	default:
		return nil, fmt.Errorf("the class %s is unknown; models have one of %s", quote.Word(start.Name), strings.Join(formNames, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", err)
	}
	return f, nil
}
