package table

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrTooManyRows is returned where a number of rows would leave int64.
var ErrTooManyRows = errors.New("table: more rows than 9,223,372,036,854,775,807")

// A Builder collapses rows to a Table. Its memory grows with the distinct records, not with
// the rows: at most twice what the Table takes of as many records, and 48 MB.
//
// Records whose codes and outcome fit into 64 bits are counted as they come while they have
// few distinct values. Others are gathered, sorted and collapsed a few megabytes at a time. What
// comes of it are runs, in order and without equal records, which are merged so that each is
// more than twice as long as the next.
type Builder struct {
	*layout
	weight int64 // units that a row or person weighs
	units  int64
	nulls  int64

	word  []uint64     // of the row that is added
	batch []uint64     // of rows that are added together
	short *shortCounts // nil where a row has more than a word
	fresh freshRows
	runs  []run
	spare [][]byte
}

// NewBuilder returns an empty Builder for records of these sizes with two outcomes.
func NewBuilder(sizes []int) *Builder { return NewBuilderOf(sizes, 2) }

// Bytes returns about how much memory Builders take for so many distinct records, at most, where
// few counts are above 1: what two hold that see all of them, as much again before that is
// collected, and the runs.
func (s *Schema) Bytes(records int64) int64 {
	const twice, fixed = 2, 25_000_000
	l := newLayout(s.Sizes(), s.Outcomes())
	held := heldFresh(records, l.stride)
	if l.words == 1 {
		held = heldShort(records)
	}
	return twice*(twice*held+int64(l.stride)*records) + fixed
}

// Builder returns an empty Builder for tables of the schema. Where it has a person, who
// adds sees to it that a person's rows weigh Weight units together.
func (s *Schema) Builder() *Builder {
	b := NewBuilderOf(s.Sizes(), s.Outcomes())
	b.weight = s.Weight()
	return b
}

// Builders returns so many Builders of parts of one table, which hold about as much of rows that
// are in no run as two do.
func (s *Schema) Builders(n int) []*Builder {
	all := make([]*Builder, n)
	for i := range all {
		all[i] = s.Builder()
		if n <= 2 {
			continue
		}
		if few := all[i]; few.short != nil {
			few.short.most = max(2*mostSlots>>bits.Len(uint(n-1)), mostSlots/16)
		} else {
			few.fresh.most = max(2*freshBytes/n, freshBytes/16)
		}
	}
	return all
}

// NewBuilderOf returns an empty Builder for records of these sizes, each between 1 and
// 65536, with 2 to MostOutcomes outcomes; anything else is a programmer error and panics.
func NewBuilderOf(sizes []int, outcomes int) *Builder {
	if outcomes < 2 || outcomes > MostOutcomes {
		panic(fmt.Sprintf("table: a label of %d outcomes", outcomes))
	}
	for _, size := range sizes {
		if size < 1 || size > math.MaxUint16+1 {
			panic(fmt.Sprintf("table: an attribute of %d categories", size))
		}
	}
	b := &Builder{layout: newLayout(sizes, outcomes), weight: 1}
	b.word = make([]uint64, b.words)
	b.fresh.most = freshBytes
	if b.words == 1 {
		b.short = newShortCounts()
	}
	return b
}

// Add counts a record with its label count times, as AddOutcome does: true is outcome
// 1, false 0.
func (b *Builder) Add(r Record, label bool, count int64) error {
	if label {
		return b.AddOutcome(r, 1, count)
	}
	return b.AddOutcome(r, 0, count)
}

// AddOutcome counts a record with its outcome count times. The record is not kept. It
// returns an error, and changes nothing, where the record does not have one
// code below its size for each attribute, there is no such outcome, the count is
// negative, or the rows become too many.
func (b *Builder) AddOutcome(r Record, outcome int, count int64) error {
	if len(r) != len(b.sizes) {
		return fmt.Errorf("table: a record of %d codes for %d attributes", len(r), len(b.sizes))
	}
	for j, code := range r {
		if int(code) >= b.sizes[j] {
			return fmt.Errorf("table: code %d of attribute %d, which has %d categories", code, j+1, b.sizes[j])
		}
	}
	if outcome < 0 || outcome >= b.outcomes {
		return fmt.Errorf("table: outcome %d of %d", outcome, b.outcomes)
	}
	if err := b.grow(count); err != nil || count == 0 {
		return err
	}
	b.pack(b.word, r, outcome)
	b.add(b.word, count)
	return nil
}

// add counts a row.
func (b *Builder) add(words []uint64, count int64) {
	if b.short == nil {
		b.fresh.add(words, b.stride, count)
		if b.fresh.full() {
			b.collapse()
		}
		return
	}
	if !b.short.add(words[0], count) {
		b.collapse()
		b.short.add(words[0], count)
	}
}

// AddNull counts a null record count times.
func (b *Builder) AddNull(count int64) error {
	if err := b.grow(count); err != nil {
		return err
	}
	b.nulls += count
	return nil
}

func (b *Builder) grow(count int64) error {
	if count < 0 {
		return fmt.Errorf("table: a record counted %d times", count)
	}
	if b.units > math.MaxInt64-count {
		return ErrTooManyRows
	}
	b.units += count
	return nil
}

// Merge counts all rows of o, which must be of the same sizes and outcomes, and leaves o
// empty. Where the rows become too many, it changes nothing.
func (b *Builder) Merge(o *Builder) error {
	if err := b.grow(o.units); err != nil {
		return err
	}
	b.nulls += o.nulls
	o.collapse()
	b.spare = append(b.spare, o.spare...)
	for _, r := range o.runs {
		b.push(r)
	}
	*o = Builder{layout: o.layout, weight: o.weight, word: o.word, short: o.short, fresh: freshRows{most: o.fresh.most}}
	return nil
}

// collapse makes a run of the rows that are in none.
func (b *Builder) collapse() {
	switch {
	case b.short != nil && b.short.records > 0:
		b.push(b.short.collapse(b.layout, &b.spare))
	case b.fresh.length > 0:
		b.push(b.fresh.collapse(b.layout, &b.spare))
	}
}

// push takes over a run, and merges the last runs that are about as long.
func (b *Builder) push(r run) {
	for n := len(b.runs) - 1; n >= 0 && b.runs[n].length <= 2*r.length; n-- {
		last := b.runs[n]
		b.runs = b.runs[:n]
		r = merge(last, r, &b.spare)
	}
	b.runs = append(b.runs, r)
}

// Table returns the rows so far in canonical order; the Builder may go on. It
// takes O(d log d) steps for d distinct records.
func (b *Builder) Table() *Table {
	b.collapse()
	for n := len(b.runs) - 1; n > 0; n-- {
		b.runs[n-1] = merge(b.runs[n-1], b.runs[n], &b.spare)
		b.runs = b.runs[:n]
	}
	t := &Table{layout: b.layout, weight: b.weight, rows: b.units / b.weight, nulls: b.nulls, records: run{layout: b.layout}}
	if len(b.runs) > 0 {
		b.runs[0].shared = true
		t.records = b.runs[0]
	}
	return t
}
