package database

import "strings"

// MariaDB is the dialect of exported models for MariaDB 10.5 and later: MySQL's, with columns of unknown type, and with numbers that are
// parsed in texts by regular expressions of bytes. MySQL has none of these.
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

// mariadbTrimmed returns a text without the characters at its beginning. The expression is \A[\Q…\E]+, whatever
// escapes and flags the session has.
func mariadbTrimmed(text, characters string) string {
	return "REGEXP_REPLACE(" + text + ", CONCAT(x'5C415B5C51', " + characters + ", x'5C455D2B'), '')"
}

// mariadbLiteral is a text that no setting of the session changes. Beside a text of bytes it is compared by its bytes.
func mariadbLiteral(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\\' }) {
		return "_utf8mb4 x'" + hexadecimal([]byte(text)) + "'"
	}
	return "_utf8mb4" + doubled("'", text)
}

// mariadbAny returns the Type for columns of unknown type. Numbers and dates have no character set, and their coercibility is 5. In floating
// point 2⁵³+1 becomes even. The text of a FLOAT has six digits, so another number than the column's shows that type
// (CONVERT would return the number).
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
