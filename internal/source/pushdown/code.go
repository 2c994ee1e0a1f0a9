package pushdown

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// nothing is the SQL expression that represents the code of a value outside the domain.
const nothing = "NULL"

// A coder generates an SQL expression that maps the values of an attribute to numbers. The field to lists the number
// for each category code. If this list is 0, 1, 2, …, the expression computes the code itself.
type coder struct {
	dialect   *database.Dialect
	attribute *table.Attribute
	to        []int64 // by code, the number to which it is mapped
	rest      string  // the result for values that no category lists
	inside    bool    // whether the generated expression is only the condition that a value is in its domain
}

// Code returns an SQL expression for the category code of an attribute. The expression is NULL for values outside the
// domain. The parameter value is an expression for the column's values, t is their type, and text is an expression for
// their plain texts (see Type.Text). ok is false if SQL cannot compute the codes; the caller must then read the
// values.
func Code(d *database.Dialect, a *table.Attribute, t database.Type, value, text string) (expression string, ok bool) {
	return newCoder(d, a, identity(a.Len())).coded(operand{value, text}, t)
}

// Numbers returns an SQL expression that maps a category code to a number. The parameter code is an expression for the
// code, and the parameter to lists the number for each code. The result is NULL if the code is NULL.
func Numbers(d *database.Dialect, code string, to []int64) string {
	if d.At != nil {
		return d.At(code, wholes(to))
	}
	entries := make([]entry, len(to))
	for c := range to {
		entries[c] = entry{whole(int64(c)), to[c]}
	}
	slices.SortStableFunc(entries, byNumber)
	return choose(d, code, entries, nothing)
}

func newCoder(d *database.Dialect, a *table.Attribute, to []int64) *coder {
	c := &coder{dialect: d, attribute: a, to: to, rest: nothing}
	if a.Other != "" {
		c.rest = whole(to[a.Len()-1])
	}
	return c
}

// newInside returns a coder that generates a condition instead of a number: that a value is in the domain of the
// attribute. The attribute must not have a category for all other values.
func newInside(d *database.Dialect, a *table.Attribute) *coder {
	ones := make([]int64, a.Len())
	for i := range ones {
		ones[i] = 1
	}
	return &coder{dialect: d, attribute: a, to: ones, rest: d.False, inside: true}
}

