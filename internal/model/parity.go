package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Parity is the class (a Form) of parities (exclusive ors of bits), with its public parameters. An attribute has a
// bit "x is c" for every category c except the first. If Digits is true, its bits are the binary digits of the
// category's code instead.
type Parity struct {
	Digits  bool  // whether bits are binary digits
	Most    int   // the maximum number of bits; 0 means no limit
	Penalty int64 // the cost of each bit
	Affine  bool  // whether the class also contains the negations
	Points  int   // the number of points of the separator's code; 0 for the natural separator
}

var parityKind = Kind{
	Name: "parity", What: "predicts positive if an odd number of the selected conditions holds", Selection: BySearch,
	Quicker: "binary digits as bits ({digits}), or a smaller value of {attributes}",
	New:     func() FormBuilder { return &parityBuilder{} }, read: readParity,
}

// Name returns "parity", the name of the class in commands and model files.
func (Parity) Name() string { return parityKind.Name }

// Noun returns "parity", the noun for a hypothesis of the class in messages.
func (Parity) Noun() report.Noun { return "parity" }

// parityBuilder collects the parameters of parities from flags. It implements FormBuilder.
type parityBuilder struct{ Parity }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *parityBuilder) Parameters(f *flag.FlagSet) {
	f.BoolVar(&a.Affine, "affine", false, "also consider negated parities, which predict positive if an even number of the selected conditions holds")
	f.BoolVar(&a.Digits, "digits", false, "use the binary digits of a category's number in the schema as conditions, instead of one condition for each category")
	attributes(f, &a.Most, "the maximum number `K` of conditions that the model selects; 0 means no limit")
	penalty(f, &a.Penalty, "condition that the model selects")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *parityBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f Parity) Complete(*table.Schema) (Form, error) {
	return f, negative("attributes", f.Most, "a number of attributes, or 0 for no limit")
}

// mostTable is the maximum number of parities for which the costs of all parities are computed at once, which then
// takes a tenth of a second.
const mostTable = 1 << 24

// mostCoding is the maximum amount of work for selecting the records of a separator (see Separated): the number of
// records times the number of parities. Selecting each record requires a transform over all parities.
const mostCoding = 1 << 27

// parities is the set (Space) of all parities over the attributes of a schema.
type parities struct {
	searched
	typed *parity.Class
	bits  []rule.Condition
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Parity) Over(s *table.Schema) (Space, error) {
	attributes, bits := parity.Attributes(s.Sizes(), f.Digits), rule.Bits(s.Sizes(), f.Digits)
	o := parity.Options{Most: f.Most, Penalty: f.Penalty, Affine: f.Affine}
	if f.Points != 0 {
		if most := mostCoding >> len(bits); f.Points < 0 || f.Points > most {
			return nil, fmt.Errorf("the separator has %d points, but must have 0 to %d for %d bits", f.Points, most, len(bits))
		}
		code, err := parity.Greedy(len(bits), f.Points, f.Affine)
		if err != nil {
			return nil, noClass(err)
		}
		o.Code = code
	}
	c, err := parity.New(attributes, o)
	if err != nil {
		return nil, noClass(err)
	}
	space := parities{searched{f, s, class.Erase(c)}, c, bits}
	if c.Size().Cmp(big.NewInt(mostTable)) <= 0 {
		if space.class, err = tabulate(c); err != nil {
			return nil, noClass(err)
		}
	}
	return space, nil
}

// Tabulated implements Tabular: it returns the class with a table of the costs of all hypotheses.
func (p parities) Tabulated() (Class, error) { return tabulate(p.typed) }

type parityClassJSON struct {
	Name    string `json:"name"`
	Digits  bool   `json:"binary_digits"`
	Most    int    `json:"most_bits"` // 0 for no limit
	Penalty int64  `json:"penalty"`
	Affine  bool   `json:"affine"`
	Points  int    `json:"separator_points,omitempty"`
}

func (f Parity) parameters() any {
	return parityClassJSON{f.Name(), f.Digits, f.Most, f.Penalty, f.Affine, f.Points}
}

func readParity(text json.RawMessage) (Form, error) {
	var j parityClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Parity{j.Digits, j.Most, j.Penalty, j.Affine, j.Points}, nil
}

func (p parities) rule(h any) rule.Body {
	of := h.(parity.Parity)
	var odd rule.Odd
	for i, b := range p.bits {
		if of.Bits>>i&1 == 1 {
			odd = append(odd, b)
		}
	}
	if of.Constant {
		return rule.Decision{Formula: rule.Not{Formula: odd}}
	}
	return rule.Decision{Formula: odd}
}

func (p parities) read(text json.RawMessage) (any, error) {
	odd, negated, err := rule.ReadParity(p.schema, text)
	if err != nil {
		return nil, err
	}
	number := map[string]int{}
	for i, b := range p.bits {
		number[fmt.Sprint(b)] = i
	}
	h := parity.Parity{Constant: negated}
	for _, c := range odd {
		i, ok := number[fmt.Sprint(c)]
		name := quote.Word(p.schema.Attributes[c.Attribute].Name)
		if !ok || i > 63 {
			return nil, fmt.Errorf("the parities of the class do not contain the condition on attribute %s", name)
		}
		if h.Bits>>i&1 == 1 {
			return nil, fmt.Errorf("a condition on attribute %s occurs twice; a parity contains each condition at most once", name)
		}
		h.Bits |= 1 << i
	}
	return h, nil
}
