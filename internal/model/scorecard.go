package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Scorecard is the class (a Form) of scorecards, with its public parameters. A scorecard gives points to each
// category of each attribute, and predicts 1 if a record's total is at least the threshold. All points are in the
// same range.
type Scorecard struct {
	Points    Points
	Threshold int        // the least total for which a card predicts 1
	Penalty   int64      // the cost of each attribute used
	Most      int        // the maximum number of attributes used; 0 means no limit
	Monotone  []Monotone // the monotone attributes, each listed at most once
	Norm      int        // the maximum sum of the squared points; 0 means no limit
	Distance  int        // the minimum Hamming distance of the separator; 0 for the natural separator
}

// A Monotone is a constraint on the points of an attribute: they must not decrease from one category to the next in
// the order of the schema or, if Down is true, must not increase. The category Other is exempt.
type Monotone struct {
	Attribute string
	Down      bool
}

var scorecardKind = Kind{
	Name: "scorecard", What: "integer points for each category of each attribute; the prediction depends on their sum", Selection: BySearch,
	Quicker: "fewer categories or points",
	New:     func() FormBuilder { return &scorecardBuilder{Scorecard: NewScorecard()} }, read: readScorecard,
}

// NewScorecard returns the class of scorecards with default parameters.
func NewScorecard() Scorecard { return Scorecard{Points: signs, Threshold: 1} }

// Name returns "scorecard", the name of the class in commands and model files.
func (Scorecard) Name() string { return scorecardKind.Name }

// Noun returns "scorecard", the noun for a hypothesis of the class in messages.
func (Scorecard) Noun() report.Noun { return "scorecard" }

// scorecardBuilder collects the parameters of scorecards from flags. It implements FormBuilder.
type scorecardBuilder struct {
	Scorecard
	monotone texts
}

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *scorecardBuilder) Parameters(f *flag.FlagSet) {
	cardParameters(f, &a.Points, &a.Threshold, &a.Most, &a.Norm, &a.Penalty, &a.Distance)
	f.Var(&a.monotone, "monotone", "the name of an `attribute` whose points must not decrease from each category to the next in the schema, or with NAME:down must not increase; can be given several times")
}

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *scorecardBuilder) Form(s *table.Schema) (Form, error) {
	f := a.Scorecard
	for _, text := range a.monotone {
		found, err := parseMonotone(text, s)
		if err != nil {
			return nil, err
		}
		f.Monotone = append(f.Monotone, found)
	}
	return f.Complete(s)
}

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter. In the
// result, a constraint (Monotone) on a column with several attributes is replaced by one for each attribute.
func (f Scorecard) Complete(s *table.Schema) (Form, error) {
	if err := checkCards(f.Most, f.Norm, f.Penalty, f.Distance); err != nil {
		return nil, err
	}
	asked := f.Monotone
	f.Monotone = nil
	for _, m := range asked {
		found := attributesOf(m.Attribute, s)
		if found == nil {
			return nil, unknownMonotone(m.Attribute)
		}
		for _, name := range found {
			f.Monotone = append(f.Monotone, Monotone{name, m.Down})
		}
	}
	return f, nil
}

func unknownMonotone(name string) error {
	return parameter.Errorf("{monotone} %s is not an attribute or column of the schema; write NAME, NAME:up or NAME:down", quote.Word(name))
}

// parseMonotone parses a value of the parameter "monotone": the name of an attribute or a column, optionally followed
// by :up or :down.
func parseMonotone(text string, s *table.Schema) (Monotone, error) {
	if attributesOf(text, s) != nil {
		return Monotone{Attribute: text}, nil
	}
	name, up := strings.CutSuffix(text, ":up")
	name, down := strings.CutSuffix(name, ":down")
	if up == down || attributesOf(name, s) == nil {
		return Monotone{}, unknownMonotone(text)
	}
	return Monotone{Attribute: name, Down: down}, nil
}

