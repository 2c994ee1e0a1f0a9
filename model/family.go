package model

import (
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/table"
)

// A Class is a class over the records of a schema.
type Class = class.Class[table.Record, any]

// A Family is a class by its public parameters, which can be laid over any
// schema. A mechanism chooses one of its hypotheses.
type Family interface {
	Form
	// Over returns the class over the attributes of the schema, or an error that
	// says in one sentence what is wrong.
	Over(*table.Schema) (Class, error)
}

// Reason returns what an error says, without the name of the package that says so.
func Reason(err error) string {
	text := err.Error()
	if name, after, found := strings.Cut(text, ": "); found && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" {
		return after
	}
	return text
}

// noClass reports why the parameters make no class.
func noClass(err error) error { return fmt.Errorf("there is no such class: %s", Reason(err)) }

// predictorOver is the predictor of a hypothesis of a class.
func predictorOver(f Family, s *table.Schema, h any) (func(table.Record) bool, error) {
	c, err := f.Over(s)
	if err != nil {
		return nil, err
	}
	if !c.Contains(h) {
		return nil, fmt.Errorf("the hypothesis is not of the stated class (%s): it breaks one of its parameters", f.Name())
	}
	return func(r table.Record) bool { return c.Predict(h, r) }, nil
}
