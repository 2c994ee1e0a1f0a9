package database

import (
	"database/sql"
	"fmt"
	"strings"
)

// MySQL from version 8.0 on, and MariaDB from 10.4 on. Texts are compared as bytes: by most
// collations a and A are equal, and a with a blank after it.
var MySQL = &Dialect{
	Name:       "MySQL",
	Identifier: func(name string) string { return doubled("`", name) },
	Literal:    func(text string) string { return "x'" + hexadecimal([]byte(text)) + "'" },
	Blob:       func(b []byte) string { return "x'" + hexadecimal(b) + "'" },
	True:       "1", False: "0",
	Float:     func(x float64, bits int) string { return fmt.Sprintf("%.17e", x) },
	Semicolon: "char(59)",
	Type:      mysqlType,
	Whole:     "SIGNED",

	Begin:     sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	Fence:     "LIMIT 18446744073709551615",
	Groupings: 60, Conditions: 60, Statement: 4 << 20,

	Hashing: &Hashing{
		Same:  "SHA2(%s, 512)", // a sort looks at the first 1024 bytes alone
		Bytes: "CAST(CONVERT(%s USING utf8mb4) AS BINARY)", Length: "LENGTH(%s)", SHA256: "UNHEX(SHA2(%s, 256))",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("UNHEX(LPAD(HEX(%s), %d, '0'))", whole, 2*size)
		},
		Concat: func(parts ...string) string { return "CONCAT(" + strings.Join(parts, ", ") + ")" },
	},
}

func mysqlType(name string) (t Type, ok bool) {
	switch name {
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET", "JSON":
		t = Type{Kind: Text, Text: "CAST(CONVERT(%s USING utf8mb4) AS BINARY)"}
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT",
		"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT":
		t = Type{Kind: Whole, Text: "CAST(%s AS CHAR)"}
	case "UNSIGNED BIGINT", "DECIMAL":
		t = Type{Kind: Decimal, Before: 35, After: 30, Most: 65, Text: "CAST(CAST(%s AS CHAR) AS BINARY)"}
	case "DOUBLE":
		t = Type{Kind: Float, Bits: 64}
	case "BINARY", "VARBINARY", "BLOB":
		t = Type{Kind: Binary}
	}
	t.Value, t.Finer = "%s", "CAST(%s AS BINARY)"
	if t.Kind == Text {
		t.Value = t.Text
	}
	return t, true
}