// attributesOf returns the names of all attributes to which a name refers. If it is the name of an attribute, this
// attribute is the only one. Otherwise it is the name of a column, and the result has all attributes of the column.
func attributesOf(name string, s *table.Schema) []string {
	var byColumn []string
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if a.Name == name {
			return []string{name}
		}
		if a.Column == name {
			byColumn = append(byColumn, a.Name)
		}
	}
	return byColumn
}

// mostOrdered is the maximum number of categories of an attribute whose points must be monotone. The amount of work
// is quadratic in this number.
const mostOrdered = 1 << 12

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Scorecard) Over(s *table.Schema) (Space, error) {
	if err := f.Points.check("points"); err != nil {
		return nil, err
	}
	work := int64(0)
	attributes := scorecard.Uniform(s.Sizes(), f.Points.Least, f.Points.Most)
	positions := make(map[string]int)
	for j := range s.Attributes {
		a := &s.Attributes[j]
		positions[a.Name] = j
		work += f.Points.work()
	}
	done := make(map[string]bool)
	for _, m := range f.Monotone {
		j, known := positions[m.Attribute]
		if !known {
			return nil, parameter.About("monotone", fmt.Errorf("attribute %s, which is listed as monotone, is not in the schema", quote.Word(m.Attribute)))
		}
		if done[m.Attribute] {
			return nil, parameter.About("monotone", fmt.Errorf("attribute %s is listed twice as monotone; remove one of the two", quote.Word(m.Attribute)))
		}
		done[m.Attribute] = true
		if n := s.Attributes[j].Len(); n > mostOrdered {
			return nil, parameter.About("monotone", fmt.Errorf("attribute %q has %d categories, but a monotone attribute may have at most %d; make groups of categories", m.Attribute, n, mostOrdered))
		}
		work += int64(s.Attributes[j].Len()-1) * f.Points.work()
		attributes[j] = attributes[j].Monotone(m.order(&s.Attributes[j]))
	}
	if work > mostWork {
		return nil, parameter.About("points", fmt.Errorf("%d possible points for each category are too many for these attributes; use a smaller range of points, or group the categories of monotone attributes", f.Points.width()))
	}
	return newCards(f, s, f.Distance, attributes, scorecard.Options{Threshold: f.Threshold, Penalty: f.Penalty, Most: f.Most, Norm: f.Norm})
}

// order returns the categories of the attribute, except Other, in the order in which their points must not decrease.
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
	Points    []int          `json:"points"` // the least and the greatest points
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

func (f Scorecard) parameters() any {
	j := scorecardJSON{
		Name: f.Name(), Points: []int{f.Points.Least, f.Points.Most},
		Threshold: f.Threshold, Penalty: f.Penalty, Most: f.Most, Monotone: []monotoneJSON{}, Norm: f.Norm, Distance: f.Distance,
	}
	for _, m := range f.Monotone {
		direction := "up"
		if m.Down {
			direction = "down"
		}
		j.Monotone = append(j.Monotone, monotoneJSON{m.Attribute, direction})
	}
	return j
}

func readScorecard(text json.RawMessage) (Form, error) {
	var j scorecardJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Points) != 2 {
		return nil, errors.New("the key \"points\" must be a list of two numbers, the least and the greatest points")
	}
	f := Scorecard{Points: Points{j.Points[0], j.Points[1]}, Threshold: j.Threshold, Penalty: j.Penalty, Most: j.Most, Norm: j.Norm, Distance: j.Distance}
	for _, m := range j.Monotone {
		if m.Direction != "up" && m.Direction != "down" {
			return nil, fmt.Errorf(`the direction of attribute %s is %s, not "up" or "down"`, quote.Word(m.Attribute), quote.Word(m.Direction))
		}
		f.Monotone = append(f.Monotone, Monotone{m.Attribute, m.Direction == "down"})
	}
	return f, nil
}
