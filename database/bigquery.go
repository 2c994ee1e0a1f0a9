package database

import "strconv"

// BigQuery, from its documentation: no test runs it. It has a snapshot for a statement alone,
// unless the query names a moment by FOR SYSTEM_TIME AS OF.
var BigQuery = &Dialect{
	Name:       "BigQuery",
	Identifier: func(name string) string { return escaped("`", name) },
	Literal:    func(text string) string { return escaped("'", text) },
	Blob:       func(b []byte) string { return "FROM_HEX('" + hexadecimal(b) + "')" },
	True:       "TRUE", False: "FALSE",
	Float: func(x float64, _ int) string {
		return "CAST('" + strconv.FormatFloat(x, 'g', -1, 64) + "' AS FLOAT64)"
	},
	Semicolon: "CHR(59)",
	Type:      bigqueryType,
	Grouped:   "%s",
	Whole:     "INT64",
	TrimLeft:  "LTRIM(%s, %s)", TrimRight: "RTRIM(%s, %s)", Position: "STRPOS(%s, %s)", Part: "SUBSTR(%s, %s)", PartOf: "SUBSTR(%s, %s, %s)",
	Join: "%s || %s",

	Groupings: 100, Conditions: 100, Statement: 1 << 20,
}

func bigqueryType(name string) Type {
	switch name {
	case "STRING":
		return Type{Kind: Text, Text: "COLLATE(%s, '')"}
	case "INTEGER", "INT64":
		return Type{Kind: Whole, Text: "CAST(%s AS STRING)"}
	case "FLOAT", "FLOAT64":
		return Type{Kind: Float, Bits: 64, Special: "IS_NAN(%s) OR IS_INF(%s)"}
	case "BOOLEAN", "BOOL":
		return Type{Kind: Boolean}
	case "DATE":
		return Type{Kind: Date, Moment: "DATE '%s'"}
	case "BYTES":
		return Type{Kind: Binary}
	}
	return Type{} // NUMERIC among them, whose text has no zeros at its end
}
