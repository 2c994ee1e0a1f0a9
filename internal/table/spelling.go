package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Spelling defines the format of the numbers of an attribute or a label in delimited text. The zero value is the
// default: the decimal mark of the File, no separators of thousands and no units. In sources with typed values, such
// as Parquet, columns of text do not support Decimal, Thousands and Units.
type Spelling struct {
	Decimal byte // the decimal mark, '.' or ','; 0 stands for the mark of the File

	// Thousands may separate groups of three digits before the decimal mark. It is one of ",", ".", "'", " " and "_",
	// or "" for no separator. "'" also stands for ’, and " " also for a no-break space.
	Thousands string

	// Units lists texts that may stand before or after a number, with or without blanks between
	// them, such as "%" or "€". They do not change the number: 12.5 % is 12.5.
	Units []string

	// Missing lists texts that mean a missing value, in all sources. If one of them is a plain decimal, all texts and
	// values that are equal as numbers also mean a missing value: "-999" covers -999.00.
	Missing []string
}

// missing returns, as numbers, those texts of the list Missing that are numbers.
func (s *Spelling) missing() (numbers []Decimal) {
	for _, text := range s.Missing {
		if d, ok := ParseDecimal(text); ok {
			numbers = append(numbers, d)
		}
	}
	return numbers
}

// MissingNumbers returns the numbers that mean a missing value. The result is nil if the attribute has no cuts or its
// values are dates.
func (a *Attribute) MissingNumbers() []Decimal {
	if len(a.Cuts) == 0 || a.IsDate() {
		return nil
	}
	return a.Spelling.missing()
}

// written returns the text that synthetic rows contain for a missing value. A number is written with the given
// decimal mark.
func (a *Attribute) written(mark byte) string {
	if len(a.Missing) == 0 {
		return ""
	}
	if d, ok := ParseDecimal(a.Missing[0]); ok && len(a.Cuts) > 0 {
		return d.marked(mark)
	}
	return a.Missing[0]
}

// checkMissing checks the texts that mean a missing value. A column of numbers whose cuts are not defined yet is
// checked as if it had cuts, so that adding cuts later cannot make these texts invalid.
func (a *Attribute) checkMissing(path, owner string, file File) *fault {
	open, numbers := a.Open(), (len(a.Cuts) > 0 || a.Open() && a.Kind == NumberKind) && !a.IsDate()
	if len(a.Missing) == 0 || open && !numbers {
		return nil
	}
	if a.Other == "" && !numbers && !a.IsDate() {
		return faultf(path+".missing", "\"missing\" of %s requires the key \"other\", the category that synthetic rows write as this text; add it, or delete \"missing\"", owner)
	}
	notation := a.Spelling.notation(&file)
	for i, text := range a.Missing {
		path := at(path+".missing", i)
		if f := checkValue(path, owner, text); f != nil {
			return f
		}
		if slices.Contains(a.Missing[:i], text) {
			return faultf(path, "\"missing\" of %s lists %s twice", owner, quote.Word(text))
		}
		_, plain := ParseDecimal(text)
		if numbers && !plain && notation.reads([]byte(text)) {
			return faultf(path, "\"missing\" of %s has the number %s, which must be a plain decimal such as -999 or 0.5", owner, quote.Word(text))
		}
		if d, _ := ParseDecimal(text); plain && numbers && a.draws(d) {
			return faultf(path, "\"missing\" of %s has the number %s, which synthetic data may draw; change \"least\", \"most\" or \"draw\"", owner, d)
		}
		if d, day := a.ParseNumber(text); day && a.IsDate() && a.ranged() && a.draws(d) {
			return faultf(path, "\"missing\" of %s has the date %s, which synthetic data may draw; change \"least\" or \"most\"", owner, quote.Word(text))
		}
		if code, ok := a.Code(text); ok && !open && (a.Other == "" || code != a.Len()-1) {
			return faultf(path, "\"missing\" of %s is a value of another category; give a value that is read as \"other\"", owner)
		}
	}
	return nil
}

// draws reports whether synthetic rows may contain the number d: it must be one of the listed numbers, or lie in the
// range of sampled numbers and have no more decimal places than they have.
func (w *Writing) draws(d Decimal) bool {
	if w.ranged() {
		return d.places() <= w.places() && w.Least.Rat().Cmp(d.Rat()) <= 0 && d.Rat().Cmp(w.Most.Rat()) <= 0
	}
	return slices.Contains(w.Listed, d)
}

// Spelled reports whether one of the fields Decimal, Thousands and Units is set, so that the Spelling differs from
// the default for numbers.
func (s *Spelling) Spelled() bool { return s.Decimal != 0 || s.Thousands != "" || len(s.Units) > 0 }

func (s *Spelling) clone() Spelling {
	c := *s
	c.Units, c.Missing = slices.Clone(s.Units), slices.Clone(s.Missing)
	return c
}

// Keys returns the names of those of the schema keys decimal, thousands and unit that are set, joined as in "decimal
// and unit".
func (s *Spelling) Keys() string {
	var keys []string
	if s.Decimal != 0 {
		keys = append(keys, "decimal")
	}
	if s.Thousands != "" {
		keys = append(keys, "thousands")
	}
	if len(s.Units) > 0 {
		keys = append(keys, "unit")
	}
	return enumerate(keys)
}

