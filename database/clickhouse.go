package database

import "strings"

// ClickHouse, from its documentation: no test runs it. It has no transactions.
var ClickHouse = &Dialect{
	Name:       "ClickHouse",
	Identifier: func(name string) string { return escaped("`", name) },
	Literal:    func(text string) string { return escaped("'", text) },
	Blob:       func(b []byte) string { return "unhex('" + hexadecimal(b) + "')" },
	True:       "true", False: "false",
	Semicolon: "char(59)",
	Type:      clickhouseType,
	Grouped:   "%s",
	Whole:     "Nullable(Int64)",

	Groupings: 100, Conditions: 100, Statement: 256 << 10,
}

func clickhouseType(name string) Type {
	for _, of := range []string{"NULLABLE(", "LOWCARDINALITY("} {
		if inner, ok := strings.CutPrefix(name, of); ok {
			return clickhouseType(strings.TrimSuffix(inner, ")"))
		}
	}
	switch name {
	case "STRING":
		return Type{Kind: Text, Text: "%s"}
	case "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32":
		return Type{Kind: Whole, Text: "toString(%s)"}
	case "BOOL":
		return Type{Kind: Boolean}
	}
	return Type{} // a Decimal's text has no zeros at its end
}
