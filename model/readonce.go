package model

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/readonce"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A ReadOnce is a class of read-once formulas by its public parameters: complete
// trees of one gate, with distinct inputs at the leaves. The inputs are "x is c"
// for every category c, of attributes of two categories for the second alone.
type ReadOnce struct {
	NAND    bool  // NAND gates of two inputs instead of majorities of three
	Depth   int   // 0 for 1, or for 2 with NAND
	Penalty int64 // the cost of each formula's input
}

const (
	majorityName = "majority"
	nandName     = "nand"
)

// Name returns "majority" or "nand".
func (f ReadOnce) Name() string {
	if f.NAND {
		return nandName
	}
	return majorityName
}

// Over returns the class over the attributes of the schema.
func (f ReadOnce) Over(s *table.Schema) (Class, error) {
	c, err := f.Formulas(s)
	if err != nil {
		return nil, err
	}
	return class.Erase(c), nil
}

// Formulas returns the class with the type of its hypotheses.
func (f ReadOnce) Formulas(s *table.Schema) (*readonce.Class, error) {
	c, err := readonce.New(f.Inputs(s), readonce.Options{Gate: f.gate(), Depth: f.depth()})
	if err != nil {
		return nil, noClass(err)
	}
	return c, nil
}

func (f ReadOnce) gate() readonce.Gate {
	if f.NAND {
		return readonce.Nand
	}
	return readonce.Majority
}

func (f ReadOnce) depth() int {
	switch {
	case f.Depth != 0:
		return f.Depth
	case f.NAND:
		return 2
	}
	return 1
}

// Inputs lists the inputs of formulas in order.
func (f ReadOnce) Inputs(s *table.Schema) []readonce.Input {
	var out []readonce.Input
	for j := range s.Attributes {
		n := s.Attributes[j].Len()
		for c := range n {
			if n > 2 || c == 1 {
				out = append(out, readonce.Input{Attribute: j, Category: c, Penalty: f.Penalty})
			}
		}
	}
	return out
}

type readonceClassJSON struct {
	Name    string `json:"name"`
	Depth   int    `json:"depth"`
	Penalty int64  `json:"penalty"`
}

func (f ReadOnce) parameters() any { return readonceClassJSON{f.Name(), f.Depth, f.Penalty} }

func readReadOnce(text json.RawMessage) (Family, error) {
	var j readonceClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return ReadOnce{j.Name == nandName, j.Depth, j.Penalty}, nil
}

// write lists the inputs at the leaves, from left to right.
func (f ReadOnce) write(s *table.Schema, h any) any {
	j := []literalJSON{}
	inputs := f.Inputs(s)
	for _, i := range h.(readonce.Formula).Inputs {
		j = append(j, writeLiteral(s, inputs[i].Attribute, []uint16{uint16(inputs[i].Category)}))
	}
	return j
}

func (f ReadOnce) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j []literalJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the formula is malformed: %w", err)
	}
	h := readonce.Formula{Gate: f.gate()}
	inputs := f.Inputs(s)
	if len(j) > len(inputs) {
		return nil, fmt.Errorf("the formula has %d inputs, but the class only %d", len(j), len(inputs))
	}
	for _, l := range j {
		a, accepted, err := l.read(s)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(inputs, func(in readonce.Input) bool {
			return in.Attribute == a && slices.Equal(accepted, []uint16{uint16(in.Category)})
		})
		if i < 0 {
			return nil, fmt.Errorf("the condition on attribute %s is no input of the class", quote.Word(l.Attribute))
		}
		h.Inputs = append(h.Inputs, i)
	}
	return h, nil
}

func (f ReadOnce) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
