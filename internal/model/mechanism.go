package model

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Mechanism is what a model says of how its hypothesis was chosen: a name, and all
// public parameters. Reading a model makes no mechanism; room release describes them,
// writes their parameters and checks that these give the guarantee.
type Mechanism struct {
	Name       string
	Parameters json.RawMessage // a compact JSON object, in which the name comes first
}

// None names what chose from the data without privacy.
const None = "none (not private)"

// NewMechanism returns what stands for a mechanism whose parameters, the name among
// them, are encoded as JSON.
func NewMechanism(parameters any) Mechanism {
	m, err := readMechanism(mustCompact(parameters))
	if err != nil {
		panic(err)
	}
	return m
}

// readMechanism reads what a model says.
func readMechanism(text json.RawMessage) (Mechanism, error) {
	if len(text) == 0 {
		return Mechanism{}, errors.New("the model has no mechanism")
	}
	var start map[string]json.RawMessage // another case would be another name
	var name string
	if json.Unmarshal(text, &start) != nil || json.Unmarshal(start["name"], &name) != nil {
		return Mechanism{}, errors.New("the mechanism is malformed: it is no object with a name")
	}
	compacted, err := compact(text)
	if err != nil {
		return Mechanism{}, fmt.Errorf("the mechanism is malformed: %w", err)
	}
	return Mechanism{name, compacted}, nil
}
