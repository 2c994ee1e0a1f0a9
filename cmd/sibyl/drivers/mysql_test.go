package drivers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/visits"
)

// TestMySQLEqualsText compares a MySQL table with a text file. Its columns have other character sets and collations; in
// some of them, a equals A. MySQL has no type for truth values: its BOOLEAN is a number.
func TestMySQLEqualsText(t *testing.T) {
	location, db := openMySQL(t)
	fillVisits(t, db, "CREATE TABLE visits (whole BIGINT, small TINYINT UNSIGNED, price DECIMAL(10,2), ratio DOUBLE, single FLOAT, "+
		"member BOOLEAN, day DATE, instant DATETIME(6), city VARCHAR(40) CHARACTER SET latin1, `order` ENUM('b', 'a', 'A') COLLATE utf8mb4_bin, raw VARBINARY(20), y TEXT COLLATE utf8mb4_general_ci)", "?")
	visits.Check(t, location, source.Options{Query: "SELECT whole, small, price, ratio, single, IF(member, 'true', 'false') AS member, day, instant, city, `order`, raw, y FROM visits # all"})
	checkSQLMessages(t, location)
}

// TestMySQLKinds tests a column of each type, and texts that collations treat as equal. The zero dates of MySQL are
// treated like other texts.
func TestMySQLKinds(t *testing.T) {
	location, db := openMySQL(t)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	long := strings.Repeat("x", 2000)
	kinds := []kind{
		{"TINYINT UNSIGNED", texts{"255": "255", "0": "0"}},
		{"MEDIUMINT", texts{"-8388608": "-8388608"}},
		{"BIGINT", texts{"-9223372036854775808": "-9223372036854775808"}},
		{"BIGINT UNSIGNED", texts{"18446744073709551615": "18446744073709551615", "1": "1"}},
		{"BOOLEAN", texts{"TRUE": "1", "FALSE": "0"}},
		{"BIT(3)", texts{"5": "5", "0": "0"}},
		{"BIT(64)", texts{"18446744073709551615": "18446744073709551615"}},
		{"DECIMAL(5,0)", texts{"-7": "-7"}},
		{"DECIMAL(10,2)", texts{"12.5": "12.50", "-3": "-3.00", "0": "0.00", "0.05": "0.05"}},
		{"DECIMAL(60,30)", texts{"0.05": "0.050000000000000000000000000000"}},
		{"FLOAT", texts{"0.1": "0.1", "16777217": "16777216", "-0e0": "0", "1e-3": "0.001"}},
		{"DOUBLE", texts{"0.1": "0.1", "1e23": "100000000000000000000000", "9007199254740993": "9007199254740992"}},
		{"DATE", texts{"'2024-02-29'": "2024-02-29", "'0000-00-00'": "0000-00-00", "'2024-00-00'": "2024-00-00"}},
		{"DATETIME(3)", texts{"'2024-02-29 01:02:03.5'": "2024-02-29T01:02:03.5Z", "'1000-01-01'": "1000-01-01T00:00:00Z", "'0000-00-00'": "0000-00-00T00:00:00Z"}},
		{"TIMESTAMP NULL", texts{"'1970-01-01 00:00:01'": "1970-01-01T00:00:01Z"}},
		{"TIME(6)", texts{"'00:00:00'": "00:00:00", "'-00:00:01.25'": "-00:00:01.25", "'838:59:59'": "838:59:59"}},
		{"YEAR", texts{"1999": "1999", "0": "0"}},
		{"ENUM('b','a','A') COLLATE utf8mb4_bin", texts{"'a'": "a", "'A'": "A", "1": "b"}},
		{"SET('b','a')", texts{"'a,b'": "b,a", "''": ""}},
		{"CHAR(5)", texts{"'a '": "a", "'A'": "A"}},
		{"VARCHAR(5) COLLATE utf8mb4_general_ci", texts{"'a'": "a", "'A'": "A", "'a '": "a ", "'ä'": "ä", "''": ""}},
		{"VARCHAR(5) CHARACTER SET latin1", texts{"'é'": "é", "'e'": "e", "'E'": "E"}},
		{"VARCHAR(5) CHARACTER SET utf16", texts{"'é'": "é", "'e'": "e"}},
		{"LONGTEXT", texts{"'" + long + "y'": long + "y", "'" + long + "Y'": long + "Y", "'" + long + "z'": long + "z"}},
		{"VARBINARY(5)", texts{"'a'": "a", "'A'": "A", "'a '": "a ", "x'0102'": "\x01\x02"}},
		{"LONGBLOB", texts{"'a'": "a", "'" + long + "y'": long + "y", "'" + long + "z'": long + "z"}},
		{"JSON", texts{`'{"a": 1}'`: `{"a": 1}`}},
		{"INET6", texts{"'::1'": "::1"}},
		{"UUID", texts{"'123e4567-e89b-12d3-a456-426655440000'": "123e4567-e89b-12d3-a456-426655440000"}},
	}
	if _, err := conn.ExecContext(context.Background(), "SET SESSION sql_mode = ''"); err != nil {
		t.Fatal(err)
	}
	fillKinds(t, kinds, func(statement string) error {
		_, err := conn.ExecContext(context.Background(), statement)
		return err
	})
	checkKinds(t, location, kinds)
}

