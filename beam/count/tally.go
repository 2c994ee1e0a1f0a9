package count

import (
	"context"

	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// tallyRows is after how many rows a worker sends on what it has counted, so that its memory
// does not grow with files or bundles.
var tallyRows = 1 << 16

// A tally is what a worker has counted of its part of the data.
type tally struct {
	schema *table.Schema
	lists  [][]int
	table  *table.Builder
}

func newTally(s *table.Schema, lists [][]int) *tally {
	return &tally{s, lists, s.Builder()}
}

// send gives the cells that are not empty, by groups, and the null records, and begins anew.
func (t *tally) send(ctx context.Context, emit func(group int, cells []byte)) error {
	part := t.table.Table()
	t.table = t.schema.Builder()
	emit(nullGroup, appendCell(begin(0), nil, part.Nulls()))
	var groups map[int][]byte // of the list
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
		key = appendCodes(appendCodes(key[:0], codes), []uint16{uint16(outcome)})
		group := groupOf(t.schema, t.lists[of], of, key)
		if groups[group] == nil {
			groups[group] = begin(len(key))
		}
		groups[group] = appendCell(groups[group], key, units)
		return nil
	})
	flush(0)
	return err
}
