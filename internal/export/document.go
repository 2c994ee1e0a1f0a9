package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A document is a released model as plain data. It contains everything that a program in any language needs to
// predict, and is part of the formats json, javascript, python and go. No text from a user is used as the name of a
// field. docs/reference/rule.schema.json describes it.
type document struct {
	Format    string        `json:"format"`
	Model     string        `json:"model"`     // "sha256:" and the digest of the model file
	Guarantee string        `json:"guarantee"` // in one paragraph
	Private   bool          `json:"private"`
	Epsilon   string        `json:"epsilon"`
	Delta     string        `json:"delta"`
	Relation  string        `json:"relation"`
	Label     labelled      `json:"label"`
	Trim      bool          `json:"trim"`  // whether spaces and tabs around values are removed
	Plain     string        `json:"plain"` // a regular expression for numbers in typed values, which are not read from delimited text
	Columns   []readColumn  `json:"attributes"`
	Rule      node          `json:"rule"`
	Measure   string        `json:"measure"` // the name of the grade: "points", "rule" or "leaf"; "" if the grade is the prediction
	Risks     bool          `json:"risks"`
	Results   []gradeResult `json:"results"` // the last element whose From is at most the grade applies
}

// documentFormat is the name and version of the format of a document.
const documentFormat = "sibyl-rule/1"

func (d document) shows(field string) bool {
	switch field {
	case "epsilon", "delta", "relation":
		return d.Private
	}
	return true
}

// A labelled holds the name of the label's column and the names of its outcomes. If Outcomes is empty, the
// predictions are 0 and 1.
type labelled struct {
	Column   string   `json:"column"`
	Outcomes []string `json:"outcomes"`
}

// A readColumn describes how a program maps the value in a column to the category code of an attribute.
type readColumn struct {
	Name       string     `json:"name"`
	Column     string     `json:"column"`
	Categories []string   `json:"categories"` // by code, the name of the category
	Values     [][]string `json:"values"`     // by code, the texts of the category
	Cuts       []string   `json:"cuts"`       // code k has the numbers that are at least cut k-1 and below cut k
	Number     string     `json:"number"`     // a regular expression for numbers, see table.Attribute.NumberPattern
	Units      []string   `json:"units"`
	Missing    []string   `json:"missing"` // numbers that mean a missing value
	Date       readDate   `json:"date"`
	Other      int        `json:"other"` // the code of all other values; -1 if a record with another value has no prediction
}

func (c readColumn) shows(field string) bool {
	dated := c.Date.Format != ""
	switch field {
	case "values":
		return len(c.Cuts) == 0
	case "cuts":
		return len(c.Cuts) > 0
	case "number", "units", "missing":
		return len(c.Cuts) > 0 && !dated
	case "date":
		return dated
	}
	return true
}

// A readDate describes how a program reads a date as a number. This is the number of days since 1970-01-01, a part
// of the date such as the month, or the age in completed years at a given date.
type readDate struct {
	Format  string   `json:"format"`
	Part    string   `json:"part"`
	AgeAt   string   `json:"age_at"`
	Days    []int64  `json:"missing_days"`
	Missing []string `json:"missing"` // texts that mean a missing value
}

// A node is a rule or a part of a rule. The field Is holds its kind, which determines the other fields that the
// node uses. The comment of each field names the kinds that use it.
type node struct {
	Is        string  `json:"is"`
	Attribute int     `json:"attribute"` // in
	Codes     []int   `json:"codes"`     // in
	Count     int     `json:"count"`     // at_least
	Of        []node  `json:"of"`        // all, any, odd, at_least, not, list, tree: condition, yes, no; decision; points_with_bonus
	Start     int     `json:"start"`     // points, points_with_bonus
	Points    [][]int `json:"points"`    // points, points_with_bonus: by attribute and code; empty for an attribute without points
	Bonus     int     `json:"bonus"`     // points_with_bonus: for records that satisfy the formula in Of
	Number    int     `json:"number"`    // leaf
}

// nodeFields lists, for each kind of node, the fields that it uses in addition to Is.
var nodeFields = map[string][]string{
	"in": {"attribute", "codes"}, "not": {"of"}, "all": {"of"}, "any": {"of"}, "odd": {"of"}, "at_least": {"count", "of"},
	"points": {"start", "points"}, "points_with_bonus": {"start", "points", "bonus", "of"},
	"list": {"of"}, "tree": {"of"}, "leaf": {"number"}, "decision": {"of"},
}

