package privacy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrRelation is returned for an unknown neighbour relation.
var ErrRelation = errors.New(`unknown neighbour relation (want "replace" or "add-remove")`)

// A Relation says which pairs of tables are neighbours, the pairs that a
// guarantee makes hard to tell apart. Guarantees under different relations
// must not be compared or composed. The zero value is no relation.
//
// Neighbours differ in one record or, where the relation is of persons, in all
// records of one person. Whoever derives noise from a relation must ask for both
// Replaces and Persons.
type Relation uint16

const (
	// ReplaceOne: two tables with the same number n of records that differ in
	// one record. It hides what a record says; n is public.
	ReplaceOne Relation = iota + 1
	// AddRemove: two tables one of which is the other plus one record. It
	// hides that a record is there at all, so n is private too and must appear
	// nowhere in what is released.
	AddRemove
)

// MostOfPerson is the greatest number of records that a relation of persons has count.
const MostOfPerson = 10

// ofPerson is what one record of a person adds to the number of a relation.
const ofPerson = 1 << 8

// OfPersons returns the relation of persons of whom at most so many records count, 1 to
// MostOfPerson, whatever r was of; 0 returns that of records. ReplaceOne becomes: two
// tables with the same number n of persons, one of whom has other records. AddRemove
// becomes: two tables one of which is the other plus all records of one person.
func (r Relation) OfPersons(most int) Relation {
	return r%ofPerson + Relation(most)*ofPerson
}

// Persons returns how many records of one person count, 0 where the relation is of
// records.
func (r Relation) Persons() int { return int(r / ofPerson) }

// Replaces tells whether a record, or a person's records, are replaced by others: the
// number of records or persons is public then. Otherwise they are there or not.
func (r Relation) Replaces() bool { return r%ofPerson == ReplaceOne }

// personMark stands in the name of a relation before the number of a person's records.
const personMark = "-person-"

// String returns "replace" or "add-remove", and of persons a name such as
// "replace-person-3".
func (r Relation) String() string {
	if !r.valid() {
		return fmt.Sprintf("Relation(%d)", uint16(r))
	}
	name := "add-remove"
	if r.Replaces() {
		name = "replace"
	}
	if most := r.Persons(); most > 0 {
		name += personMark + strconv.Itoa(most)
	}
	return name
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
	_, digits, _ := strings.Cut(string(text), personMark)
	most, _ := strconv.Atoi(digits)
	for _, known := range []Relation{ReplaceOne, AddRemove} {
		if of := known.OfPersons(min(max(most, 0), MostOfPerson)); string(text) == of.String() {
			*r = of
			return nil
		}
	}
	return fmt.Errorf("%.60q: %w", text, ErrRelation)
}

func (r Relation) valid() bool {
	kind := r % ofPerson
	return (kind == ReplaceOne || kind == AddRemove) && r.Persons() <= MostOfPerson
}
