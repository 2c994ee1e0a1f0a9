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

// nothing is the value of an expression for what lies outside its domain.
const nothing = "NULL"

// A coder writes an expression for the codes of an attribute's values, each with a number in its
// place.
type coder struct {
	dialect   *database.Dialect
	attribute *table.Attribute
	to        []int64 // of each code
	rest      string  // of what no category lists
	inside    bool    // the expression is the condition that a value lies in its domain
}

// Code writes an expression for the codes that an attribute gives values of a type, or NULL for one
// outside the domain: value stands for the values, and text for their plain texts, as Type.Text has
// them. ok is false where a value must be read to know its code.
func Code(d *database.Dialect, a *table.Attribute, t database.Type, value, text string) (expression string, ok bool) {
	return newCoder(d, a, identity(a.Len())).coded(operand{value, text}, t)
}

// Numbers writes an expression for to[code], where an expression stands for the code; NULL is NULL.
func Numbers(d *database.Dialect, code string, to []int64) string {
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

// newInside returns a coder that writes the condition that a value lies in a domain without rest.
func newInside(d *database.Dialect, a *table.Attribute) *coder {
	ones := make([]int64, a.Len())
	for i := range ones {
		ones[i] = 1
	}
	return &coder{dialect: d, attribute: a, to: ones, rest: d.False, inside: true}
}

// when writes what holds for values that meet a condition.
func (c *coder) when(condition, then string) string {
	if c.inside {
		return condition
	}
	return "CASE WHEN " + condition + " THEN " + then + " ELSE " + c.rest + " END"
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// coded returns the expression for a column of a type. ok is false where a value must be read to
// know its code.
func (c *coder) coded(column operand, t database.Type) (expression string, ok bool) {
	switch {
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

// An entry is a value that a category lists.
type entry struct {
	literal string
	to      int64
}

func byNumber(a, b entry) int { return cmp.Compare(a.to, b.to) }

// listed is coded where categories list values.
func (c *coder) listed(column operand, t database.Type) (string, bool) {
	compared := column.value
	if t.Kind == database.Text || t.Kind == database.Decimal {
		if t.Text == "" {
			return "", false
		}
		compared = column.text
	}
	var entries []entry
	known := true
	enter := func(code int, value string) {
		l, some, ok := c.literal(t, value)
		known = known && ok
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
	slices.SortStableFunc(entries, byNumber)
	if n := len(entries); n > 0 && entries[0].to == entries[n-1].to {
		return c.when(oneOf(c.dialect, compared, entries), whole(entries[0].to)), true
	}
	return choose(c.dialect, compared, entries, c.rest), true
}

const (
	mostListed = 24 // entries that are compared one after the other
	branches   = 16 // into which more are divided
)

// choose writes the number of the entry that the operand equals, or the rest. Entries are in the
// order of their numbers.
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

// oneOf writes the condition that the operand is one of the entries.
func oneOf(d *database.Dialect, operand string, entries []entry) string {
	literals := make([]string, len(entries))
	for i, e := range entries {
		literals[i] = e.literal
	}
	return d.OneOf(operand, literals)
}

// literal returns what a value of the type equals whose plain text is the given one; some is
// false where there is no such value, and ok is false where that is not known.
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
		case x-x != 0: // infinite, or no number
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

// A bound tells where numbers from a cut on begin.
type bound struct {
	literal string // that the least of them has
	always  bool   // all numbers are there
	never   bool   // none is
}

// tree writes the number of the interval in which the operand lies.
func tree(d *database.Dialect, operand string, bounds []string, to []int64) string {
	if len(bounds) == 0 {
		return whole(to[0])
	}
	m := len(bounds) / 2
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", d.Apply("<", operand, bounds[m]),
		tree(d, operand, bounds[:m], to[:m+1]), tree(d, operand, bounds[m+1:], to[m+1:]))
}
