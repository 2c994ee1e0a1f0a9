package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// condition returns a text which says that the attribute has one of the accepted categories, such as "job is clerk
// or nurse". The parameter accepted holds the codes of these categories in increasing order, at least one of them
// and not all.
func condition(a *table.Attribute, accepted []uint16) string {
	if len(a.Cuts) > 0 {
		return intervals(a, accepted)
	}
	names := a.Categories()
	negative := 2*len(accepted) > len(names)
	var words []string
	for c, name := range names {
		if _, in := slices.BinarySearch(accepted, uint16(c)); in != negative {
			words = append(words, word(name))
		}
	}
	switch {
	case !negative:
		return word(a.Name) + " is " + choice(words, "or")
	case len(words) == 1:
		return word(a.Name) + " is not " + words[0]
	}
	return word(a.Name) + " is neither " + choice(words, "nor")
}

// intervals implements condition for an attribute with cuts. Adjacent accepted categories are written as one
// interval.
func intervals(a *table.Attribute, accepted []uint16) string {
	var parts []string
	for i := 0; i < len(accepted); {
		first := int(accepted[i])
		if first > len(a.Cuts) {
			parts = append(parts, word(a.Name)+" is "+word(a.Other))
			break
		}
		last := first
		for i++; i < len(accepted) && int(accepted[i]) == last+1 && last < len(a.Cuts); i++ {
			last++
		}
		parts = append(parts, interval(a, first, last))
	}
	return strings.Join(parts, " or ")
}

// interval returns a text such as "40 ≤ age < 60" for an attribute with cuts. It says that the number is in a
// range of adjacent intervals. The parameters first and last are the indices of the first and the last interval.
func interval(a *table.Attribute, first, last int) string {
	name := word(a.Name)
	switch n := len(a.Cuts); {
	case first == 0 && last == n:
		if a.IsDate() && a.Part == "" && a.AgeAt == "" {
			return name + " is a date"
		}
		return name + " is a number"
	case first == 0:
		return fmt.Sprintf("%s < %s", name, a.CutText(last))
	case last == n:
		return fmt.Sprintf("%s ≥ %s", name, a.CutText(first-1))
	}
	return fmt.Sprintf("%s ≤ %s < %s", a.CutText(first-1), name, a.CutText(last))
}

// choice joins words, as in "a", "a or b" or "a, b or c". The parameter connective is "or" or "nor".
func choice(words []string, connective string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " " + connective + " " + words[last]
}

// labels joins the values of the label that belong to one class by "or". Several values are quoted, so that the
// word "or" between them does not look like an undecided prediction.
func labels(values []string) string {
	if len(values) == 1 {
		return word(values[0])
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = inQuotes(v)
	}
	return choice(words, "or")
}

// word returns a name for use within a sentence. It adds quotation marks if readers might not see where the name
// begins or ends.
func word(name string) string {
	if name == "or" || name == "and" || name == "not" || strings.ContainsFunc(name, unicode.IsSpace) ||
		strings.ContainsAny(name, `",;`) || strings.TrimRight(name, ".:!?") != name {
		return inQuotes(name)
	}
	return name
}

func inQuotes(name string) string { return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"` }
