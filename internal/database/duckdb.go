package database

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// DuckDB is the SQL dialect of the database engine DuckDB, version 1.0 and later.
var DuckDB = &Dialect{
	Name:       "DuckDB",
	Embedded:   true,
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal: func(text string) string {
		if strings.ContainsAny(text, "\r\n") {
			return escaped(text)
		}
		return doubled("'", text)
	},
	Blob: func(b []byte) string {
		var text strings.Builder
		for _, c := range b {
			fmt.Fprintf(&text, `\x%02X`, c)
		}
		return "CAST('" + text.String() + "' AS BLOB)"
	},
	True: "TRUE", False: "FALSE",
	Float: func(x float64, bits int) string {
		name := "DOUBLE"
		if bits == 32 {
			name = "FLOAT"
		}
		return "CAST('" + strconv.FormatFloat(x, 'g', -1, bits) + "' AS " + name + ")"
	},
	Beyond:    map[string]string{"NaN": "CAST('NaN' AS DOUBLE)", "+Inf": "CAST('Infinity' AS DOUBLE)", "-Inf": "CAST('-Infinity' AS DOUBLE)"},
	Semicolon: "chr(59)",
	Volatility: Volatility{
		Functions: []string{"random", "setseed", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "currval"},
		Names:     []string{"tablesample"},
	},
	// A database file may contain macros. A macro with the name of an operator replaces the operator, and
	// unlike a function it can read other rows.
	Shadow: "SELECT own.function_name FROM system.main.duckdb_functions() AS own JOIN system.main.duckdb_functions() AS built ON " +
		"system.main.lower(own.function_name) = system.main.lower(built.function_name) WHERE built.internal AND NOT own.internal ORDER BY 1 LIMIT 1",
	Type:     duckType,
	Any:      duckAny(),
	Whole:    "BIGINT",
	TrimLeft: "ltrim(%s, %s)", TrimRight: "rtrim(%s, %s)", Position: "strpos(%s, %s)", Part: "substr(%s, %s)", PartOf: "substr(%s, %s, %s)",
	Join: "%s || %s",
	IndexOf: func(text string, literals []string) string {
		return "enum_code(TRY_CAST(" + text + " AS ENUM (" + strings.Join(literals, ", ") + ")))"
	},
	At: func(position string, integers []string) string {
		return "list_extract(CAST([" + strings.Join(integers, ", ") + "] AS BIGINT[]), " + position + " + 1)"
	},

	Begin:      sql.TxOptions{}, // each transaction sees one snapshot
	Expression: embeddedExpression, Groupings: 500, Conditions: 500, Statement: 16 << 20,

	Hashing: &Hashing{
		Same: "%s", Bytes: "encode(%s)", Length: "octet_length(%s)", SHA256: "unhex(sha256(%s))",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("unhex(lpad(hex(%s), %d, '0'))", whole, 2*size)
		},
		Concat: func(parts ...string) string { return strings.Join(parts, " || ") },
	},
}

// duckShown is a pattern for the text form of a value of any type in DuckDB. It sets the collation to C, because
// the column's own collation may treat a and A as equal.
const duckShown = "(CAST(%s AS VARCHAR) COLLATE C)"

// duckAny returns the Type for columns whose type is unknown. In such columns, floating-point numbers are compared
// by value, because the same number can be written in several ways, and all other values by their text.
func duckAny() *Type {
	t := &Type{Kind: Text, Text: duckShown}
	for _, name := range []string{"DOUBLE", "FLOAT"} {
		of, _ := duckType(name)
		t.Cases = append(t.Cases, Case{If: "typeof(%s) = '" + name + "'", Type: of, As: "TRY_CAST(CAST(%s AS VARCHAR) AS " + name + ")"})
	}
	t.Cases = append(t.Cases, Case{Type: Type{Kind: Text, Text: duckShown}})
	return t
}

// duckType implements Dialect.Type for DuckDB: it returns how values are compared, given the name of a column's
// type. It compares complete names, because the name of a nested type contains the names of other types.
func duckType(name string) (t Type, ok bool) {
	switch name {
	case "VARCHAR", "ENUM", "UUID", "HUGEINT", "UHUGEINT", "BIGNUM": // the last three have more digits than decimals can
		return Type{Kind: Text, Text: duckShown, Value: duckShown}, true
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER":
		t = Type{Kind: Whole, Text: duckShown}
	case "UBIGINT":
		t = Type{Kind: Decimal, Before: 20, Most: 38, Text: duckShown}
	case "DOUBLE":
		t = Type{Kind: Float, Bits: 64, Special: "NOT isfinite(%s)"}
	case "FLOAT":
		t = Type{Kind: Float, Bits: 32, Special: "NOT isfinite(%s)"}
	case "BOOLEAN":
		t = Type{Kind: Boolean}
	case "DATE":
		t = Type{Kind: Date, Moment: "DATE '%s'"}
	case "TIMESTAMP":
		t = Type{Kind: Instant, Moment: "TIMESTAMP '%s'", Places: 6}
	case "TIMESTAMPTZ":
		t = Type{Kind: Instant, Moment: "TIMESTAMPTZ '%s+00'", Places: 6}
	case "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIME":
	case "BLOB":
		t = Type{Kind: Binary}
	default:
		var digits, places int
		fmt.Sscanf(name, "DECIMAL(%d,%d)", &digits, &places)
		if name != fmt.Sprintf("DECIMAL(%d,%d)", digits, places) {
			return Type{}, false
		}
		t = Type{Kind: Decimal, Before: digits - places, After: places, Most: 38, Text: duckShown}
	}
	t.Value = "%s"
	return t, true
}
