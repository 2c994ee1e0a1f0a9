package database

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// DuckDB from version 1.0 on.
var DuckDB = &Dialect{
	Name:       "DuckDB",
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal:    func(text string) string { return doubled("'", text) },
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
	Semicolon: "chr(59)",
	Type:      duckType,
	Whole:     "BIGINT",
	TrimLeft:  "ltrim(%s, %s)", TrimRight: "rtrim(%s, %s)", Position: "strpos(%s, %s)", Part: "substr(%s, %s)", PartOf: "substr(%s, %s, %s)",
	Join: "%s || %s",

	Begin:     sql.TxOptions{}, // each transaction sees one snapshot
	Groupings: 500, Conditions: 500, Statement: 16 << 20,

	Hashing: &Hashing{
		Same: "%s", Bytes: "encode(%s)", Length: "octet_length(%s)", SHA256: "unhex(sha256(%s))",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("unhex(lpad(hex(%s), %d, '0'))", whole, 2*size)
		},
		Concat: func(parts ...string) string { return strings.Join(parts, " || ") },
	},
}

func duckType(name string) (t Type, ok bool) {
	switch {
	case name == "VARCHAR" || strings.HasPrefix(name, "ENUM") || name == "UUID":
		// The column's own collation may call a and A equal.
		t = Type{Kind: Text, Text: "(CAST(%s AS VARCHAR) COLLATE C)"}
	case name == "TINYINT" || name == "SMALLINT" || name == "INTEGER" || name == "BIGINT" ||
		name == "UTINYINT" || name == "USMALLINT" || name == "UINTEGER":
		t = Type{Kind: Whole, Text: "CAST(%s AS VARCHAR)"}
	case strings.HasPrefix(name, "DECIMAL"):
		digits, places := 38, 38
		fmt.Sscanf(name, "DECIMAL(%d,%d)", &digits, &places)
		t = Type{Kind: Decimal, Before: digits - places, After: places, Most: 38, Text: "CAST(%s AS VARCHAR)"}
	case name == "UBIGINT": // HUGEINT has more digits than decimals can
		t = Type{Kind: Decimal, Before: 20, Most: 38, Text: "CAST(%s AS VARCHAR)"}
	case name == "DOUBLE" || name == "FLOAT":
		bits := 64
		if name == "FLOAT" {
			bits = 32
		}
		t = Type{Kind: Float, Bits: bits, Special: "NOT isfinite(%s)"}
	case name == "BOOLEAN":
		t = Type{Kind: Boolean}
	case name == "DATE":
		t = Type{Kind: Date, Moment: "DATE '%s'"}
	case name == "TIMESTAMP":
		t = Type{Kind: Instant, Moment: "TIMESTAMP '%s'", Places: 6}
	case name == "TIMESTAMPTZ" || name == "TIMESTAMP WITH TIME ZONE":
		t = Type{Kind: Instant, Moment: "TIMESTAMPTZ '%s+00'", Places: 6}
	case name == "BLOB":
		t = Type{Kind: Binary}
	}
	t.Value = "%s"
	if t.Kind == Text {
		t.Value = t.Text
	}
	return t, true
}
