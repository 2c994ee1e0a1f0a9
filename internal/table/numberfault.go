package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// A NumberFault is the reason why the text of a field of numbers or dates cannot be read. It is private, because it
// depends on the content of the field.
type NumberFault int

const (
	Readable      NumberFault = iota // a number or an empty field
	HasExponent                      // a number with an exponent, which plain decimals do not have
	HasBlanks                        // a number with blanks around it, or only blanks
	HasComma                         // a number with a decimal comma, but the decimal mark is a point
	HasPoint                         // a number with a decimal point, but the decimal mark is a comma
	HasSeparators                    // a number with thousands separators
	HasSymbol                        // a number with a percent sign, a currency symbol or another unit
	NotNumber                        // any other text
	NotDate                          // for an attribute of dates, a text that does not have the format of a date
	NoSuchDate                       // a date that does not exist, such as 31 February
)

// NumberFault returns the reason why the field cannot be read as a number or a date. It returns Readable if the field
// can be read, or if the attribute has values or groups of texts.
func (c *Coder) NumberFault(field []byte) NumberFault {
	if c.dates != nil {
		return c.dates.fault(field)
	}
	if c.steps == nil || len(field) == 0 || c.steps.reads(field) || slices.Contains(c.steps.words, string(field)) {
		return Readable
	}
	if _, ok := parseNumeral(field, c.steps.mark, true, nil); ok {
		return HasExponent
	}
	text := string(bytes.TrimFunc(field, unicode.IsSpace))
	bare := strings.TrimFunc(strings.TrimLeft(text, "+-"), isSymbol)
	switch {
	case text == "" || c.steps.reads([]byte(text)):
		return HasBlanks
	case hasSeparators(text, c.steps.mark):
		return HasSeparators
	case c.steps.otherMark().reads([]byte(text)):
		if c.steps.mark == ',' {
			return HasPoint
		}
		return HasComma
	case bare != text && (c.steps.reads([]byte(bare)) || c.steps.otherMark().reads([]byte(bare)) || hasSeparators(bare, c.steps.mark)):
		return HasSymbol
	}
	return NotNumber
}

// IsNumber reports whether the Coder reads fields as numbers or dates.
func (c *Coder) IsNumber() bool { return c.steps != nil || c.dates != nil }

// fault returns the reason why a field cannot be read as a date, or Readable.
func (r *dateReader) fault(field []byte) NumberFault {
	if len(field) == 0 || slices.Contains(r.words, string(field)) {
		return Readable
	}
	switch _, fault := parseDate(field, r.Format); fault {
	case otherText:
		return NotDate
	case impossibleDate:
		return NoSuchDate
	}
	return Readable
}

func (n *notation) reads(field []byte) bool {
	_, ok := n.parse(field)
	return ok
}

// otherMark returns a copy of the notation with a comma as the decimal mark instead of a point, or the reverse, and
// without separators of thousands.
func (n *notation) otherMark() *notation {
	other := *n
	if other.thousands, other.mark = nil, ','; n.mark == ',' {
		other.mark = '.'
	}
	return &other
}

// isSymbol reports whether the character may be a part of a unit before or after a number, such as % or kg.
func isSymbol(c rune) bool {
	return c == '%' || c == '‰' || c == '°' || unicode.IsLetter(c) || unicode.Is(unicode.Sc, c) || unicode.IsSpace(c)
}

// hasSeparators reports whether the text is a number with separators of thousands: the digits before the decimal mark
// are in groups, and all groups except the first have three digits.
func hasSeparators(text string, mark byte) bool {
	text = strings.TrimLeft(text, "+-")
	for _, separator := range []string{",", ".", "'", "’", " ", "\u00a0", "\u202f", "_"} {
		for _, point := range []byte{mark, '.', ','} {
			whole, fraction, _ := strings.Cut(text, string(rune(point)))
			groups := strings.Split(whole, separator)
			if separator == string(rune(point)) || len(groups) < 2 || len(groups[0]) > 3 || !isDigits(groups[0]) || fraction != "" && !isDigits(fraction) {
				continue
			}
			same := true
			for _, g := range groups[1:] {
				same = same && len(g) == 3 && isDigits(g)
			}
			if same {
				return true
			}
		}
	}
	return false
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
