package pushdown

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
)

// Outside is the code of a value outside its domain. It differs from all category codes, because an attribute has
// at most table.MaxCategories categories.
const Outside = math.MaxUint16

// OrderKey is the key of the hash that determines which rows of a person are used. It is fixed and public, so that
// the same rows always give the same table.
const OrderKey = "sibyl/rows-of-a-person/1\x00"

// Bounds reports whether the SQL dialect can select a bounded number of rows for each person.
func (r *Relation) Bounds() bool {
	return r.Coded() && r.dialect.Hashing != nil && r.types[r.schema.Person.Column].Text != ""
}

// bounded returns a query that selects a bounded number of rows of each person. They are the same rows that package
// source selects from a file with the same content (docs/explanation/proofs/persons.md, section 2). The columns of
// the query are the weight of the row and the codes of the attributes and the label, which may be NULL. Nested
// subqueries, named a to f, select:
//
//	a  all rows, with their codes and the text that identifies the person
//	b  the rows whose text is not empty, and the bytes of the text
//	c  the encoding of each row as bytes: the length of the text, the text, the codes
//	d  the numbers of the copies of equal rows
//	e  the sort key of each row: a keyed hash of the encoding and the number of the copy
//	f  the number of rows of the person, and the rank of each row among them
func (r *Relation) bounded() string {
	d, h := r.dialect, r.dialect.Hashing
	person := r.schema.Person
	var codes, names, kept []string
	for j := range r.attributes {
		e, _ := r.code(j, identity(r.attributes[j].Len()))
		name := codeColumn(j)
		codes = append(codes, fmt.Sprintf("COALESCE(%s, %d) AS %s", e, Outside, name))
		names = append(names, name)
		kept = append(kept, fmt.Sprintf("CASE WHEN %s THEN %s END AS %[2]s", d.Apply("<", name, whole(Outside)), name))
	}
	row := []string{varint(d, database.In(h.Length, "u")), "u"}
	for _, name := range names {
		row = append(row, h.Number(name, 2))
	}
	if r.schema.Label == nil {
		row = append(row, h.Number("0", 2))
	}
	x := strings.Join(names, ", ")
	a := "SELECT " + strings.Join(codes, ", ") + ", " + r.operand(person.Column).text + " AS p FROM (" + r.operands() + ") AS t"
	b := "SELECT " + x + ", " + database.In(h.Bytes, "p") + " AS u FROM (" + a + ") AS a WHERE " + d.Apply("<>", "p", d.Literal(""))
	c := "SELECT " + x + ", u, " + h.Concat(row...) + " AS r FROM (" + b + ") AS b"
	e := "SELECT " + x + ", u, r, " + d.Call("row_number") + " OVER (PARTITION BY " + database.In(h.Same, "r") + " ORDER BY u) AS j FROM (" + c + ") AS c"
	e = "SELECT " + x + ", u, r, j, " + database.In(h.SHA256, h.Concat(d.Blob([]byte(OrderKey)), "r", h.Number("j", 8))) + " AS h FROM (" + e + ") AS d"
	own := "PARTITION BY " + database.In(h.Same, "u")
	f := "SELECT " + x + ", " + d.Call("count", "*") + " OVER (" + own + ") AS n, " + d.Call("row_number") + " OVER (" + own + " ORDER BY h, r, j) AS place FROM (" + e + ") AS e"
	weight, equals := d.Case("n")
	for n := int64(1); n < int64(person.Most); n++ {
		weight += fmt.Sprintf(" WHEN %s THEN %d", equals(whole(n)), r.schema.Weight()/n)
	}
	weight = "CASE WHEN " + d.Apply(">=", "n", whole(int64(person.Most))) + " THEN " + whole(r.schema.Weight()/int64(person.Most)) + " ELSE " + weight + " END END"
	if person.Most == 1 {
		weight = "1"
	}
	return fmt.Sprintf("SELECT %s, %s AS w FROM (%s) AS f WHERE %s", strings.Join(kept, ", "), weight, f, d.Apply("<=", "place", whole(int64(person.Most))))
}

// varint returns an SQL expression that encodes a number as bytes, as the function binary.AppendUvarint does: each
// byte contains seven bits of the number, the least significant ones first, and all bytes except the last have the
// high bit set.
func varint(d *database.Dialect, n string) string {
	h := d.Hashing
	const most = 5 // the maximum number of bytes, for texts of less than 2^35 bytes
	b := "CASE"
	var parts []string
	at := n // the remaining high bits
	for i := 1; i <= most; i++ {
		parts = append(parts, h.Number(at, 1))
		beyond := whole(1 << (7 * i))
		b += fmt.Sprintf(" WHEN %s THEN %s", d.Apply("<", n, beyond), h.Concat(parts...))
		parts[i-1] = h.Number(d.Apply("+", d.Apply("%", at, "128"), "128"), 1)
		at = wide(d, d.Apply("/", d.Apply("-", n, d.Apply("%", n, beyond)), beyond))
	}
	return b + " END"
}
