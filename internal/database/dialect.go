package database

import (
	"database/sql"
	"encoding/hex"
	"strings"
)

// embeddedExpression is the maximum length of an SQL expression (Dialect.Expression) for engines that run inside this
// process. If an expression that computes codes were longer, it would be faster to read 100,000 values than to compile
// it.
const embeddedExpression = 1 << 15

// A Dialect describes the SQL of a database engine, as far as this is needed for statements that map values to codes
// and count records. Several fields are patterns: SQL expressions in which %s is replaced by another expression.
type Dialect struct {
	Name     string // the name in messages
	Embedded bool   // whether the engine runs inside this process

	Identifier func(name string) string // returns a quoted identifier
	Literal    func(text string) string // returns a string literal; it equals a value's Type.Text if and only if their bytes are equal
	Blob       func(b []byte) string    // a literal of bytes
	True       string
	False      string

	// Float returns an exact literal of a finite number with 64 or 32 bits.
	Float func(x float64, bits int) string

	// Beyond holds the literals of the non-finite floating-point values that can occur, by their plain texts "NaN",
	// "+Inf" and "-Inf". Nil means that SQL cannot compute codes of these values, so that they must be read.
	Beyond map[string]string

	// Semicolon is an expression for the text ";" that does not contain a semicolon.
	Semicolon string

	// Infix applies an operator to two expressions, and Catalog is the prefix of function names. Both ensure that the
	// engine's own operator or function is used, even if the database defines another one with the same name. Infix
	// is nil if operators cannot be redefined.
	Infix   func(operator, a, b string) string
	Catalog string

	// Lexis defines how queries are divided into words, and Volatility which words make a query volatile. They are
	// used if the engine cannot report volatility itself (see Plan).
	Lexis      Lexis
	Volatility Volatility

	// Shadow is a statement that detects functions of the database that replace functions of the engine. It returns
	// the name of such a function, or no row if there is none. It is "" if functions cannot be replaced.
	Shadow string

	// Type returns how the values of a column are compared. name is the name of the column's type, as the driver
	// reports it, in upper case. ok is false if the type is not supported.
	Type func(name string) (t Type, ok bool)
	// Any describes how the values of a column of unknown type are compared. Instants and bytes are compared by the
	// text that the engine shows for them. Nil means that SQL cannot compare such values.
	Any *Type
	// TypeNames is a statement about a type that the driver knows only by number; %s stands for the number. Its row
	// has a name for the function Type, and a name for messages. It may be "".
	TypeNames string

	// Whole is the type of 64-bit integers in CAST. Small is that of 16-bit integers, or "" if there is none.
	Whole, Small string

	// These are patterns for texts, all of them "" if SQL cannot parse numbers in texts. TrimLeft and TrimRight remove
	// the characters of the second text from the left or right end of the first. Position is the position of the second
	// text in the first, from 1. Part is the part of a text from a position to its end, and PartOf the part from a
	// position with a given length.
	TrimLeft, TrimRight, Position, Part, PartOf string
	// Join is a pattern that concatenates two texts.
	Join string

	// IndexOf returns an expression for the position, from 0, of a text in a list of distinct literals, or NULL if
	// the list does not contain the text. At returns an expression for the integer at a position of a list of
	// literals, or NULL if the position is NULL. The running time of both does not grow with the length of the list.
	// They are nil if SQL can do this only by comparisons.
	IndexOf func(text string, literals []string) string
	At      func(position string, integers []string) string

	// Begin has the options of a read-only transaction in which all statements see the same snapshot. Set has the
	// statements that run at the beginning of the transaction, in one round trip; "" for none.
	Begin sql.TxOptions
	Set   string

	// Materialized is the keyword that follows AS in a common table expression that is evaluated once and stored on
	// disk if necessary. It is "" if the engine does not support that.
	Materialized string
	// Fence ends a subquery whose columns must be evaluated only once per row.
	Fence string
	// Groupings is the maximum number of groupings in a statement. Conditions is the maximum number of columns that
	// count rows under a condition. Statement is the maximum length of a statement in bytes; the expressions for
	// codes may use a quarter of it.
	Groupings, Conditions, Statement int
	// Expression is the maximum length in bytes of an expression for a code. If a column needs a longer one, for example
	// because it has a thousand cuts, its values are read instead. 0 means that only Statement limits the length.
	Expression int

	// Plan is a statement that returns the execution plan of a query, for which %s stands. Unstable returns, from the
	// plan, the reason why the query may return different rows when it runs again, or "" if there is none. Plan is ""
	// if Volatility is used instead.
	Plan     string
	Unstable func(plan string) (why string)

	// Barrier ends a subquery into which the planner must not move conditions on the subquery's rows, because other
	// servers might then evaluate them. It may be "".
	Barrier string

	Hashing *Hashing // nil if SQL cannot order the rows of a person by a hash
}

