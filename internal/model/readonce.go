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
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A ReadOnce is the class (a Form) of read-once formulas, with its public parameters. A formula is a complete tree of
// gates of one type (majority or NAND), whose leaves are distinct inputs. An input is a condition "x is c", where c
// is a category of the attribute x. If x has only two categories, c is the second one.
type ReadOnce struct {
	NAND    bool  // whether gates are NAND gates with two inputs instead of majority gates with three
	Depth   int   // the number of gates from an input to the output; 0 means 1, or 2 with NAND
	Penalty int64 // the cost of each input of a formula
}

var majorityKind = Kind{
	Name: "majority", What: "a tree of majority gates with three inputs each, which are conditions or gates", Selection: BySearch,
	Quicker: "fewer categories",
	New:     func() FormBuilder { return &readOnceBuilder{} }, read: readReadOnce,
}

const nandName = "nand"

var nandKind = Kind{
	Name: nandName, What: `a tree of NAND gates over conditions; depth 2 gives "(a and b) or (c and d)"`, Selection: BySearch,
	Quicker: "fewer categories",
	New:     func() FormBuilder { return &readOnceBuilder{ReadOnce{NAND: true}} }, read: readReadOnce,
}

// Name returns "majority" or "nand", the name of the class in commands and model files.
func (f ReadOnce) Name() string {
	if f.NAND {
		return nandName
	}
	return majorityKind.Name
}

// Noun returns "majority formula" or "NAND formula", the noun for a hypothesis of the class in messages.
func (f ReadOnce) Noun() report.Noun {
	if f.NAND {
		return "NAND formula"
	}
	return "majority formula"
}

// readOnceBuilder collects the parameters of read-once formulas from flags. It implements FormBuilder.
type readOnceBuilder struct{ ReadOnce }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *readOnceBuilder) Parameters(f *flag.FlagSet) {
	usual := 1
	if a.NAND {
		usual = 2
	}
	f.IntVar(&a.Depth, "depth", 0, fmt.Sprintf("the number of `levels` of gates between an input and the result; 0 means %d", usual))
	penalty(f, &a.Penalty, "input that the formula uses")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *readOnceBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f ReadOnce) Complete(*table.Schema) (Form, error) {
	return f, negative("depth", f.Depth, "a number of gates")
}

// gates is the set (Space) of all read-once formulas over the attributes of a schema.
type gates struct {
	searched
	typed  *readonce.Class
	gate   readonce.Gate
	inputs []readonce.Input
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
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

// Tabulated implements Tabular: it returns the class with a table of the costs of all hypotheses.
func (g gates) Tabulated() (Class, error) { return tabulate(g.typed) }

// inputs returns the conditions on attributes of the schema that may be inputs of a read-once formula, in the order
// of the attributes.
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

func (g gates) rule(h any) rule.Body {
	return rule.Decision{Formula: g.formula(h.(readonce.Formula).Inputs)}
}

// formula returns the complete tree of gates that has the inputs with the given indices as its leaves, from left to
// right.
func (g gates) formula(leaves []int) rule.Formula {
	if len(leaves) == 1 {
		return g.condition(g.inputs[leaves[0]])
	}
	arity := 3
	if g.gate == readonce.Nand {
		arity = 2
	}
	var parts []rule.Formula
	for part := range slices.Chunk(leaves, len(leaves)/arity) {
		parts = append(parts, g.formula(part))
	}
	if g.gate == readonce.Nand {
		return rule.Not{Formula: rule.All(parts)}
	}
	return rule.AtLeast{Count: 2, Of: parts}
}

func (g gates) condition(in readonce.Input) rule.Condition {
	return rule.Condition{Attribute: in.Attribute, Accepts: []uint16{uint16(in.Category)}}
}

func (g gates) read(text json.RawMessage) (any, error) {
	leaves, err := rule.ReadConditions(g.schema, text, "formula is")
	if err != nil {
		return nil, err
	}
	h := readonce.Formula{Gate: g.gate}
	if len(leaves) > len(g.inputs) {
		return nil, fmt.Errorf("the formula has %d inputs, but the class has only %d", len(leaves), len(g.inputs))
	}
	for _, c := range leaves {
		i := slices.IndexFunc(g.inputs, func(in readonce.Input) bool {
			return in.Attribute == c.Attribute && slices.Equal(g.condition(in).Accepts, c.Accepts)
		})
		if i < 0 {
			return nil, fmt.Errorf("the condition on attribute %s is not an input of the class", quote.Word(g.schema.Attributes[c.Attribute].Name))
		}
		h.Inputs = append(h.Inputs, i)
	}
	return h, nil
}
