package synthetic

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Question is a condition on a row: a conjunction of tests on attributes.
type Question struct {
	text    string
	tests   []rule.Test
	columns []int       // columns of the flat schema, in ascending order
	shares  [][]float64 // for each column, the share of each category's values that satisfy the tests

	restrictions []rule.Restriction // the restrictions of the columns, after those of within
}

// ParseQuestion parses a question about the attributes of a flat schema, in the syntax of rule.ParseTests. The text
// of its error is one sentence, which quotes the invalid part. If a test accepts only a part of an interval of
// numbers, the question assumes that numbers are uniformly distributed in the interval.
func ParseQuestion(flat *table.Schema, text string) (*Question, error) {
	tests, err := rule.ParseTests(flat.Attributes, text)
	if err != nil {
		return nil, err
	}
	q := &Question{text: rule.Text(flat.Attributes, tests...), tests: tests}
	q.columns, q.shares, err = rule.Shares(flat.Attributes, tests, nil)
	return q, err
}

// divides reports whether the question accepts only a part of a category. The question must be a result of
// ParseQuestion.
func (q *Question) divides() bool { return slices.ContainsFunc(q.shares, divides) }

// divides reports whether any share of a category is neither 0 nor 1.
func divides(shares []float64) bool {
	return slices.ContainsFunc(shares, func(w float64) bool { return w > 0 && w < 1 })
}

// within returns a copy of the question that uses the given distributions of the numbers within categories, instead
// of uniform ones, to compute the shares of categories of which it accepts only a part. The slices densities have an
// entry for each column of the flat schema.
func (q *Question) within(flat *table.Schema, densities [][]*table.Density) (*Question, error) {
	out := *q
	var err error
	out.columns, out.restrictions, err = rule.Restrict(flat.Attributes, q.tests, densities)
	out.shares = nil
	for _, r := range out.restrictions {
		out.shares = append(out.shares, r.Shares)
	}
	return &out, err
}

// weight returns the probability that a row sampled from record i satisfies the question, given the record's codes.
// It is a product over the columns of the question: for each, the share of the record's category that satisfies the
// question or, if the record has a place in an interval, the share of its range of quantiles.
func (q *Question) weight(i int, record []uint16, p *places) float64 {
	w := 1.0
	for k, j := range q.columns {
		v := record[j]
		share := q.shares[k][v]
		if own := p.quantiles(i, j, v); share > 0 && share < 1 && own != [2]float64{0, 1} {
			part := p.inside(q, k, i, v)
			share = (part[1] - part[0]) / (own[1] - own[0])
		}
		w *= share
	}
	return w
}

// String returns the question as text in a normal form, which ParseQuestion accepts.
func (q *Question) String() string { return q.text }
