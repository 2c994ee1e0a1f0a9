package prsma

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
)

// A Job describes a pipeline that executes a release by PRSMA on workers: its input files, the task, and its
// output.
type Job struct {
	Files []string // paths, or URLs of Beam's file systems
	Task  parts.Task
	Out   string // the path or URL of the file of answers; an existing file is replaced
}

// Build adds the job to a pipeline, which writes its results to an encrypted file. To read this file, call the Open
// method of the returned seal.
func (j Job) Build(s beam.Scope) (Seal, error) {
	t, err := taskOf(j.Task)
	if err != nil {
		return Seal{}, err
	}
	seal := newSeal()
	files := beam.Reshuffle(s, beam.CreateList(s, j.Files))
	none := beam.ParDo(s, nothing, beam.Impulse(s)) // so that the divider runs even without rows
	counted := beam.Flatten(s, beam.ParDo(s, &counter{Task: t}, files), none)
	totals := beam.CombinePerKey(s, sum, beam.ParDo(s, rowsOf, counted))
	whole := beam.GroupByKey(s, beam.AddFixedKey(s, beam.ParDo(s, pack, totals)))
	sizes, empty, extent := beam.ParDo3(s, &divider{Task: t}, whole)
	assigned := beam.ParDo(s, &assigner{Task: t}, beam.CoGroupByKey(s, counted, sizes))
	answers := beam.ParDo(s, &solver{Task: t}, beam.GroupByKey(s, beam.Flatten(s, assigned, empty)))
	found := beam.GroupByKey(s, beam.AddFixedKey(s, beam.Flatten(s, answers, extent)))
	beam.ParDo0(s, &collector{Seal: seal, Out: j.Out}, found)
	return seal, nil
}

// A Total is the number of rows of a group of records.
type Total struct {
	Group int
	Rows  int64
}

// A Found is the result of one part of the rows. One additional Found contains the size of the table instead.
type Found struct {
	Part        int // the index of the part, or ofAll if this is the size of the table
	Rows, Nulls int64
	Passed      bool
	Answer      []byte
}

// ofAll is the value of Found.Part for the Found that contains the size of the table.
const ofAll = -1

// nothing emits the count 0 for null records, so that the pipeline has an output even if there are no rows.
func nothing(_ []byte, emit func(group int, text []byte)) {
	emit(cells.Nulls, cells.Append(cells.Begin(0), nil, 0))
}

// rowsOf returns the number of a group, and the number of rows in its encoded list of cells.
func rowsOf(group int, text []byte) (int, int64) {
	rows := int64(0)
	for c := cells.NewCursor(text); c.Key != nil; c.Next() {
		rows += c.Units
	}
	return group, rows
}

func sum(a, b int64) int64 { return a + b }

// pack returns the Total of the group with the given number and number of rows.
func pack(group int, rows int64) Total { return Total{group, rows} }

func init() {
	beam.RegisterType(reflect.TypeFor[Total]())
	beam.RegisterType(reflect.TypeFor[Found]())
	register.Function2x0(nothing)
	register.Function2x2(rowsOf)
	register.Function2x1(sum)
	register.Function2x1(pack)
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&counter{})
	register.DoFn5x1[int, func(*Total) bool, func(int, []byte), func(int, []byte), func(Found), error](&divider{})
	register.DoFn4x1[int, func(*[]byte) bool, func(*[]byte) bool, func(int, []byte), error](&assigner{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(Found), error](&solver{})
	register.DoFn3x1[context.Context, int, func(*Found) bool, error](&collector{})
	register.Emitter1[Found]()
	register.Iter1[Total]()
	register.Iter1[Found]()
}
