package synthetic

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Layout derives, from a schema, the domain of package synth: the columns that are measured, and the combinations
// of their values that the rules of the schema forbid.
//
// The flat schema is the schema with the label as its last attribute. A rule can determine some of its columns from
// others; these columns are computed and not measured. All other columns are measured. They are called free.
type Layout struct {
	Schema *table.Schema
	Flat   *table.Schema
	Domain synth.Domain

	// Binned is the schema by which data for a release is coded. In some columns, its categories are bins of those of
	// Schema (table.Schema.Binned, synth.Domain.Bins). It is Schema itself if there are no bins.
	Binned *table.Schema

	Rules   []cells.Rule // over the free columns
	Witness []uint16     // a value for each free column; together they satisfy all rules
	Ordered []int        // by free column, how many of its first values are ordered

	constraints *table.Constraints
	free        []int // columns of Flat
}

// NewLayout returns the layout of a schema. It fails if rows of the schema could not be written to a file.
func NewLayout(s *table.Schema) (*Layout, error) {
	flat, err := s.Flat()
	if err != nil {
		return nil, err
	}
	if err := flat.Written(); err != nil {
		return nil, err
	}
	l := &Layout{Schema: s, Flat: flat, Binned: s}
	binned, values := s.Binned()
	if l.constraints, err = flat.Constraints(); err != nil {
		return nil, err
	}
	l.free = l.constraints.Free()
	witness := l.constraints.Witness()
	place := make(map[int]int)
	for k, j := range l.free {
		a := &flat.Attributes[j]
		place[j] = k
		l.Domain.Columns = append(l.Domain.Columns, synth.Column{Size: a.Len(), Ordered: a.IsOrdered()})
		l.Witness = append(l.Witness, witness[j])
		l.Ordered = append(l.Ordered, a.InOrder())
		var bins []uint16
		if j < len(values) { // the label has no bins
			bins = values[j]
		}
		if bins != nil {
			l.Binned = binned
		}
		l.Domain.Bins = append(l.Domain.Bins, bins)
	}
	if l.Binned == s {
		l.Domain.Bins = nil
	}
	l.Domain.Outcome = s.Label != nil && l.free[len(l.free)-1] == len(s.Attributes)
	for _, f := range l.constraints.Forbidden() {
		r := cells.Rule{Forbidden: f.Combinations}
		for _, j := range f.Columns {
			r.Columns = append(r.Columns, place[j])
		}
		l.Rules = append(l.Rules, r)
	}
	return l, nil
}

// Unbinned returns the layout without bins, for data that is coded by the categories of Schema.
func (l *Layout) Unbinned() *Layout {
	u := *l
	u.Binned, u.Domain.Bins = l.Schema, nil
	return &u
}

// persons returns the maximum number of rows of one person that the release uses, or 0 if the schema has no [person].
func (l *Layout) persons() int {
	if p := l.Schema.Person; p != nil {
		return p.Most
	}
	return 0
}

// Column returns the number, among the free columns, of the attribute with the given name in the flat schema. It
// returns -1 if there is no such attribute, or if it is computed from others.
func (l *Layout) Column(name string) int {
	for k, j := range l.free {
		if l.Flat.Attributes[j].Name == name {
			return k
		}
	}
	return -1
}

// Name returns the name of the free column with the given number.
func (l *Layout) Name(column int) string { return l.Flat.Attributes[l.free[column]].Name }

// complete returns the codes of record i of r for all columns of the flat schema. It computes the columns that are
// functions of others. The result reuses the memory of the slice record.
func (l *Layout) complete(r *Records, i int, record []uint16) []uint16 {
	record = slices.Grow(record[:0], len(l.Flat.Attributes))[:len(l.Flat.Attributes)]
	for k, j := range l.free {
		record[j] = r.columns[k][i]
	}
	l.constraints.Complete(record)
	return record
}
