package source

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Outside is the code that represents a value outside the domain of its attribute or label.
const Outside = outside

const outside = pushdown.Outside

// A coding converts the fields of a record to codes: one code for each attribute, in schema order, and then one for
// the label.
type coding struct {
	columns  []string // the columns to read, without duplicates
	all      []string // all columns of the source, or nil if it does not list them
	readers  [][]reader
	typed    [][]reader // readers for the plain texts of typed values; nil unless the source has both typed values and other texts
	width    int        // the number of codes of a record, including the label's
	labelled bool
	file     *table.File // the format of the texts that readers read, or nil

	kept int    // the index of the column whose text is kept, or -1
	text []byte // the kept text of the current record
}

// A reader computes the code of one attribute, or of the label, from the text of a column. A column that several
// attributes use has several readers.
type reader struct {
	at    int // the index of the code
	coder coder
}

// A coder maps the text of a field to a code. It is either a *table.Coder, or one of the coders below, which only
// Check uses.
type coder interface {
	Code(field []byte) (code int, ok bool)
}

// newCoding returns a coding for the schema. It includes the label only if labelled is true. The parameter file is
// the format of the fields' text, or nil if the fields are plain texts of typed values, such as numbers in a Parquet
// file. The parameter keep is "" or the name of a column, such as the one that identifies the person; the text of
// this column is then kept in the coding for each record.
func newCoding(s *table.Schema, labelled bool, keep string, file *table.File) *coding {
	c := &coding{columns: s.Columns(), width: len(s.Attributes) + 1, labelled: labelled && s.Label != nil, file: file}
	if s.Label != nil && !c.labelled {
		c.columns = c.columns[:len(c.columns)-1]
	}
	if keep != "" && !slices.Contains(c.columns, keep) {
		c.columns = append(c.columns, keep)
	}
	if c.kept = -1; keep != "" {
		c.kept = slices.Index(c.columns, keep)
	}
	c.readers = make([][]reader, len(c.columns))
	position := make(map[string]int)
	for k, column := range c.columns {
		position[column] = k
	}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		k := position[a.Column]
		c.readers[k] = append(c.readers[k], reader{j, a.Coder(file)})
	}
	if c.labelled {
		k := position[s.Label.Column]
		c.readers[k] = append(c.readers[k], reader{c.width - 1, s.Label.Coder(file)})
	}
	return c
}

// field processes one field of the current record. It stores the codes of all attributes that are read from the
// column with the index k, given the text of the column.
func (c *coding) field(k int, text []byte, codes []uint16) {
	for _, r := range c.readers[k] {
		codes[r.at] = r.code(text)
	}
	if k == c.kept {
		c.text = append(c.text[:0], text...)
	}
}

// typedField is like field, for the plain text of a typed value, such as a number in a Parquet file.
func (c *coding) typedField(k int, text []byte, codes []uint16) {
	for _, r := range c.typed[k] {
		codes[r.at] = r.code(text)
	}
	if k == c.kept {
		c.text = append(c.text[:0], text...)
	}
}

func (r *reader) code(text []byte) uint16 {
	if code, ok := r.coder.Code(text); ok {
		return uint16(code)
	}
	return outside
}

// watch makes the coding append more codes to each record, which tell Check why a value could not be read, or why it
// is doubtful. For each attribute and the label, the result faults holds the index of the added code that contains
// the table.NumberFault, or -1 if the values are not numbers or dates. The result doubts holds the index of the added
// code that contains the table.Doubt, or -1 if the column is not read.
func (c *coding) watch(s *table.Schema) (faults, doubts []int) {
	n := c.width
	faults, doubts = slices.Repeat([]int{-1}, n), slices.Repeat([]int{-1}, n)
	for k, readers := range c.readers {
		for i, r := range readers {
			numbers := r.coder.(*table.Coder)
			if numbers.IsNumber() {
				faults[r.at] = c.width
				c.readers[k] = append(c.readers[k], reader{c.width, faulty{numbers}})
				if c.typed != nil {
					c.typed[k] = append(c.typed[k], reader{c.width, faulty{c.typed[k][i].coder.(*table.Coder)}})
				}
				c.width++
			}
			var a table.Attribute
			if r.at == n-1 {
				a = s.Label.Attribute()
			} else {
				a = s.Attributes[r.at]
			}
			doubts[r.at] = c.width
			c.readers[k] = append(c.readers[k], reader{c.width, doubtful{a.Doubter(c.file)}})
			if c.typed != nil {
				c.typed[k] = append(c.typed[k], reader{c.width, doubtful{a.Doubter(nil)}})
			}
			c.width++
		}
	}
	return faults, doubts
}

// faulty is a coder whose code states why a field cannot be read as a number (table.NumberFault).
type faulty struct{ numbers *table.Coder }

func (f faulty) Code(field []byte) (code int, ok bool) {
	return int(f.numbers.NumberFault(field)), true
}

// doubtful is a coder whose code states why the value of a field is doubtful (table.Doubt).
type doubtful struct{ *table.Doubter }

func (d doubtful) Code(field []byte) (code int, ok bool) { return int(d.Doubt(field)), true }

// watchAbsent makes the coding append a code for each attribute to each record. The code is 1 if the value is
// missing, and otherwise 0.
func (c *coding) watchAbsent(s *table.Schema) {
	for j := range s.Attributes {
		c.also(slices.Index(c.columns, s.Attributes[j].Column), reader{c.width, absent{s.Attributes[j].Missing}})
		c.width++
	}
}

// also adds readers to the column with the index k, both for its texts and for the plain texts of typed values.
func (c *coding) also(k int, more ...reader) {
	c.readers[k] = append(c.readers[k], more...)
	if c.typed != nil {
		c.typed[k] = append(c.typed[k], more...)
	}
}

// absent is a coder that detects missing values. Its code is 1 for an empty text and for the texts that the schema
// lists as missing values, and 0 for all other texts.
type absent struct{ texts []string }

func (a absent) Code(field []byte) (code int, ok bool) {
	if len(field) == 0 || slices.Contains(a.texts, string(field)) {
		return 1, true
	}
	return 0, true
}

// null reports whether the codes of a record contain one for a value outside its domain, so that it is a null record.
func null(codes []uint16) bool {
	for _, code := range codes {
		if code == outside {
			return true
		}
	}
	return false
}

// count adds a record to the builder the given number of times. If one of its codes is outside its domain, it adds
// null records instead.
func count(b *table.Builder, codes []uint16, count int64) error {
	if null(codes) {
		return b.AddNull(count)
	}
	last := len(codes) - 1
	return b.AddOutcome(codes[:last], int(codes[last]), count)
}