func (n node) shows(field string) bool {
	return field == "is" || slices.Contains(nodeFields[n.Is], field)
}

// A gradeResult is the prediction and the risk for all records whose grades are in a range. A record's grade is the
// number that the rule computes for it, such as the total of its points or the number of a leaf. The range begins
// with From and ends before the From of the next element.
type gradeResult struct {
	From       int        `json:"from"`
	Prediction int        `json:"prediction"` // the index of the outcome
	Risk       []*float64 `json:"risk"`       // the risk of the positive outcome, or, if there are more than two outcomes, of each; null if it is unknown
}

// documentOf returns the document that describes a model, which must be valid.
func documentOf(m *model.Model) (*document, error) {
	digest := sha256.New()
	if err := m.Write(digest); err != nil {
		return nil, err
	}
	b := m.Rule()
	d := &document{
		Format: documentFormat, Model: "sha256:" + hex.EncodeToString(digest.Sum(nil)),
		Guarantee: promise(m), Private: m.Guarantee != nil,
		Label: labelled{m.Schema.Label.Column, m.Schema.Label.Outcomes()},
		Trim:  m.Schema.File.Trim, Plain: table.PlainNumber,
		Rule: ruleNode(b), Measure: MeasureOf(b),
	}
	if g := m.Guarantee; g != nil {
		relation, err := g.Relation.MarshalText()
		if err != nil {
			return nil, err
		}
		d.Epsilon, d.Delta, d.Relation = g.Epsilon.String(), g.Delta.String(), string(relation)
	}
	for j := range m.Schema.Attributes {
		d.Columns = append(d.Columns, readColumnOf(&m.Schema.Attributes[j], &m.Schema.File))
	}
	risks := m.RiskOf()
	d.Risks = risks != nil
	starts, err := starts(m)
	if err != nil {
		return nil, err
	}
	for _, from := range starts {
		r := gradeResult{From: from, Prediction: b.Predicts(from)}
		if risks != nil {
			for _, share := range risks(from) {
				r.Risk = append(r.Risk, rounded(share.Value))
			}
		}
		d.Results = append(d.Results, r)
	}
	return d, nil
}

// rounded returns a risk, rounded to as many decimals as the command predict writes.
func rounded(risk *float64) *float64 {
	if risk == nil {
		return nil
	}
	r, _ := strconv.ParseFloat(riskText(*risk), 64)
	return &r
}

func riskText(risk float64) string { return strconv.FormatFloat(risk, 'f', RiskDigits, 64) }

// promise returns a paragraph that states the privacy guarantee of a model, or that the model is not private.
func promise(m *model.Model) string {
	if m.Guarantee == nil {
		return "NOT PRIVATE. " + m.Void.Text()
	}
	text := "The model is differentially private: " + report.Terms(m.Guarantee) + "."
	if total := report.TotalGuarantee(m.Guarantee, m.Schema); total != "" {
		text += " " + total
	}
	return text
}

// MeasureOf returns the name of the column, key or field in which exported programs return the grade of a record,
// such as "points". If the grade is the prediction, it returns "".
func MeasureOf(b rule.Body) string {
	if b.Measure() == rule.Total {
		return pointsColumn
	}
	return b.Measure()
}

func readColumnOf(a *table.Attribute, file *table.File) readColumn {
	c := readColumn{Name: a.Name, Column: a.Column, Categories: a.Categories(), Other: -1}
	if a.Other != "" {
		c.Other = a.Len() - 1
	}
	for _, v := range a.Values {
		c.Values = append(c.Values, []string{v})
	}
	for _, g := range a.Groups {
		c.Values = append(c.Values, g.Values)
	}
	for _, cut := range a.Cuts {
		c.Cuts = append(c.Cuts, string(cut))
	}
	if a.IsDate() {
		c.Date = readDate{a.Format, a.Part, a.AgeAt, a.MissingDays(), a.Spelling.Missing}
		return c
	}
	c.Number, c.Units = a.NumberPattern(file), a.Units
	for _, m := range a.MissingNumbers() {
		c.Missing = append(c.Missing, string(m))
	}
	return c
}

