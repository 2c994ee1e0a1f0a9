package privacy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrRelation is returned for an unknown neighbour relation.
var ErrRelation = errors.New(`unknown neighbour relation (want "replace" or "add-remove")`)

// A Relation defines which pairs of tables are neighbours. A guarantee bounds how well neighbours can be
// distinguished. Guarantees under different relations must not be compared or composed. The zero value is invalid.
//
// Under a relation of records, neighbours differ in one record. Under a relation of persons (user-level privacy),
// they differ in all records of one person. Code that computes noise from a relation must consider both Replaces and
// Persons.
type Relation uint16

const (
	// ReplaceOne relates two tables with the same number n of records that differ in one
	// record. It protects the content of a record. n is public.
	ReplaceOne Relation = iota + 1
	// AddRemove relates two tables if one is the other plus one record. It also protects
	// whether a record is present. The number of records is private and must not appear
	// in a release.
	AddRemove
)

// MostOfPerson is the greatest number of records per person in a relation of persons.
const MostOfPerson = 10

// ofPerson is the factor with which a relation of persons encodes the maximum number of records per person: its value
// is ReplaceOne or AddRemove, plus ofPerson times this number.
const ofPerson = 1 << 8

// OfPersons returns the relation of persons that adds, removes or replaces like r. The argument most is the maximum
// number of records per person, from 1 to MostOfPerson. If most is 0, OfPersons returns the relation of records. The
// relation r may itself be one of records or of persons.
//
// ReplaceOne.OfPersons(most) relates two tables with the same number of persons that differ in the records of one
// person. AddRemove.OfPersons(most) relates two tables if one is the other plus all records of one person.
func (r Relation) OfPersons(most int) Relation {
	return r%ofPerson + Relation(most)*ofPerson
}

// Persons returns the maximum number of records per person, or 0 for a relation of records.
func (r Relation) Persons() int { return int(r / ofPerson) }

// Replaces reports whether neighbours differ by replacing a record, or all records of a person. The number of records
// or persons is then public. Otherwise, neighbours differ by adding or removing a record, or all records of a person.
func (r Relation) Replaces() bool { return r%ofPerson == ReplaceOne }

// personMark separates "replace" or "add-remove" from the number of records per person in the name of a relation.
const personMark = "-person-"

// String returns the name of the relation: "replace" or "add-remove", or for persons a name such as "replace-person-3".
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

// MarshalText returns the same name as String. For an invalid relation it returns ErrRelation.
func (r Relation) MarshalText() ([]byte, error) {
	if !r.valid() {
		return nil, fmt.Errorf("%v: %w", r, ErrRelation)
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads a name in the format of String. For another text it returns
// ErrRelation and leaves r unchanged.
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
