package database

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// PostgreSQL is the SQL dialect of PostgreSQL 14 and later.
//
// All names are qualified with pg_catalog. Otherwise a user who may create objects in a schema could define a
// function or operator that fits a column's type better than the server's own, and PostgreSQL would use it. Texts
// are compared with the collation "C", which compares bytes, because the collation of a column may treat a and A as
// equal.
var PostgreSQL = &Dialect{
	Name:       "PostgreSQL",
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal: func(text string) string {
		if strings.ContainsAny(text, "\\\r\n") {
			return escaped(text)
		}
		return doubled("'", text)
	},
	Blob: func(b []byte) string { return `CAST(E'\\x` + hexadecimal(b) + `' AS pg_catalog.bytea)` },
	True: "TRUE", False: "FALSE",
	Float: func(x float64, bits int) string {
		return fmt.Sprintf("CAST('%s' AS pg_catalog.float%d)", strconv.FormatFloat(x, 'g', -1, bits), bits/8)
	},
	Beyond: map[string]string{
		"NaN": "CAST('NaN' AS pg_catalog.float8)", "+Inf": "CAST('Infinity' AS pg_catalog.float8)", "-Inf": "CAST('-Infinity' AS pg_catalog.float8)",
	},
	Semicolon: "chr(59)",
	Infix:     func(operator, a, b string) string { return a + " OPERATOR(pg_catalog." + operator + ") " + b },
	Catalog:   "pg_catalog.",
	Type:      postgresType,
	Any:       postgresAnyType(),
	TypeNames: "SELECT CASE WHEN typtype OPERATOR(pg_catalog.=) 'e' THEN 'ENUM' WHEN typtype OPERATOR(pg_catalog.=) 'b' AND typname OPERATOR(pg_catalog.=) 'citext' THEN 'CITEXT' ELSE '' END, " +
		"pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type WHERE oid OPERATOR(pg_catalog.=) %s",
	Whole: "pg_catalog.int8", Small: "pg_catalog.int2",
	TrimLeft: "pg_catalog.ltrim(%s, %s)", TrimRight: "pg_catalog.rtrim(%s, %s)", Position: "pg_catalog.strpos(%s, %s)",
	Part: "pg_catalog.substr(%s, %s)", PartOf: "pg_catalog.substr(%s, %s, %s)",
	Join: "%s OPERATOR(pg_catalog.||) %s",

	Begin:        sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	Set:          postgresSet,
	Plan:         "EXPLAIN (FORMAT JSON, COSTS OFF) WITH " + postgresPlanned + " AS NOT MATERIALIZED (%s\n) SELECT * FROM " + postgresPlanned,
	Unstable:     postgresUnstable,
	Materialized: "MATERIALIZED", Fence: "OFFSET 0",
	Groupings: 500, Conditions: 500, Statement: 64 << 20,
	Barrier: " OFFSET 0",

	Hashing: &Hashing{
		Same: "%s", Bytes: "pg_catalog.convert_to(%s, 'UTF8')", Length: "pg_catalog.octet_length(%s)", SHA256: "pg_catalog.sha256(%s)",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("pg_catalog.decode(pg_catalog.lpad(pg_catalog.to_hex(%s), %d, '0'), 'hex')", whole, 2*size)
		},
		Concat: func(parts ...string) string { return strings.Join(parts, " OPERATOR(pg_catalog.||) ") },
	},
}

var postgresSet = strings.Join([]string{
	// The planner does not know that there are few groups. Without these settings it may sort all rows, or spend
	// minutes compiling long expressions.
	"SET LOCAL work_mem = '256MB'", "SET LOCAL jit = off",
	// The texts of values must not depend on settings of the role or the database.
	"SET LOCAL client_encoding = 'UTF8'", "SET LOCAL TimeZone = 'UTC'", "SET LOCAL DateStyle = 'ISO, MDY'", "SET LOCAL IntervalStyle = 'postgres'", "SET LOCAL extra_float_digits = 1",
	"SET LOCAL bytea_output = 'hex'", "SET LOCAL lc_monetary = 'C'", "SET LOCAL lc_numeric = 'C'", "SET LOCAL lc_time = 'C'",
	"SET LOCAL xmlbinary = 'base64'", "SET LOCAL xmloption = 'content'", "SET LOCAL transform_null_equals = off",
	// A release may compute for hours between two statements, so the transaction must not time out. But it does
	// not wait indefinitely for a lock on a table that another transaction changes.
	"SET LOCAL idle_in_transaction_session_timeout = 0",
	"SELECT pg_catalog.set_config('lock_timeout', '60s', true) WHERE pg_catalog.current_setting('lock_timeout') OPERATOR(pg_catalog.=) '0'",
}, "; ")