// starts returns, in increasing order, the first grade of each range of grades that have the same prediction and
// risk.
func starts(m *model.Model) ([]int, error) {
	b := m.Rule()
	p, ok := b.(rule.Points)
	if !ok {
		return grades(b), nil
	}
	ends, err := ends(m, p)
	if err != nil {
		return nil, err
	}
	least, most := p.Span()
	all := []int{least}
	for _, end := range ends {
		if least < end && end <= most {
			all = append(all, end)
		}
	}
	return all, nil
}

// ends returns the totals of points at which the prediction or the risk may change: a record with this total may
// have another result than a record with one point less. These totals are the threshold and, if the model has
// risks, the first totals of the ranges for which the model states them.
func ends(m *model.Model, p rule.Points) ([]int, error) {
	grading, err := m.Grades()
	if err != nil {
		return nil, err
	}
	all := []int{p.Threshold}
	if m.Risks != nil {
		for _, g := range grading.Scale.Grades {
			all = append(all, g.Least)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// grades returns all grades of a rule in increasing order. The rule must not be of the type rule.Points; for totals
// of points, use starts instead.
func grades(b rule.Body) (all []int) {
	switch b := b.(type) {
	case rule.List:
		for i := range len(b.Steps) + 1 {
			all = append(all, i)
		}
	case *rule.Tree:
		for _, leaf := range b.Leaves() {
			all = append(all, leaf.Number)
		}
	default:
		all = []int{0, 1}
	}
	return all
}

// ruleNode converts a rule, such as a scorecard or a tree, to a node of a document.
func ruleNode(b rule.Body) node {
	switch b := b.(type) {
	case rule.Points:
		n := node{Is: "points", Start: b.Start}
		for _, own := range b.Of {
			n.Points = append(n.Points, append([]int{}, own...))
		}
		if b.If != nil {
			n.Is, n.Bonus, n.Of = "points_with_bonus", b.Bonus, []node{formulaNode(b.If)}
		}
		return n
	case rule.List:
		n := node{Is: "list"}
		for _, step := range b.Steps {
			n.Of = append(n.Of, formulaNode(allOf(step)))
		}
		return n
	case *rule.Tree:
		if b.Leaf() {
			return node{Is: "leaf", Number: b.Number}
		}
		return node{Is: "tree", Of: []node{formulaNode(b.If), ruleNode(b.Yes), ruleNode(b.No)}}
	}
	return node{Is: "decision", Of: []node{formulaNode(b.(rule.Decision).Formula)}}
}

// allOf returns the conjunction of all conditions of a step of a decision list.
func allOf(step rule.Step) rule.All {
	var all rule.All
	for _, c := range step.If {
		all = append(all, c)
	}
	return all
}

// formulaNode converts a Boolean formula to a node of a document.
func formulaNode(f rule.Formula) node {
	n := node{}
	for _, part := range rule.Parts(f) {
		n.Of = append(n.Of, formulaNode(part))
	}
	switch f := f.(type) {
	case rule.Condition:
		n.Is, n.Attribute = "in", f.Attribute
		for _, code := range f.Accepts {
			n.Codes = append(n.Codes, int(code))
		}
	case rule.Not:
		n.Is = "not"
	case rule.All:
		n.Is = "all"
	case rule.Any:
		n.Is = "any"
	case rule.Odd:
		n.Is = "odd"
	case rule.AtLeast:
		n.Is, n.Count = "at_least", f.Count
	}
	return n
}

// mostTotal is the greatest integer n for which 64-bit floating-point numbers represent all integers up to n
// exactly.
const mostTotal = 1<<53 - 1

// exactTotals returns an error if a total of points may exceed a limit (most) in absolute value, beyond which the
// target language does not add integers exactly.
func exactTotals(m *model.Model, language string, most int64) error {
	p, ok := m.Rule().(rule.Points)
	if !ok {
		return nil
	}
	sum := int64(max(p.Start, -p.Start))
	for _, term := range p.Terms() {
		largest := int64(0)
		for _, v := range term {
			largest = max(largest, int64(v), -int64(v))
		}
		if sum += largest; sum > most {
			return fmt.Errorf("totals of points can exceed %d, and %s does not add such numbers exactly; export the model as SQL, Python or Go", most, language)
		}
	}
	return nil
}
