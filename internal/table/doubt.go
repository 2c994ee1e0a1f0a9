package table

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Doubt is a reason to suspect that a value has been assigned to a category that its author did not intend, for
// example because the value is a number outside the range of its attribute. A Doubt is private, because it depends
// on the value.
type Doubt int

const (
	NoDoubt        Doubt = iota
	BeyondLimits         // a number below least or above most, such as a code of missing values
	HasMargins           // an unlisted text that is listed without the blanks around it
	HasOtherForm         // an unlisted text that is listed in another Unicode form, such as with a separate accent
	HasOtherCase         // an unlisted text that is listed with other upper and lower case
	HasOtherDigits       // an unlisted number that is listed with other digits, such as 1.0 for 1
)

// A Doubter finds values of an attribute that may have been assigned to an unintended category.
type Doubter struct {
	coder       *Coder
	least, most *numeral // nil if the attribute has no limits
	listed      map[string]bool
	composed    map[string]bool  // the listed texts in the form NFC
	folded      map[string]bool  // the listed texts in lower case, in the form NFC
	numbers     map[Decimal]bool // the listed texts that are numbers
}

// Doubter returns a Doubter for the attribute. If the fields come from delimited text, the parameter file
// describes its format; otherwise it is nil.
func (a *Attribute) Doubter(file *File) *Doubter {
	d := &Doubter{coder: a.Coder(file), listed: make(map[string]bool), composed: make(map[string]bool), folded: make(map[string]bool), numbers: make(map[Decimal]bool)}
	if a.ranged() {
		least, most := numeralOf(a.Least), numeralOf(a.Most)
		d.least, d.most = &least, &most
	}
	texts := append(append([]string{}, a.Values...), a.Missing...)
	for _, g := range a.Groups {
		texts = append(texts, g.Values...)
	}
	for _, text := range texts {
		composed := norm.NFC.String(text)
		d.listed[text], d.composed[composed], d.folded[strings.ToLower(composed)] = true, true, true
		if number, ok := ParseDecimal(text); ok {
			d.numbers[number] = true
		}
	}
	return d
}

// Doubt returns the reason to suspect that the field is in an unintended category, or NoDoubt.
func (d *Doubter) Doubt(field []byte) Doubt {
	switch {
	case d.coder.steps != nil:
		return d.doubtNumber(field)
	case d.coder.dates != nil || d.listed[string(field)]:
		return NoDoubt
	}
	text := string(bytes.TrimFunc(field, unicode.IsSpace))
	composed := norm.NFC.String(text)
	switch {
	case text == "":
		return NoDoubt
	case d.listed[text]:
		return HasMargins
	case d.composed[composed]:
		return HasOtherForm
	case d.folded[strings.ToLower(composed)]:
		return HasOtherCase
	}
	if number, ok := ParseDecimal(text); ok && d.numbers[number] {
		return HasOtherDigits
	}
	return NoDoubt
}

func (d *Doubter) doubtNumber(field []byte) Doubt {
	if d.coder.dates != nil {
		number, isDate := d.coder.dates.number(nil, field)
		if !isDate {
			return NoDoubt
		}
		field = number
	}
	if _, known := d.coder.steps.code(field); !known || d.least == nil {
		return NoDoubt
	}
	if x, _ := d.coder.steps.parse(field); x.compare(*d.least) < 0 || x.compare(*d.most) > 0 {
		return BeyondLimits
	}
	return NoDoubt
}
