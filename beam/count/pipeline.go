package count

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Job describes a pipeline that counts marginals: its input files, the marginals, and its output.
type Job struct {
	Files  []string // paths, or URLs of Beam's file systems
	Schema *table.Schema
	Lists  [][]int // lists of attributes; for each, the marginal of these attributes and the outcome is counted
	Out    string  // the path or URL of the file of counts; an existing file is replaced
}

// Build adds the steps of the counting job to a Beam pipeline.
func (j Job) Build(s beam.Scope) error {
	text, err := j.Schema.MarshalJSON()
	if err != nil {
		return err
	}
	t := Task{Schema: string(text), Lists: j.Lists}
	files := beam.Reshuffle(s, beam.CreateList(s, j.Files))
	var counted beam.PCollection
	if j.Schema.Person == nil {
		counted = beam.ParDo(s, &rowCounter{Task: t}, files)
	} else {
		read := beam.ParDo(s, &rowReader{Task: t}, files)
		counted = beam.ParDo(s, &personCounter{Task: t}, beam.GroupByKey(s, read))
	}
	none := beam.ParDo(s, nothing, beam.Impulse(s)) // so that the writer runs even without rows
	sums := beam.CombinePerKey(s, cells.Merge, beam.Flatten(s, counted, none))
	whole := beam.GroupByKey(s, beam.AddFixedKey(s, beam.ParDo(s, pack, sums)))
	beam.ParDo0(s, &writer{Task: t, Out: j.Out}, whole)
	return nil
}

// A Group is a group of cells of one marginal, as an encoded list (see cells.Merge).
type Group struct {
	Number int
	Cells  []byte
}

// nothing emits the count 0 for null records, so that the pipeline has an output even if there are no rows.
func nothing(_ []byte, emit func(group int, text []byte)) {
	emit(cells.Nulls, cells.Append(cells.Begin(0), nil, 0))
}

// pack returns the Group with the given number and encoded cells.
func pack(group int, text []byte) Group { return Group{group, text} }

func init() {
	beam.RegisterType(reflect.TypeFor[Group]())
	register.Function2x0(nothing)
	register.Function2x1(pack)
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&rowCounter{})
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&rowReader{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&personCounter{})
	register.DoFn3x1[context.Context, int, func(*Group) bool, error](&writer{})
	register.Iter1[Group]()
}
