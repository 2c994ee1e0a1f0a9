package source

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// outside is the code of a value outside its domain.
const outside = pushdown.Outside

// A coding turns the fields of the columns that a schema reads into codes: one
// for each attribute in schema order, and after them one for the label.
type coding struct {
	columns  []string // each once
	all      []string // of the source, where it lists them
	readers  [][]reader
	width    int // codes a record, the label's included
	labelled bool

	kept int    // the column whose text is kept, -1 for none
	text []byte // of the record that is visited
}

// A reader codes a column for one of the attributes that it serves.
type reader struct {
	at    int
	coder coder
}

// A coder is a *table.Coder, or a test's.
type coder interface {
	Code(field []byte) (code int, ok bool)
}

// newCoding prepares the schema, with its label or without, for numbers that have
// this decimal mark, and a column whose text is kept, or none.
func newCoding(s *table.Schema, labelled bool, keep string, decimal byte) *coding {
	c := &coding{columns: s.Columns(), width: len(s.Attributes) + 1, labelled: labelled && s.Label != nil}
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
		c.readers[k] = append(c.readers[k], reader{j, a.Coder(decimal)})
	}
	if c.labelled {
		k := position[s.Label.Column]
		c.readers[k] = append(c.readers[k], reader{c.width - 1, s.Label.Coder(decimal)})
	}
	return c
}

// field codes the text of column k.
func (c *coding) field(k int, text []byte, codes []uint16) {
	for _, r := range c.readers[k] {
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

// null reports whether some code lies outside its domain.
func null(codes []uint16) bool {
	for _, code := range codes {
		if code == outside {
			return true
		}
	}
	return false
}

// count enters the codes of one record into the builder count times.
func count(b *table.Builder, codes []uint16, count int64) error {
	if null(codes) {
		return b.AddNull(count)
	}
	last := len(codes) - 1
	return b.AddOutcome(codes[:last], int(codes[last]), count)
}
