package database

import (
	"database/sql"
	"encoding/hex"
	"strings"
)

// A Dialect is a database's way to write SQL: what a program must know to have the database code
// values and count records. Expressions that go into a pattern stand where it has %s.
type Dialect struct {
	Name string // for people

	Identifier func(name string) string // quoted
	Literal    func(text string) string // a text, equal to a value's Type.Text if their bytes are
	Blob       func(b []byte) string    // bytes
	True       string
	False      string

	// Float writes a number of 64 or 32 bits, exactly: neither infinite nor NaN.
	Float func(x float64, bits int) string

	// Beyond are literals of what is no number of floating point, by the plain text: "NaN", "+Inf" and
	// "-Inf", as far as values may be such; nil where such values are known by being read.
	Beyond map[string]string

	// Semicolon is an expression for the text of a semicolon that has none.
	Semicolon string

	// Infix writes an operator between two expressions, and Catalog stands before the name of a
	// function, so that both are the engine's own, whatever else a database defines by that name.
	// Infix is nil where operators cannot be defined anew.
	Infix   func(operator, a, b string) string
	Catalog string

	// Lexis divides queries into words, and Volatility are those by which they are volatile where
	// the engine is not asked for that.
	Lexis      Lexis
	Volatility Volatility

	// Shadow is a statement whose row is the name of a function that stands in a database for one of
	// the engine's own of that name, and which has no row where there is none; or empty where
	// that cannot be.
	Shadow string

	// Type describes how values of a column are compared, by the name that the driver gives the
	// column's type, in capitals. ok is false for a type that is not supported.
	Type func(name string) (t Type, ok bool)
	// Any is how values of a column of some type are compared where the type is not known; nil where
	// that cannot be written. Types that have a plain text of their own (moments, bytes) are compared by
	// the text that the engine writes.
	Any *Type
	// TypeNames is a statement, with the number of a type in place of %s that a driver has no name
	// for, whose row is the name by which Type may know it, and the one to show; or empty.
	TypeNames string

	// Whole is the type of whole numbers of 64 bits, in CAST, and Small that of 16 bits, or empty.
	Whole, Small string

	// TrimLeft and TrimRight cut characters of the second text off the first, Position is where
	// the second is in the first, from 1, and Part the first text from a place on, or from one
	// and so many characters more; empty where numbers in texts are known by being read.
	TrimLeft, TrimRight, Position, Part, PartOf string
	// Join is two texts, one after the other.
	Join string

	// Begin begins a transaction that only reads, and whose statements all see the data as the
	// first did. Set are statements at its beginning.
	Begin sql.TxOptions
	Set   []string

	// Materialized goes between AS and a common table expression that is worked out once, and
	// kept on a disk if it must be; empty where it is not.
	Materialized string
	// Fence ends a subquery whose columns must be worked out once for each row.
	Fence string
	// Groupings is how many groupings a statement may have, Conditions how many columns that
	// count under a condition, and Statement how many bytes, of which codes may take a quarter.
	Groupings, Conditions, Statement int

	// Plan is a statement, with a query in place of %s, in whose one value Unstable finds why the
	// query may have other rows when it runs again, or nothing; empty where that is not asked.
	Plan     string
	Unstable func(plan string) (why string)

	// Barrier ends a subquery into which nothing is moved that is asked of its rows, where they may
	// lie on other servers; or is empty.
	Barrier string

	Hashing *Hashing // nil where SQL cannot put a person's rows in their order
}

// A Hashing puts rows in the order of a hash.
type Hashing struct {
	Bytes  string                              // of a text, in UTF-8
	Same   string                              // of bytes: what is equal if they are, and is compared in full
	Length string                              // of bytes
	Number func(whole string, size int) string // as so many bytes, the most significant first
	Concat func(parts ...string) string        // of bytes
	SHA256 string
}

// A Kind is a kind of values: how their plain text, which domains are about, is compared in SQL.
type Kind int

// The kinds of values.
const (
	Opaque  Kind = iota // known by being read
	Text                // by texts
	Whole               // whole numbers of at most 64 bits and a sign, by their value
	Decimal             // decimals: by texts, and as numbers by their value
	Float               // of 64 or 32 bits, by the number that rounds to the text
	Boolean
	Date
	Instant // by the moment
	Binary  // by bytes
)

// A Type is how values of a column are compared.
type Type struct {
	Kind Kind

	// Value is a pattern of what is selected and grouped of a column whose values are read, and
	// Finer one that is grouped as well, or empty. All values of a group have one plain text.
	Value, Finer string

	// Text is a pattern of a value's plain text, whose equality is that of bytes, or empty
	// where SQL cannot write it.
	Text string

	// Digits is a pattern of a text that is that of bytes if they are digits, a point and signs
	// alone; for Binary, and empty where there is none.
	Digits string

	Bits int // of a Float
	// Before and After are the digits of a Decimal's values before and after the point, and
	// Most those of numbers that are compared without loss; 0 for any.
	Before, After, Most int
	Special             string // a pattern of the condition that a number is none, such as NaN; empty: never
	Moment              string // a pattern of the literal of an Instant, from 2006-01-02 15:04:05.999999999, or of a Date
	Places              int    // of an Instant's seconds, after the point

	// Cases are the types of which a column's values may be, each with the condition that one
	// is; a value that is of none is missing. Empty for a column of one type.
	Cases []Case
}

// A Case is one type of several.
type Case struct {
	If string // a pattern; empty in the last case, of all other values, which are known by the column's text
	Type
	As string // a pattern of the value as one of the type; empty: as it is
}

// TypeBelow returns a type of whole numbers below n.
func (d *Dialect) TypeBelow(n int) string {
	if d.Small != "" && n <= 1<<15 {
		return d.Small
	}
	return d.Whole
}

// Apply writes an operator between two expressions.
func (d *Dialect) Apply(operator, a, b string) string {
	if d.Infix == nil {
		return "(" + a + " " + operator + " " + b + ")"
	}
	return "(" + d.Infix(operator, a, b) + ")"
}

// Call writes a function of expressions.
func (d *Dialect) Call(function string, arguments ...string) string {
	return d.Catalog + function + "(" + strings.Join(arguments, ", ") + ")"
}

// OneOf writes the condition that an expression equals one of several literals.
func (d *Dialect) OneOf(x string, of []string) string {
	switch {
	case d.Infix == nil:
		return x + " IN (" + strings.Join(of, ", ") + ")"
	case len(of) == 1:
		return d.Infix("=", x, of[0])
	}
	return d.Infix("=", x, "ANY (ARRAY["+strings.Join(of, ", ")+"])")
}

// Case begins an expression that goes through the values that x may equal, and returns how the
// condition that it equals one is written after WHEN.
func (d *Dialect) Case(x string) (begin string, equals func(literal string) string) {
	if d.Infix == nil {
		return "CASE " + x, func(literal string) string { return literal }
	}
	return "CASE", func(literal string) string { return d.Infix("=", x, literal) }
}

// In returns the pattern with expressions in it: one for all its places, or one for each.
func In(pattern string, expressions ...string) string {
	parts := strings.Split(pattern, "%s")
	if len(expressions) == 1 {
		return strings.Join(parts, expressions[0])
	}
	all := parts[0]
	for i, e := range expressions {
		all += e + parts[i+1]
	}
	return all
}

// doubled writes a name or a text between quotes, those in it doubled.
func doubled(quote, text string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

func hexadecimal(b []byte) string { return hex.EncodeToString(b) }
