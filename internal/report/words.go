package report

import (
	"strings"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// words determines how attributes and their categories are written: in the notation of the schema, such as [40,60),
// or, if plain is true, in plain words for readers of pages, such as "40 to 59".
type words struct {
	attributes []table.Attribute
	plain      bool
}

// name returns the name of the attribute with index j, with spaces instead of underscores if plain is true.
func (w words) name(j int) string {
	if w.plain {
		return plainName(w.attributes[j].Name)
	}
	return w.attributes[j].Name
}

// categories returns the names of the categories of the attribute with index j, in the order of their codes.
func (w words) categories(j int) []string {
	if w.plain {
		return PlainCategories(&w.attributes[j])
	}
	return w.attributes[j].Categories()
}

// interval returns a name, such as [40,60), for a range of adjacent intervals of the attribute with index j. The
// parameters first and last are the indices of the first and the last interval.
func (w words) interval(j, first, last int) string {
	a := &w.attributes[j]
	if w.plain || first == 0 && last == len(a.Cuts) {
		return plainRange(a, first, last)
	}
	return table.IntervalName(a.CutTexts(), first, last)
}

// sentence returns the condition c in words. The condition must accept at least one category, but not all.
func (w words) sentence(c rule.Condition) string { return w.condition(c.Attribute, c.Accepts) }

// condition returns a text which says that the attribute with index j has one of the accepted categories. The
// parameter accepted holds their codes in increasing order, at least one of them and not all.
func (w words) condition(j int, accepted []uint16) string {
	if w.plain {
		return plainCondition(&w.attributes[j], accepted)
	}
	return condition(&w.attributes[j], accepted)
}

// plainName returns the name of a column with spaces instead of underscores.
func plainName(name string) string {
	if plain := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' }), " "); plain != "" {
		return plain
	}
	return name
}
