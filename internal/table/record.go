package table

import "slices"

// A Record is the category code of each attribute, in schema order.
type Record = []uint16

// A Table is the distinct well-formed records of the private data with their
// outcomes and counts, sorted by codes and then outcome, so that tables of the
// same rows in any order are equal. Unlabelled records have outcome 0.
//
// Where the schema has a person, a row is a person here: counts are in units, of which a
// person weighs Schema.Weight, and Rows is the number of persons.
//
// Everything about a Table is private, and under the add-remove relation so
// are its numbers of rows.
type Table struct {
	*layout
	records run
	weight  int64
	rows    int64
	nulls   int64
}

// Sizes is the number of categories of each attribute; read only.
func (t *Table) Sizes() []int { return t.layout.sizes }

// Rows is the number of rows read, or of persons, those of null records included.
func (t *Table) Rows() int64 { return t.rows }

// Nulls is the count of rows with a value outside the domain.
func (t *Table) Nulls() int64 { return t.nulls }

// Outcomes is the number of outcomes that records may have.
func (t *Table) Outcomes() int { return t.layout.outcomes }

// Weight is how many units of a count a row weighs, or a person.
func (t *Table) Weight() int64 { return t.weight }

// Len is the number of distinct pairs of record and outcome.
func (t *Table) Len() int { return t.records.length }

// Record returns the i-th record, in into where that has room.
func (t *Table) Record(i int, into Record) Record {
	c, at := t.records.find(i)
	into = into[:0]
	for _, f := range t.fields[:len(t.sizes)] {
		into = append(into, f.get(c.rows, at*t.stride))
	}
	return into
}

// Codes sets into to the codes of an attribute of the records from the i-th on, or to their
// outcomes where the attribute is the number of attributes.
func (t *Table) Codes(attribute, i int, into []uint16) {
	f := t.fields[attribute]
	for len(into) > 0 {
		c, at := t.records.find(i)
		n := min(len(into), 1<<t.shift-at)
		for k := range into[:n] {
			into[k] = f.get(c.rows, (at+k)*t.stride)
		}
		into, i = into[n:], i+n
	}
}

// Label tells whether the outcome of the i-th record is 1, which of two is the positive
// one.
func (t *Table) Label(i int) bool { return t.Outcome(i) == 1 }

// Outcome is the outcome of the i-th record, from 0.
func (t *Table) Outcome(i int) int { return int(t.records.code(i, len(t.sizes))) }

// Count is the number of rows, or of units, at least 1, of the i-th record.
func (t *Table) Count(i int) int64 { return t.records.count(i) }

// Equal reports whether both tables hold the same rows over the same sizes and outcomes.
func (t *Table) Equal(u *Table) bool {
	return slices.Equal(t.sizes, u.sizes) && t.outcomes == u.outcomes && t.weight == u.weight &&
		t.rows == u.rows && t.nulls == u.nulls && t.records.equal(&u.records)
}