// SpelledText returns the first column of texts for which the schema defines a format of numbers (see Spelled), and
// the schema keys that define it. The function isText reports whether a column contains texts. Both results are "" if
// there is no such column.
func (s *Schema) SpelledText(isText func(column string) bool) (column, keys string) {
	spelled := func(column string, of *Spelling) bool { return of.Spelled() && isText(column) }
	for j := range s.Attributes {
		if a := &s.Attributes[j]; spelled(a.Column, &a.Spelling) {
			return a.Column, a.Keys()
		}
	}
	if l := s.Label; l != nil && spelled(l.Column, &l.Spelling) {
		return l.Column, l.Keys()
	}
	return "", ""
}

// separators lists the characters that separate thousands, for each permitted value of Spelling.Thousands.
var separators = map[string][]string{
	",": {","}, ".": {"."}, "_": {"_"}, "'": {"'", "’"}, " ": {" ", "\u00a0", "\u202f"},
}

// mostUnit is the maximum length, in bytes, of a unit such as "kg".
const mostUnit = 32

// check checks the number format of an attribute or a label. The parameter decimal is the decimal mark of the file,
// and the parameter numbers states whether the values are numbers. The parameter path is the position in the schema,
// and owner names the attribute or label in error messages.
func (s *Spelling) check(path, owner string, numbers bool, decimal byte) *fault {
	if s.Decimal != 0 {
		decimal = s.Decimal
	}
	switch {
	case s.Spelled() && !numbers:
		return faultf(path, "%s has one of the keys \"decimal\", \"thousands\" and \"unit\", which describe how numbers are written, but it has no cuts; delete these keys", owner)
	case decimal != '.' && decimal != ',':
		return faultf(path+".decimal", `"decimal" of %s must be "." or ","`, owner)
	case s.Thousands != "" && separators[s.Thousands] == nil:
		return faultf(path+".thousands", `"thousands" of %s must be ",", ".", "'", " " or "_"`, owner)
	case s.Thousands == string(rune(decimal)):
		return faultf(path+".thousands", "\"thousands\" of %s is also the decimal mark of its numbers; set \"decimal\" of %[1]s to another mark", owner)
	}
	for i, u := range s.Units {
		path := at(path+".unit", i)
		switch {
		case !utf8.ValidString(u) || u == "" || len(u) > mostUnit:
			return faultf(path, "\"unit\" of %s must be text of 1 to %d bytes, such as \"%%\"", owner, mostUnit)
		case strings.ContainsAny(u, "0123456789+-.,") || strings.ContainsFunc(u, unicode.IsControl) || s.Thousands != "" && hasSeparator([]byte(u), s.Thousands):
			return faultf(path, "unit %s of %s must not contain digits, signs, points, commas or the separator of thousands", quote.Word(u), owner)
		case strings.TrimSpace(u) != u:
			return faultf(path, "unit %s of %s must not begin or end with a blank; blanks between number and unit are ignored", quote.Word(u), owner)
		case slices.Contains(s.Units[:i], u):
			return faultf(path, "\"unit\" of %s lists %s twice", owner, quote.Word(u))
		}
	}
	return nil
}

func hasSeparator(text []byte, separator string) bool {
	return slices.ContainsFunc(separators[separator], func(form string) bool { return bytes.Contains(text, []byte(form)) })
}

// A notation is the format in which the fields of one column contain numbers.
type notation struct {
	mark      byte     // the decimal mark
	exponent  bool     // whether numbers may have an exponent
	thousands []string // the forms of the separator of thousands
	units     []string
}

// notation returns the format of numbers in the file. If the file is nil, it is that of plain decimals.
func (s *Spelling) notation(file *File) notation {
	if file == nil {
		return notation{mark: '.'}
	}
	n := notation{file.Decimal, true, separators[s.Thousands], s.Units}
	if s.Decimal != 0 {
		n.mark = s.Decimal
	}
	return n
}

// parse reads a number in this notation. A unit such as % or kg may precede the number, follow it, or stand between
// its sign and its digits.
func (n *notation) parse(text []byte) (x numeral, ok bool) {
	x, ok = parseNumeral(text, n.mark, n.exponent, n.thousands)
	if ok || len(n.units) == 0 || len(text) == 0 {
		return x, ok
	}
	for _, unit := range n.units {
		if bare, found := bytes.CutSuffix(text, []byte(unit)); found {
			x, ok = parseNumeral(trimRightBlanks(bare), n.mark, n.exponent, n.thousands)
		} else if bare, found := bytes.CutPrefix(text, []byte(unit)); found {
			x, ok = parseNumeral(trimLeftBlanks(bare), n.mark, n.exponent, n.thousands)
		} else if bare, found := bytes.CutPrefix(text[1:], []byte(unit)); found && isSign(text[0]) {
			if bare = trimLeftBlanks(bare); len(bare) > 0 && !isSign(bare[0]) {
				x, ok = parseNumeral(bare, n.mark, n.exponent, n.thousands)
				x.negative = text[0] == '-'
			}
		}
		if ok {
			return x, true
		}
	}
	return numeral{}, false
}

func isSign(c byte) bool { return c == '+' || c == '-' }

func trimLeftBlanks(text []byte) []byte  { return bytes.TrimLeftFunc(text, unicode.IsSpace) }
func trimRightBlanks(text []byte) []byte { return bytes.TrimRightFunc(text, unicode.IsSpace) }
