package source

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Outside is the code that represents a value outside the domain of its attribute or label.
const Outside = outside

const outside = pushdown.Outside

// A coding computes the codes of a record from the texts of its fields: one code for each attribute in schema order,
// and then one for the label.
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

// A reader computes the code of one attribute, or of the label, from the text of a column. If several attributes
// use the same column, the column has several readers.
type reader struct {
	at    int // the index of the code
	coder coder
}

// A coder maps the text of a field to a code. It is a *table.Coder, or one of the coders below that only Check uses.
type coder interface {
	Code(field []byte) (code int, ok bool)
}

// newCoding returns a coding for the schema. It codes the label only if labelled is true. The parameter file is the
// format of the fields' text, or nil if the fields are plain texts of typed values (see table.Attribute.Coder). The
// parameter keep is "" or the name of a column, such as the column that identifies the person. The text of this
// column is stored in coding.text for each record.
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

// field codes one column of the current record: it sets the codes of all attributes that are read from the k-th
// column, whose text is given.
func (c *coding) field(k int, text []byte, codes []uint16) {
	for _, r := range c.readers[k] {
		codes[r.at] = r.code(text)
	}
	if k == c.kept {
		c.text = append(c.text[:0], text...)
	}
}

// typedField does the same as field for the plain text of a typed value, such as a number in a
// Parquet file.
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

// watch adds codes to each record that tell Check why a text could not be read or is doubtful. The result faults[i]
// is the index of the added code that states the table.NumberFault of the text with code i. It is -1 unless this text
// is read as a number or a date. The result doubts[i] is the index of the added code that states the table.Doubt of
// this text. It is -1 if the text is not read.
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

// faulty is a coder whose code is the reason why a field is not a number (table.NumberFault).
type faulty struct{ numbers *table.Coder }

func (f faulty) Code(field []byte) (code int, ok bool) {
	return int(f.numbers.NumberFault(field)), true
}

// doubtful is a coder whose code is the reason to doubt the value of a field (table.Doubt).
type doubtful struct{ *table.Doubter }

func (d doubtful) Code(field []byte) (code int, ok bool) { return int(d.Doubt(field)), true }

// watchAbsent makes the coding append a code for each attribute to each record: 1 if the attribute's text
// means a missing value, and otherwise 0.
func (c *coding) watchAbsent(s *table.Schema) {
	for j := range s.Attributes {
		c.also(slices.Index(c.columns, s.Attributes[j].Column), reader{c.width, absent{s.Attributes[j].Missing}})
		c.width++
	}
}

// also adds readers of the k-th column. They read the texts of the column and the plain texts of typed values.
func (c *coding) also(k int, more ...reader) {
	c.readers[k] = append(c.readers[k], more...)
	if c.typed != nil {
		c.typed[k] = append(c.typed[k], more...)
	}
}

// absent is a coder that detects missing values. Its code is 1 for an empty text and for the texts that mean a
// missing value, and 0 for all other texts.
type absent struct{ texts []string }

func (a absent) Code(field []byte) (code int, ok bool) {
	if len(field) == 0 || slices.Contains(a.texts, string(field)) {
		return 1, true
	}
	return 0, true
}

// null reports whether the codes are those of a null record: one of them is outside its domain.
func null(codes []uint16) bool {
	for _, code := range codes {
		if code == outside {
			return true
		}
	}
	return false
}

// count adds a record to the builder with the given count. If one of the codes is outside its domain, it adds null
// records instead.
func count(b *table.Builder, codes []uint16, count int64) error {
	if null(codes) {
		return b.AddNull(count)
	}
	last := len(codes) - 1
	return b.AddOutcome(codes[:last], int(codes[last]), count)
}
