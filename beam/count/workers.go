package count

import (
	"context"
	"encoding/binary"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// A Task is what every worker is told.
type Task struct {
	Schema string // as JSON
	Lists  [][]int
}

// schema reads the schema.
func (t *Task) schema() (*table.Schema, error) {
	s := &table.Schema{}
	return s, s.UnmarshalJSON([]byte(t.Schema))
}

// tally returns a tally of nothing.
func (t *Task) tally(s *table.Schema) *cells.Tally {
	return cells.NewTally(s, t.Lists, grouping(s, t.Lists))
}

// A rowCounter counts the rows of files, each of which is a person of its own.
type rowCounter struct {
	Task
	domain *table.Schema
}

// Setup reads the task.
func (c *rowCounter) Setup() (err error) {
	c.domain, err = c.schema()
	return err
}

// ProcessElement counts a file.
func (c *rowCounter) ProcessElement(ctx context.Context, name string, emit func(group int, cells []byte)) error {
	return c.tally(c.domain).CountFile(ctx, name, emit)
}

// Persons are divided among parts by a hash of their texts, and rows travel to their part in
// chunks.
const parts = 4096

// chunkBytes is how long a chunk is, about.
var chunkBytes = 4 << 10

// A rowReader gives the rows of files by the part of their person, in chunks.
type rowReader struct {
	Task
	domain *table.Schema
}

// Setup reads the task.
func (r *rowReader) Setup() (err error) {
	r.domain, err = r.schema()
	return err
}

// ProcessElement reads a file. Rows without a person's text are nobody's.
func (r *rowReader) ProcessElement(ctx context.Context, name string, emit func(part int, chunk []byte)) error {
	chunks := make([][]byte, parts)
	err := rows.Each(ctx, name, r.domain, func(codes []uint16, person []byte) error {
		if len(person) == 0 {
			return nil
		}
		part := hash(person) % parts
		chunk := appendRow(chunks[part], person, codes)
		if len(chunk) >= chunkBytes {
			emit(part, chunk)
			chunk = nil
		}
		chunks[part] = chunk
		return nil
	})
	if err != nil {
		return rows.Told(err)
	}
	for part, chunk := range chunks {
		if len(chunk) > 0 {
			emit(part, chunk)
		}
	}
	return nil
}

// appendRow packs a row of a person. Codes are small, and one that is outside its domain is
// written as 0.
func appendRow(to, person []byte, codes []uint16) []byte {
	to = append(binary.AppendUvarint(to, uint64(len(person))), person...)
	for _, code := range codes {
		to = binary.AppendUvarint(to, uint64(code+1))
	}
	return to
}

// cutRow unpacks the first row of a chunk into codes, and returns the rest.
func cutRow(chunk []byte, codes []uint16) (person, rest []byte) {
	length, n := binary.Uvarint(chunk)
	end := n + int(length)
	person, rest = chunk[n:end], chunk[end:]
	for i := range codes {
		code, n := binary.Uvarint(rest)
		codes[i], rest = uint16(code)-1, rest[n:]
	}
	return person, rest
}

// A personCounter counts the rows of persons that count.
type personCounter struct {
	Task
	domain *table.Schema
	counts *cells.Tally
	held   int // rows in it
}

// Setup reads the task.
func (c *personCounter) Setup() (err error) {
	c.domain, err = c.schema()
	return err
}

// StartBundle begins with nothing, whatever became of the bundle before.
func (c *personCounter) StartBundle(context.Context, func(group int, cells []byte)) error {
	c.counts, c.held = c.tally(c.domain), 0
	return nil
}

// ProcessElement takes all rows of the persons of a part.
func (c *personCounter) ProcessElement(ctx context.Context, _ int, chunks func(*[]byte) bool, emit func(group int, cells []byte)) error {
	persons := source.NewPersons(c.domain)
	defer persons.Close()
	codes := make([]uint16, len(c.domain.Attributes)+1)
	var chunk []byte
	for chunks(&chunk) {
		for rest := chunk; len(rest) > 0; c.held++ {
			var person []byte
			person, rest = cutRow(rest, codes)
			if err := persons.Add(person, codes); err != nil {
				return rows.Told(err)
			}
		}
	}
	if err := persons.Enter(ctx, c.counts.Table); err != nil {
		return rows.Told(err)
	}
	if c.held < cells.TallyRows {
		return nil
	}
	c.held = 0
	return rows.Told(c.counts.Send(ctx, emit))
}

// FinishBundle gives the rest.
func (c *personCounter) FinishBundle(ctx context.Context, emit func(group int, cells []byte)) error {
	return rows.Told(c.counts.Send(ctx, emit))
}
