package synthetic

import (
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Question is a conjunction of tests of attributes.
type Question struct {
	text    string
	columns []int       // of the flat schema, ascending
	shares  [][]float64 // for each column, the share of each category's values that satisfy the tests
}

// ParseQuestion parses a question about the attributes of a flat schema, as rule.ParseTests does. Its
// error states in one sentence which part of the text is wrong.
func ParseQuestion(flat *table.Schema, text string) (*Question, error) {
	tests, err := rule.ParseTests(flat.Attributes, text)
	if err != nil {
		return nil, err
	}
	q := &Question{text: rule.Text(flat.Attributes, tests...)}
	q.columns, q.shares, err = rule.Shares(flat.Attributes, tests)
	return q, err
}

// String returns the question in canonical spelling.
func (q *Question) String() string { return q.text }
