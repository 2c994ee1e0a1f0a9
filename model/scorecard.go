package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/coded"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// MostPoint bounds the points that one category may have.
const MostPoint = 100

// mostWork bounds the work of counting a class: for each attribute the cube of the
// number of points that a category may have, and for each category of a monotone
// one. mostOrdered bounds the categories of these, all of which are looked at for
// each. At the limits it takes about a gigabyte and half a minute.
const (
	mostWork    = 1 << 22
	mostOrdered = 1 << 12
)

// A Scorecard is a class of scorecards by its public parameters: every category
// of every attribute has points of its own in the same range.
type Scorecard struct {
	Points    Points
	Threshold int        // the total from which a card predicts 1
	Penalty   int64      // the cost of each attribute used
	Most      int        // attributes that may be used, 0 for no limit
	Monotone  []Monotone // at most one for each attribute
	Norm      int        // the greatest sum of squared points, 0 for no limit
	Distance  int        // of the separator, 0 for the plain one
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

// scorecardName is what files call the family.
const scorecardName = "scorecard"

// Name returns "scorecard".
func (Scorecard) Name() string { return scorecardName }

// Over returns the class over the attributes of the schema.
func (s Scorecard) Over(schema *table.Schema) (Class, error) {
	c, err := s.Cards(schema)
	if err != nil {
		return nil, err
	}
	return atDistance(c, s.Distance)
}

// atDistance returns the class with a separator of that distance, 0 for its own.
func atDistance(c *scorecard.Class, distance int) (Class, error) {
	if distance == 0 {
		return class.Erase(c), nil
	}
	with, err := coded.New(c, distance)
	if err != nil {
		return nil, noClass(err)
	}
	return class.Erase(with), nil
}

// Grade returns "total".
func (Scorecard) Grade() string { return "total" }

// Grader returns the function that adds up a record's points as a card shows them:
// without those that every record has, by which the threshold is lower there.
func (Scorecard) Grader(_ *table.Schema, h any) (func(table.Record) int, error) {
	card := h.(scorecard.Card)
	offset := card.Offset()
	return func(x table.Record) int { return card.Total(x) - offset }, nil
}

// Cards returns the class with the type of its hypotheses.
func (s Scorecard) Cards(schema *table.Schema) (*scorecard.Class, error) {
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
		work += width * width * width
	}
	done := make(map[string]bool)
	for _, m := range s.Monotone {
		j, known := positions[m.Attribute]
		if !known {
			return nil, fmt.Errorf("the schema has no attribute %s to be monotone", quote.Word(m.Attribute))
		}
		if done[m.Attribute] {
			return nil, fmt.Errorf("attribute %s is made monotone twice", quote.Word(m.Attribute))
		}
		done[m.Attribute] = true
		if n := schema.Attributes[j].Len(); n > mostOrdered {
			return nil, fmt.Errorf("attribute %q has %d categories, of which at most %d may be monotone; make groups of categories", m.Attribute, n, mostOrdered)
		}
		work += (schema.Attributes[j].Len() - 1) * width * width * width
		attributes[j] = attributes[j].Monotone(m.order(&schema.Attributes[j]))
	}
	if work > mostWork {
		return nil, fmt.Errorf("%d possible points for each category are too many for the attributes of the schema, and the categories of those that are monotone; take fewer points, or make groups of categories", width)
	}
	c, err := scorecard.New(attributes, scorecard.Options{Threshold: s.Threshold, Penalty: s.Penalty, Most: s.Most, Norm: s.Norm})
	if err != nil {
		return nil, noClass(err)
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

type scorecardJSON struct {
	Name      string         `json:"name"`
	Points    []int          `json:"points"` // least and greatest
	Threshold int            `json:"threshold"`
	Penalty   int64          `json:"penalty"`
	Most      int            `json:"most_attributes"` // 0 for no limit
	Monotone  []monotoneJSON `json:"monotone"`
	Norm      int            `json:"norm,omitempty"`
	Distance  int            `json:"distance,omitempty"`
}

type monotoneJSON struct {
	Attribute string `json:"attribute"`
	Direction string `json:"direction"` // "up" or "down"
}

type pointsJSON struct {
	Attribute string `json:"attribute"`
	Points    []int  `json:"points"`
}

func (s Scorecard) parameters() any {
	j := scorecardJSON{
		Name: scorecardName, Points: []int{s.Points.Least, s.Points.Most},
		Threshold: s.Threshold, Penalty: s.Penalty, Most: s.Most, Monotone: []monotoneJSON{}, Norm: s.Norm, Distance: s.Distance,
	}
	for _, m := range s.Monotone {
		direction := "up"
		if m.Down {
			direction = "down"
		}
		j.Monotone = append(j.Monotone, monotoneJSON{m.Attribute, direction})
	}
	return j
}

func readScorecard(text json.RawMessage) (Family, error) {
	var j scorecardJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Points) != 2 {
		return nil, errors.New("its points must be two numbers, the least and the greatest")
	}
	s := Scorecard{Points: Points{j.Points[0], j.Points[1]}, Threshold: j.Threshold, Penalty: j.Penalty, Most: j.Most, Norm: j.Norm, Distance: j.Distance}
	for _, m := range j.Monotone {
		if m.Direction != "up" && m.Direction != "down" {
			return nil, fmt.Errorf(`the direction of attribute %s is %s, not "up" or "down"`, quote.Word(m.Attribute), quote.Word(m.Direction))
		}
		s.Monotone = append(s.Monotone, Monotone{m.Attribute, m.Direction == "down"})
	}
	return s, nil
}

func (Scorecard) write(schema *table.Schema, h any) any {
	return writePoints(schema, h.(scorecard.Card).Points)
}

// writePoints returns what stands for the points of all categories in JSON.
func writePoints(s *table.Schema, points [][]int) []pointsJSON {
	var j []pointsJSON
	for i, of := range points {
		j = append(j, pointsJSON{s.Attributes[i].Name, of})
	}
	return j
}

func (Scorecard) read(schema *table.Schema, text json.RawMessage) (any, error) {
	var j []pointsJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the scorecard is malformed: %w", err)
	}
	points, err := readPoints(schema, j)
	return scorecard.Card{Points: points}, err
}

// readPoints returns the points that writePoints wrote.
func readPoints(s *table.Schema, j []pointsJSON) ([][]int, error) {
	if len(j) != len(s.Attributes) {
		return nil, fmt.Errorf("the hypothesis has points for %d attributes, the schema has %d", len(j), len(s.Attributes))
	}
	var points [][]int
	for i, a := range j {
		of := &s.Attributes[i]
		if a.Attribute != of.Name {
			return nil, fmt.Errorf("attribute %d of the hypothesis is %s, that of the schema %s", i+1, quote.Word(a.Attribute), quote.Word(of.Name))
		}
		if len(a.Points) != of.Len() {
			return nil, fmt.Errorf("attribute %s has points for %d categories, the schema has %d", quote.Word(of.Name), len(a.Points), of.Len())
		}
		points = append(points, a.Points)
	}
	return points, nil
}

func (f Scorecard) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
