package model

import (
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A literalJSON stands in JSON for a condition on one attribute: its category is
// one of some, or none of some, whichever is shorter to say.
type literalJSON struct {
	Attribute string   `json:"attribute"`
	Is        []string `json:"is,omitempty"`
	IsNot     []string `json:"is_not,omitempty"`
}

// writeLiteral says which categories of attribute j are accepted, ascending.
func writeLiteral(s *table.Schema, j int, accepted []uint16) literalJSON {
	a := &s.Attributes[j]
	l := literalJSON{Attribute: a.Name}
	names := a.Categories()
	negative := 2*len(accepted) > len(names)
	for c, name := range names {
		if _, in := slices.BinarySearch(accepted, uint16(c)); in != negative {
			if negative {
				l.IsNot = append(l.IsNot, name)
			} else {
				l.Is = append(l.Is, name)
			}
		}
	}
	return l
}

// read returns the attribute and the categories that it accepts, ascending.
func (l literalJSON) read(s *table.Schema) (j int, accepted []uint16, err error) {
	j = slices.IndexFunc(s.Attributes, func(a table.Attribute) bool { return a.Name == l.Attribute })
	if j < 0 {
		return 0, nil, fmt.Errorf("the schema has no attribute %s", quote.Word(l.Attribute))
	}
	if (len(l.Is) == 0) == (len(l.IsNot) == 0) {
		return 0, nil, fmt.Errorf(`a condition on attribute %s needs either "is" or "is_not"`, quote.Word(l.Attribute))
	}
	listed := append(l.Is, l.IsNot...)
	unseen := map[string]bool{}
	for _, name := range listed {
		unseen[name] = true
	}
	for c, name := range s.Attributes[j].Categories() {
		if unseen[name] == (len(l.Is) > 0) {
			accepted = append(accepted, uint16(c))
		}
		delete(unseen, name)
	}
	for _, name := range listed {
		if unseen[name] {
			return 0, nil, fmt.Errorf("attribute %s has no category %s", quote.Word(l.Attribute), quote.Word(name))
		}
	}
	return j, accepted, nil
}
