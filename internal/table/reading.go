package table

import (
	"regexp"
	"strings"
)

// PlainNumber is a regular expression that matches the numbers that ParseDecimal reads, optionally with an exponent.
// Its capturing groups are listed at NumberPattern.
var PlainNumber = (&notation{mark: '.', exponent: true}).pattern()

// NumberPattern returns a regular expression for the attribute's numbers in a file. It matches a whole text if the
// attribute's Coder reads the text as a number without a unit. Its capturing groups are
//
//  1. the sign,
//  2. the digits before the decimal mark, which may contain separators,
//  3. the digits after the decimal mark,
//  4. the digits of a number that begins with the mark,
//  5. the exponent.
//
// Because programs in other languages use the pattern to read numbers, it contains only syntax that the regular
// expressions of all these languages share.
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

// MissingDays returns the dates that mean a missing value, as numbers of days since 1970-01-01. The result is nil if
// the attribute's values are not dates.
func (a *Attribute) MissingDays() []int64 {
	if !a.IsDate() {
		return nil
	}
	return a.missingDays()
}
