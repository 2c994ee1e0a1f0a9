package model

import (
	"encoding/json"
	"fmt"
	"slices"
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
	// GradeOf returns it.
	GradeOf(h any, r table.Record) int
}

// readers read the parameters of every family, by its name.
var readers = map[string]func(json.RawMessage) (Family, error){
	scorecardName: readScorecard,
}

func readFamily(text json.RawMessage) (Family, error) {
	var start struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(text, &start); err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", plain(err))
	}
	read, known := readers[start.Name]
	if !known {
		var names []string
		for name := range readers {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("the class %.40q is unknown; models have one of %s", start.Name, strings.Join(names, ", "))
	}
	f, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", err)
	}
	return f, nil
}
