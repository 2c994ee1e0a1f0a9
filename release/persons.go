package release

import (
	"fmt"
	"reflect"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Where the schema says whose a row is, neighbouring tables differ in a person, and what
// is counted are persons (docs/proofs/persons.md). Mechanisms say themselves that they
// are proved for that: others are refused.

// personal returns the relation over the setting's schema.
func (s *setting) personal(r privacy.Relation) (privacy.Relation, error) {
	own := r.OfPersons(0)
	if p := s.schema.Person; p != nil {
		own = r.OfPersons(p.Most)
	}
	if r.Persons() > 0 && r != own {
		return 0, fmt.Errorf("--relation %v does not go with the schema, whose releases are under %v", r, own)
	}
	return own, nil
}

// forPersons refuses a mechanism that is proved for rows only, where there are persons.
func (s *setting) forPersons(k MechanismKind) error {
	if s.schema.Person == nil || k.Persons {
		return nil
	}
	return s.ofRows("--mechanism " + k.Name)
}

// personalNames are the names of mechanisms that are proved for persons: a constant, since
// the descriptions refer to the sentence.
const personalNames = "exponential, rspm and statistical"

// ofRows refuses persons for what is proved for rows only.
func (s *setting) ofRows(what string) error {
	if s.schema.Person == nil {
		return nil
	}
	return fmt.Errorf("%s does not go with the schema's [person]: it is for rows that are each a person of their own; take one of the mechanisms %s", what, personalNames)
}

// kindOfMechanism returns the kind that a mechanism was asked of.
func kindOfMechanism(m Mechanism) MechanismKind {
	for _, k := range mechanisms() {
		if reflect.TypeOf(k.Ask()) == reflect.TypeOf(m) {
			return k
		}
	}
	return MechanismKind{Name: fmt.Sprintf("%T", m)}
}

// statedRows checks a number of rows, or persons, that is stated.
func (s *setting) statedRows() error {
	if most := mostUnits(s.schema); s.rows < 0 || s.rows > most {
		return fmt.Errorf("--rows %d is outside 1..%d", s.rows, most)
	}
	return nil
}
