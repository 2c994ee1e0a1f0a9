package count

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Job says what is counted, of which files, and where the counts go.
type Job struct {
	Files  []string // paths, or URLs of Beam's file systems
	Schema *table.Schema
	Lists  [][]int // of attributes, each counted with the outcome
	Out    string  // a path or URL of the file of counts, which is replaced if it is there
}

// Build adds the job to a pipeline.
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
	none := beam.ParDo(s, nothing, beam.Impulse(s)) // so that there is always something to write
	sums := beam.CombinePerKey(s, cells.Merge, beam.Flatten(s, counted, none))
	whole := beam.GroupByKey(s, beam.AddFixedKey(s, beam.ParDo(s, pack, sums)))
	beam.ParDo0(s, &writer{Task: t, Out: j.Out}, whole)
	return nil
}

// A Group is cells of one list, as one text (see cells.Merge).
type Group struct {
	Number int
	Cells  []byte
}

// nothing gives no null records.
func nothing(_ []byte, emit func(group int, text []byte)) {
	emit(cells.Nulls, cells.Append(cells.Begin(0), nil, 0))
}

// pack makes one value of a group.
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
