package model

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/table"
)

// MostPoint bounds the points that one category may have.
const MostPoint = 100

// mostWork bounds the work of counting a class: for each category the points
// that it may have, squared where the attribute is monotone.
const mostWork = 1 << 21

// A Scorecard is a class of scorecards by its public parameters: every category
// of every attribute has points of its own in the same range.
type Scorecard struct {
	Points    Points
	Threshold int        // the total from which a card predicts 1
	Penalty   int64      // the cost of each attribute used
	Most      int        // attributes that may be used, 0 for no limit
	Monotone  []Monotone // at most one for each attribute
}

// Points are a range of whole points.
type Points struct{ Least, Most int }

// Monotone keeps the points of an attribute from falling along its categories,
// in the order of the schema, or from rising. The category of all other values
// stays free.
type Monotone struct {
	Attribute string
	Down      bool
}

// Over returns the class over the attributes of the schema.
func (s Scorecard) Over(schema *table.Schema) (*scorecard.Class, error) {
	p := s.Points
	if p.Least > p.Most || p.Least < -MostPoint || p.Most > MostPoint {
		return nil, fmt.Errorf("the points %d..%d are no range within -%d..%d", p.Least, p.Most, MostPoint, MostPoint)
	}
	if s.Most > len(schema.Attributes) {
		return nil, fmt.Errorf("at most %d attributes may be used, but the schema has only %d", s.Most, len(schema.Attributes))
	}
	width := p.Most - p.Least + 1
	work := 0
	attributes := make([]scorecard.Attribute, len(schema.Attributes))
	positions := make(map[string]int)
	for j := range schema.Attributes {
		a := &schema.Attributes[j]
		attributes[j] = scorecard.OneHot(a.Len(), p.Least, p.Most)
		positions[a.Name] = j
		work += a.Len() * width
	}
	done := make(map[string]bool)
	for _, m := range s.Monotone {
		j, known := positions[m.Attribute]
		if !known {
			return nil, fmt.Errorf("the schema has no attribute %.60q to be monotone", m.Attribute)
		}
		if done[m.Attribute] {
			return nil, fmt.Errorf("attribute %q is made monotone twice", m.Attribute)
		}
		done[m.Attribute] = true
		work += schema.Attributes[j].Len() * width * width
		attributes[j] = attributes[j].Monotone(m.order(&schema.Attributes[j]))
	}
	if work > mostWork {
		return nil, fmt.Errorf("the schema's categories with %d possible points each are too many for scorecards; make groups of categories, or take fewer points", width)
	}
	c, err := scorecard.New(attributes, scorecard.Options{Threshold: s.Threshold, Penalty: s.Penalty, Most: s.Most})
	if err != nil {
		return nil, fmt.Errorf("there is no such class: %w", err)
	}
	return c, nil
}

// order lists the ordered categories so that points must not fall along it.
func (m Monotone) order(a *table.Attribute) []int {
	n := a.Len()
	if a.Other != "" {
		n--
	}
	order := make([]int, n)
	for c := range order {
		order[c] = c
		if m.Down {
			order[c] = n - 1 - c
		}
	}
	return order
}
