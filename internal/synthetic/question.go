package synthetic

import (
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Question is a conjunction of conditions on attributes.
type Question struct {
	text    string
	columns []int       // attributes of the flat schema with conditions
	shares  [][]float64 // for each, the fraction of each category's values that satisfy them
}

// ParseQuestion parses a question about the attributes of a flat schema, in the syntax of
// rule.ParseTests. The schema must state how values are written.
func ParseQuestion(flat *table.Schema, text string) (*Question, error) {
	tests, err := rule.ParseTests(flat.Attributes, text)
	if err != nil {
		return nil, err
	}
	asked := make([][]table.Condition, len(flat.Attributes))
	for _, t := range tests {
		asked[t.Attribute] = append(asked[t.Attribute], t.Condition)
	}
	q := &Question{text: rule.Text(flat.Attributes, tests...)}
	for j, conditions := range asked {
		if len(conditions) == 0 {
			continue
		}
		shares, err := flat.Attributes[j].Shares(conditions)
		if err != nil {
			return nil, err
		}
		q.columns, q.shares = append(q.columns, j), append(q.shares, shares)
	}
	return q, nil
}

// String returns the question in a canonical spelling.
func (q *Question) String() string { return q.text }
