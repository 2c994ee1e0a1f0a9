package cells

import (
	"context"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// TallyRows is the number of rows after which a worker emits its counts and resets them, so that its memory does not
// grow with the size of files or bundles.
var TallyRows = 1 << 16

// A Grouping returns the number of the group to which a cell of a marginal belongs. The parameter index is the index
// of the marginal in the lists that were passed to NewTally, codes and outcome are the values of the cell, and key is
// their packed form (see Packing). A Grouping must return the same number on every worker.
type Grouping func(index int, key []byte, codes []uint16, outcome int) int

// A Tally counts the rows that one worker of a Beam pipeline reads, for each combination of values in the marginals.
type Tally struct {
	Table *table.Builder // the rows since the last Send

	schema   *table.Schema
	lists    [][]int // lists of attributes; for each, the marginal of these attributes and the outcome is counted
	packings []Packing
	group    Grouping
}

// NewTally returns an empty tally, which counts one marginal for each of the given lists of attributes. The function
// group divides the emitted cells into groups.
func NewTally(s *table.Schema, lists [][]int, group Grouping) *Tally {
	t := &Tally{Table: s.Builder(), schema: s, lists: lists, group: group}
	for _, list := range lists {
		t.packings = append(t.packings, NewPacking(s, list))
	}
	return t
}

// Send emits the counts and resets them. For each group it emits the non-empty cells as one encoded list. It also
// emits the count of null records.
func (t *Tally) Send(ctx context.Context, emit func(group int, cells []byte)) error {
	part := t.Table.Table()
	t.Table = t.schema.Builder()
	emit(Nulls, Append(Begin(0), nil, part.Nulls()))
	var groups map[int][]byte // the texts of the groups of the list
	list := 0
	flush := func(next int) {
		for group, cells := range groups {
			emit(group, cells)
		}
		groups, list = make(map[int][]byte), next
	}
	flush(0)
	var key []byte
	err := source.Cells(ctx, part, t.lists, func(of int, codes []uint16, outcome int, units int64) error {
		if of != list {
			flush(of)
		}
		key = t.packings[of].Append(key[:0], codes, outcome)
		group := t.group(of, key, codes, outcome)
		if groups[group] == nil {
			groups[group] = Begin(len(key))
		}
		groups[group] = Append(groups[group], key, units)
		return nil
	})
	flush(0)
	return err
}

// CountFile counts the rows of a file and emits the counts. It counts every row, even if the schema limits the number
// of rows per person.
func (t *Tally) CountFile(ctx context.Context, name string, emit func(group int, cells []byte)) error {
	n := 0
	err := rows.Each(ctx, name, t.schema, func(codes []uint16, _ []byte) error {
		if err := source.Enter(t.Table, codes, 1); err != nil {
			return err
		}
		if n++; n%TallyRows == 0 {
			return t.Send(ctx, emit)
		}
		return nil
	})
	if err != nil {
		return rows.Mark(err)
	}
	return rows.Mark(t.Send(ctx, emit))
}
