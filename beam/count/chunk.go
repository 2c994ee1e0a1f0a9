package count

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A row of a person is written as the length of the person's text, the text, and the codes, packed
// one higher than they are, so that one which is outside its domain is 0. The person's text goes
// whole: which rows of a person count is decided by it (docs/explanation/proofs/persons.md). Chunks of rows
// are deflated, since runners hold what is shuffled several times over.

type rowPacking struct {
	cells.Packing
	higher []uint16
}

func newRowPacking(s *table.Schema) *rowPacking {
	return &rowPacking{cells.NewRowPacking(s), make([]uint16, len(s.Attributes)+1)}
}

// append adds a row to a chunk.
func (p *rowPacking) append(to, person []byte, codes []uint16) []byte {
	to = append(binary.AppendUvarint(to, uint64(len(person))), person...)
	for i, code := range codes {
		p.higher[i] = code + 1
	}
	last := len(codes) - 1
	return p.Append(to, p.higher[:last], int(p.higher[last]))
}

// cut unpacks the first row of a chunk into codes, and returns the rest.
func (p *rowPacking) cut(chunk []byte, codes []uint16) (person, rest []byte) {
	length, n := binary.Uvarint(chunk)
	end := n + int(length)
	last := len(codes) - 1
	codes[last] = uint16(p.Unpack(chunk[end:], codes[:last]))
	for i := range codes {
		codes[i]--
	}
	return chunk[n:end], chunk[end+p.Len():]
}

// A deflater deflates chunks.
type deflater struct {
	to     bytes.Buffer
	writer *flate.Writer
}

func newDeflater() *deflater {
	d := &deflater{}
	d.writer, _ = flate.NewWriter(&d.to, flate.BestSpeed) // a level that there is
	return d
}

// deflate returns the chunk deflated. Nothing that writes to memory fails.
func (d *deflater) deflate(chunk []byte) []byte {
	d.to.Reset()
	d.writer.Reset(&d.to)
	d.writer.Write(chunk)
	d.writer.Close()
	return bytes.Clone(d.to.Bytes())
}

// inflate returns what deflate was given.
func inflate(chunk []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(chunk)))
}
