package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CalculatorScript is the JavaScript program of the calculator on a model's page. It evaluates the rule of the
// model, which the page contains in JSON.
//
//go:embed calculator.js
var CalculatorScript string

// ScriptHash returns the hash of CalculatorScript in the form in which a Content-Security-Policy header lists it,
// so that browsers execute the script.
func ScriptHash() string {
	sum := sha256.Sum256([]byte(CalculatorScript))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A calculator holds the data that the script of a model's page reads: the fields of the form, and the rule and the
// risks of the model. It depends only on released values.
type calculator struct {
	Fields   []field       `json:"fields"`
	Rule     any           `json:"rule"`
	Outcomes []string      `json:"outcomes"`
	By       risk.Kind     `json:"by,omitempty"` // the kind of the grades to which the risks belong
	Of       []string      `json:"of,omitempty"` // the outcomes, or the positive outcome only, whose risks are stated
	Risks    []gradedRisks `json:"risks,omitempty"`

	fields map[int]int // by attribute of the schema, the index of its field
}

// A field is a form control for one attribute: either a list of categories, or an input for a number or a date,
// which determines the interval that contains it.
type field struct {
	Name       string   `json:"name"`
	Categories []string `json:"categories"`
	Cuts       []string `json:"cuts,omitempty"`
	Date       bool     `json:"date,omitempty"`
	Missing    []string `json:"missing,omitempty"` // numbers or dates that mean a missing value
	Other      string   `json:"other,omitempty"`   // for an attribute with cuts, the category of all other values
}

// gradedRisks holds the risks, as texts, for a range of grades. The range ends with the grade Most. It begins after
// the range of the previous element of the list.
type gradedRisks struct {
	Most  int      `json:"most"`
	Texts []string `json:"texts"`
}

// newCalculator returns the calculator for the page of a sheet, in plain words. It returns nil if the model
// predicts the same for all records.
func newCalculator(s Sheet) *calculator {
	h, b, a := s.Heading, s.Body, s.Assessment()
	asked := rule.Attributes(b.of)
	if len(asked) == 0 {
		return nil
	}
	c := &calculator{fields: map[int]int{}}
	for i, j := range asked {
		c.fields[j] = i
		c.Fields = append(c.Fields, newField(&b.schema.Attributes[j]))
	}
	c.Rule = c.encode(b.of, asked)
	for o := range b.schema.Outcomes() {
		c.Outcomes = append(c.Outcomes, quote.Clean(h.Outcome(o)))
	}
	if a != nil && len(a.Risks) > 0 {
		c.By, c.Of = a.Kind, c.Outcomes
		if h.Outcomes == nil {
			c.Of = []string{quote.Clean(s.event())}
		}
		for _, r := range a.Risks {
			g := gradedRisks{Most: r.Most}
			for _, s := range r.Shares {
				g.Texts = append(g.Texts, plainShare(s))
			}
			c.Risks = append(c.Risks, g)
		}
	}
	return c
}

// newField returns the form field of an attribute. Months and weekdays are chosen from a list.
func newField(a *table.Attribute) field {
	f := field{Name: quote.Clean(plainName(a.Name))}
	for _, name := range PlainCategories(a) {
		f.Categories = append(f.Categories, quote.Clean(name))
	}
	if len(a.Cuts) == 0 || a.Part == "month" || a.Part == "weekday" {
		return f
	}
	for i := range a.Cuts {
		f.Cuts = append(f.Cuts, a.CutText(i))
	}
	if f.Other = quote.Clean(a.Other); a.IsDate() {
		if f.Date = a.Part == "" && a.AgeAt == ""; f.Date {
			f.Missing = a.MissingDates()
		}
		return f
	}
	for _, d := range a.MissingNumbers() {
		f.Missing = append(f.Missing, string(d))
	}
	return f
}

type (
	conditionData struct {
		Field   int      `json:"field"`
		Accepts []uint16 `json:"accepts"`
	}
	pointsData struct {
		Points    [][]int `json:"points"` // by field, the points of its categories
		Start     int     `json:"start"`  // includes the points that all records receive
		If        any     `json:"if,omitempty"`
		Bonus     int     `json:"bonus,omitempty"`
		Threshold int     `json:"threshold"`
	}
	listData struct {
		Steps     []stepData `json:"steps"`
		Otherwise int        `json:"otherwise"`
	}
	stepData struct {
		If      []conditionData `json:"if"`
		Predict int             `json:"predict"`
	}
	treeData struct {
		If      *conditionData `json:"if,omitempty"`
		Yes     *treeData      `json:"yes,omitempty"`
		No      *treeData      `json:"no,omitempty"`
		Leaf    int            `json:"leaf,omitempty"`
		Predict int            `json:"predict"`
	}
)

// encode converts a rule to the JSON form that the calculator's script reads.
func (c *calculator) encode(b rule.Body, asked []int) any {
	switch b := b.(type) {
	case rule.Points:
		p := pointsData{Start: b.Start, Threshold: b.Threshold}
		for j, own := range b.Of {
			differ := len(own) > 0 && slices.Min(own) != slices.Max(own)
			if len(own) > 0 && !differ {
				p.Start += own[0]
			}
			if slices.Contains(asked, j) {
				if !differ {
					own = []int{} // the field is only for the bonus
				}
				p.Points = append(p.Points, own)
			}
		}
		if b.If != nil {
			p.If, p.Bonus = c.formula(b.If), b.Bonus
		}
		return p
	case rule.List:
		l := listData{Otherwise: b.Otherwise}
		for _, step := range b.Steps {
			s := stepData{Predict: step.Predict}
			for _, of := range step.If {
				s.If = append(s.If, c.condition(of))
			}
			l.Steps = append(l.Steps, s)
		}
		return l
	case *rule.Tree:
		return map[string]any{"tree": c.tree(b)}
	}
	return map[string]any{"formula": c.formula(b.(rule.Decision).Formula)}
}

func (c *calculator) condition(of rule.Condition) conditionData {
	return conditionData{c.fields[of.Attribute], of.Accepts}
}

func (c *calculator) tree(t *rule.Tree) *treeData {
	if t.Leaf() {
		return &treeData{Leaf: t.Number, Predict: t.Predict}
	}
	of := c.condition(t.If)
	return &treeData{If: &of, Yes: c.tree(t.Yes), No: c.tree(t.No)}
}

func (c *calculator) formula(f rule.Formula) any {
	parts := []any{}
	for _, part := range rule.Parts(f) {
		parts = append(parts, c.formula(part))
	}
	switch f := f.(type) {
	case rule.Condition:
		return c.condition(f)
	case rule.All:
		return map[string]any{"all": parts}
	case rule.Any:
		return map[string]any{"any": parts}
	case rule.Odd:
		return map[string]any{"odd": parts}
	case rule.AtLeast:
		return map[string]any{"of": parts, "least": f.Count}
	}
	return map[string]any{"not": parts[0]}
}
