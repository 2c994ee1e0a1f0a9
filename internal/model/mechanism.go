package model

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Mechanism is the description, in a model file, of the mechanism that released the model: its name and its public
// parameters. Package mechanism writes the parameters and, when a model is read, checks that they imply the privacy
// guarantee that the file states.
type Mechanism struct {
	Name       string
	Parameters json.RawMessage // a compact JSON object, in which the name comes first
}

// None is the name of the mechanism in models that were computed without privacy.
const None = "none (not private)"

// NewMechanism returns the description of a mechanism with the given parameters. Their JSON form must be an object
// whose first key is the name of the mechanism.
func NewMechanism(parameters any) Mechanism {
	m, err := readMechanism(mustCompact(parameters))
	if err != nil {
		panic(err)
	}
	return m
}

// readMechanism reads the description of the mechanism from a model file.
func readMechanism(text json.RawMessage) (Mechanism, error) {
	if len(text) == 0 {
		return Mechanism{}, errors.New("the model lacks the key \"mechanism\"")
	}
	var start map[string]json.RawMessage // a map distinguishes keys that differ only in case
	var name string
	if json.Unmarshal(text, &start) != nil || json.Unmarshal(start["name"], &name) != nil {
		return Mechanism{}, errors.New("the mechanism must be a JSON object that states its name")
	}
	compacted, err := compact(text)
	if err != nil {
		return Mechanism{}, fmt.Errorf("the mechanism is malformed: %w", err)
	}
	return Mechanism{name, compacted}, nil
}