// TestCodesInMySQL compares codes that MySQL computes with codes that package table computes.
func TestCodesInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	n := drawNumerals()
	text := slices.DeleteFunc(slices.Clone(awkward), func(s string) bool { return s == "" })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	do := func(statement string, arguments ...any) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), statement, arguments...); err != nil {
			t.Fatal(statement, arguments, err)
		}
	}
	do("SET SESSION sql_mode = ''")
	for name, values := range map[string][]string{
		"TINYINT": n.wholes, "SMALLINT": n.wholes, "MEDIUMINT": n.wholes, "INT": n.wholes,
		"BIGINT":           slices.Concat(n.wholes, []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"}),
		"TINYINT UNSIGNED": n.natural, "INT UNSIGNED": n.natural, "BIGINT UNSIGNED": slices.Concat(n.natural, []string{"9223372036854775807", "9223372036854775808", "18446744073709551615"}),
		"DECIMAL(8,2)": n.decimals, "DECIMAL(10,0)": n.wholes, "DECIMAL(65,30)": slices.Concat(n.decimals, []string{"9007199254740993.5", "12.000000000000000000000000000001"}),
		"DOUBLE": n.floats, "FLOAT": n.singles, "BOOLEAN": {"0", "1"}, "BIT(9)": {"0", "12", "257"}, "YEAR": {"0", "1999"},
		"DATE":              {"2024-02-29", "1969-12-31", "9999-12-31", "0000-00-00", "2024-00-00"},
		"DATETIME(6)":       {"2024-02-29 12:30:00", "1969-12-31 23:59:59.5", "2024-02-29", "0000-00-00"},
		"TIMESTAMP(6) NULL": {"2024-02-29 12:30:00", "2037-12-31 23:59:59.000001"},
		"TIME":              {"12:30:00", "-838:59:59"},
		"TEXT":              append(text, ""),
		"VARCHAR(500) COLLATE utf8mb4_general_ci": append(text, ""),
		"VARCHAR(500) CHARACTER SET utf16":        text,
		"CHAR(4) CHARACTER SET latin1":            {"a", "A", "12", "-1.5", "ä"},
		"ENUM('12','a','A') COLLATE utf8mb4_bin":  {"12", "a", "A"},
		"SET('12','a','b')":                       {"12", "a,b", ""},
		"VARBINARY(500)":                          append(text, ""), "BLOB": append(text, "\xff", "a\x00b"), "BINARY(4)": {"12", "a", "-1.5"},
		"JSON": {`{"a": 1}`, "12", `"12"`},
	} {
		t.Run(name, func(t *testing.T) {
			do("DROP TABLE IF EXISTS " + coded)
			do("CREATE TABLE " + coded + " (v " + name + ")")
			for _, v := range values {
				if strings.HasPrefix(name, "BIT") { // a text would be inserted as the bytes of its digits
					do("INSERT INTO " + coded + " VALUES (" + v + ")")
					continue
				}
				do("INSERT INTO "+coded+" VALUES (?)", v)
			}
			do("INSERT INTO " + coded + " VALUES (NULL)")
			codesAgree(t, location, nil, 3)
		})
	}
}