// A Hashing holds the patterns and functions for generating SQL that orders the rows of a person by a SHA-256 hash.
type Hashing struct {
	Bytes  string                              // the bytes of a text in UTF-8
	Same   string                              // an expression that is equal for two byte strings if and only if they are equal
	Length string                              // the length of bytes
	Number func(whole string, size int) string // an integer as size bytes, big-endian
	Concat func(parts ...string) string        // concatenates bytes
	SHA256 string
}

// A Kind states how SQL compares the values of a column type. Every comparison must have the same result as comparing
// the values' plain texts, which package source defines.
type Kind int

// The kinds of column types, which differ in how SQL compares their values.
const (
	Opaque  Kind = iota // not compared in SQL; the values are read
	Text                // compared by their texts
	Whole               // integers of at most 64 bits, compared by value
	Decimal             // decimals, compared by their texts, but for intervals by value
	Float               // floating-point numbers of 64 or 32 bits, compared by the number that rounds to the text
	Boolean
	Date
	Instant // compared by the instant
	Binary  // compared by bytes
)

// A Type defines how SQL reads and compares the values of a column, according to the column's database type.
type Type struct {
	Kind Kind

	// Value is a pattern of the expression that is selected, and by which rows are grouped, if the values of a column
	// are read. Finer is a second expression by which rows are grouped, or "". All values in a group have the same
	// plain text.
	Value, Finer string
	// Read is a pattern of the expression that is selected if rows are read one by one, or "" for the value itself.
	Read string

	// Text is a pattern of the plain text of a value, which is compared by its bytes. It is "" if SQL cannot compute
	// the plain text.
	Text string

	// Digits is used only if Kind is Binary. It is a pattern of an expression that converts a value to a text with
	// the same bytes. It is applied only to values whose bytes are all digits, points and signs. It may be "".
	Digits string

	Bits int // for a Float: its number of bits
	// Before and After are the maximum numbers of digits of a Decimal before and after the point. Most is the maximum
	// number of digits of numbers that can be compared without loss; 0 means no limit.
	Before, After, Most int
	Special             string // a pattern of the condition that a number is not finite; "" if all are finite
	Moment              string // a pattern of the literal of an Instant, from 2006-01-02 15:04:05.999999999, or of a Date
	Places              int    // the number of decimal places of an Instant's seconds

	// Cases are the possible types of the values, if the values of a column can have several types. Each case has a
	// condition on the value. A value that satisfies no condition is missing.
	Cases []Case
}

// A Case describes the values of one type in a column whose values have several types.
type Case struct {
	If string // a pattern of the condition; "" in a last case for all other values, which use the column's Text
	Type
	As string // a pattern that converts the value to the type; "" if it need not be converted
}

// TypeBelow returns the name of an SQL type that can represent the integers from 0 to n-1.
func (d *Dialect) TypeBelow(n int) string {
	if d.Small != "" && n <= 1<<15 {
		return d.Small
	}
	return d.Whole
}

// Apply returns the SQL expression that applies a binary operator to the expressions a and b. The result is in
// parentheses.
func (d *Dialect) Apply(operator, a, b string) string {
	if d.Infix == nil {
		return "(" + a + " " + operator + " " + b + ")"
	}
	return "(" + d.Infix(operator, a, b) + ")"
}

// Call returns the SQL expression that calls a built-in function with the given arguments.
func (d *Dialect) Call(function string, arguments ...string) string {
	return d.Catalog + function + "(" + strings.Join(arguments, ", ") + ")"
}

// OneOf returns the SQL condition that the expression x equals at least one of the literals.
func (d *Dialect) OneOf(x string, literals []string) string {
	switch {
	case d.Infix == nil:
		return x + " IN (" + strings.Join(literals, ", ") + ")"
	case len(literals) == 1:
		return d.Infix("=", x, literals[0])
	}
	return d.Infix("=", x, "ANY (ARRAY["+strings.Join(literals, ", ")+"])")
}

// Case returns the parts of an SQL CASE expression that compares the expression x with literals: its beginning, after
// which WHEN follows, and a function that returns the text between WHEN and THEN for a literal.
func (d *Dialect) Case(x string) (begin string, equals func(literal string) string) {
	if d.Infix == nil {
		return "CASE " + x, func(literal string) string { return literal }
	}
	return "CASE", func(literal string) string { return d.Infix("=", x, literal) }
}

// In replaces each %s in a pattern by the expression with the same position. A single expression replaces every %s.
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

// doubled encloses a text in quotes, and doubles each quote within the text.
func doubled(quote, text string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// escaped returns an SQL string literal in which special characters are preceded by a backslash. Its meaning does not
// depend on the setting standard_conforming_strings. The literal contains no line breaks, because programs that read a
// statement from a file may change them.
func escaped(text string) string {
	return "E" + doubled("'", strings.NewReplacer(`\`, `\\`, "\r", `\r`, "\n", `\n`).Replace(text))
}

func hexadecimal(b []byte) string { return hex.EncodeToString(b) }
