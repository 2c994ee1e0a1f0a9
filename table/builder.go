package table

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrTooManyRows is returned where a number of rows would leave int64.
var ErrTooManyRows = errors.New("table: more rows than 9,223,372,036,854,775,807")

// A Builder collapses rows to a Table. Its memory grows with the distinct
// records, not with the rows: 16 bytes a slot where the codes and the outcome
// fit into 64 bits, at most 64 bytes a record; else about two bytes an
// attribute and a hundred more.
type Builder struct {
	sizes    []int
	outcomes int
	weight   int64 // units that a row or person weighs
	units    int64
	nulls    int64
	short    *shortCounts // nil where the codes do not fit
	long     *longCounts
}

// NewBuilder returns an empty Builder for records of these sizes with two outcomes.
func NewBuilder(sizes []int) *Builder { return NewBuilderOf(sizes, 2) }

// Builder returns an empty Builder for tables of the schema. Where it has a person, who
// adds sees to it that a person's rows weigh Weight units together.
func (s *Schema) Builder() *Builder {
	b := NewBuilderOf(s.Sizes(), s.Outcomes())
	b.weight = s.Weight()
	return b
}

// NewBuilderOf returns an empty Builder for records of these sizes, each between 1 and
// 65536, with 2 to MostOutcomes outcomes; anything else is a programmer error and panics.
func NewBuilderOf(sizes []int, outcomes int) *Builder {
	if outcomes < 2 || outcomes > MostOutcomes {
		panic(fmt.Sprintf("table: a label of %d outcomes", outcomes))
	}
	b := &Builder{sizes: append([]int(nil), sizes...), outcomes: outcomes, weight: 1}
	patterns, fit := uint64(outcomes), true
	for _, size := range sizes {
		if size < 1 || size > math.MaxUint16+1 {
			panic(fmt.Sprintf("table: an attribute of %d categories", size))
		}
		high, low := bits.Mul64(patterns, uint64(size))
		fit = fit && high == 0
		patterns = low
	}
	if fit {
		b.short = newShortCounts()
	} else {
		b.long = newLongCounts()
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
	if b.long != nil {
		b.long.add(r, outcome, count)
		return nil
	}
	b.short.add(packed(r, b.sizes)*uint64(b.outcomes)+uint64(outcome), count)
	return nil
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

// Merge counts all rows of o, which must be of the same sizes and outcomes, and leaves
// o as it is. Where the rows become too many, it changes nothing.
func (b *Builder) Merge(o *Builder) error {
	if err := b.grow(o.units); err != nil {
		return err
	}
	b.nulls += o.nulls
	if b.long != nil {
		b.long.merge(o.long)
		return nil
	}
	b.short.merge(o.short)
	return nil
}

// Table returns the rows so far in canonical order; the Builder may go on. It
// takes O(d log d) steps for d distinct records.
func (b *Builder) Table() *Table {
	t := &Table{sizes: b.sizes, outcomes: b.outcomes, weight: b.weight, rows: b.units / b.weight, nulls: b.nulls}
	if b.long != nil {
		b.long.fill(t)
	} else {
		b.short.fill(t)
	}
	return t
}