// collated are texts of which some are equal by a collation or as numbers.
var collated = []string{
	"'a'", "'A'", "'a '", "'á'", "'a\\0'", "'ß'", "'ss'", "''", "' '", "'0'", "'00'", "'0.0'", "'1'", "'01'", "'1e0'", "'+1'", "'12.0'", "'12'", "' 12'", "'-0'", "'0.1'", "'.1'", "'x'", "'1x'", "'a\\n'", "'é'", "'e'",
}

// long are texts that differ only beyond the bytes that a sort compares.
var long = []string{
	"CONCAT(REPEAT('0', 3000), '1')", "CONCAT(REPEAT('0', 3000), '13')", "CONCAT(REPEAT('0', 3000), '-')", "CONCAT(REPEAT('x', 3000), 'y')", "CONCAT(REPEAT('x', 3000), 'Y')", "CONCAT(REPEAT('x', 3000), 'y ')",
	"CONCAT('0.', REPEAT('0', 3000), '1')", "CONCAT('0.1', REPEAT('0', 3000), '1')", "CONCAT('0.1', REPEAT('0', 3000))",
}

// mysqlTypes are types of columns with values that MySQL and MariaDB may treat as equal.
var mysqlTypes = []columnType{
	typed("TINYINT", "0", "-0", "12", "-12", "127", "-128"), typed("TINYINT(4) UNSIGNED ZEROFILL", "0", "7", "12", "255"), typed("BOOLEAN", "TRUE", "FALSE", "2"),
	typed("SMALLINT", "0", "12", "-32768"), typed("SMALLINT UNSIGNED", "0", "12", "65535"),
	typed("MEDIUMINT", "0", "12", "-8388608"), typed("MEDIUMINT UNSIGNED", "0", "12", "16777215"),
	typed("INT", "0", "12", "-2147483648"), typed("INT UNSIGNED", "0", "12", "4294967295"), typed("INT(10) ZEROFILL", "0", "12", "4294967295"),
	typed("BIGINT", "0", "12", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775806", "-9223372036854775808"),
	typed("BIGINT UNSIGNED", "0", "12", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551614"),
	typed("BIGINT ZEROFILL", "0", "12", "18446744073709551615"),
	typed("BIT", "0", "1"), typed("BIT(9)", "0", "1", "12", "48", "257", "511"), typed("BIT(64)", "0", "12", "9007199254740993", "9223372036854775808", "18446744073709551615", "18446744073709551614"),
	typed("DECIMAL(5,0)", "0", "-0", "12", "-99999"), typed("DECIMAL(10,2)", "0", "-0.00", "0.1", "12", "12.00", "-3", "0.05"), typed("DECIMAL(10,2) UNSIGNED ZEROFILL", "0", "0.1", "12", "99999999.99"),
	typed("DECIMAL(65,30)", "0", "0.1", "12", "12.000000000000000000000000000001", "9007199254740993.5", "9007199254740992.5", "-12.000000000000000000000000000001"),
	typed("DECIMAL(65,0)", "12", "99999999999999999999999999999999999999999999999999999999999999999", "99999999999999999999999999999999999999999999999999999999999999998"),
	typed("FLOAT", "0", "-0e0", "0.1", "16777216", "16777215", "16777214", "1234567.1", "1234567.2", "1234567.4", "12.000001", "12.000002", "1e-45", "2e-45", "3.4028234e38", "-7.25"),
	typed("FLOAT(7,4)", "0", "0.1", "123.4567", "123.4568", "999.9999"), typed("FLOAT(20,4)", "0.1", "1234567.4", "1234567.2", "16777216", "16777215"), typed("FLOAT UNSIGNED", "0", "0.1", "1234567.2", "1234567.1"), typed("FLOAT ZEROFILL", "0", "0.1", "1234567.2", "1234567.1"), typed("FLOAT(53)", "0.1", "0.1000000000000000056"),
	typed("DOUBLE", "0", "-0e0", "0.1", "0.10000000000000002", "0.30000000000000004", "0.3", "1e23", "9.999999999999999e22", "9007199254740993", "9007199254740994", "5e-324", "1e-323", "1.7976931348623157e308", "-7.25"),
	typed("DOUBLE(10,2)", "0", "0.1", "12345678.91", "12345678.92"), typed("DOUBLE(30,15)", "0.1", "0.100000000000001", "123456789.123456789"), typed("DOUBLE UNSIGNED ZEROFILL", "0", "0.1", "0.30000000000000004", "0.3"),
	typed("YEAR", "1999", "0", "2000", "1901", "2155", "99", "70"),
	typed("DATE", "'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'0000-00-00'", "'2024-00-00'", "'2024-01-00'", "'0001-01-01'"),
	typed("DATETIME", "'2024-02-29'", "'2024-02-29 00:00:01'", "'0000-00-00'", "'2024-00-00 01:00:00'"),
	typed("DATETIME(6)", "'2024-02-29'", "'2024-02-29 00:00:00.000001'", "'2024-02-29 00:00:00.1'", "'2024-02-29 00:00:00.10'", "'0000-00-00'", "'9999-12-31 23:59:59.999999'"),
	typed("TIMESTAMP NULL", "'2024-02-29'", "'2024-03-31 02:30:00'", "'2024-03-31 03:30:00'", "'2024-10-27 02:30:00'", "'0000-00-00'", "'1970-01-01 12:00:01'"), typed("TIMESTAMP(6) NULL", "'2024-02-29'", "'2024-02-29 00:00:00.000001'"),
	typed("TIME", "'00:00:00'", "'-00:00:01'", "'838:59:59'", "'-838:59:59'", "'12:00'", "'12'", "12"), typed("TIME(6)", "'00:00:00'", "'00:00:00.000001'", "'-00:00:00.000001'", "'-00:00:01.25'", "'12:00:00.10'"),
	typed("CHAR(5)", collated...), typed("CHAR(5) CHARACTER SET latin1 COLLATE latin1_german2_ci", collated...), typed("VARCHAR(5) COLLATE utf8mb4_general_ci", collated...), typed("VARCHAR(5) COLLATE utf8mb4_bin", collated...),
	typed("VARCHAR(5) COLLATE utf8mb4_unicode_nopad_ci", collated...), typed("CHAR(5) CHARACTER SET utf8mb3", collated...), typed("VARCHAR(5) CHARACTER SET ucs2", collated...), typed("VARCHAR(5) CHARACTER SET utf16", collated...), typed("VARCHAR(5) CHARACTER SET utf32 COLLATE utf32_unicode_ci", collated...), typed("VARCHAR(5) CHARACTER SET utf16le", collated...), typed("VARCHAR(5) CHARACTER SET cp1251", "'a'", "'ж'", "'Ж'"), typed("VARCHAR(5) CHARACTER SET sjis", "'a'", "'\\\\'", "'ソ'", "'~'"), typed("VARCHAR(5) CHARACTER SET gbk", "'a'", "'中'"), typed("VARCHAR(5) CHARACTER SET ascii", "'a'", "'A'"),
	typed("VARCHAR(5) CHARACTER SET binary", collated...),
	typed("VARCHAR(4000)", long...), typed("VARCHAR(9) COMPRESSED", collated...),
	typed("TINYTEXT", collated...), typed("TEXT COLLATE utf8mb4_general_ci", append(long, collated...)...), typed("MEDIUMTEXT", long...), typed("LONGTEXT CHARACTER SET latin1", long...),
	typed("BINARY(4)", "'a'", "'A'", "'a '", "'a\\0'", "'12'", "x'00'", "x'31320000'", "x'ff'"), typed("VARBINARY(4)", "'a'", "'A'", "'a '", "'a\\0'", "'12'", "'12\\0'", "x''", "x'00'", "x'0000'", "x'ff'"),
	typed("TINYBLOB", "'a'", "'a\\0'", "'12'", "'012'"), typed("BLOB", append([]string{"'12'", "'012'", "x'ff'"}, long...)...), typed("MEDIUMBLOB", long...), typed("LONGBLOB", long...),
	typed("ENUM('1','0','a','12','') COLLATE utf8mb4_bin", "'1'", "'0'", "'a'", "'12'", "''", "2", "0"), typed("ENUM('a','B','7','0.1')", "'a'", "'b'", "1", "'7'", "'0.1'"),
	typed("SET('1','2','12','a')", "'1'", "'2'", "'1,2'", "'12'", "3", "''", "'a'"),
	typed("JSON", `'{"a": 1}'`, `'{"a":1}'`, "'1'", "'1.0'", "'\"1\"'", "'null'"),
	typed("INET4", "'1.2.3.4'", "'0.0.0.0'", "'1.2.3.5'"), typed("INET6", "'::1'", "'::'", "'::ffff:1.2.3.4'", "'1.2.3.4'", "'2001:db8::'"), typed("UUID", "'123e4567-e89b-12d3-a456-426655440000'", "'123E4567E89B12D3A456426655440000'", "'00000000-0000-0000-0000-000000000000'"),
	{"w TEXT, v FLOAT AS (w) VIRTUAL", "w", []string{"'1234567.2'", "'1234567.4'", "'0.1'"}},
	{"w FLOAT, v DOUBLE AS (w * 3) STORED", "w", []string{"1234567.2", "1234567.4", "0.1"}},
	{"w VARCHAR(9), v VARCHAR(9) COLLATE utf8mb4_general_ci AS (TRIM(w)) VIRTUAL", "w", collated},
}

// TestRowwiseInMySQL compares counts of columns of all types with the row reader.
func TestRowwiseInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	newRowwise(location, onOneConnection(db, "SET SESSION sql_mode = '', time_zone = '+02:00'")).hold(t, mysqlTypes)
}

// TestExpressionsInMySQL compares counts of expressions with the row reader. The server may send the values of an
// expression in another form than those of a column of the same type.
func TestExpressionsInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	e := newRowwise(location, onOneConnection(db, "SET SESSION sql_mode = ''"))
	for _, expression := range []string{"COALESCE(v, NULL)", "(SELECT r.v FROM " + rowsTable + " AS r WHERE r.id = " + rowsTable + ".id)", "MAX(v) OVER (PARTITION BY id)"} {
		e.from = "(SELECT id, z, y, " + expression + " AS v FROM " + rowsTable + ") AS q"
		t.Run(expression, func(t *testing.T) {
			e.hold(t, []columnType{
				typed("BIT(9)", "0", "1", "12", "48", "257"), typed("BIT(64)", "12", "18446744073709551615"), typed("FLOAT", "0.1", "1234567.2", "1234567.4"),
				typed("YEAR", "1999", "0"), typed("DATETIME(6)", "'2024-02-29'", "'2024-02-29 00:00:00.1'"), typed("TIME(6)", "'-00:00:01.25'"),
			})
		})
	}
	execute(t, db, "CREATE TABLE bits (v BIT(9))", "INSERT INTO bits VALUES (1), (257), (48), (12)")
	for query, want := range map[string]string{
		"SELECT v FROM bits ORDER BY v":                                            "1 12 48 257",
		"SELECT COALESCE(v, v) AS v FROM bits ORDER BY v DESC LIMIT 3":             "257 48 12",
		"WITH c AS (SELECT * FROM bits) SELECT v + 0 AS v FROM c ORDER BY v DESC":  "257 48 12 1",
		"SELECT v FROM bits WHERE v < 20 UNION SELECT 99 ORDER BY v # the end":     "1 12 99",
		"WITH c AS (SELECT * FROM bits) SELECT v FROM c ORDER BY v DESC # the end": "257 48 12 1",
	} {
		if got := strings.Join(plain(t, location, source.Options{Query: query}), " "); got != want {
			t.Errorf("%s: %s, not %s", query, got, want)
		}
	}
	// MariaDB 10.11 refuses both statements for this query.
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"1\"]\nother = \"other\"")
	_, err := source.Read(context.Background(), location, s, source.Options{Query: "WITH c AS (SELECT * FROM bits) SELECT v FROM c LIMIT 3"})
	if err != nil && !strings.HasSuffix(err.Error(), "column \"v\" has a type that this query cannot return; select \"(`v` + 0)\" as the column") {
		t.Error(err)
	}
}

