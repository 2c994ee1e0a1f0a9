package synthetic

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// ErrNone is returned for a condition that no record of a model satisfies.
var ErrNone = errors.New("no record of the model satisfies the condition, so no rows can be sampled; choose a condition that more rows satisfy")

// A condition restricts sampled rows to those that satisfy a question. It holds the records with a positive weight,
// which is the share of the record that satisfies the question.
type condition struct {
	question *Question
	records  []int32
	sums     []float64 // partial sums of the weights of records
}

// where returns rows that are sampled from the records of r that satisfy the question q. It returns ErrNone if no
// record satisfies q. It also returns an error if q accepts only a part of an interval, for an attribute that a rule
// with at_most lists.
func (r Rows) where(q *Question) (Rows, error) {
	flat := r.layout.Flat
	q, err := q.within(flat, r.densities)
	if err != nil {
		return Rows{}, err
	}
	c := &condition{question: q}
	r.densities = slices.Clone(r.densities)
	for k, j := range q.columns {
		of := q.restrictions[k]
		divided := divides(of.Shares)
		_, ranges, _ := flat.Attributes[j].Written()
		switch name := flat.Attributes[j].Name; {
		case divided && ranges != nil && inAtMost(flat, name):
			return Rows{}, fmt.Errorf("the condition divides an interval of %[1]s: a rule with at_most lists this attribute, so conditions can only compare it with one of its cuts", quote.Word(name))
		case divided && ranges != nil:
			r.densities[j] = of.Within
		}
	}
	sum := 0.0
	var record []uint16
	for i := range r.records.n {
		record = r.layout.complete(r.records, i, record)
		if w := q.weight(i, record, r.places); w > 0 {
			sum += float64(w)
			c.records, c.sums = append(c.records, int32(i)), append(c.sums, sum)
		}
	}
	if len(c.records) == 0 {
		return Rows{}, ErrNone
	}
	r.condition = c
	return r, nil
}

// inAtMost reports whether a rule with at_most lists the attribute with the given name.
func inAtMost(flat *table.Schema, name string) bool {
	return slices.ContainsFunc(flat.Rules, func(r table.Rule) bool { return slices.Contains(r.AtMost, name) })
}

// at returns the index of the record from which row k of r is sampled, by systematic sampling of the records in
// proportion to their weights.
func (c *condition) at(r Rows, k uint64) int {
	share := (float64(k) + float64(r.shift)/float64(r.records.n)) / float64(r.n)
	x := float64(share * c.sums[len(c.sums)-1])
	at := sort.Search(len(c.sums), func(i int) bool { return c.sums[i] > x })
	return int(c.records[min(at, len(c.records)-1)])
}

// keep restricts the drawer d: in each category that consists of several texts, it then samples only texts that
// satisfy the question.
func (c *condition) keep(d *table.Drawer) {
	for k, j := range c.question.columns {
		of := c.question.restrictions[k]
		for code, keep := range of.Texts {
			if len(keep) > 1 && of.Shares[code] > 0 {
				d.Keep(j, code, keep)
			}
		}
	}
}
