package compare

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Finer reads the numbers of columns for which the schema of the comparison has only intervals. For this purpose,
// its finer schema (Schema) divides these intervals into short steps. This is possible for a column whose range of
// numbers the schema states, by the keys least and most.
type Finer struct {
	Schema *table.Schema

	flat    *table.Schema
	coarse  [][]uint16  // by column, the category in flat for each category of the finer schema; nil if both have the same categories
	numbers [][]float64 // by column, the numbers of its first categories; nil if the column has no numbers
	without []string    // the columns with cuts whose numbers are not read
}

// mostSteps is the maximum number of steps into which the range of a column is divided. If the range contains more
// numbers, a step contains several adjacent numbers.
const mostSteps = 1 << 15

// NewFiner returns the Finer for a flat schema (see table.Schema.Flat). If divide is false, intervals are not divided,
// so only columns with listed values have numbers.
func NewFiner(flat *table.Schema, divide bool) *Finer {
	fine := *flat
	fine.Attributes, fine.Rules = slices.Clone(flat.Attributes), nil
	f := &Finer{Schema: &fine, flat: flat, coarse: make([][]uint16, len(flat.Attributes)), numbers: make([][]float64, len(flat.Attributes))}
	for j := range fine.Attributes {
		a := &fine.Attributes[j]
		switch values, known := a.Numbers(); {
		case divide && a.Least != "" && len(a.Cuts) > 0 && !a.IsDate():
			f.refine(j)
		case known && a.IsOrdered():
			for _, d := range values {
				x, _ := d.Rat().Float64()
				f.numbers[j] = append(f.numbers[j], x)
			}
		case len(a.Cuts) > 0 && !a.IsDate():
			f.without = append(f.without, a.Name)
		}
	}
	return f
}

// refine divides each interval of the column with index j into steps.
func (f *Finer) refine(j int) {
	a := &f.Schema.Attributes[j]
	_, ranges, places := a.Written()
	width := ranges[len(ranges)-1][1] - ranges[0][0] + 1
	step := (width + mostSteps - 1) / mostSteps
	unit := int64(math.Pow10(places))
	f.coarse[j] = a.Divide(func(_ int, least, most int64) (first []int64) {
		for x := least; x <= most; x += step {
			first = append(first, x)
			middle, _ := big.NewRat(x+min(x+step-1, most), unit).Float64()
			f.numbers[j] = append(f.numbers[j], middle/2)
		}
		return first
	})
	a.Writing = table.Writing{}
}

// Coarse converts a table from the finer schema to the schema of the comparison. The parameter byRow must be true for
// the synthetic table, in which each row represents a person.
func (f *Finer) Coarse(t *table.Table, byRow bool) (*table.Table, error) {
	if !slices.ContainsFunc(f.coarse, func(of []uint16) bool { return of != nil }) {
		return t, nil
	}
	s := f.flat
	if byRow {
		s = s.ByRow()
	}
	b := s.Builder()
	var record table.Record
	for i := range t.Len() {
		record = t.Record(i, record)
		for j, of := range f.coarse {
			if of != nil {
				record[j] = of[record[j]]
			}
		}
		if err := b.Add(record, false, t.Count(i)); err != nil {
			return nil, err
		}
	}
	if err := b.AddNull(t.Nulls()); err != nil {
		return nil, err
	}
	return b.Table(), nil
}
