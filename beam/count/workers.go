package count

import (
	"context"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Task holds the parameters of a counting job. Every worker of the pipeline receives it.
type Task struct {
	Schema string // the schema as JSON
	Lists  [][]int
}

// schema decodes the schema, which the task contains as JSON.
func (t *Task) schema() (*table.Schema, error) {
	s := &table.Schema{}
	return s, s.UnmarshalJSON([]byte(t.Schema))
}

// tally returns an empty Tally for the marginals of the task.
func (t *Task) tally(s *table.Schema) *cells.Tally {
	return cells.NewTally(s, t.Lists, grouping(s, t.Lists))
}

// A rowCounter counts the rows of files in a pipeline for a schema without [person].
type rowCounter struct {
	Task
	domain *table.Schema
}

// Setup decodes the schema. The runner calls it once on each worker.
func (c *rowCounter) Setup() (err error) {
	c.domain, err = c.schema()
	return err
}

// ProcessElement counts the rows of the file with the given name.
func (c *rowCounter) ProcessElement(ctx context.Context, name string, emit func(group int, cells []byte)) error {
	return c.tally(c.domain).CountFile(ctx, name, emit)
}

// parts is the number of parts into which the persons are divided by a hash of the value in the person column. One
// worker receives all rows of a part, and therefore all rows of each of its persons.
const parts = 4096

// chunkBytes is the approximate length of a chunk of rows before compression, in bytes.
var chunkBytes = 4 << 10

// A rowReader reads files, and emits their rows in chunks. All persons in a chunk belong to the same part.
type rowReader struct {
	Task
	domain *table.Schema
}

// Setup decodes the schema. The runner calls it once on each worker.
func (r *rowReader) Setup() (err error) {
	r.domain, err = r.schema()
	return err
}

// ProcessElement reads a file. It skips rows whose value in the person column is empty.
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
		return rows.Mark(err)
	}
	for part, chunk := range chunks {
		if len(chunk) > 0 {
			emit(part, deflater.deflate(chunk))
		}
	}
	return nil
}

// A personCounter counts the rows of persons. If a person has more rows than the schema allows, it first selects the
// rows that are counted.
type personCounter struct {
	Task
	domain *table.Schema
	counts *cells.Tally
	held   int // the number of rows in counts
}

// Setup decodes the schema. The runner calls it once on each worker.
func (c *personCounter) Setup() (err error) {
	c.domain, err = c.schema()
	return err
}

// StartBundle resets the counts, so that the output of a bundle of elements does not depend on earlier bundles.
func (c *personCounter) StartBundle(context.Context, func(group int, cells []byte)) error {
	c.counts, c.held = c.tally(c.domain), 0
	return nil
}

// ProcessElement counts the rows of all persons in one part.
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
				return rows.Mark(err)
			}
		}
	}
	if err := persons.Enter(ctx, c.counts.Table); err != nil {
		return rows.Mark(err)
	}
	if c.held < cells.TallyRows {
		return nil
	}
	c.held = 0
	return rows.Mark(c.counts.Send(ctx, emit))
}

// FinishBundle emits the counts that ProcessElement has not emitted yet. Beam calls it at the end of a bundle of
// elements.
func (c *personCounter) FinishBundle(ctx context.Context, emit func(group int, cells []byte)) error {
	return rows.Mark(c.counts.Send(ctx, emit))
}
