package table

import "slices"

// A Record is the category code of each attribute, in schema order.
type Record = []uint16

// A Table is the distinct well-formed records of the private data with their
// labels and counts, sorted by codes and then label, so that tables of the
// same rows in any order are equal. Unlabelled records have label false.
//
// Everything about a Table is private, and under the add-remove relation so
// are its numbers of rows.
type Table struct {
	sizes  []int
	codes  []uint16 // len(sizes) a record
	labels []bool
	counts []int64
	rows   int64
	nulls  int64
}

// Sizes is the number of categories of each attribute; read only.
func (t *Table) Sizes() []int { return t.sizes }

// Rows is the number of rows read, those of null records included.
func (t *Table) Rows() int64 { return t.rows }

// Nulls is the number of rows with a value outside the domain.
func (t *Table) Nulls() int64 { return t.nulls }

// Len is the number of distinct pairs of record and label.
func (t *Table) Len() int { return len(t.counts) }

// Record is the i-th record; read only.
func (t *Table) Record(i int) Record {
	k := len(t.sizes)
	return t.codes[i*k : (i+1)*k : (i+1)*k]
}

// Label is the label of the i-th record.
func (t *Table) Label(i int) bool { return t.labels[i] }

// Count is the number of rows, at least 1, of the i-th record.
func (t *Table) Count(i int) int64 { return t.counts[i] }

// Equal reports whether both tables hold the same rows over the same sizes.
func (t *Table) Equal(u *Table) bool {
	return slices.Equal(t.sizes, u.sizes) && slices.Equal(t.codes, u.codes) &&
		slices.Equal(t.labels, u.labels) && slices.Equal(t.counts, u.counts) &&
		t.rows == u.rows && t.nulls == u.nulls
}
