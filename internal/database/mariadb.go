package database

import "strings"

// MariaDB is the dialect of MariaDB 10.5 and later. Only exported models use it. In contrast to MySQL, it supports
// columns of unknown type, and parses numbers in texts by regular expressions on bytes.
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

// mariadbTrimmed returns an expression for the text without the given characters at its beginning. It removes them by
// the regular expression \A[\Q…\E]+, written in a form that does not depend on the session's settings for escapes.
func mariadbTrimmed(text, characters string) string {
	return "REGEXP_REPLACE(" + text + ", CONCAT(x'5C415B5C51', " + characters + ", x'5C455D2B'), '')"
}

// mariadbLiteral returns a string literal that does not depend on settings of the session. Next to a text of bytes,
// it is compared by its bytes.
func mariadbLiteral(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\\' }) {
		return "_utf8mb4 x'" + hexadecimal([]byte(text)) + "'"
	}
	return "_utf8mb4" + doubled("'", text)
}

// mariadbAny returns the Type for columns whose type is unknown. Its conditions detect the type of a value in these
// ways. Numbers and dates have no character set, and their coercibility is 5. Floating-point numbers are detected by
// adding 2⁵³+1, which becomes even in floating point. A FLOAT has a text of six digits, which therefore denotes
// another number than the value (CONVERT, in contrast, would return the number).
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
