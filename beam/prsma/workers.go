package prsma

import (
	"context"
	"encoding/binary"
	"encoding/json"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Task holds the parameters of a release by PRSMA. Every worker of the pipeline receives it.
type Task struct {
	Task string // a parts.Task as JSON

	steps   *parts.Solver
	packing cells.Packing // the packing of all attributes and the outcome
}

// taskOf returns the given task in the form that workers receive.
func taskOf(t parts.Task) (Task, error) {
	text, err := json.Marshal(t)
	return Task{Task: string(text)}, err
}

// Setup decodes the task of package parts, which t contains as JSON.
func (t *Task) Setup() error {
	var task parts.Task
	err := json.Unmarshal([]byte(t.Task), &task)
	if err != nil {
		return err
	}
	if t.steps, err = task.Solver(); err != nil {
		return err
	}
	t.packing = cells.NewPacking(t.steps.Schema, t.all())
	return nil
}

// all returns the indices of all attributes of the task's schema.
func (t *Task) all() []int {
	all := make([]int, len(t.steps.Schema.Attributes))
	for j := range all {
		all[j] = j
	}
	return all
}

// begin returns an encoded list without records.
func (t *Task) begin() []byte { return cells.Begin(t.packing.Len()) }

// table returns the table of all records in the encoded lists.
func (t *Task) table(texts func(*[]byte) bool) (*table.Table, error) {
	b, codes := t.steps.Schema.Builder(), make(table.Record, len(t.packing)-1)
	var text []byte
	for texts(&text) {
		for c := cells.NewCursor(text); c.Key != nil; c.Next() {
			outcome := t.packing.Unpack(c.Key, codes)
			if err := b.AddOutcome(codes, outcome, c.Units); err != nil {
				return nil, err
			}
		}
	}
	return b.Table(), nil
}

// text encodes the given examples as a list of cells.
func (t *Task) text(of []learn.Example[table.Record]) []byte {
	text := t.begin()
	var key []byte
	for _, e := range of {
		outcome := 0
		if e.Label {
			outcome = 1
		}
		key = t.packing.Append(key[:0], e.X, outcome)
		text = cells.Append(text, key, e.Count)
	}
	return text
}

// A counter counts the distinct records in files, and divides the counts into the groups of the task.
type counter struct{ Task }

// ProcessElement counts how often each record occurs in the file with the given name.
func (c *counter) ProcessElement(ctx context.Context, name string, emit func(group int, text []byte)) error {
	group := func(_ int, _ []byte, codes []uint16, outcome int) int { return c.steps.Group(codes, outcome) }
	return cells.NewTally(c.steps.Schema, [][]int{c.all()}, group).CountFile(ctx, name, emit)
}

// A divider samples how many rows of each group each part receives. An assigner then samples which rows these are.
type divider struct{ Task }

// ProcessElement receives the number of rows of each group. It has three outputs:
//
//   - sizes: for each group, the number of its rows in each part.
//   - empty: for each part, an encoded list without records, so that the pipeline also solves parts without rows.
//   - extent: the size of the table.
//
// If the number of rows differs from the stated one, ProcessElement emits only extent. The process that started the
// pipeline then refuses the table.
func (d *divider) ProcessElement(_ int, totals func(*Total) bool, sizes func(group int, text []byte), empty func(part int, text []byte), extent func(Found)) error {
	all, found := make([]int64, d.steps.Groups()), Found{Part: ofAll}
	var t Total
	for totals(&t) {
		found.Rows += t.Rows
		if t.Group == cells.Nulls {
			found.Nulls += t.Rows
		} else {
			all[t.Group] += t.Rows
		}
	}
	extent(found)
	if found.Rows != d.steps.Rows() {
		return nil
	}
	divided, err := d.steps.PartSizes(all)
	if err != nil {
		return err
	}
	for group, of := range divided {
		var text []byte
		for _, size := range of {
			text = binary.AppendUvarint(text, uint64(size))
		}
		sizes(group, text)
	}
	for part := range d.steps.Parts() {
		empty(part, d.begin())
	}
	return nil
}

// An assigner samples which rows of a group each part receives. A divider has sampled how many rows each part
// receives.
type assigner struct{ Task }

// ProcessElement divides the rows of a group among the parts. It skips the group of null records, for which no
// numbers of rows were sampled.
func (d *assigner) ProcessElement(group int, records, sizes func(*[]byte) bool, emit func(part int, text []byte)) error {
	var text []byte
	if !sizes(&text) {
		return nil
	}
	of, err := d.table(records)
	if err != nil {
		return err
	}
	for part, got := range d.steps.AssignRows(group, of, numbers(text))[:d.steps.Parts()] {
		if len(got) > 0 {
			emit(part, d.text(got))
		}
	}
	return nil
}

// numbers decodes the number of rows of a group in each part, which the divider encoded.
func numbers(text []byte) (sizes []int64) {
	for len(text) > 0 {
		size, n := binary.Uvarint(text)
		sizes, text = append(sizes, int64(size)), text[n:]
	}
	return sizes
}

// A solver runs the base mechanism of PRSMA on the rows of each part.
type solver struct{ Task }

// ProcessElement runs the base mechanism on one part, and emits the result.
func (s *solver) ProcessElement(ctx context.Context, part int, records func(*[]byte) bool, emit func(Found)) error {
	of, err := s.table(records)
	if err != nil {
		return err
	}
	answer, passed, err := s.steps.Solve(ctx, part, of)
	if err != nil {
		return err
	}
	emit(Found{Part: part, Passed: passed, Answer: answer})
	return nil
}

// A collector writes the results of all parts to an encrypted file.
type collector struct {
	Seal Seal
	Out  string
}

// ProcessElement receives the results of all parts of the data and the size of the table, and writes them to the
// encrypted file.
func (c *collector) ProcessElement(ctx context.Context, _ int, all func(*Found) bool) error {
	solved := parts.Solved{Passed: map[int]json.RawMessage{}}
	for {
		var f Found
		if !all(&f) {
			break
		}
		if f.Part == ofAll {
			solved.Rows, solved.Nulls = f.Rows, f.Nulls
			continue
		}
		solved.Tried++
		if f.Passed {
			solved.Passed[f.Part] = f.Answer
		}
	}
	return c.Seal.write(ctx, c.Out, &solved)
}
