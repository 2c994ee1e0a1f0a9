package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A ReadOnce is a class of read-once formulas by its public parameters: complete
// trees of one gate, with distinct inputs at the leaves. The inputs are "x is c"
// for every category c, of attributes of two categories for the second alone.
type ReadOnce struct {
	NAND    bool  // NAND gates of two inputs instead of majorities of three
	Depth   int   // 0 for 1, or for 2 with NAND
	Penalty int64 // the cost of each formula's input
}

var majorityKind = Kind{
	Name: "majority", What: "positive if two of three conditions hold, or of three such formulas", Searched: true,
	Quicker: "fewer categories",
	Ask:     func() Asking { return &askedReadOnce{} }, read: readReadOnce,
}

const nandName = "nand"

var nandKind = Kind{
	Name: nandName, What: `trees of NAND gates over conditions: with depth 2, "a and b, or c and d"`, Searched: true,
	Quicker: "fewer categories",
	Ask:     func() Asking { return &askedReadOnce{ReadOnce{NAND: true}} }, read: readReadOnce,
}

// Name returns "majority" or "nand".
func (f ReadOnce) Name() string {
	if f.NAND {
		return nandName
	}
	return majorityKind.Name
}

// Noun returns "majority formula" or "NAND formula".
func (f ReadOnce) Noun() report.Noun {
	if f.NAND {
		return "NAND formula"
	}
	return "majority formula"
}

// askedReadOnce asks for read-once formulas.
type askedReadOnce struct{ ReadOnce }

// Parameters defines the parameters.
func (a *askedReadOnce) Parameters(f *flag.FlagSet) {
	depth(f, &a.Depth)
	penalty(f, &a.Penalty)
}

// Form returns the class asked for.
func (a *askedReadOnce) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters.
func (f ReadOnce) Complete(*table.Schema) (Form, error) {
	return f, negative("depth", f.Depth, "a number of gates")
}

// gates is the space of a class of read-once formulas.
type gates struct {
	searched
	typed  *readonce.Class
	gate   readonce.Gate
	inputs []readonce.Input
}

// Over returns the class over the attributes of the schema.
func (f ReadOnce) Over(s *table.Schema) (Space, error) {
	gate, depth := readonce.Majority, 1
	if f.NAND {
		gate, depth = readonce.Nand, 2
	}
	if f.Depth != 0 {
		depth = f.Depth
	}
	inputs := f.inputs(s)
	c, err := readonce.New(inputs, readonce.Options{Gate: gate, Depth: depth})
	if err != nil {
		return nil, noClass(err)
	}
	return gates{searched{f, s, class.Erase(c)}, c, gate, inputs}, nil
}

// Tabulated returns the class laid out as a table of all costs.
func (g gates) Tabulated() (Class, error) { return tabulate(g.typed) }

// inputs lists the inputs of formulas in order.
func (f ReadOnce) inputs(s *table.Schema) []readonce.Input {
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

func readReadOnce(text json.RawMessage) (Form, error) {
	var j readonceClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return ReadOnce{j.Name == nandName, j.Depth, j.Penalty}, nil
}

// write lists the inputs at the leaves, from left to right.
func (g gates) write(h any) any {
	j := []literalJSON{}
	for _, i := range h.(readonce.Formula).Inputs {
		in := g.inputs[i]
		j = append(j, writeLiteral(g.schema, in.Attribute, []uint16{uint16(in.Category)}))
	}
	return j
}

func (g gates) read(text json.RawMessage) (any, error) {
	var j []literalJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the formula is malformed: %w", err)
	}
	h := readonce.Formula{Gate: g.gate}
	if len(j) > len(g.inputs) {
		return nil, fmt.Errorf("the formula has %d inputs, but the class only %d", len(j), len(g.inputs))
	}
	for _, l := range j {
		a, accepted, err := l.read(g.schema)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(g.inputs, func(in readonce.Input) bool {
			return in.Attribute == a && slices.Equal(accepted, []uint16{uint16(in.Category)})
		})
		if i < 0 {
			return nil, fmt.Errorf("the condition on attribute %s is no input of the class", quote.Word(l.Attribute))
		}
		h.Inputs = append(h.Inputs, i)
	}
	return h, nil
}

func (g gates) layOut(heading report.Heading, h any) report.Body {
	leaves := h.(readonce.Formula).Inputs
	condition := func(leaf int, is bool) string {
		in := g.inputs[leaves[leaf]]
		a := &g.schema.Attributes[in.Attribute]
		var accepted []uint16
		for c := range a.Len() {
			if (c == in.Category) == is {
				accepted = append(accepted, uint16(c))
			}
		}
		return report.Condition(a, accepted)
	}
	return report.Body{Rule: report.NewGates(heading, len(leaves), g.gate == readonce.Nand, condition)}
}
