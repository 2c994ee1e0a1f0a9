package count

import (
	"context"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
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
	chunks, packing, deflater := make([][]byte, parts), newRowPacking(r.domain), newDeflater()
	err := rows.Each(ctx, name, r.domain, func(codes []uint16, person []byte) error {
		if len(person) == 0 {
			return nil
		}
		part := hash(person) % parts
		chunks[part] = packing.append(chunks[part], person, codes)
		if len(chunks[part]) >= chunkBytes {
			emit(part, deflater.deflate(chunks[part]))
			chunks[part] = chunks[part][:0]
		}
		return nil
	})
	if err != nil {
		return rows.Told(err)
	}
	for part, chunk := range chunks {
		if len(chunk) > 0 {
			emit(part, deflater.deflate(chunk))
		}
	}
	return nil
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
	codes, packing := make([]uint16, len(c.domain.Attributes)+1), newRowPacking(c.domain)
	var chunk []byte
	for chunks(&chunk) {
		rest, err := inflate(chunk)
		if err != nil {
			return err
		}
		for ; len(rest) > 0; c.held++ {
			var person []byte
			person, rest = packing.cut(rest, codes)
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
