package model

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/tabulated"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Parity is a class of parities by its public parameters. The bits of an
// attribute are "x is c" for every category c but the first, or the binary
// digits of the category's number.
type Parity struct {
	Digits  bool  // binary digits
	Most    int   // bits, 0 for no limit
	Penalty int64 // the cost of each bit
	Affine  bool  // with the negations
	Points  int   // of the separator's code, 0 for the natural separator
}

const parityName = "parity"

// Name returns "parity".
func (Parity) Name() string { return parityName }

// Over returns the class over the attributes of the schema.
func (f Parity) Over(s *table.Schema) (Class, error) {
	c, err := f.Parities(s)
	if err != nil {
		return nil, err
	}
	if c.Size().Cmp(big.NewInt(mostTable)) > 0 {
		return class.Erase(c), nil
	}
	table, err := tabulated.New(c)
	if err != nil {
		return nil, noClass(err)
	}
	return class.Erase(table), nil
}

// mostTable is the size of the largest class that is searched by computing all
// costs at once, which takes a tenth of a second.
const mostTable = 1 << 24

// mostCoding bounds the work of choosing a separator's points: each takes a
// transform over all parities.
const mostCoding = 1 << 27

// Parities returns the class with the type of its hypotheses.
func (f Parity) Parities(s *table.Schema) (*parity.Class, error) {
	var attributes []parity.Attribute
	for j := range s.Attributes {
		if n := s.Attributes[j].Len(); f.Digits {
			attributes = append(attributes, parity.BinaryCode(n))
		} else {
			attributes = append(attributes, parity.OneHot(n))
		}
	}
	o := parity.Options{Most: f.Most, Penalty: f.Penalty, Affine: f.Affine}
	if f.Points != 0 {
		bits := len(f.Bits(s))
		if most := mostCoding >> bits; f.Points < 0 || f.Points > most {
			return nil, fmt.Errorf("a separator of %d points is outside 0..%d, the most that are chosen for %d bits", f.Points, most, bits)
		}
		code, err := parity.Greedy(bits, f.Points, f.Affine)
		if err != nil {
			return nil, noClass(err)
		}
		o.Code = code
	}
	c, err := parity.New(attributes, o)
	if err != nil {
		return nil, noClass(err)
	}
	return c, nil
}

// A Bit is a condition: an attribute has one of some categories, ascending.
type Bit struct {
	Attribute int
	Accepts   []uint16
}

// Bits lists the bits of the class in order.
func (f Parity) Bits(s *table.Schema) []Bit {
	var out []Bit
	for j := range s.Attributes {
		n := s.Attributes[j].Len()
		if !f.Digits {
			for c := 1; c < n; c++ {
				out = append(out, Bit{j, []uint16{uint16(c)}})
			}
			continue
		}
		for d := 0; (n-1)>>d > 0; d++ {
			b := Bit{Attribute: j}
			for c := range n {
				if c>>d&1 == 1 {
					b.Accepts = append(b.Accepts, uint16(c))
				}
			}
			out = append(out, b)
		}
	}
	return out
}

type parityClassJSON struct {
	Name    string `json:"name"`
	Digits  bool   `json:"binary_digits"`
	Most    int    `json:"most_bits"` // 0 for no limit
	Penalty int64  `json:"penalty"`
	Affine  bool   `json:"affine"`
	Points  int    `json:"separator_points,omitempty"`
}

// A parityJSON predicts 1 where an odd number of the conditions hold, and the
// opposite if it is negated.
type parityJSON struct {
	Odd     []literalJSON `json:"odd"`
	Negated bool          `json:"negated"`
}

func (f Parity) parameters() any {
	return parityClassJSON{parityName, f.Digits, f.Most, f.Penalty, f.Affine, f.Points}
}

func readParity(text json.RawMessage) (Family, error) {
	var j parityClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	return Parity{j.Digits, j.Most, j.Penalty, j.Affine, j.Points}, nil
}

func (f Parity) write(s *table.Schema, h any) any {
	p := h.(parity.Parity)
	j := parityJSON{Odd: []literalJSON{}, Negated: p.Constant}
	for i, b := range f.Bits(s) {
		if p.Bits>>i&1 == 1 {
			j.Odd = append(j.Odd, writeLiteral(s, b.Attribute, b.Accepts))
		}
	}
	return j
}

func (f Parity) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j parityJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the parity is malformed: %w", err)
	}
	number := map[string]int{}
	for i, b := range f.Bits(s) {
		number[fmt.Sprint(b)] = i
	}
	h := parity.Parity{Constant: j.Negated}
	for _, l := range j.Odd {
		a, accepted, err := l.read(s)
		if err != nil {
			return nil, err
		}
		i, ok := number[fmt.Sprint(Bit{a, accepted})]
		if !ok || i > 63 || h.Bits>>i&1 == 1 {
			return nil, fmt.Errorf("the condition on attribute %s is no bit of the class, or is there twice", quote.Word(l.Attribute))
		}
		h.Bits |= 1 << i
	}
	return h, nil
}

func (f Parity) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
