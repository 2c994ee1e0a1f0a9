package table

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrTooManyRows is returned if the sum of all counts would exceed the range of int64.
var ErrTooManyRows = errors.New("table: the number of rows exceeds the maximum, 9,223,372,036,854,775,807")

// A Builder groups rows into a Table. Its memory depends on the number of distinct records, not on the number of
// rows. It needs at most twice the memory of a Table with as many records, plus 48 MB.
//
// If the codes and the outcome of a row fit into 64 bits, rows are counted in a hash table of limited size.
// Otherwise a few megabytes of rows are buffered and sorted. When the hash table or the buffer is full, its content
// is moved to a sorted list of distinct records with counts, which is called a run. Runs are merged so that each
// run is more than twice as long as the next.
type Builder struct {
	*layout
	weight int64 // the weight of a row or person, in units
	units  int64 // the sum of the units so far, including those of null records
	nulls  int64 // the sum of the units of null records

	word  []uint64     // the row that is being added
	batch []uint64     // the rows that AddColumns adds together
	short *shortCounts // the hash table if a row has one 64-bit word; nil if rows are longer
	fresh freshRows    // the buffered rows if a row has several words
	runs  []run        // sorted lists of distinct rows, by decreasing length
	spare [][]byte     // memory of chunks that can be reused
}

// NewBuilder returns an empty Builder for attributes with the given numbers of categories, and for two outcomes.
func NewBuilder(sizes []int) *Builder { return NewBuilderOf(sizes, 2) }

// Bytes returns an upper estimate, in bytes, of the memory for building a table with the given number of distinct
// records. It assumes that most records have the count 1, that two Builders each receive all records, and that
// garbage of the same size has not been collected yet.
func (s *Schema) Bytes(records int64) int64 {
	const twice, fixed = 2, 25_000_000
	l := newLayout(s.Sizes(), s.Outcomes())
	held := heldFresh(records, l.stride)
	if l.words == 1 {
		held = heldShort(records)
	}
	return twice*(twice*held+int64(l.stride)*records) + fixed
}

// Builder returns an empty Builder for tables of the schema. If the schema has a Person, the caller adds the rows
// of each person with counts whose sum is Weight.
func (s *Schema) Builder() *Builder {
	b := NewBuilderOf(s.Sizes(), s.Outcomes())
	b.weight = s.Weight()
	return b
}

// Builders returns n Builders for parts of one table. The hash tables and buffers of all of them together need
// about as much memory as those of two Builders.
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

// NewBuilderOf returns an empty Builder. The parameter sizes holds the numbers of categories of the attributes,
// from 1 to 65536. The number of outcomes must be from 2 to MostOutcomes. NewBuilderOf panics for other
// arguments.
func NewBuilderOf(sizes []int, outcomes int) *Builder {
	if outcomes < 2 || outcomes > MostOutcomes {
		panic(fmt.Sprintf("table: the number of outcomes is %d; it must be 2 to %d", outcomes, MostOutcomes))
	}
	for _, size := range sizes {
		if size < 1 || size > math.MaxUint16+1 {
			panic(fmt.Sprintf("table: an attribute has %d categories; it must have 1 to %d", size, math.MaxUint16+1))
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

// Add is like AddOutcome for a label with two outcomes. The outcome is 1 if the parameter label is true,
// and otherwise 0.
func (b *Builder) Add(r Record, label bool, count int64) error {
	if label {
		return b.AddOutcome(r, 1, count)
	}
	return b.AddOutcome(r, 0, count)
}

// AddOutcome adds n copies of a record with its outcome, where n is the parameter count. It does not
// retain the record. It returns an error and changes nothing if the number of codes is wrong, a code
// or the outcome is out of range, the count is negative, or there would be too many rows.
func (b *Builder) AddOutcome(r Record, outcome int, count int64) error {
	if len(r) != len(b.sizes) {
		return fmt.Errorf("table: a record has %d codes, but there are %d attributes", len(r), len(b.sizes))
	}
	for j, code := range r {
		if int(code) >= b.sizes[j] {
			return fmt.Errorf("table: attribute %d has the code %d, but only %d categories", j+1, code, b.sizes[j])
		}
	}
	if outcome < 0 || outcome >= b.outcomes {
		return fmt.Errorf("table: outcome %d is outside 0..%d", outcome, b.outcomes-1)
	}
	if err := b.grow(count); err != nil || count == 0 {
		return err
	}
	b.pack(b.word, r, outcome)
	b.add(b.word, count)
	return nil
}

// add adds n copies of a row in packed form (see layout), where n is the parameter count.
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

// AddNull adds n null records, which are rows with a value outside the domain, where n is the
// parameter count.
func (b *Builder) AddNull(count int64) error {
	if err := b.grow(count); err != nil {
		return err
	}
	b.nulls += count
	return nil
}

// grow adds n, the parameter count, to the total count of all rows. It returns an error if n is negative or the
// total would be too large.
func (b *Builder) grow(count int64) error {
	if count < 0 {
		return fmt.Errorf("table: the count %d of a record is negative", count)
	}
	if b.units > math.MaxInt64-count {
		return ErrTooManyRows
	}
	b.units += count
	return nil
}

// Merge moves all rows of o to b and leaves o empty. Both must have the same sizes and the same number of outcomes.
// If there would be too many rows, Merge returns ErrTooManyRows and changes nothing.
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

// Records returns an upper bound on the number of distinct records: the number of records in all runs, which may
// have records in common.
func (b *Builder) Records() (records int) {
	for _, r := range b.runs {
		records += r.length
	}
	return records
}

// collapse moves the rows in the hash table or in the buffer to a new run.
func (b *Builder) collapse() {
	switch {
	case b.short != nil && b.short.records > 0:
		b.push(b.short.collapse(b.layout, &b.spare))
	case b.fresh.length > 0:
		b.push(b.fresh.collapse(b.layout, &b.spare))
	}
}

// push appends a run, a sorted list of distinct rows. Then it merges the last two runs as long as the earlier of them
// is at most twice as long as the later.
func (b *Builder) push(r run) {
	for n := len(b.runs) - 1; n >= 0 && b.runs[n].length <= 2*r.length; n-- {
		last := b.runs[n]
		b.runs = b.runs[:n]
		r = merge(last, r, &b.spare)
	}
	b.runs = append(b.runs, r)
}

// Table returns a table of all rows so far. More rows may be added to the Builder afterwards. For d distinct
// records, the running time is O(d log d).
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
