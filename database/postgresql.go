package database

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// PostgreSQL from version 14 on. Texts are compared by the collation of their column, which
// has texts of other bytes equal only if it was made nondeterministic.
var PostgreSQL = &Dialect{
	Name:       "PostgreSQL",
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal: func(text string) string {
		if strings.Contains(text, `\`) { // whatever standard_conforming_strings is
			return "E" + doubled("'", strings.ReplaceAll(text, `\`, `\\`))
		}
		return doubled("'", text)
	},
	Blob: func(b []byte) string { return `CAST(E'\\x` + hexadecimal(b) + `' AS bytea)` },
	True: "TRUE", False: "FALSE",
	Float: func(x float64, bits int) string {
		name := "double precision"
		if bits == 32 {
			name = "real"
		}
		return "CAST('" + strconv.FormatFloat(x, 'g', -1, bits) + "' AS " + name + ")"
	},
	Semicolon: "chr(59)",
	Type:      postgresType,
	Grouped:   "%s",
	Whole:     "bigint", Small: "smallint",
	TrimLeft: "ltrim(%s, %s)", TrimRight: "rtrim(%s, %s)", Position: "strpos(%s, %s)", Part: "substr(%s, %s)", PartOf: "substr(%s, %s, %s)",
	Join: "%s || %s",

	Begin: sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	// The planner knows less than we how few groups there are: it would rather sort, and compile
	// long expressions for minutes.
	Set:          []string{"SET LOCAL work_mem = '256MB'", "SET LOCAL jit = off"},
	Materialized: "MATERIALIZED", Fence: "OFFSET 0",
	Groupings: 500, Conditions: 500, Statement: 64 << 20,
	Scattered: "EXPLAIN %s", Scattering: "Foreign Scan",
	// Those by whose lists of values tables have partitions that are foreign tables.
	Parts: "SELECT DISTINCT a.attname::text FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0] " +
		"JOIN pg_inherits AS i ON i.inhparent = p.partrelid JOIN pg_foreign_table AS f ON f.ftrelid = i.inhrelid WHERE p.partstrat = 'l' AND p.partnatts = 1",
	Apart: []string{"SET LOCAL enable_partitionwise_aggregate = on"},

	Hashing: &Hashing{
		Same: "%s", Bytes: "convert_to(%s, 'UTF8')", Length: "octet_length(%s)", SHA256: "sha256(%s)",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("decode(lpad(to_hex(%s), %d, '0'), 'hex')", whole, 2*size)
		},
		Concat: func(parts ...string) string { return strings.Join(parts, " || ") },
	},
}

func postgresType(name string) Type {
	switch name {
	case "TEXT", "VARCHAR":
		return Type{Kind: Text, Text: "%s"}
	case "INT2", "INT4", "INT8":
		return Type{Kind: Whole, Text: "CAST(%s AS text)"}
	case "NUMERIC":
		return Type{Kind: Decimal, Text: "CAST(%s AS text)", Special: "CAST(%s AS text) IN ('NaN', 'Infinity', '-Infinity')"}
	case "FLOAT8", "FLOAT4":
		bits := 64
		if name == "FLOAT4" {
			bits = 32
		}
		return Type{Kind: Float, Bits: bits, Special: "%s IN ('NaN', 'Infinity', '-Infinity')"}
	case "BOOL":
		return Type{Kind: Boolean}
	case "DATE":
		return Type{Kind: Date, Moment: "DATE '%s'"}
	case "TIMESTAMP":
		return Type{Kind: Instant, Moment: "TIMESTAMP '%s'", Places: 6}
	case "TIMESTAMPTZ":
		return Type{Kind: Instant, Moment: "TIMESTAMPTZ '%s+00'", Places: 6}
	case "BYTEA":
		return Type{Kind: Binary, Digits: "encode(%s, 'escape')"}
	}
	return Type{Kind: Text, Text: "concat(%s)"} // as it is shown, blanks at its end included
}
