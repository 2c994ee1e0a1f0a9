package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/table"
)

// A Class is a class over the records of a schema.
type Class = class.Class[table.Record, any]

// A Family is a class by its public parameters, which can be laid over any
// schema: what models are of. The families are those of this package.
type Family interface {
	// Name is what commands and files call the family.
	Name() string
	// Over returns the class over the attributes of the schema, or an error that
	// says in one sentence what is wrong.
	Over(*table.Schema) (Class, error)

	// parameters returns what stands for the family in JSON, its name included.
	parameters() any
	// write returns what stands for a hypothesis of the class in JSON.
	write(*table.Schema, any) any
	// read returns the hypothesis that write wrote. It need not be of the class,
	// but is well formed for the schema.
	read(*table.Schema, json.RawMessage) (any, error)
}

// A Graded family tells more of a record than the prediction.
type Graded interface {
	Family
	// Grade names the number, such as "total".
	Grade() string
	// Grader returns the function that tells it of a record.
	Grader(s *table.Schema, h any) (func(table.Record) int, error)
}

// familyNames are the names that models may have for their classes.
var familyNames = []string{
	scorecardName, halfspaceName, conjunctionName, disjunctionName, decisionListName,
	parityName, majorityName, nandName, unionName,
}

// noClass reports why the parameters make no class, without the name of the
// package that says so.
func noClass(err error) error {
	text := err.Error()
	if _, after, found := strings.Cut(text, ": "); found {
		text = after
	}
	return fmt.Errorf("there is no such class: %s", text)
}

// readFamily reads the parameters of a family.
func readFamily(text json.RawMessage) (Family, error) {
	var start struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(text, &start); err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", plain(err))
	}
	var f Family
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
	default:
		return nil, fmt.Errorf("the class %.40q is unknown; models have one of %s", start.Name, strings.Join(familyNames, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", err)
	}
	return f, nil
}
