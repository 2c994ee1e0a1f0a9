package table

import "slices"

// A Record holds the category code of each attribute, in schema order.
type Record = []uint16

// A Table holds the distinct records of the private data, with their outcomes and counts. Null records, which have a
// value outside the domain, are only counted. The distinct records are sorted by codes and then by outcome, so the
// order of the rows does not affect the table. In a table without labels, all records have outcome 0.
//
// If the schema has a Person, counts are in units, each person has Schema.Weight units, and Rows is the number of
// persons.
//
// The content of a Table is private. Under the add-remove relation, the numbers of rows and of null records are
// private, too.
type Table struct {
	*layout
	records run
	weight  int64
	rows    int64
	nulls   int64
}

// Sizes returns the number of categories of each attribute. The result must not be modified.
func (t *Table) Sizes() []int { return t.layout.sizes }

// Rows returns the number of rows or persons, including null records, which have a value outside the domain.
func (t *Table) Rows() int64 { return t.rows }

// Nulls returns the total count, in units (see Counts), of the null records, which have a value outside the domain.
func (t *Table) Nulls() int64 { return t.nulls }

// Outcomes returns the number of possible outcomes of the label.
func (t *Table) Outcomes() int { return t.layout.outcomes }

// Weight returns the weight of each person, in units (see Counts). If the schema has no Person, it returns 1, the
// weight of each row.
func (t *Table) Weight() int64 { return t.weight }

// Len returns the number of distinct records. Records with equal codes but different outcomes count as distinct.
func (t *Table) Len() int { return t.records.length }

// Record returns the category codes of the record with index i. It stores them in the memory of the parameter into
// if that has enough capacity.
func (t *Table) Record(i int, into Record) Record {
	c, at := t.records.find(i)
	into = into[:0]
	for _, f := range t.fields[:len(t.sizes)] {
		into = append(into, f.get(c.rows, at*t.stride))
	}
	return into
}

// Codes copies the codes of one attribute for consecutive records, beginning with the record with index i, into a
// slice. If the parameter attribute equals the number of attributes, the outcomes are copied.
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

// Label reports whether the outcome of the record with index i has the code 1, which is the positive outcome if
// there are two.
func (t *Table) Label(i int) bool { return t.Outcome(i) == 1 }

// Outcome returns the code of the outcome of the record with index i.
func (t *Table) Outcome(i int) int { return int(t.records.code(i, len(t.sizes))) }

// Count returns the count of the record with index i, in units (see Counts). It is at least 1.
func (t *Table) Count(i int) int64 { return t.records.count(i) }

// Equal reports whether two tables are equal: in the numbers of categories and outcomes, the weight of a person, the
// numbers of rows and of null records, and the distinct records with their counts.
func (t *Table) Equal(u *Table) bool {
	return slices.Equal(t.sizes, u.sizes) && t.outcomes == u.outcomes && t.weight == u.weight &&
		t.rows == u.rows && t.nulls == u.nulls && t.records.equal(&u.records)
}