// when returns an SQL CASE expression: if the condition holds, its value is that of the expression then, and otherwise
// c.rest. For a coder that newInside created, it returns only the condition.
func (c *coder) when(condition, then string) string {
	if c.inside {
		return condition
	}
	return "CASE WHEN " + condition + " THEN " + then + " ELSE " + c.rest + " END"
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// wholes returns the SQL literals of a list of integers.
func wholes(of []int64) []string {
	literals := make([]string, len(of))
	for i, n := range of {
		literals[i] = whole(n)
	}
	return literals
}

// coded returns the coder's expression for a column whose values have the type t. ok is false if SQL cannot compute
// the expression.
func (c *coder) coded(column operand, t database.Type) (expression string, ok bool) {
	switch {
	case c.attribute.IsDate():
		return "", false // dates are read from texts
	case len(t.Cases) > 0:
		b := "CASE"
		for _, of := range t.Cases {
			own := column
			if of.As != "" {
				own.value = database.In(of.As, column.value)
			}
			if of.If != "" {
				own.text = database.In(of.Text, own.value)
			}
			e, ok := c.coded(own, of.Type)
			if !ok {
				return "", false
			}
			if of.If == "" {
				return b + " ELSE " + e + " END", true
			}
			b += " WHEN " + database.In(of.If, column.value) + " THEN " + e
		}
		return b + " ELSE " + c.rest + " END", true
	case len(c.attribute.Cuts) > 0:
		return c.interval(column, t)
	}
	return c.listed(column, t)
}

// An entry is a value that a category lists, written as an SQL literal, with the number to which values of this
// category are mapped.
type entry struct {
	literal string
	to      int64
}

func byNumber(a, b entry) int { return cmp.Compare(a.to, b.to) }

// listed returns the coder's SQL expression (see coded) for attributes whose categories list values, in contrast to
// intervals.
func (c *coder) listed(column operand, t database.Type) (string, bool) {
	compared := column.value
	textual := t.Kind == database.Text || t.Kind == database.Decimal
	if textual && t.Text == "" {
		return "", false
	}
	indexed := c.dialect.IndexOf != nil && (textual || t.Kind == database.Whole && t.Text != "")
	if textual || indexed {
		compared = column.text
	}
	var entries []entry
	known := true
	enter := func(code int, value string) {
		l, some, ok := c.literal(t, value)
		known = known && ok
		if indexed {
			l = c.dialect.Literal(value)
		}
		if some && whole(c.to[code]) != c.rest {
			entries = append(entries, entry{l, c.to[code]})
		}
	}
	for code, value := range c.attribute.Values {
		enter(code, value)
	}
	for code, g := range c.attribute.Groups {
		for _, value := range g.Values {
			enter(code, value)
		}
	}
	if !known {
		return "", false
	}
	if indexed {
		return c.found(compared, entries), true
	}
	slices.SortStableFunc(entries, byNumber)
	if n := len(entries); n > 0 && entries[0].to == entries[n-1].to {
		return c.when(oneOf(c.dialect, compared, entries), whole(entries[0].to)), true
	}
	return choose(c.dialect, compared, entries, c.rest), true
}

// found returns an expression that looks up a text among the literals of the entries, with the function
// Dialect.IndexOf. Its value is the number of the entry with this literal, or c.rest if there is none.
func (c *coder) found(text string, entries []entry) string {
	if len(entries) == 0 {
		return c.rest
	}
	literals, numbers := make([]string, len(entries)), make([]int64, len(entries))
	for i, e := range entries {
		literals[i], numbers[i] = e.literal, e.to
	}
	index := c.dialect.IndexOf(text, literals)
	if c.inside {
		return index + " IS NOT NULL"
	}
	number := c.dialect.At(index, wholes(numbers))
	if c.rest == nothing {
		return number
	}
	return "COALESCE(" + number + ", " + c.rest + ")"
}

const (
	mostListed = 24 // the maximum number of entries that are compared one by one
	branches   = 16 // the number of parts into which more entries are divided
)

// choose returns an expression that compares the operand with the literals of the entries. Its value is the number of
// the entry with an equal literal, or the expression rest if there is none. The entries must be sorted by number,
// which makes the expression short.
func choose(d *database.Dialect, operand string, entries []entry, rest string) string {
	if len(entries) == 0 {
		return rest
	}
	var b strings.Builder
	if len(entries) <= mostListed {
		begin, equals := d.Case(operand)
		b.WriteString(begin)
		for _, e := range entries {
			b.WriteString(" WHEN " + equals(e.literal) + " THEN " + whole(e.to))
		}
	} else {
		b.WriteString("CASE")
		for part := range slices.Chunk(entries, (len(entries)+branches-1)/branches) {
			then := whole(part[0].to)
			if part[0].to != part[len(part)-1].to {
				then = choose(d, operand, part, rest)
			}
			b.WriteString(" WHEN " + oneOf(d, operand, part) + " THEN " + then)
		}
	}
	return b.String() + " ELSE " + rest + " END"
}

// oneOf returns the SQL condition that the operand equals the literal of at least one entry.
func oneOf(d *database.Dialect, operand string, entries []entry) string {
	literals := make([]string, len(entries))
	for i, e := range entries {
		literals[i] = e.literal
	}
	return d.OneOf(operand, literals)
}

// literal returns an SQL literal for the value of the type t that has the given plain text. The result some is false
// if the type has no such value, and ok is false if this cannot be determined.
func (c *coder) literal(t database.Type, text string) (literal string, some, ok bool) {
	switch t.Kind {
	case database.Text, database.Decimal:
		return c.dialect.Literal(text), true, true
	case database.Whole:
		n, err := strconv.ParseInt(text, 10, 64)
		return text, err == nil && whole(n) == text, true
	case database.Float:
		x, err := strconv.ParseFloat(text, t.Bits)
		switch {
		case err != nil || string(plaintext.AppendFloat(nil, x, t.Bits)) != text:
			return "", false, true
		case x-x != 0: // infinite or NaN
			literal, some = c.dialect.Beyond[text]
			return literal, some, c.dialect.Beyond != nil
		}
		return c.dialect.Float(x, t.Bits), true, true
	case database.Boolean:
		if text == "true" {
			return c.dialect.True, true, true
		}
		return c.dialect.False, text == "false", true
	case database.Date:
		day, err := time.Parse(time.DateOnly, text)
		if err != nil || day.Year() < 1 { // such as infinity
			return "", false, false
		}
		return database.In(t.Moment, text), true, true
	case database.Instant:
		moment, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || moment.Year() < 1 {
			return "", false, false
		}
		fraction := time.Second
		for range t.Places {
			fraction /= 10
		}
		some = string(plaintext.AppendInstant(nil, moment.UTC())) == text && moment.Truncate(fraction).Equal(moment)
		return database.In(t.Moment, moment.UTC().Format("2006-01-02 15:04:05.999999999")), some, true
	case database.Binary:
		return c.dialect.Blob([]byte(text)), true, true
	}
	return "", false, false
}

// A bound is an SQL condition that a value of a column is at least a given cut.
type bound struct {
	literal string // a literal of the least such value
	always  bool   // whether all values are at least the cut
	never   bool   // whether no value is
}

// tree returns an SQL expression whose value is one of the numbers in the parameter to. The index of this number is
// the number of bounds that are less than or equal to the operand. The bounds must be in non-decreasing order, because
// the expression compares them with the operand by binary search.
func tree(d *database.Dialect, operand string, bounds []string, to []int64) string {
	if len(bounds) == 0 {
		return whole(to[0])
	}
	m := len(bounds) / 2
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", d.Apply("<", operand, bounds[m]),
		tree(d, operand, bounds[:m], to[:m+1]), tree(d, operand, bounds[m+1:], to[m+1:]))
}
