package table

// A person may have several rows. Only so many of them count, and those that count share
// the person's weight: a person weighs as much as any other, whatever the number of
// rows. Weights are whole numbers of units, so that counts stay whole.

// A Person says whose a row is, and how many rows of one person count.
type Person struct {
	Column string // rows with the same text in it are of one person; those with none are no person's
	Most   int    // rows of a person that count, 1 to MostOfPerson; 0 while that is open (ParseOpenSchema)
	Public string // who asserts that the column identifies persons
	open   bool   // most = "?"
}

// MostOfPerson is the greatest Most of a Person.
const MostOfPerson = 10

// Weight returns how many units a person weighs of whom at most so many rows count, 1 to
// MostOfPerson: the least number that 1, 2, … and most divide. Each of m rows weighs
// Weight/m. It is 1 for 0, where rows count.
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

// Weight returns how many units of a table's counts a row weighs, or a person where the
// schema has one.
func (s *Schema) Weight() int64 {
	if s.Person == nil {
		return 1
	}
	return Weight(s.Person.Most)
}

// PersonColumn is the column that says whose a row is, empty where none does.
func (s *Schema) PersonColumn() string {
	if s.Person == nil {
		return ""
	}
	return s.Person.Column
}

// ByRow returns the schema without its person: of a table that is read by it, every row
// counts alike.
func (s *Schema) ByRow() *Schema {
	rows := *s
	rows.Person = nil
	return &rows
}

func (p *Person) check(open bool) *fault {
	if p.Column == "" {
		return faultf("person", "[person] needs a column")
	}
	if p.open {
		return openFault(open, "person.most", `[person] has most = "?"`, "write how many rows of a person count")
	}
	if p.Most < 1 || p.Most > MostOfPerson {
		return faultf("person.most", "[person] needs most, how many rows of a person count, within 1..%d", MostOfPerson)
	}
	return nil
}

// Unit names what a row of the table's number of rows is, for people: a person where the
// schema has one.
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
