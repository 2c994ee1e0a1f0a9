package learn

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A table of many rows has nearly as many records, and a list of them takes several times what
// the table does. So mechanisms that go through the records a few times read them where they are.

// Records are distinct records, numbered from 0, each with one of several outcomes and how many
// rows of the table are equal to it, in units where these are of persons. Null records cost every
// hypothesis nothing and are not among them. A table is such records.
//
// Record returns one, in into where it needs room: what it returns is read only, and lasts until
// into is used again.
type Records[X any] interface {
	Len() int
	Record(i int, into X) X
	Outcome(i int) int
	Count(i int) int64
}

var _ Records[table.Record] = (*table.Table)(nil)

// Listed are examples as records.
type Listed[X any] []Example[X]

// Len returns how many there are.
func (l Listed[X]) Len() int { return len(l) }

// Record returns the record of an example.
func (l Listed[X]) Record(i int, _ X) X { return l[i].X }

// Outcome returns 1 for a positive label.
func (l Listed[X]) Outcome(i int) int {
	if l[i].Label {
		return 1
	}
	return 0
}

// Count returns that of an example.
func (l Listed[X]) Count(i int) int64 { return l[i].Count }

// An Observed record has one of several outcomes, and stands for Count equal rows of the table.
type Observed[X any] struct {
	X       X
	Outcome int
	Count   int64
}

// Observations are records in a list.
type Observations[X any] []Observed[X]

// Len returns how many there are.
func (o Observations[X]) Len() int { return len(o) }

// Record returns the record of an observation.
func (o Observations[X]) Record(i int, _ X) X { return o[i].X }

// Outcome returns that of an observation.
func (o Observations[X]) Outcome(i int) int { return o[i].Outcome }

// Count returns that of an observation.
func (o Observations[X]) Count(i int) int64 { return o[i].Count }

// CheckRows returns the refusal if the records have more than so many rows together.
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

// countable fails with ErrRows.
func countable[X any](d Records[X]) error { return CheckRows(d, MostRows, ErrRows) }

// charged are records with what they are charged.
type charged[X any] struct {
	Records[X]
	charge Charge
}

// Costs returns those of a record.
func (c charged[X]) Costs(i int, into []int64) []int64 {
	into, count := into[:0], c.Count(i)
	for _, each := range c.charge.costs[c.Outcome(i)] {
		into = append(into, each*count)
	}
	return into
}

// Charged returns the well-formed records of the table with what they are charged. It fails with
// ErrRows.
func Charged(c Charge, t *table.Table) (class.Records[table.Record], error) {
	return charged[table.Record]{t, c}, countable[table.Record](t)
}

// filled are records, and after them as many copies of one that costs nothing as make them up to
// some number.
type filled[X any] struct {
	class.Records[X]
	len      int
	none     X
	outcomes int
}

// Len returns how many there are.
func (f filled[X]) Len() int { return f.len }

// Record returns a record.
func (f filled[X]) Record(i int, into X) X {
	if i >= f.Records.Len() {
		return f.none
	}
	return f.Records.Record(i, into)
}

// Costs returns those of a record.
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
