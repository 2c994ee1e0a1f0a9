package count

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If the schema has a [person], rows are encoded and sent to the worker that counts the rows of their person. A row
// is encoded as the length of the person's text (the value in the person column), this text, and the codes. Each code
// is increased by one, so that the code for values outside the domain becomes 0. The complete text is needed, because
// it determines which rows of the person count (docs/explanation/proofs/persons.md). Rows are sent in chunks. Chunks
// are compressed, because runners keep several copies of shuffled data.

type rowPacking struct {
	cells.Packing
	higher []uint16
}

func newRowPacking(s *table.Schema) *rowPacking {
	return &rowPacking{cells.NewRowPacking(s), make([]uint16, len(s.Attributes)+1)}
}

// append appends an encoded row to a chunk of rows. The row is given by its value in the person column and its codes.
func (p *rowPacking) append(chunk, person []byte, codes []uint16) []byte {
	chunk = append(binary.AppendUvarint(chunk, uint64(len(person))), person...)
	for i, code := range codes {
		p.higher[i] = code + 1
	}
	last := len(codes) - 1
	return p.Append(chunk, p.higher[:last], int(p.higher[last]))
}

// cut decodes the first row of a chunk. It writes the row's codes to codes, and returns its value in the person
// column and the remaining rows of the chunk.
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

// A deflater compresses chunks, which are groups of encoded rows that Beam sends between workers.
type deflater struct {
	to     bytes.Buffer
	writer *flate.Writer
}

func newDeflater() *deflater {
	d := &deflater{}
	d.writer, _ = flate.NewWriter(&d.to, flate.BestSpeed) // fails only for an invalid level
	return d
}

// deflate returns the compressed form of a chunk. It returns no error because writing to memory cannot fail.
func (d *deflater) deflate(chunk []byte) []byte {
	d.to.Reset()
	d.writer.Reset(&d.to)
	d.writer.Write(chunk)
	d.writer.Close()
	return bytes.Clone(d.to.Bytes())
}

// inflate returns the chunk from its compressed form, which deflate returned.
func inflate(chunk []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(chunk)))
}
