package drivers

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// sqliteValues are values of all five types, which SQLite may convert by affinity, collation or
// arithmetic.
var sqliteValues = []string{
	"0", "-0.0", "0.0", "1", "1.0", "'1'", "'1.0'", "'01'", "' 1'", "'1 '", "x'31'", "12", "12.0", "'12'", "x'3132'", "TRUE", "0.1", "0.1 + 0.2", "0.3", "'0.1'", "'.1'", "'1e1'", "10", "-7.25", "'+1'", "'0x1'",
	"9007199254740992", "9007199254740993", "9007199254740992.0", "9007199254740993.0", "'9007199254740993'", "9223372036854775807", "9223372036854775806", "9223372036854775807.0", "-9223372036854775808", "-9223372036854775808.0",
	"9e999", "-9e999", "5e-324", "1e-323", "1.7976931348623157e308", "1e23", "9.999999999999999e22",
	"''", "x''", "'a'", "'A'", "'a '", "'a' || char(0)", "'a' || char(0) || 'b'", "char(0)", "x'61'", "x'6100'", "x'ff'", "CAST(x'ff' AS TEXT)", "CAST(x'fffe' AS TEXT)", "CAST(x'6100' AS TEXT)", "'á'", "'Á'", "'a' || char(769)", "char(10)",
	"'2024-02-29'", "'2024-02-29 12:00:00'", "'2024-02-29T12:00:00Z'", "'2024-02-29 12:00'", "'2024-02-29 12:00:00.500'", "'2024-02-29 14:00:00+02:00'", "20240229", "1709208000", "1709208000000", "'0000-00-00'",
	"printf('%.3000c', '0') || '1'", "printf('%.3000c', '0') || '13'", "printf('%.3000c', 'x') || 'y'", "printf('%.3000c', 'x') || 'z'", "'Infinity'", "'NaN'", `'{"a":1}'`, `jsonb('{"a":1}')`,
}

// ofSQLite returns the values of some types.
func ofSQLite(types ...string) (values []string) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	for _, v := range sqliteValues {
		of := ""
		if err := db.QueryRow("SELECT typeof(" + v + ")").Scan(&of); err != nil {
			panic(err)
		}
		if slices.Contains(types, of) {
			values = append(values, v)
		}
	}
	return values
}

// TestRowwiseInSQLite compares counts with those of the rows that are read one by one, for values of all types. The
// columns have each affinity, and declared types that the driver interprets.
func TestRowwiseInSQLite(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	var all []columnType
	for _, declaration := range append([]string{"", "DATETIME"}, heavy.Pick(nil, []string{
		"BOOLEAN", "NUMERIC", "TEXT COLLATE NOCASE", "INTEGER", "REAL", "TEXT", "BLOB", "TEXT COLLATE RTRIM", "COLLATE NOCASE", "NUMERIC COLLATE RTRIM", "BOOL", "DATE", "TIMESTAMP", "DATE COLLATE NOCASE", "TIME", "VARCHAR(3)", "DECIMAL(10,2)", "UUID", "JSON",
	})...) {
		all = append(all, typed(declaration, sqliteValues...))
	}
	all = append(all,
		columnType{"w, v TEXT COLLATE NOCASE AS (w || '') VIRTUAL", "w", ofSQLite("integer", "real", "text")},
		columnType{"w, v REAL AS (w) STORED", "w", sqliteValues},
	)
	newRowwise("sqlite:counted.db", onOneConnection(db)).hold(t, all)
}

// TestHostileSQLite tests a file with all kinds of objects that a file can define: collations, views,
// generated columns, triggers and indices. A file cannot define functions.
func TestHostileSQLite(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	e := newRowwise("sqlite:counted.db", onOneConnection(db))
	e.from = "people"
	for i, declaration := range heavy.Pick([]string{"COLLATE NOCASE"}, []string{"COLLATE NOCASE", "NUMERIC COLLATE RTRIM"}) {
		e.options = []string{"", " WITHOUT ROWID"}[i]
		e.also = []string{
			"CREATE INDEX rows_by_v ON " + rowsTable + " (v)", "CREATE INDEX rows_by_more ON " + rowsTable + " (v COLLATE RTRIM, lower(v), z) WHERE v > 0",
			"DROP VIEW IF EXISTS people", "CREATE VIEW people AS SELECT id, z, y, v COLLATE NOCASE AS v FROM (SELECT DISTINCT * FROM " + rowsTable + ") ORDER BY v COLLATE NOCASE",
			"CREATE TRIGGER renamed AFTER UPDATE ON " + rowsTable + " BEGIN UPDATE " + rowsTable + " SET z = 5 WHERE id = new.id; END",
			"DROP TABLE IF EXISTS words", "CREATE VIRTUAL TABLE words USING fts5(v)", "ANALYZE",
		}
		e.hold(t, []columnType{typed(declaration, sqliteValues...)})
	}
	e.from, e.options, e.also = rowsTable, " STRICT", nil
	strict := []columnType{
		typed("INTEGER", ofSQLite("integer")...), typed("ANY", ofSQLite("integer", "real", "text", "blob")...),
		typed("REAL", ofSQLite("integer", "real")...), typed("TEXT COLLATE NOCASE", ofSQLite("integer", "real", "text")...), typed("BLOB", ofSQLite("blob")...),
	}
	e.hold(t, heavy.Pick(strict[1:2], strict))
}
