package drivers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/visits"
	"github.com/sibyl-dp/sibyl/source"
)

// TestMySQLEqualsText has columns of other character sets and collations, some of which
// call a and A equal. MySQL has no truth values: its BOOLEAN is a number.
func TestMySQLEqualsText(t *testing.T) {
	location, db := openMySQL(t)
	fillVisits(t, db, "CREATE TABLE visits (whole BIGINT, small TINYINT UNSIGNED, price DECIMAL(10,2), ratio DOUBLE, single FLOAT, "+
		"member BOOLEAN, day DATE, instant DATETIME(6), city VARCHAR(40) CHARACTER SET latin1, `order` ENUM('b', 'a', 'A') COLLATE utf8mb4_bin, raw VARBINARY(20), y TEXT COLLATE utf8mb4_general_ci)", "?")
	visits.Check(t, location, source.Options{Query: "SELECT whole, small, price, ratio, single, IF(member, 'true', 'false') AS member, day, instant, city, `order`, raw, y FROM visits # all"})
	checkSQLMessages(t, location)
}

// TestMySQLKinds has a column of each type, and texts that collations call equal. MySQL's zeros
// that are no dates are texts like any other.
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

// TestCodesInMySQL compares what MySQL codes with what is read and coded here.
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
				if strings.HasPrefix(name, "BIT") { // it would take the digits for bytes
					do("INSERT INTO " + coded + " VALUES (" + v + ")")
					continue
				}
				do("INSERT INTO "+coded+" VALUES (?)", v)
			}
			do("INSERT INTO " + coded + " VALUES (NULL)")
			codesAgree(t, location, 3)
		})
	}
}
