package cells

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The cells of a marginal are divided into groups, and a group is encoded as one byte string, called a text. A runner
// handles few large elements much faster than many small ones. A text begins with the length of a key in bytes. Then
// follow the cells in the order of their keys, each as its key (see Packing) and its count in units of the table.
// Merge adds the counts of two texts of a group.

// Nulls is the number of the group that contains the count of null records. This group has a single cell, whose key
// is empty and whose count is the number of null records.
const Nulls = -1

// Begin returns an encoded list without cells. The keys of all cells that are appended to it must have the given
// length in bytes.
func Begin(length int) []byte { return binary.AppendUvarint(nil, uint64(length)) }

// Append appends a cell, given by its key and its count, to an encoded list. The key must be greater than all keys in
// the list.
func Append(encoded, key []byte, count int64) []byte {
	return binary.AppendUvarint(append(encoded, key...), uint64(count))
}

// A Cursor iterates over the cells of an encoded list. A cell is a combination of values (its key) with the number of
// its rows.
type Cursor struct {
	Key   []byte // the key of the cell; nil after the last cell
	Units int64

	rest   []byte
	length int
}

// NewCursor returns a cursor at the first cell of an encoded list.
func NewCursor(encoded []byte) *Cursor {
	length, n := binary.Uvarint(encoded)
	c := &Cursor{rest: encoded[n:], length: int(length)}
	c.Next()
	return c
}

// Next moves the cursor to the next cell of its list.
func (c *Cursor) Next() {
	if len(c.rest) == 0 {
		c.Key = nil
		return
	}
	c.Key = c.rest[:c.length:c.length]
	units, n := binary.Uvarint(c.rest[c.length:])
	c.Units, c.rest = int64(units), c.rest[c.length+n:]
}

// Merge merges two encoded lists of cells. If a key occurs in both lists, the merged list has the sum of its counts.
// Merge returns an error if a sum exceeds 63 bits.
func Merge(a, b []byte) ([]byte, error) {
	x, y := NewCursor(a), NewCursor(b)
	sum := make([]byte, 0, max(len(a), len(b)))
	sum = append(sum, Begin(x.length)...)
	for x.Key != nil || y.Key != nil {
		order := bytes.Compare(x.Key, y.Key)
		switch {
		case y.Key == nil || x.Key != nil && order < 0:
			sum = Append(sum, x.Key, x.Units)
			x.Next()
		case x.Key == nil || order > 0:
			sum = Append(sum, y.Key, y.Units)
			y.Next()
		default:
			if x.Units > (1<<63-1)-y.Units {
				return nil, rows.Mark(table.ErrTooManyRows)
			}
			sum = Append(sum, x.Key, x.Units+y.Units)
			x.Next()
			y.Next()
		}
	}
	return sum, nil
}

func init() {
	register.Function2x2(Merge)
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}
