package synthetic

import (
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Question is a conjunction of tests of attributes.
type Question struct {
	text    string
	columns []int       // of the flat schema, each once
	shares  [][]float64 // of each, the share of each category's values that satisfy
}

// ParseQuestion reads a question about the attributes of a flat schema that can be written, as
// rule.ParseTests does. An error says in one sentence what is wrong.
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

// String is the question in one spelling.
func (q *Question) String() string { return q.text }
