package synthetic

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Layout is a schema as package synth sees it: the free columns of its flat form, with
// what its rules forbid. Columns that are functions of others are not counted.
type Layout struct {
	Schema *table.Schema
	Flat   *table.Schema
	Domain synth.Domain

	Rules   []cells.Rule // on free columns
	Witness []uint16     // of each free column a value, which together keep all rules

	constraints *table.Constraints
	free        []int // columns of Flat
}

// Lay lays out a schema. It fails where rows of the schema could not be written.
func Lay(s *table.Schema) (*Layout, error) {
	flat, err := s.Flat()
	if err != nil {
		return nil, err
	}
	if err := flat.Written(); err != nil {
		return nil, err
	}
	l := &Layout{Schema: s, Flat: flat}
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

// persons is how many rows of a person count, 0 where each row is a person.
func (l *Layout) persons() int {
	if p := l.Schema.Person; p != nil {
		return p.Most
	}
	return 0
}

// Column returns the free column of an attribute of the flat schema, -1 where it is a
// function of others or there is none of that name.
func (l *Layout) Column(name string) int {
	for k, j := range l.free {
		if l.Flat.Attributes[j].Name == name {
			return k
		}
	}
	return -1
}

// Name names a free column.
func (l *Layout) Name(column int) string { return l.Flat.Attributes[l.free[column]].Name }

// complete puts the codes of a record of the free columns over the flat schema into another, which
// it returns: functions are filled in.
func (l *Layout) complete(r *Records, i int, record []uint16) []uint16 {
	record = slices.Grow(record[:0], len(l.Flat.Attributes))[:len(l.Flat.Attributes)]
	for k, j := range l.free {
		record[j] = r.columns[k][i]
	}
	l.constraints.Complete(record)
	return record
}