// postgresPlanned is the name of the query in the statement that returns its execution plan (Dialect.Plan). The
// function postgresUnstable looks for this name in the plan.
const postgresPlanned = `"the query of sibyl"`

// postgresUnstable implements Dialect.Unstable for PostgreSQL: it returns the reason why a query may return
// different rows when it runs again, given its execution plan.
//
// In the planned statement, the query is a common table expression. PostgreSQL inlines such an expression, with its
// views and policies, unless it contains a volatile function (see inline_cte in PostgreSQL's planner). So the query
// is volatile if its name still occurs in the plan.
func postgresUnstable(plan string) string {
	switch {
	case strings.Contains(plan, "CTE "+strings.Trim(postgresPlanned, `"`)):
		return "it calls a volatile function such as random(), itself or in a view or a policy"
	case strings.Contains(plan, `"Node Type": "Sample Scan"`):
		return "it has TABLESAMPLE, itself or in a view"
	}
	return ""
}

// postgresShown is a pattern for the text form of a value of any type in PostgreSQL.
const postgresShown = "pg_catalog.concat(%s)"

// postgresType implements Dialect.Type for PostgreSQL: it returns how values are compared, given the name of a
// column's type. The name may come from the driver or from the statement Dialect.TypeNames.
func postgresType(name string) (t Type, ok bool) {
	switch name {
	case "TEXT", "VARCHAR":
		t = Type{Kind: Text, Text: postgresText("CAST(%s AS pg_catalog.text)")}
	case "BPCHAR", "NAME", "CHAR", "ENUM", "CITEXT", "UUID", "OID", "TIME", "INTERVAL", "BIT", "VARBIT",
		"INET", "CIDR", "MACADDR", "MACADDR8", "JSON", "JSONB":
		// Use the text that is shown, including trailing blanks. A cast to text may remove them, or may be
		// defined by the owner of the type.
		t = Type{Kind: Text, Text: postgresText(postgresShown)}
	case "INT2", "INT4", "INT8":
		t = Type{Kind: Whole, Text: postgresText("CAST(%s AS pg_catalog.text)")}
	case "NUMERIC":
		text := postgresText("CAST(%s AS pg_catalog.text)")
		t = Type{Kind: Decimal, Text: text, Special: text + postgresAny("text")}
	case "FLOAT8":
		t = Type{Kind: Float, Bits: 64, Special: "%s" + postgresAny("float8")}
	case "FLOAT4":
		t = Type{Kind: Float, Bits: 32, Special: "%s" + postgresAny("float4")}
	case "BOOL":
		t = Type{Kind: Boolean}
	case "DATE":
		t = Type{Kind: Date, Moment: "CAST('%s' AS pg_catalog.date)"}
	case "TIMESTAMP":
		t = Type{Kind: Instant, Moment: "CAST('%s' AS pg_catalog.timestamp)", Places: 6}
	case "TIMESTAMPTZ":
		t = Type{Kind: Instant, Moment: "CAST('%s+00' AS pg_catalog.timestamptz)", Places: 6}
	case "BYTEA":
		t = Type{Kind: Binary, Digits: postgresText("pg_catalog.encode(%s, 'escape')")}
	default:
		return Type{}, false
	}
	if t.Value = t.Text; t.Value == "" {
		t.Value = "%s" // equal numbers, days, moments and bytes have one text
	}
	return t, true
}

// postgresAnyType returns the Type for columns whose type is unknown. The type of each value is determined when the
// statement runs. Booleans and floating-point numbers, which may have several texts, are compared by value, and all
// other values by their text.
func postgresAnyType() *Type {
	t := &Type{Kind: Text, Text: postgresText(postgresShown)}
	for _, name := range []string{"float8", "float4", "bool"} {
		of, _ := postgresType(strings.ToUpper(name))
		t.Cases = append(t.Cases, Case{
			If:   "pg_catalog.pg_typeof(%s) OPERATOR(pg_catalog.=) CAST('pg_catalog." + name + "' AS pg_catalog.regtype)",
			Type: of, As: "CAST(CASE WHEN %s IS NOT NULL THEN " + postgresShown + " END AS pg_catalog." + name + ")", // concat(NULL) is an empty text
		})
	}
	t.Cases = append(t.Cases, Case{Type: Type{Kind: Text, Text: t.Text}})
	return t
}

// postgresText returns an SQL expression for the given text expression with a collation that compares bytes.
func postgresText(text string) string { return "(" + text + ` COLLATE pg_catalog."C")` }

// postgresAny returns the end of an SQL condition which tests whether a number is NaN or infinite. It follows the
// number. The parameter name is the name of the number's type.
func postgresAny(name string) string {
	return " OPERATOR(pg_catalog.=) ANY (CAST('{NaN,Infinity,-Infinity}' AS pg_catalog." + name + "[]))"
}
