package database

import "strings"

// MariaDB is the SQL dialect of MariaDB 10.5 and later. It is used only for exporting a model to SQL; databases are
// read with the dialect MySQL. In contrast to that dialect, it supports columns of unknown type, and parses numbers
// in texts by regular expressions on bytes.
var MariaDB = mariadb()

func mariadb() *Dialect {
	d := *MySQL
	d.Name = "MariaDB"
	d.Literal = mariadbLiteral
	d.Any = mariadbAny()
	d.Beyond = map[string]string{} // all numbers are finite
	d.TrimLeft = mariadbTrimmed("%s", "%s")
	d.TrimRight = "REVERSE(" + mariadbTrimmed("REVERSE(%s)", "%s") + ")" // an expression for the end would be tried at each position
	d.Position, d.Part, d.PartOf, d.Join = "INSTR(%s, %s)", "SUBSTR(%s, %s)", "SUBSTR(%s, %s, %s)", "CONCAT(%s, %s)"
	return &d
}

// mariadbTrimmed returns an SQL expression that removes the given characters from the beginning of a text. It uses
// the regular expression \A[\Q…\E]+, written in hexadecimal, because the meaning of a backslash in a literal depends
// on the session's settings.
func mariadbTrimmed(text, characters string) string {
	return "REGEXP_REPLACE(" + text + ", CONCAT(x'5C415B5C51', " + characters + ", x'5C455D2B'), '')"
}

// mariadbLiteral returns an SQL string literal whose meaning does not depend on settings of the session. A
// comparison of the literal with a binary string is by bytes.
func mariadbLiteral(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\\' }) {
		return "_utf8mb4 x'" + hexadecimal([]byte(text)) + "'"
	}
	return "_utf8mb4" + doubled("'", text)
}

// mariadbAny returns the Type for columns whose type is unknown. Conditions in SQL detect the type of each value:
//   - A number or a date has the character set binary and the coercibility 5.
//   - A number is in floating point if adding 2⁵³+1 to 0 times the number gives an even number, because floating
//     point cannot represent 2⁵³+1.
//   - A floating-point number is a FLOAT if its text, which has six digits, denotes another number than the value.
//     CONCAT returns this text; CONVERT would return the digits of the value.
func mariadbAny() *Type {
	const (
		number  = "COERCIBILITY(%s) = 5 AND CHARSET(%s) = 'binary'"
		inexact = number + " AND MOD(%s * 0 + 9007199254740993, 2) = 0"
		shown   = "CONVERT(%s USING utf8mb4)"
		exact   = number + " AND " + shown + " REGEXP '^-?[0-9.]+$'" // and not a date; a ZEROFILL is shown with zeros before it
		bytes   = "CASE WHEN " + exact + " THEN CAST(%s + 0 AS BINARY) WHEN CHARSET(%s) = 'binary' THEN CAST(%s AS BINARY) ELSE CAST(" + shown + " AS BINARY) END"
	)
	return &Type{Kind: Text, Text: bytes, Cases: []Case{
		{If: inexact + " AND CONCAT(%s) + 0e0 <> %s + 0e0", Type: Type{Kind: Float, Bits: 32}, As: "(%s + 0e0)"},
		{If: inexact, Type: Type{Kind: Float, Bits: 64}, As: "(%s + 0e0)"},
		{Type: Type{Kind: Text, Text: bytes}},
	}}
}
