package table

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrTooManyRows is returned if the number of rows, including repeated rows, would exceed the range of int64.
var ErrTooManyRows = errors.New("table: the number of rows exceeds the maximum, 9,223,372,036,854,775,807")

// A Builder counts equal rows while they are read, and then returns them as a Table. Its memory depends on the number
// of distinct records, not on the number of rows: it needs at most twice the memory of a Table with as many records,
// plus 48 MB.
//
// If the codes and the outcome of a row fit into 64 bits, rows are counted in a hash table of limited size. Otherwise
// a few megabytes of rows are buffered and sorted. When the hash table or the buffer is full, its content is moved to
// a run, which is a sorted list of distinct records with counts. Runs are merged so that each run is more than twice
// as long as the next.
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

// NewBuilder returns an empty Builder for records with the given numbers of categories, one for each attribute, and
// for a label with two outcomes.
func NewBuilder(sizes []int) *Builder { return NewBuilderOf(sizes, 2) }

// Bytes returns an upper bound, in bytes, on the memory for building a table with the given number of distinct
// records. The bound assumes that most distinct records occur once, that two Builders each receive all records, and
// that the garbage collector has not yet freed as much memory again.
func (s *Schema) Bytes(records int64) int64 {
	const twice, fixed = 2, 25_000_000
	l := newLayout(s.Sizes(), s.Outcomes())
	held := heldFresh(records, l.stride)
	if l.words == 1 {
		held = heldShort(records)
	}
	return twice*(twice*held+int64(l.stride)*records) + fixed
}

// Builder returns an empty Builder for tables of the schema. If the schema has a Person, counts are in units (see
// Counts), and the counts of each person's rows must sum to the schema's Weight.
func (s *Schema) Builder() *Builder {
	b := NewBuilderOf(s.Sizes(), s.Outcomes())
	b.weight = s.Weight()
	return b
}

// Builders returns n Builders, so that n goroutines can each collect a part of one table. All their hash tables and
// buffers together need about as much memory as those of two Builders.
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

// NewBuilderOf returns an empty Builder for records with the given numbers of categories, one for each attribute, and
// for a label with the given number of outcomes. An attribute must have 1 to 65536 categories and a label 2 to
// MostOutcomes outcomes; otherwise NewBuilderOf panics.
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

// Add is AddOutcome for a label with two outcomes: true has the code 1, and false the code 0.
func (b *Builder) Add(r Record, label bool, count int64) error {
	if label {
		return b.AddOutcome(r, 1, count)
	}
	return b.AddOutcome(r, 0, count)
}

// AddOutcome adds a row the given number of times. The row consists of a record and the code of its outcome; the
// record may be reused after the call. AddOutcome returns an error and changes nothing if the number of codes is
// wrong, a code or the outcome is out of range, the count is negative, or there would be too many rows.
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

// add adds a row the given number of times. The row is in packed form (see layout).
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

// AddNull adds the given number of null records, which are rows with a value outside the domain.
func (b *Builder) AddNull(count int64) error {
	if err := b.grow(count); err != nil {
		return err
	}
	b.nulls += count
	return nil
}

// grow adds a count to the total count of all rows. It returns an error and changes nothing if the count is negative
// or the total would be too large.
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

// Merge moves all rows of the Builder o to b and leaves o empty. Both must have the same numbers of categories and
// the same number of outcomes. If there would be too many rows, Merge returns ErrTooManyRows and changes nothing.
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

// Records returns an upper bound on the number of distinct records: the sum of the lengths of all runs. A record that
// occurs in several runs counts several times.
func (b *Builder) Records() (records int) {
	for _, r := range b.runs {
		records += r.length
	}
	return records
}

// collapse moves the rows in the hash table, or in the buffer, to a new run, which is a sorted list of distinct rows.
func (b *Builder) collapse() {
	switch {
	case b.short != nil && b.short.records > 0:
		b.push(b.short.collapse(b.layout, &b.spare))
	case b.fresh.length > 0:
		b.push(b.fresh.collapse(b.layout, &b.spare))
	}
}

// push appends a run, a sorted list of distinct rows. It then merges the last two runs for as long as the second to
// last is at most twice as long as the last.
func (b *Builder) push(r run) {
	for n := len(b.runs) - 1; n >= 0 && b.runs[n].length <= 2*r.length; n-- {
		last := b.runs[n]
		b.runs = b.runs[:n]
		r = merge(last, r, &b.spare)
	}
	b.runs = append(b.runs, r)
}

// Table returns a table of all rows added so far. More rows may be added to the Builder afterwards. The running time
// is O(d log d) for d distinct records.
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
