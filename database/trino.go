package database

import "strconv"

// Trino, from its documentation: no test runs it. What its transactions see is for each
// connector to say, so that there is no snapshot of several statements.
var Trino = &Dialect{
	Name:       "Trino",
	Identifier: func(name string) string { return doubled(`"`, name) },
	Literal:    func(text string) string { return doubled("'", text) },
	Blob:       func(b []byte) string { return "X'" + hexadecimal(b) + "'" },
	True:       "TRUE", False: "FALSE",
	Float: func(x float64, bits int) string {
		name := "DOUBLE"
		if bits == 32 {
			name = "REAL"
		}
		return "CAST('" + strconv.FormatFloat(x, 'g', -1, bits) + "' AS " + name + ")"
	},
	Semicolon: "chr(59)",
	Type:      trinoType,
	Grouped:   "%s",
	Whole:     "BIGINT",

	Groupings: 100, Conditions: 100, Statement: 1 << 20,
}

func trinoType(name string) Type {
	switch name {
	case "VARCHAR":
		return Type{Kind: Text, Text: "%s"}
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT":
		return Type{Kind: Whole, Text: "CAST(%s AS VARCHAR)"}
	case "DECIMAL":
		return Type{Kind: Decimal, Text: "CAST(%s AS VARCHAR)"}
	case "DOUBLE":
		return Type{Kind: Float, Bits: 64, Special: "is_nan(%s) OR is_infinite(%s)"}
	case "REAL":
		return Type{Kind: Float, Bits: 32, Special: "is_nan(CAST(%s AS DOUBLE)) OR is_infinite(CAST(%s AS DOUBLE))"}
	case "BOOLEAN":
		return Type{Kind: Boolean}
	case "DATE":
		return Type{Kind: Date, Moment: "DATE '%s'"}
	case "VARBINARY":
		return Type{Kind: Binary}
	}
	return Type{}
}