// TestMySQLSession checks that the server's configuration does not change the meaning of a query.
func TestMySQLSession(t *testing.T) {
	location, db := openMySQL(t)
	execute(t, db, "CREATE TABLE padded (v CHAR(5))", "INSERT INTO padded VALUES ('a')")
	for query, want := range map[string]string{
		"SELECT v FROM padded": "a",
		"SELECT CONCAT_WS(' ', @@time_zone, @@sql_select_limit, @@sql_auto_is_null = 0, @@character_set_results) AS v":              "+00:00 18446744073709551615 1 utf8mb4",
		"SELECT CONCAT_WS(' ', 'a' 'b', '\\'', \"a\", 1 || 0, NOT 1 BETWEEN -5 AND 5, @@sql_mode LIKE 'ONLY_FULL_GROUP_BY,%') AS v": "ab ' a 1 0 1",
	} {
		if got := plain(t, location, source.Options{Query: query}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, not %s", query, got, want)
		}
	}
}

// TestTypesOfMySQL creates a column of each type that the help of the server or its list of plugins names.
func TestTypesOfMySQL(t *testing.T) {
	location, db := openMySQL(t)
	held := make(map[string]bool)
	dataType := func(table string) string {
		return textsOf(t, db, "SELECT data_type FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = 'v' AND table_name = '"+table+"'")[0]
	}
	for i, c := range mysqlTypes {
		table := fmt.Sprint("held", i)
		execute(t, db, "CREATE TABLE "+table+" ("+c.columns+")")
		held[dataType(table)] = true
	}
	names := textsOf(t, db, "SELECT t.name FROM mysql.help_topic AS t JOIN mysql.help_category AS c USING (help_category_id) WHERE c.name = 'Data Types' "+
		"UNION SELECT plugin_name FROM information_schema.plugins WHERE plugin_type = 'DATA TYPE'")
	for _, name := range names { // such as "UUID Data Type", or several names together
		names = append(names, strings.Split(strings.TrimSuffix(name, " Data Type"), ", ")...)
	}
	names = append(names, "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION")
	columns := make(map[string]string)
	for i, name := range names {
		table := fmt.Sprint("listed", i)
		for _, parameters := range []string{"", "(3)", "('a')"} {
			if _, err := db.Exec("CREATE TABLE " + table + " (v " + name + parameters + " NULL)"); err == nil {
				columns[dataType(table)] = "SELECT v FROM " + table
				break
			}
		}
	}
	if len(columns) < 30 {
		t.Errorf("the server knows the types %v alone", columns)
	}
	typesKnown(t, location, columns, func(name string) bool { return held[name] })
}

// TestHostileMySQL creates functions with the names of those that the generated statements call.
func TestHostileMySQL(t *testing.T) {
	location, db := openMySQL(t)
	execute(t, db, "CREATE TABLE people (v FLOAT, w VARCHAR(9))", "INSERT INTO people VALUES (1234567.2, 'a'), (1234567.4, 'A'), (0.1, 'a ')")
	made := 0
	for _, name := range []string{"sha2", "unhex", "hex", "lpad", "length", "concat", "coalesce", "nullif", "count", "sum", "row_number", "cast", "convert"} {
		if _, err := db.Exec("CREATE FUNCTION `" + name + "`(a TEXT) RETURNS TEXT DETERMINISTIC READS SQL DATA RETURN (SELECT COUNT(*) FROM people)"); err == nil {
			made++
		}
	}
	if made == 0 {
		t.Fatal("no function was made")
	}
	e := newRowwise(location, onOneConnection(db, "SET SESSION sql_mode = ''"))
	e.hold(t, []columnType{typed("FLOAT", "1234567.2", "1234567.4"), typed("VARCHAR(9)", "'a'", "'A'", "'a '"), typed("DATETIME", "'2024-02-29'")})
}
