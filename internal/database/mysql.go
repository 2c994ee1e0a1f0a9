package database

import (
	"database/sql"
	"fmt"
	"strings"
)

// MySQL is the SQL dialect of MySQL 8.0 and later, and of MariaDB 10.4 and later. Texts are compared as bytes, because
// most collations ignore case and trailing blanks.
var MySQL = &Dialect{
	Name:       "MySQL",
	Identifier: func(name string) string { return doubled("`", name) },
	Literal:    func(text string) string { return "x'" + hexadecimal([]byte(text)) + "'" },
	Blob:       func(b []byte) string { return "x'" + hexadecimal(b) + "'" },
	True:       "1", False: "0",
	Float:     func(x float64, bits int) string { return fmt.Sprintf("%.17e", x) },
	Semicolon: "char(59)",
	Lexis:     Lexis{Names: "`", Texts: "'\"", Escapes: true, Hash: true, Flat: true},
	Volatility: Volatility{ // whether a transaction can fix the current time depends on the server's configuration
		Functions: []string{
			"rand", "random", "random_bytes", "uuid", "uuid_short", "uuid_v4", "uuid_v7", "sys_guid", "encrypt", "connection_id",
			"sysdate", "now", "curdate", "curtime", "localtime", "localtimestamp", "current_date", "current_time", "current_timestamp", "utc_date", "utc_time", "utc_timestamp",
			"rownum", "found_rows", "row_count", "last_insert_id", "lastval", // the order of rows, or earlier statements
		},
		Bare:  []string{"unix_timestamp"},
		Names: append([]string{"localtime", "localtimestamp", "utc_date", "utc_time", "utc_timestamp"}, clocks...),
	},
	Type:  mysqlType,
	Whole: "SIGNED",

	Begin: sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	// Override the settings of the server that affect results: the names of functions and operators, which
	// dates are NULL, trailing blanks of a CHAR, the time zone and the character set of results, and limits on
	// the rows of a SELECT.
	Set: "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
		"time_zone = '+00:00', sql_select_limit = DEFAULT, sql_auto_is_null = 0, NAMES utf8mb4",
	Fence:     "LIMIT 18446744073709551615",
	Groupings: 60, Conditions: 60, Statement: 4 << 20,

	Hashing: &Hashing{
		Same:  mysqlSame,
		Bytes: "CAST(CONVERT(%s USING utf8mb4) AS BINARY)", Length: "LENGTH(%s)", SHA256: "UNHEX(SHA2(%s, 256))",
		Number: func(whole string, size int) string {
			return fmt.Sprintf("UNHEX(LPAD(HEX(%s), %d, '0'))", whole, 2*size)
		},
		Concat: func(parts ...string) string { return "CONCAT(" + strings.Join(parts, ", ") + ")" },
	},
}

// mysqlSame is a pattern for a hash by which byte strings are sorted or grouped instead of by their values, because
// MySQL's own sorting ignores all bytes after the first 1024.
const mysqlSame = "SHA2(%s, 512)"

// mysqlType implements Dialect.Type for MySQL: it returns how values are compared, given the name of a column's type.
func mysqlType(name string) (t Type, ok bool) {
	const (
		number = "(%s + 0)" // without the zeros before a ZEROFILL, the bits of a BIT and the two digits of a YEAR
		shown  = "CAST(CAST(%s AS CHAR) AS BINARY)"
	)
	switch name {
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET", "JSON", "NULL":
		t = Type{Kind: Text, Text: "CAST(CONVERT(%s USING utf8mb4) AS BINARY)", Finer: mysqlSame}
		t.Value = t.Text
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT",
		"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT":
		t = Type{Kind: Whole, Text: In(shown, number), Value: number}
	case "UNSIGNED BIGINT":
		t = Type{Kind: Decimal, Before: 20, Most: 65, Text: In(shown, number), Value: number}
	case "DECIMAL":
		t = Type{Kind: Decimal, Before: 35, After: 30, Most: 65, Text: shown, Value: shown}
	case "DOUBLE":
		t = Type{Kind: Float, Bits: 64, Value: "(%s + 0e0)"}
	case "FLOAT": // as the number of 64 bits that it is: its text has six digits
		t = Type{Kind: Float, Bits: 32, Value: "(%s + 0e0)"}
	case "BIT": // MariaDB sends a column as bytes, but an expression such as COALESCE(a, b) as the text of a number
		t = Type{Kind: Text, Text: In(shown, number), Value: number, Read: number}
	case "YEAR":
		t = Type{Kind: Text, Text: In(shown, number), Value: number}
	case "DATE":
		t = Type{Kind: Text, Text: shown, Value: shown}
	case "DATETIME", "TIMESTAMP", "TIME": // their plain texts are composed of these
		t = Type{Value: shown}
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB":
		t = Type{Kind: Binary, Value: "CAST(%s AS BINARY)", Finer: mysqlSame}
	}
	return t, t.Value != ""
}
