package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// conditionJSON is the JSON form of a condition. It lists either the accepted categories (Is) or all other
// categories (IsNot), whichever list is shorter.
type conditionJSON struct {
	Attribute string   `json:"attribute"`
	Is        []string `json:"is,omitempty"`
	IsNot     []string `json:"is_not,omitempty"`
}

// parityJSON is the JSON form of a parity, which predicts 1 if an odd number of its conditions hold or, if it is
// negated, if an even number hold.
type parityJSON struct {
	Odd     []conditionJSON `json:"odd"`
	Negated bool            `json:"negated"`
}

// stepJSON is the JSON form of a step of a decision list, which predicts an outcome for the records that satisfy
// all its conditions.
type stepJSON struct {
	If      []conditionJSON `json:"if"`
	Predict int             `json:"predict"` // the predicted outcome, 0 or 1
}

type listJSON struct {
	Rules     []stepJSON `json:"rules"`
	Otherwise int        `json:"otherwise"` // the outcome predicted if no rule holds, 0 or 1
}

// treeJSON is the JSON form of a decision tree. A leaf has a prediction, and any other node has a condition and two
// subtrees.
type treeJSON struct {
	If      *conditionJSON `json:"if,omitempty"`
	Yes     *treeJSON      `json:"yes,omitempty"`
	No      *treeJSON      `json:"no,omitempty"`
	Predict *int           `json:"predict,omitempty"` // the number of an outcome
}

type pointsJSON struct {
	Attribute string `json:"attribute"`
	Points    []int  `json:"points"`
}

type constantJSON struct {
	Constant   int          `json:"constant"`
	Attributes []pointsJSON `json:"attributes"`
}

// JSON returns the JSON form of a rule in model files. A parity has a form of its own. Any other formula is written
// as the list of its conditions from left to right, because the class of the model determines how the conditions
// are combined. Points are listed for every attribute; a bonus is not part of this form.
func JSON(s *table.Schema, b Body) any {
	switch b := b.(type) {
	case Points:
		points := []pointsJSON{}
		for j, own := range b.Of {
			points = append(points, pointsJSON{s.Attributes[j].Name, own})
		}
		if b.Constant {
			return constantJSON{b.Start, points}
		}
		return points
	case List:
		list := listJSON{Rules: []stepJSON{}, Otherwise: b.Otherwise}
		for _, step := range b.Steps {
			list.Rules = append(list.Rules, stepJSON{conditions(s, step.If), step.Predict})
		}
		return list
	case *Tree:
		return tree(s, b)
	}
	f := b.(Decision).Formula
	not, negated := f.(Not)
	if negated {
		f = not.Formula
	}
	if odd, ok := f.(Odd); ok {
		return parityJSON{conditions(s, Conditions(odd)), negated}
	}
	return conditions(s, Conditions(f))
}

func conditions(s *table.Schema, of []Condition) []conditionJSON {
	all := []conditionJSON{}
	for _, c := range of {
		all = append(all, condition(s, c))
	}
	return all
}

func condition(s *table.Schema, c Condition) conditionJSON {
	a := &s.Attributes[c.Attribute]
	j := conditionJSON{Attribute: a.Name}
	names := a.Categories()
	negative := 2*len(c.Accepts) > len(names)
	for code, name := range names {
		if c.accepts(uint16(code)) != negative {
			if negative {
				j.IsNot = append(j.IsNot, name)
			} else {
				j.Is = append(j.Is, name)
			}
		}
	}
	return j
}

func tree(s *table.Schema, t *Tree) *treeJSON {
	if t.Leaf() {
		return &treeJSON{Predict: &t.Predict}
	}
	c := condition(s, t.If)
	return &treeJSON{If: &c, Yes: tree(s, t.Yes), No: tree(s, t.No)}
}

// read converts the JSON form to a condition on an attribute of the schema.
func (j *conditionJSON) read(s *table.Schema) (c Condition, err error) {
	c.Attribute = slices.IndexFunc(s.Attributes, func(a table.Attribute) bool { return a.Name == j.Attribute })
	if c.Attribute < 0 {
		return c, fmt.Errorf("the schema has no attribute %s", quote.Word(j.Attribute))
	}
	if (len(j.Is) == 0) == (len(j.IsNot) == 0) {
		return c, fmt.Errorf(`a condition on attribute %s needs either "is" or "is_not"`, quote.Word(j.Attribute))
	}
	listed := append(j.Is, j.IsNot...)
	unseen := map[string]bool{}
	for _, name := range listed {
		unseen[name] = true
	}
	for code, name := range s.Attributes[c.Attribute].Categories() {
		if unseen[name] == (len(j.Is) > 0) {
			c.Accepts = append(c.Accepts, uint16(code))
		}
		delete(unseen, name)
	}
	for _, name := range listed {
		if unseen[name] {
			return c, fmt.Errorf("attribute %s has no category %s", quote.Word(j.Attribute), quote.Word(name))
		}
	}
	return c, nil
}

