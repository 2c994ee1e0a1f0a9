package privacy

import (
	"errors"
	"fmt"
)

// ErrRelation is returned for an unknown neighbour relation.
var ErrRelation = errors.New(`unknown neighbour relation (want "replace" or "add-remove")`)

// A Relation says which pairs of tables are neighbours, the pairs that a
// guarantee makes hard to tell apart. Guarantees under different relations
// must not be compared or composed. The zero value is no relation.
type Relation uint8

const (
	// ReplaceOne: two tables with the same number n of records that differ in
	// one record. It hides what a record says; n is public.
	ReplaceOne Relation = iota + 1
	// AddRemove: two tables one of which is the other plus one record. It
	// hides that a record is there at all, so n is private too and must appear
	// nowhere in what is released.
	AddRemove
)

// String returns "replace" or "add-remove".
func (r Relation) String() string {
	switch r {
	case ReplaceOne:
		return "replace"
	case AddRemove:
		return "add-remove"
	}
	return fmt.Sprintf("Relation(%d)", uint8(r))
}

// MarshalText writes the name String returns; the zero value is ErrRelation.
func (r Relation) MarshalText() ([]byte, error) {
	if !r.valid() {
		return nil, fmt.Errorf("%v: %w", r, ErrRelation)
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads the names String returns; any other is ErrRelation and
// leaves r unchanged.
func (r *Relation) UnmarshalText(text []byte) error {
	for _, known := range []Relation{ReplaceOne, AddRemove} {
		if string(text) == known.String() {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("%.60q: %w", text, ErrRelation)
}

func (r Relation) valid() bool { return r == ReplaceOne || r == AddRemove }
