package mechanism

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// If the schema has a Person, neighbouring tables differ in one person, and persons are counted
// instead of rows (docs/explanation/proofs/persons.md). Each mechanism declares whether its
// guarantee is proved for persons. If it is not, the mechanism rejects a schema with a Person.

// Personal converts the relation r, in which neighbouring tables differ in a row, to the relation
// in which they differ in a person with at most as many rows as the schema's Person allows. If the
// schema has no Person, it returns r unchanged. If r is already a relation between persons, it must
// equal the result; otherwise Personal returns an error.
func (s *Setting) Personal(r privacy.Relation) (privacy.Relation, error) {
	own := r.OfPersons(0)
	if p := s.Schema.Person; p != nil {
		own = r.OfPersons(p.Most)
	}
	if r.Persons() > 0 && r != own {
		return 0, parameter.Errorf("{relation} %v does not match the schema's [person], which requires %v; use that relation", r, own)
	}
	return own, nil
}

// ForPersons returns an error if the schema has a Person, but the guarantee of mechanisms of kind k is proved only
// for tables with one row per person. The error lists mechanisms for the same class that are proved for persons with
// several rows.
func (s *Setting) ForPersons(k Kind) error {
	if s.Schema.Person == nil || k.Persons {
		return nil
	}
	class := KindOfForm(s.Form)
	var names []string
	for _, other := range Kinds(class) {
		if other.Persons {
			names = append(names, other.Name)
		}
	}
	if len(names) == 0 {
		return parameter.Errorf("{class} %s requires that each row is a different person, so it does not support the schema's [person]; use another class, such as tree or naive-bayes", class.Name)
	}
	return parameter.Errorf("{mechanism} %s requires that each row is a different person, so it does not support the schema's [person]; use {mechanism} %s", k.Name, strings.Join(names, " or "))
}

// PersonalNames lists the mechanisms whose guarantee is proved for persons with several rows. It is a constant and
// not computed from All, because the functions in All return an error that contains PersonalNames, which would be an
// initialization cycle.
const PersonalNames = "exponential, statistical, weighted, tree-and-counts, newton, dpsgd and rspm"

// OfRows returns an error if the schema has a Person. Releases call it whose guarantee is proved
// only for tables with one row per person. The error begins with the subject: the release, or one
// of its parameters.
func (s *Setting) OfRows(subject parameter.Text) error {
	if s.Schema.Person == nil {
		return nil
	}
	return parameter.Errorf("%s requires that each row is a different person, so it does not support the schema's [person]; use one of the mechanisms %s", subject, PersonalNames)
}

// KindOf returns the Kind that describes the mechanism m, found by the Go type of m.
func KindOf(m Mechanism) Kind {
	for _, k := range All() {
		if reflect.TypeOf(k.New()) == reflect.TypeOf(m) {
			return k
		}
	}
	return Kind{Name: fmt.Sprintf("%T", m)}
}

// StatedRows returns an error if the setting's number of rows or persons is out of range.
func (s *Setting) StatedRows() error {
	if most := MostUnits(s.Schema); s.Rows < 0 || s.Rows > most {
		return parameter.Errorf("{rows} %d is outside 1..%d", s.Rows, most)
	}
	return nil
}
