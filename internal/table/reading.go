package table

import (
	"regexp"
	"strings"
)

// PlainNumber is a regular expression of the numbers that ParseDecimal reads, possibly with an exponent. Its groups are those of
// NumberPattern.
var PlainNumber = (&notation{mark: '.', exponent: true}).pattern()

// NumberPattern returns a regular expression of whole texts that a Coder for the file reads as numbers, without units. Its groups
// are the sign, the digits before the decimal mark, which may contain separators, the digits after it, the digits of a number that
// begins with the mark, and the exponent. Programs in other languages read numbers by it, so it uses only what the regular
// expressions of all languages share.
func (a *Attribute) NumberPattern(file *File) string {
	n := a.Spelling.notation(file)
	return n.pattern()
}

func (n *notation) pattern() string {
	whole := "[0-9]+"
	if len(n.thousands) > 0 {
		var forms []string
		for _, form := range n.thousands {
			forms = append(forms, regexp.QuoteMeta(form))
		}
		whole = "[0-9]{1,3}(?:(?:" + strings.Join(forms, "|") + ")[0-9]{3})+|" + whole
	}
	mark := "[" + string(rune(n.mark)) + "]"
	pattern := "([+-]?)(?:(" + whole + ")(?:" + mark + "([0-9]*))?|" + mark + "([0-9]+))"
	if n.exponent {
		pattern += "(?:[eE]([+-]?[0-9]+))?"
	} else {
		pattern += "()"
	}
	return "^" + pattern + "$"
}

// MissingDays returns the dates that mean a missing value of an attribute of dates, in days since 1970-01-01.
func (a *Attribute) MissingDays() []int64 {
	if !a.IsDate() {
		return nil
	}
	return a.missingDays()
}
