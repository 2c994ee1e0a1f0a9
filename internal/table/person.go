package table

// Contribution bounding: at most Most rows of each person are used. The weight of the person is divided equally among
// the used rows, so that all persons have the same weight. Weights are integers, so that counts are integers.

// A Person defines which rows belong to the same person, and how many rows of each person are used at most.
type Person struct {
	Column string // rows with the same text in this column belong to one person; rows with an empty text belong to no person
	Most   int    // the maximum number of used rows per person, 1 to MostOfPerson; 0 if it is open (ParseOpenSchema)
	Public string // who asserts that the column identifies persons
	open   bool   // whether the schema states most = "?"
}

// MostOfPerson is the maximum of Person.Most, the number of used rows per person.
const MostOfPerson = 10

// Weight returns the weight of a person, in units (see Counts), if at most the given number of rows of each person
// are used. The number must be from 1 to MostOfPerson. The weight is the least common multiple of 1, 2, …, most, so
// that any number of rows can share it equally: if m rows of the person are used, each has Weight/m units. Weight(0)
// is 1, the weight of a row if the schema has no Person.
func Weight(most int) int64 {
	weight := int64(1)
	for m := int64(2); m <= int64(most); m++ {
		a, b := weight, m
		for b > 0 {
			a, b = b, a%b
		}
		weight *= m / a
	}
	return weight
}

// Weight returns the weight of each person, in units (see Counts). If the schema has no Person, it returns 1, the
// weight of each row.
func (s *Schema) Weight() int64 {
	if s.Person == nil {
		return 1
	}
	return Weight(s.Person.Most)
}

// PersonColumn returns the column that identifies the person, or "" if the schema has no Person.
func (s *Schema) PersonColumn() string {
	if s.Person == nil {
		return ""
	}
	return s.Person.Column
}

// ByRow returns a copy of the schema without its Person, so that rows are counted separately, whoever they belong to.
func (s *Schema) ByRow() *Schema {
	rows := *s
	rows.Person = nil
	return &rows
}

func (p *Person) check(open bool) *fault {
	if p.Column == "" {
		return faultf("person", "[person] needs the key \"column\"")
	}
	if p.open {
		return openFault(open, "person.most", `[person] has most = "?"`, "write the maximum number of rows counted per person")
	}
	if p.Most < 1 || p.Most > MostOfPerson {
		return faultf("person.most", "[person] needs \"most\", the maximum number of rows per person, within 1..%d", MostOfPerson)
	}
	return nil
}

// Unit returns the noun that follows the number n in messages: "row", "rows", "person" or "persons".
func (s *Schema) Unit(n int64) string {
	switch {
	case s.Person == nil && n == 1:
		return "row"
	case s.Person == nil:
		return "rows"
	case n == 1:
		return "person"
	}
	return "persons"
}
