package count

import (
	"context"
	"encoding/binary"

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
	t, rows := newTally(c.domain, c.Lists), 0
	err := records(ctx, name, c.domain, func(codes []uint16, _ []byte) error {
		if err := source.Enter(t.table, codes, 1); err != nil {
			return err
		}
		if rows++; rows%tallyRows == 0 {
			return t.send(ctx, emit)
		}
		return nil
	})
	if err != nil {
		return told(err)
	}
	return told(t.send(ctx, emit))
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
	err := records(ctx, name, r.domain, func(codes []uint16, person []byte) error {
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
		return told(err)
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
	tally  *tally
	held   int // rows in it
}

// Setup reads the task.
func (c *personCounter) Setup() (err error) {
	c.domain, err = c.schema()
	return err
}

// StartBundle begins with nothing, whatever became of the bundle before.
func (c *personCounter) StartBundle(context.Context, func(group int, cells []byte)) error {
	c.tally, c.held = newTally(c.domain, c.Lists), 0
	return nil
}

// ProcessElement takes all rows of the persons of a part.
func (c *personCounter) ProcessElement(ctx context.Context, _ int, chunks func(*[]byte) bool, emit func(group int, cells []byte)) error {
	rows := source.NewPersons(c.domain)
	defer rows.Close()
	codes := make([]uint16, len(c.domain.Attributes)+1)
	var chunk []byte
	for chunks(&chunk) {
		for rest := chunk; len(rest) > 0; c.held++ {
			var person []byte
			person, rest = cutRow(rest, codes)
			if err := rows.Add(person, codes); err != nil {
				return told(err)
			}
		}
	}
	if err := rows.Enter(ctx, c.tally.table); err != nil {
		return told(err)
	}
	if c.held < tallyRows {
		return nil
	}
	c.held = 0
	return told(c.tally.send(ctx, emit))
}

// FinishBundle gives the rest.
func (c *personCounter) FinishBundle(ctx context.Context, emit func(group int, cells []byte)) error {
	return told(c.tally.send(ctx, emit))
}
