package database

import (
	"strconv"
)

// Snowflake, from its documentation: no test runs it. Each statement of its transactions sees
// what was committed before it, so that there is no snapshot of several.
var Snowflake = &Dialect{
	Name:       "Snowflake",
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal:    func(text string) string { return escaped("'", text) },
	Blob:       func(b []byte) string { return "TO_BINARY('" + hexadecimal(b) + "', 'HEX')" },
	True:       "TRUE", False: "FALSE",
	Float: func(x float64, _ int) string {
		return "CAST('" + strconv.FormatFloat(x, 'g', -1, 64) + "' AS DOUBLE)"
	},
	Semicolon: "CHR(59)",
	Type:      snowflakeType,
	Grouped:   "%s",
	Whole:     "NUMBER(38, 0)",
	TrimLeft:  "LTRIM(%s, %s)", TrimRight: "RTRIM(%s, %s)", Position: "REGEXP_INSTR(%s, REPLACE(%s, '.', '[.]'))", Part: "SUBSTR(%s, %s)", PartOf: "SUBSTR(%s, %s, %s)",
	Join: "%s || %s",

	Groupings: 100, Conditions: 100, Statement: 1 << 20,
}

func snowflakeType(name string) Type {
	switch name {
	case "TEXT":
		return Type{Kind: Text, Text: "COLLATE(%s, '')"}
	case "FIXED":
		return Type{Kind: Decimal, Text: "CAST(%s AS VARCHAR)"}
	case "REAL":
		return Type{Kind: Float, Bits: 64, Special: "%s IN (CAST('NaN' AS DOUBLE), CAST('inf' AS DOUBLE), CAST('-inf' AS DOUBLE))"}
	case "BOOLEAN":
		return Type{Kind: Boolean}
	case "DATE":
		return Type{Kind: Date, Moment: "DATE '%s'"}
	case "BINARY":
		return Type{Kind: Binary}
	}
	return Type{}
}
