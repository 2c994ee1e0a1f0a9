package privacy

import (
	"errors"
	"testing"
)

// UnmarshalText reads the names of relations of persons. These relations differ from those of
// records, and from those with another number of records per person.
func TestPersons(t *testing.T) {
	names := map[string]Relation{}
	for _, kind := range []Relation{ReplaceOne, AddRemove} {
		for most := 0; most <= MostOfPerson; most++ {
			r := kind.OfPersons(most)
			text, err := r.MarshalText()
			var back Relation
			if err != nil || back.UnmarshalText(text) != nil || back != r {
				t.Fatalf("%v: %q, %v, %v", r, text, back, err)
			}
			if other, found := names[string(text)]; found {
				t.Errorf("%v and %v have one name", r, other)
			}
			names[string(text)] = r
			if r.Replaces() != (kind == ReplaceOne) || r.Persons() != most || r.OfPersons(0) != kind || r.OfPersons(2).OfPersons(most) != r {
				t.Errorf("%v: replaces %v, %d rows of a person", r, r.Replaces(), r.Persons())
			}
		}
	}
	if got := ReplaceOne.OfPersons(3).String(); got != "replace-person-3" {
		t.Error(got)
	}
	for _, text := range []string{"", "person-3", "replace-person", "replace-person-", "replace-person-0", "replace-person-03", "replace-person-+3", "replace-person-11", "replace-person-259", "add-remove-person-3-person-3", "Replace"} {
		r := AddRemove
		if err := r.UnmarshalText([]byte(text)); !errors.Is(err, ErrRelation) || r != AddRemove {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	for _, r := range []Relation{0, ofPerson, 3 + 3*ofPerson, ReplaceOne.OfPersons(MostOfPerson + 1)} {
		if _, err := NewPure(r, Decimal{}); !errors.Is(err, ErrRelation) {
			t.Errorf("%v: %v", r, err)
		}
	}
	e, err := ParseDecimal("1")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewPure(ReplaceOne, e)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Relation{ReplaceOne.OfPersons(1), ReplaceOne.OfPersons(3), AddRemove.OfPersons(3)} {
		persons, err := NewPure(r, e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compose(rows, persons); !errors.Is(err, ErrCompose) {
			t.Errorf("%v is composed with replace: %v", r, err)
		}
		f, err := NewFilter(r, e, Decimal{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Spend(rows); !errors.Is(err, ErrCharge) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// A number is a valid relation only if its kind is known and its number of records per person is 0
// to MostOfPerson. OfPersons does not make a number with an unknown kind valid.
func TestRelationNumbers(t *testing.T) {
	for n := range 1 << 16 {
		r := Relation(n)
		known := n%256 == 1 || n%256 == 2
		if _, err := r.MarshalText(); (err == nil) != (known && n/256 <= MostOfPerson) {
			t.Fatalf("%d: %v", n, err)
		}
		if _, err := r.OfPersons(3).MarshalText(); (err == nil) != known {
			t.Fatalf("%d, of persons: %v", n, err)
		}
		if r.Replaces() != (n%256 == 1) || r.Persons() != n/256 {
			t.Fatalf("%d: replaces %v, %d rows of a person", n, r.Replaces(), r.Persons())
		}
	}
}
