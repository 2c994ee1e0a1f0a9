package synthetic

import (
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Question is a conjunction of tests of attributes.
type Question struct {
	text    string
	tests   []rule.Test
	columns []int       // of the flat schema, ascending
	shares  [][]float64 // for each column, the share of each category's values that satisfy the tests
}

// ParseQuestion parses a question about the attributes of a flat schema, as rule.ParseTests does. Its
// error states in one sentence which part of the text is wrong. The shares of its categories are those of
// uniform numbers.
func ParseQuestion(flat *table.Schema, text string) (*Question, error) {
	tests, err := rule.ParseTests(flat.Attributes, text)
	if err != nil {
		return nil, err
	}
	q := &Question{text: rule.Text(flat.Attributes, tests...), tests: tests}
	q.columns, q.shares, err = rule.Shares(flat.Attributes, tests, nil)
	return q, err
}

// within returns the question with the shares of numbers that have these densities, by column of the
// flat schema.
func (q *Question) within(flat *table.Schema, densities [][]*table.Density) (*Question, error) {
	out := *q
	var err error
	out.columns, out.shares, err = rule.Shares(flat.Attributes, q.tests, densities)
	return &out, err
}

// String returns the question in canonical spelling.
func (q *Question) String() string { return q.text }
