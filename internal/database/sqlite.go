package database

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
)

// SQLite is the SQL dialect of the database engine SQLite, in which each value has its own type, whatever the declared
// type of the column.
var SQLite = &Dialect{
	Name:       "SQLite",
	Embedded:   true,
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal:    sqliteLiteral,
	Blob:       func(b []byte) string { return "x'" + hexadecimal(b) + "'" },
	True:       "1", False: "0", // of columns that are declared as BOOLEAN
	Float:     sqliteFloat,
	Beyond:    map[string]string{"+Inf": "9e999", "-Inf": "-9e999"},
	Semicolon: "char(59)",
	Lexis:     Lexis{Names: "\"`[", Flat: true},
	Volatility: Volatility{
		Functions: []string{"random", "randomblob", "last_insert_rowid", "changes", "total_changes"},
		Bare:      []string{"date", "time", "datetime", "julianday", "unixepoch"},
		Names:     clocks,
		Texts:     []string{"now"},
	},
	Type:     sqliteType,
	Any:      sqliteAny(),
	Whole:    "INTEGER",
	TrimLeft: "ltrim(%s, %s)", TrimRight: "rtrim(%s, %s)", Position: "instr(%s, %s)", Part: "substr(%s, %s)", PartOf: "substr(%s, %s, %s)",
	Join: "%s || %s",

	Begin:        sql.TxOptions{ReadOnly: true},
	Materialized: "MATERIALIZED", Fence: "LIMIT -1 OFFSET 0",
	Expression: embeddedExpression, Groupings: 16, Conditions: 400, Statement: 64 << 20,
}

// sqliteType implements Dialect.Type for SQLite: it returns how values are compared, given the declared type of a
// column. In some patterns, a unary + precedes the column, because SQLite might otherwise compare texts as numbers,
// according to the column's type affinity.
func sqliteType(name string) (t Type, ok bool) {
	t = Type{Value: "%s", Finer: "%s COLLATE BINARY, typeof(%s)"} // a whole number may equal another one, of other digits
	cases := []Case{
		{If: "typeof(%s) = 'text'", Type: Type{Kind: Text, Text: "(+%s COLLATE BINARY)"}},
		{If: "typeof(%s) = 'integer'", Type: Type{Kind: Whole, Text: "CAST(%s AS TEXT)"}},
		{If: "typeof(%s) = 'real'", Type: Type{Kind: Float, Bits: 64, Special: "abs(%s) = 9e999"}},
		{If: "typeof(%s) = 'blob'", Type: Type{Kind: Binary, Digits: "CAST(%s AS TEXT)"}},
	}
	switch {
	case name == "DATE", name == "DATETIME", name == "TIMESTAMP":
		return t, true // opaque, because the driver parses texts in these columns
	case strings.HasPrefix(name, "BOOL"):
		cases = slices.Insert(cases, 0, Case{If: "typeof(%s) = 'integer' AND %s IN (0, 1)", Type: Type{Kind: Boolean}})
	}
	t.Cases = cases
	return t, true
}

// sqliteAny returns the Type for columns without a declared type.
func sqliteAny() *Type {
	t, _ := sqliteType("")
	return &t
}

// sqliteLiteral returns an SQL string literal. Line breaks are written by their character codes, because programs that
// read a statement from a file may change them.
func sqliteLiteral(text string) string {
	literal := doubled("'", text)
	if !strings.ContainsAny(text, "\r\n") {
		return literal
	}
	return "(" + strings.NewReplacer("\r", "' || char(13) || '", "\n", "' || char(10) || '").Replace(literal) + ")"
}

// sqliteFloat returns an SQL expression whose value is exactly the finite floating-point number x. The expression
// consists of products and quotients of integers, from the representation x = m·2^e with integers m and e. A decimal
// literal might not be exact, because SQLite does not always round decimals correctly.
func sqliteFloat(x float64, _ int) string {
	fraction, e := math.Frexp(x)
	m := int64(fraction * (1 << 53))
	e -= 53
	for ; m%2 == 0 && m != 0 && e < 0; e++ {
		m /= 2
	}
	b := fmt.Appendf(nil, "(CAST(%d AS REAL)", m)
	for ; e != 0 && m != 0; e -= min(max(e, -60), 60) {
		sign := "*"
		if e < 0 {
			sign = "/"
		}
		b = fmt.Appendf(b, " %s CAST(%d AS REAL)", sign, int64(1)<<min(max(e, -e), 60))
	}
	return string(append(b, ')'))
}
