package cells

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Cells travel in groups, as one text each: a runner handles few elements of some size much
// better than as many as cells. A text is the length of a key, and cells in the order of their
// keys: the key (see Packing), and the units. Texts of a group are added by Merge.

// Nulls is the group of the null records, as a cell without a key.
const Nulls = -1

// Begin returns the text of no cells, whose keys have so many bytes.
func Begin(length int) []byte { return binary.AppendUvarint(nil, uint64(length)) }

// Append adds a cell after those before it.
func Append(text, key []byte, units int64) []byte {
	return binary.AppendUvarint(append(text, key...), uint64(units))
}

// A Cursor goes through the cells of a text.
type Cursor struct {
	Key   []byte // of the cell; nil after the last
	Units int64

	rest   []byte
	length int
}

// NewCursor begins with the first cell.
func NewCursor(text []byte) *Cursor {
	length, n := binary.Uvarint(text)
	c := &Cursor{rest: text[n:], length: int(length)}
	c.Next()
	return c
}

// Next goes on.
func (c *Cursor) Next() {
	if len(c.rest) == 0 {
		c.Key = nil
		return
	}
	c.Key = c.rest[:c.length:c.length]
	units, n := binary.Uvarint(c.rest[c.length:])
	c.Units, c.rest = int64(units), c.rest[c.length+n:]
}

// Merge adds two texts of a group.
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
				return nil, rows.Told(table.ErrTooManyRows)
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
