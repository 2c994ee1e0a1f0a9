package database

import (
	"database/sql"
	"fmt"
	"strings"
	"unicode/utf16"
)

// SQLServer is SQL Server from 2022 on, from its documentation: no test runs it. Its database must
// allow snapshot isolation. It has no truth values but bits, and pads texts before it compares them,
// which it does not do with bytes.
var SQLServer = &Dialect{
	Name:       "SQL Server",
	Identifier: func(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" },
	Literal:    sqlserverText,
	Blob:       func(b []byte) string { return "0x" + hexadecimal(b) },
	True:       "1", False: "0",
	Float:     func(x float64, _ int) string { return fmt.Sprintf("CAST(%.17e AS float(53))", x) },
	Semicolon: "char(59)",
	Type:      sqlserverType,
	Grouped:   "%s",
	Whole:     "bigint",

	Begin:     sql.TxOptions{Isolation: sql.LevelSnapshot},
	Snapshot:  true,
	Groupings: 30, Conditions: 30, Statement: 1 << 20,
}

// sqlserverText writes the bytes of a text in the server's own encoding of NVARCHAR.
func sqlserverText(text string) string {
	var b strings.Builder
	b.WriteString("0x")
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%02x%02x", byte(unit), byte(unit>>8))
	}
	return b.String()
}

func sqlserverType(name string) Type {
	switch name {
	case "CHAR", "VARCHAR", "NCHAR", "NVARCHAR", "TEXT", "NTEXT":
		return Type{Kind: Text, Text: "CAST(CAST(%s AS nvarchar(max)) AS varbinary(max))"}
	case "TINYINT", "SMALLINT", "INT", "BIGINT":
		return Type{Kind: Whole}
	case "FLOAT":
		return Type{Kind: Float, Bits: 64}
	case "BIT":
		return Type{Kind: Boolean}
	case "DATE":
		return Type{Kind: Date, Moment: "CAST('%s' AS date)"}
	}
	return Type{}
}
