package count

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"

	"github.com/sibyl-dp/sibyl/table"
)

// Cells travel in groups, as one text each: a runner handles few elements of some size much
// better than as many as cells. A text is the length of a key, and cells in the order of their
// keys: the key, which packs codes and outcome two bytes each, and the units. Texts of a group
// are added by merging.

const (
	groupCells = 1 << 10 // of a list's cells, about, where there are so many
	mostGroups = 1 << 12 // of a list
	nullGroup  = -1      // of the null records, as a cell without a key
)

// groupOf returns the group of a cell, which every worker must agree on.
func groupOf(s *table.Schema, list []int, number int, key []byte) int {
	groups := int(s.Project(list).Records(groupCells*mostGroups) / groupCells)
	if groups < 2 {
		return number * mostGroups
	}
	return number*mostGroups + hash(key)%groups
}

// listOf returns the list of a group's cells.
func listOf(group int) int { return group / mostGroups }

// hash is the same everywhere.
func hash(text []byte) int {
	h := fnv.New32a()
	h.Write(text)
	return int(h.Sum32() & (1<<31 - 1))
}

// begin returns the text of no cells, whose keys have so many bytes.
func begin(length int) []byte { return binary.AppendUvarint(nil, uint64(length)) }

// appendCell adds a cell after those before it.
func appendCell(text, key []byte, units int64) []byte {
	return binary.AppendUvarint(append(text, key...), uint64(units))
}

// A cursor goes through the cells of a text.
type cursor struct {
	rest   []byte
	length int
	key    []byte // of the cell; nil after the last
	units  int64
}

func newCursor(text []byte) *cursor {
	length, n := binary.Uvarint(text)
	c := &cursor{rest: text[n:], length: int(length)}
	c.next()
	return c
}

// next goes on.
func (c *cursor) next() {
	if len(c.rest) == 0 {
		c.key = nil
		return
	}
	c.key = c.rest[:c.length:c.length]
	units, n := binary.Uvarint(c.rest[c.length:])
	c.units, c.rest = int64(units), c.rest[c.length+n:]
}

// merge adds two texts of a group.
func merge(a, b []byte) ([]byte, error) {
	x, y := newCursor(a), newCursor(b)
	sum := make([]byte, 0, max(len(a), len(b)))
	sum = append(sum, begin(x.length)...)
	for x.key != nil || y.key != nil {
		order := bytes.Compare(x.key, y.key)
		switch {
		case y.key == nil || x.key != nil && order < 0:
			sum = appendCell(sum, x.key, x.units)
			x.next()
		case x.key == nil || order > 0:
			sum = appendCell(sum, y.key, y.units)
			y.next()
		default:
			if x.units > (1<<63-1)-y.units {
				return nil, told(table.ErrTooManyRows)
			}
			sum = appendCell(sum, x.key, x.units+y.units)
			x.next()
			y.next()
		}
	}
	return sum, nil
}

// appendCodes packs codes.
func appendCodes(to []byte, codes []uint16) []byte {
	for _, code := range codes {
		to = binary.BigEndian.AppendUint16(to, code)
	}
	return to
}

// codesOf unpacks them.
func codesOf(packed []byte) []uint16 {
	codes := make([]uint16, len(packed)/2)
	for i := range codes {
		codes[i] = binary.BigEndian.Uint16(packed[2*i:])
	}
	return codes
}
