package learn

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Records are distinct records, numbered from 0, each with an outcome and a count. The count is the
// number of rows of the table that are equal to the record, or their total weight if neighbouring
// tables differ in a person. Null records have cost 0 for every hypothesis and are not among the
// Records.
//
// Record returns record i. It may store the result in the memory of the parameter into. The caller
// must not change the result, and may use it only until that memory is used again.
//
// A *table.Table implements Records, so mechanisms that read the records a few times need not copy
// them. A copy would take several times the memory of the table.
type Records[X any] interface {
	Len() int
	Record(i int, into X) X
	Outcome(i int) int
	Count(i int) int64
}

var _ Records[table.Record] = (*table.Table)(nil)

// Listed is a list of examples in memory. It implements Records.
type Listed[X any] []Example[X]

// Len returns the number of records.
func (l Listed[X]) Len() int { return len(l) }

// Record returns the record of example i.
func (l Listed[X]) Record(i int, _ X) X { return l[i].X }

// Outcome returns 1 if the label of example i is positive, and 0 otherwise.
func (l Listed[X]) Outcome(i int) int {
	if l[i].Label {
		return 1
	}
	return 0
}

// Count returns the number of rows that are equal to example i, or their total weight.
func (l Listed[X]) Count(i int) int64 { return l[i].Count }

// CheckRows returns the error refusal if the counts of the records sum to more than the maximum,
// most, and nil otherwise.
func CheckRows[X any](d Records[X], most int64, refusal error) error {
	for i := range d.Len() {
		n := d.Count(i)
		if n > most {
			return refusal
		}
		most -= n
	}
	return nil
}

// countable returns ErrRows if the counts of the records sum to more than MostRows rows, and nil
// otherwise.
func countable[X any](d Records[X]) error { return CheckRows(d, MostRows, ErrRows) }

// A costed is a list of records with the costs of all possible predictions, given by a cost matrix.
// It implements class.Records.
type costed[X any] struct {
	Records[X]
	matrix CostMatrix
}

// Costs returns the cost of each possible prediction for record i.
func (c costed[X]) Costs(i int, into []int64) []int64 {
	into, count := into[:0], c.Count(i)
	for _, each := range c.matrix.costs[c.Outcome(i)] {
		into = append(into, each*count)
	}
	return into
}

// Costed returns the well-formed records of the table with the costs of their predictions under the
// cost matrix. It fails with ErrRows if the table has more than MostRows rows.
func Costed(c CostMatrix, t *table.Table) (class.Records[table.Record], error) {
	return costed[table.Record]{t, c}, countable[table.Record](t)
}

// A filled is a list of records that is padded to the length len with copies of one record, none,
// whose costs are 0 (see Gibbs.Fill).
type filled[X any] struct {
	class.Records[X]
	len      int
	none     X
	outcomes int
}

// Len returns the number of records, including the copies.
func (f filled[X]) Len() int { return f.len }

// Record returns record i.
func (f filled[X]) Record(i int, into X) X {
	if i >= f.Records.Len() {
		return f.none
	}
	return f.Records.Record(i, into)
}

// Costs returns the cost of each possible prediction for record i. The costs are 0 for the copies with which the
// list is padded.
func (f filled[X]) Costs(i int, into []int64) []int64 {
	if i < f.Records.Len() {
		return f.Records.Costs(i, into)
	}
	into = into[:0]
	for range f.outcomes {
		into = append(into, 0)
	}
	return into
}