func readAll(s *table.Schema, of []conditionJSON) (all []Condition, err error) {
	for i := range of {
		c, err := of[i].read(s)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// decode decodes the JSON form of a hypothesis into the variable that the parameter value points to. The parameter
// subject is the subject of error messages with its verb, such as "parity is".
func decode(text json.RawMessage, subject string, value any) error {
	err := errors.New("it is missing")
	if len(text) > 0 && string(text) != "null" {
		err = strictjson.Decode(text, value)
	}
	if err != nil {
		return fmt.Errorf("the %s malformed: %w", subject, err)
	}
	return nil
}

// ReadConditions reads the conditions of a formula from its JSON form, as the function JSON writes it. The
// parameter subject is the subject of error messages with its verb, such as "conjunction is".
func ReadConditions(s *table.Schema, text json.RawMessage, subject string) ([]Condition, error) {
	var j []conditionJSON
	if err := decode(text, subject, &j); err != nil {
		return nil, err
	}
	return readAll(s, j)
}

// ReadParity reads a parity from its JSON form. It returns the conditions of the parity, and whether it is negated.
func ReadParity(s *table.Schema, text json.RawMessage) (odd []Condition, negated bool, err error) {
	var j parityJSON
	if err := decode(text, "parity is", &j); err != nil {
		return nil, false, err
	}
	odd, err = readAll(s, j.Odd)
	return odd, j.Negated, err
}

// ReadList reads a decision list from its JSON form. Its predictions must be 0 or 1.
func ReadList(s *table.Schema, text json.RawMessage) (l List, err error) {
	var j listJSON
	if err := decode(text, "decision list is", &j); err != nil {
		return l, err
	}
	l.Otherwise = j.Otherwise
	if err := digits(l.Otherwise); err != nil {
		return l, err
	}
	for _, of := range j.Rules {
		step := Step{Predict: of.Predict}
		if step.If, err = readAll(s, of.If); err != nil {
			return l, err
		}
		if err := digits(step.Predict); err != nil {
			return l, err
		}
		l.Steps = append(l.Steps, step)
	}
	return l, nil
}

func digits(outcome int) error {
	if outcome != 0 && outcome != 1 {
		return fmt.Errorf("a prediction is %d, but must be 0 or 1", outcome)
	}
	return nil
}

// ReadTree reads a decision tree, whose leaves predict outcomes of the schema's label, from its JSON form. The
// parameter depth is the maximum depth of the tree.
func ReadTree(s *table.Schema, text json.RawMessage, depth int) (*Tree, error) {
	var j treeJSON
	if err := decode(text, "decision tree is", &j); err != nil {
		return nil, err
	}
	return j.read(s, depth)
}

func (j *treeJSON) read(s *table.Schema, depth int) (*Tree, error) {
	switch asks := j.If != nil || j.Yes != nil || j.No != nil; {
	case asks == (j.Predict != nil):
		return nil, errors.New(`a node of the decision tree needs either "predict" or "if", "yes" and "no"`)
	case !asks:
		if n := s.Outcomes(); *j.Predict < 0 || *j.Predict >= n {
			return nil, fmt.Errorf("a prediction is %d, but must be one of the outcomes 0 to %d", *j.Predict, n-1)
		}
		return &Tree{Predict: *j.Predict}, nil
	case j.If == nil || j.Yes == nil || j.No == nil:
		return nil, errors.New(`a node of the decision tree needs "if", "yes" and "no"`)
	case depth == 0:
		return nil, errors.New("the decision tree is deeper than the class allows")
	}
	c, err := j.If.read(s)
	if err != nil {
		return nil, err
	}
	t := &Tree{If: c}
	if t.Yes, err = j.Yes.read(s, depth-1); err != nil {
		return nil, err
	}
	t.No, err = j.No.read(s, depth-1)
	return t, err
}

// ReadPoints reads the points of each category of each attribute from their JSON form. The parameter subject is the
// subject of error messages with its verb, such as "scorecard is".
func ReadPoints(s *table.Schema, text json.RawMessage, subject string) ([][]int, error) {
	var j []pointsJSON
	if err := decode(text, subject, &j); err != nil {
		return nil, err
	}
	return points(s, j)
}

// ReadConstant reads a constant, which is added to every total, and the points of each category of each attribute
// from their JSON form.
func ReadConstant(s *table.Schema, text json.RawMessage) (constant int, of [][]int, err error) {
	var j constantJSON
	if err := decode(text, "points are", &j); err != nil {
		return 0, nil, err
	}
	of, err = points(s, j.Attributes)
	return j.Constant, of, err
}

func points(s *table.Schema, j []pointsJSON) ([][]int, error) {
	if len(j) != len(s.Attributes) {
		return nil, fmt.Errorf("the hypothesis has points for %d attributes, but the schema has %d", len(j), len(s.Attributes))
	}
	var points [][]int
	for i, a := range j {
		of := &s.Attributes[i]
		if a.Attribute != of.Name {
			return nil, fmt.Errorf("attribute %d is %s in the hypothesis, but %s in the schema", i+1, quote.Word(a.Attribute), quote.Word(of.Name))
		}
		if len(a.Points) != of.Len() {
			return nil, fmt.Errorf("attribute %s has points for %d categories, but %d categories in the schema", quote.Word(of.Name), len(a.Points), of.Len())
		}
		points = append(points, a.Points)
	}
	return points, nil
}
