//go:build duckdb

package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	"github.com/sibyl-dp/sibyl/internal/testing/visits"
)

// DuckDB is tested if it is linked, from directory duckdb:
//
//	go test -tags duckdb -overlay overlay.json -run DuckDB github.com/sibyl-dp/sibyl/cmd/sibyl/drivers

// withDuckDB creates a database in a new directory, calls fill, and returns its URL.
func withDuckDB(t testing.TB, fill func(db *sql.DB)) (location string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some data.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	fill(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return "duckdb://" + path
}

func TestDuckDBEqualsText(t *testing.T) {
	location := withDuckDB(t, func(db *sql.DB) {
		fillVisits(t, db, `CREATE TABLE visits (whole BIGINT, small TINYINT, price DECIMAL(10,2), ratio DOUBLE, single FLOAT,
			member BOOLEAN, day DATE, instant TIMESTAMP, city VARCHAR COLLATE NOCASE, "order" VARCHAR COLLATE NOCASE, raw BLOB, y ENUM('yes', 'no', 'unknown'))`, "$")
	})
	visits.Check(t, location, source.Options{Query: "SELECT * FROM visits -- all"})
	checkSQLMessages(t, location)
}

func TestDuckDBCatalog(t *testing.T) {
	checkCatalog(t, withDuckDB(t, func(db *sql.DB) { defined(t, db, "duckdb") }), "visits", "duckdb")
}

func TestDuckDBKinds(t *testing.T) {
	long := strings.Repeat("x", 2000)
	kinds := []kind{
		{"TINYINT", texts{"-128": "-128"}},
		{"UTINYINT", texts{"255": "255"}},
		{"SMALLINT", texts{"-32768": "-32768"}},
		{"USMALLINT", texts{"65535": "65535"}},
		{"INTEGER", texts{"-2147483648": "-2147483648"}},
		{"UINTEGER", texts{"4294967295": "4294967295"}},
		{"BIGINT", texts{"-9223372036854775808": "-9223372036854775808"}},
		{"UBIGINT", texts{"18446744073709551615": "18446744073709551615"}},
		{"HUGEINT", texts{"-170141183460469231731687303715884105728": "-170141183460469231731687303715884105728", "7": "7"}},
		{"UHUGEINT", texts{"340282366920938463463374607431768211455": "340282366920938463463374607431768211455"}},
		{"BOOLEAN", texts{"TRUE": "true", "FALSE": "false"}},
		{"DECIMAL(4,0)", texts{"-7": "-7", "70": "70"}},
		{"DECIMAL(10,2)", texts{"12.5": "12.50", "-3": "-3.00", "0": "0.00", "0.05": "0.05"}},
		{"DECIMAL(38,30)", texts{"0.05": "0.050000000000000000000000000000"}},
		{"FLOAT", texts{"0.1": "0.1", "16777217": "16777216", "'-0'::FLOAT": "0", "1e-3": "0.001", "'nan'::FLOAT": "NaN"}},
		{"DOUBLE", texts{"0.1": "0.1", "1e23": "100000000000000000000000", "'-inf'::DOUBLE": "-Inf"}},
		{"DATE", texts{"'2024-02-29'": "2024-02-29", "'0001-01-01'": "0001-01-01"}},
		{"TIMESTAMP", texts{"'2024-02-29 01:02:03.5'": "2024-02-29T01:02:03.5Z", "'1500-01-01'": "1500-01-01T00:00:00Z"}},
		{"TIMESTAMP_S", texts{"'2024-02-29 01:02:03'": "2024-02-29T01:02:03Z"}},
		{"TIMESTAMP_NS", texts{"'2024-02-29 01:02:03.123456789'": "2024-02-29T01:02:03.123456789Z"}},
		{"TIMESTAMPTZ", texts{"'2024-02-29 01:02:03+01'": "2024-02-29T00:02:03Z"}},
		{"TIME", texts{"'00:00:00'": "00:00:00", "'23:59:01.25'": "23:59:01.25"}},
		{"ENUM('b','a','A')", texts{"'a'": "a", "'A'": "A", "'b'": "b"}},
		{"VARCHAR", texts{"'a'": "a", "'A'": "A", "'a '": "a ", "'ä'": "ä", "''": "", "'" + long + "y'": long + "y", "'" + long + "z'": long + "z"}},
		{"VARCHAR COLLATE NOCASE.NOACCENT", texts{"'a'": "a", "'A'": "A", "'a '": "a ", "'ä'": "ä", "''": ""}},
		{"BLOB", texts{"'a'::BLOB": "a", `'\x01\x02'::BLOB`: "\x01\x02"}},
		{"UUID", texts{"'123e4567-e89b-12d3-a456-426655440000'": "123e4567-e89b-12d3-a456-426655440000"}},
	}
	location := withDuckDB(t, func(db *sql.DB) {
		fillKinds(t, kinds, func(statement string) error {
			_, err := db.Exec(statement)
			return err
		})
	})
	checkKinds(t, location, kinds)
}

func TestPersonsInDuckDB(t *testing.T) {
	location := withDuckDB(t, func(*sql.DB) {})
	testPersons(t, location, nil, func(statement string) error {
		inDuckDB(t, location, func(db *sql.DB) { execute(t, db, statement) })
		return nil
	})
}

// TestDuckDBIsOnlyRead runs queries that try to write to the database and to other files.
func TestDuckDBIsOnlyRead(t *testing.T) {
	location := withDuckDB(t, func(db *sql.DB) {
		execute(t, db, "CREATE TABLE only_read (a INT)", "INSERT INTO only_read VALUES (1)", "CREATE SEQUENCE following")
	})
	path, ok := strings.CutPrefix(location, "duckdb://")
	if !ok {
		t.Fatal(location)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	one := ": the query must be one SELECT statement, but it contains a semicolon; within a text write chr(59) instead"
	file := filepath.Join(t.TempDir(), "copy")
	for _, location := range []string{location, "duckdb:"} {
		refuses(t, location, map[string]string{
			"SELECT 1 AS a; COPY (SELECT 1) TO '" + file + "'":                                     one,
			"SELECT 1 AS a) AS t; COPY (SELECT 1) TO '" + file + "'; SELECT * FROM (SELECT 1 AS a": one,
			"COPY (SELECT 1 AS a) TO '" + file + "'":                                               ": the query is refused: ",
			"ATTACH '" + file + "'":                                                                ": the query is refused: ",
			"EXPORT DATABASE '" + file + "'":                                                       ": the query is refused: ",
			"CREATE TABLE t AS SELECT 1 AS a":                                                      ": the query is refused: ",
			"SET access_mode = 'READ_WRITE'":                                                       ": the query is refused: ",
			"INSTALL httpfs":                                                                       ": the query is refused: ",
			"LOAD httpfs":                                                                          ": the query is refused: ",
			"PRAGMA enable_profiling":                                                              ": the query is refused: ",
			"EXPLAIN SELECT 1 AS a":                                                                ": the query is refused: ",
			"WITH x AS (SELECT 1 AS a) INSERT INTO only_read SELECT a FROM x":                      ": the query is refused: ",
		})
	}
	refuses(t, location, map[string]string{"SELECT nextval('following')::INT AS a": "the query "})
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the database has changed: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

// TestDuckDBMemory reads rows that DuckDB cannot group within its memory limit.
func TestDuckDBMemory(t *testing.T) {
	const rows = 300_000
	var columns []string
	var schema strings.Builder
	for c := range 10 {
		columns = append(columns, fmt.Sprintf("'v' || (hash(16*i + %d) %% 64) AS c%d", c, c))
		fmt.Fprintf(&schema, "[[attribute]]\ncolumn = \"c%d\"\nother = \"other\"\nvalues = [\"v0\"", c)
		for v := 1; v < 64; v++ {
			fmt.Fprintf(&schema, ", \"v%d\"", v)
		}
		schema.WriteString("]\n")
	}
	location := withDuckDB(t, func(db *sql.DB) {
		execute(t, db, fmt.Sprintf("CREATE TABLE people AS SELECT %s FROM range(%d) AS r(i)", strings.Join(columns, ", "), rows))
	})
	got, err := source.Read(context.Background(), location+"?threads=1&memory_limit=15MB", tabletest.Schema(t, schema.String()), source.Options{Query: "SELECT * FROM people"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() != rows || got.Nulls() != 0 || got.Len() < rows*9/10 {
		t.Errorf("%d records, %d rows, %d null ones", got.Len(), got.Rows(), got.Nulls())
	}
}

// TestDuckDBParameters checks that the URL's parameters and the fixed settings reach DuckDB.
func TestDuckDBParameters(t *testing.T) {
	location := withDuckDB(t, func(*sql.DB) {})
	query := "SELECT concat_ws(' ', current_setting('threads'), current_setting('memory_limit'), current_setting('autoinstall_known_extensions'), current_setting('access_mode')) AS v"
	for start, want := range map[string]string{
		location + "?threads=3&memory_limit=64MiB": "3 64.0 MiB false read_only",
		"duckdb:?memory_limit=64MiB&threads=3":     "3 64.0 MiB false automatic",
	} {
		if got := plain(t, start, source.Options{Query: query}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, not %s", start, got, want)
		}
	}
}

// TestDuckDBReadsFiles reads several Parquet files as one table.
func TestDuckDBReadsFiles(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, made.People().Schema())
	b := s.Builder()
	for i, rows := range []int{1000, 2000} {
		name := fmt.Sprintf("part%d.parquet", i)
		if err := made.People().WriteParquet(name, rows); err != nil {
			t.Fatal(err)
		}
		part, err := source.Read(context.Background(), name, s, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range part.Len() {
			if err := b.Add(part.Record(i, nil), part.Label(i), part.Count(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := source.Read(context.Background(), "duckdb:", s, source.Options{Query: "SELECT * FROM 'part*.parquet'"})
	if err != nil || !got.Equal(b.Table()) {
		t.Errorf("%v, %v", got, err)
	}
}

// inDuckDB opens the database of a URL for writing.
func inDuckDB(t testing.TB, location string, do func(db *sql.DB)) {
	t.Helper()
	db, err := sql.Open("duckdb", strings.TrimPrefix(location, "duckdb://"))
	if err != nil {
		t.Fatal(err)
	}
	do(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCountsInDuckDB(t *testing.T) {
	location := withDuckDB(t, func(*sql.DB) {})
	testCounts(t, location, func(c counted) {
		inDuckDB(t, location, func(db *sql.DB) { c.enter(t, db, "NUMERIC(9,2)", "BOOLEAN") })
	}, true)
}

// TestCodesInDuckDB compares codes that DuckDB computes with codes that package table computes.
func TestCodesInDuckDB(t *testing.T) {
	location := withDuckDB(t, func(*sql.DB) {})
	n := drawNumerals()
	nots := []string{"NaN", "Infinity", "-Infinity"}
	moments := []string{"2024-02-29 12:30:00", "1969-12-31 23:59:59.5", "2024-02-29", "0001-01-01 00:00:00.000001", "9999-12-31 23:59:59"}
	for name, values := range map[string][]string{
		"TINYINT": n.wholes, "SMALLINT": n.wholes, "INTEGER": n.wholes,
		"BIGINT":   slices.Concat(n.wholes, []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"}),
		"UTINYINT": n.natural, "USMALLINT": n.natural, "UINTEGER": n.natural, "UBIGINT": slices.Concat(n.natural, []string{"9223372036854775807", "9223372036854775808", "18446744073709551615"}),
		"HUGEINT": slices.Concat(n.wholes, []string{"9223372036854775808", "-170141183460469231731687303715884105728"}), "UHUGEINT": n.natural,
		"DECIMAL(4,1)": n.decimals, "DECIMAL(8,2)": n.decimals, "DECIMAL(10,0)": n.wholes, "DECIMAL(18,3)": n.decimals, "DECIMAL(38,20)": slices.Concat(n.decimals, []string{"9007199254740993.5", "12.00000000000000000001"}),
		"DOUBLE": slices.Concat(n.floats, nots), "FLOAT": slices.Concat(n.singles, nots), "BOOLEAN": {"true", "false"},
		"DATE":      {"2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31", "10000-01-01", "0044-03-15 (BC)", "infinity", "-infinity"},
		"TIMESTAMP": append(moments, "infinity", "-infinity", "10000-01-01", "0044-03-15 (BC)"), "TIMESTAMPTZ": append(moments, "infinity"), "TIMESTAMP_S": moments, "TIMESTAMP_MS": moments, "TIMESTAMP_NS": moments[:3],
		"TIME":    {"12:30:00", "00:00:00.5"},
		"VARCHAR": append(slices.Clone(awkward), "a\x00b"), "VARCHAR COLLATE NOCASE": awkward, "ENUM('12', 'a', 'A')": {"12", "a", "A"},
		"BLOB": {"12", `\x00`, `\xFF`, "a", ""}, "UUID": {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	} {
		t.Run(name, func(t *testing.T) {
			inDuckDB(t, location, func(db *sql.DB) {
				execute(t, db, "DROP TABLE IF EXISTS "+coded, "CREATE TABLE "+coded+" (v "+name+")")
				fill(t, db, "INSERT INTO "+coded+" VALUES (CAST(? AS "+strings.TrimSuffix(name, " COLLATE NOCASE")+"))", append(given(values), nil))
				codesAgree(t, location, db, 3)
			})
		})
	}
}

// duckTypes are types of columns with values that DuckDB may treat as equal.
var duckTypes = []columnType{
	typed("TINYINT", "0", "12", "-128"), typed("SMALLINT", "0", "12", "-32768"), typed("INTEGER", "0", "12", "-2147483648"), typed("BIGINT", "0", "12", "9007199254740992", "9007199254740993", "9223372036854775807", "-9223372036854775808"),
	typed("UTINYINT", "0", "12", "255"), typed("USMALLINT", "0", "12", "65535"), typed("UINTEGER", "0", "12", "4294967295"), typed("UBIGINT", "0", "12", "9007199254740993", "9223372036854775808", "18446744073709551615", "18446744073709551614"),
	typed("HUGEINT", "0", "12", "9223372036854775808", "170141183460469231731687303715884105727", "170141183460469231731687303715884105726", "-170141183460469231731687303715884105728"), typed("UHUGEINT", "0", "12", "340282366920938463463374607431768211455", "340282366920938463463374607431768211454"),
	typed("BIGNUM", "0", "12", "-12", "'340282366920938463463374607431768211456999999999999999999999'::BIGNUM", "'340282366920938463463374607431768211456999999999999999999998'::BIGNUM"),
	typed("DECIMAL(4,0)", "0", "12", "-12"), typed("DECIMAL(4,1)", "0", "0.1", "12", "-7.2"), typed("DECIMAL(10,2)", "0", "0.1", "12.00", "-0.05"), typed("DECIMAL(18,3)", "0", "0.1", "12", "-0.001"),
	typed("DECIMAL(38,20)", "0", "0.1", "12", "12.00000000000000000001", "9007199254740993.5", "9007199254740992.5"), typed("DECIMAL(38,0)", "12", "99999999999999999999999999999999999999", "99999999999999999999999999999999999998"),
	typed("FLOAT", "0", "'-0'::FLOAT", "0.1", "16777216", "16777215", "1234567.1", "1234567.2", "1234567.4", "12.000001", "12.000002", "'1e-45'::FLOAT", "'2e-45'::FLOAT", "'nan'::FLOAT", "-'nan'::FLOAT", "'inf'::FLOAT", "'-inf'::FLOAT"),
	typed("DOUBLE", "0", "'-0'::DOUBLE", "0.1", "'0.1'::FLOAT", "0.10000000000000002", "'0.30000000000000004'::DOUBLE", "0.3", "1e23", "'9.999999999999999e22'::DOUBLE", "9007199254740993", "5e-324", "1e-323", "'nan'::DOUBLE", "-'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE"),
	typed("BOOLEAN", "TRUE", "FALSE"),
	typed("DATE", "'2024-02-29'", "'0001-01-01'", "'10000-01-01'", "'0044-03-15 (BC)'", "'infinity'", "'-infinity'"),
	typed("TIMESTAMP", "'2024-02-29'", "'2024-02-29 00:00:00.000001'", "'2024-02-29 00:00:00.1'", "'0001-01-01'", "'10000-01-01'", "'infinity'", "'-infinity'"), typed("TIMESTAMP_S", "'2024-02-29'", "'2024-02-29 00:00:01'"),
	typed("TIMESTAMP_MS", "'2024-02-29'", "'2024-02-29 00:00:00.001'"), typed("TIMESTAMP_NS", "'2024-02-29'", "'2024-02-29 00:00:00.000000001'"), typed("TIMESTAMPTZ", "'2024-02-29 00:00:00+00'", "'2024-02-29 01:00:00+01'", "'2024-03-31 02:30:00+02'", "'2024-02-29 00:00:00.000001+00'"),
	typed("TIME", "'00:00:00'", "'24:00:00'", "'12:30:00.000001'", "'12:30:00.1'"),
	typed("VARCHAR", duckTexts...), typed("VARCHAR COLLATE NOCASE", duckTexts...), typed("VARCHAR COLLATE NOACCENT", duckTexts...), typed("VARCHAR COLLATE NOCASE.NOACCENT", duckTexts...), typed("VARCHAR COLLATE NFC", duckTexts...),
	typed("ENUM('12', '012', 'a', 'A', 'a ')", "'12'", "'012'", "'a'", "'A'", "'a '"),
	typed("BLOB", "''::BLOB", "'12'::BLOB", "'012'::BLOB", `'\xFF'::BLOB`, `'\x00'::BLOB`, `'a\x00'::BLOB`, "'a'::BLOB", "'A'::BLOB"), typed("UUID", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'00000000-0000-0000-0000-000000000000'"),
	{"w VARCHAR, v VARCHAR GENERATED ALWAYS AS (w COLLATE NOCASE)", "w", duckTexts}, {"w FLOAT, v DOUBLE GENERATED ALWAYS AS (w * 3)", "w", []string{"1234567.2", "1234567.4", "0.1"}},
}

// duckTexts are texts that collations treat as equal, or that resemble numbers.
var duckTexts = []string{
	"''", "' '", "'a'", "'A'", "'a '", "'á'", "'a' || chr(769)", "'a' || chr(0)", "'ß'", "'ss'", "'0'", "'00'", "'-0'", "'0.0'", "'1'", "'01'", "'+1'", "'1e0'", "'12'", "'12.0'", "' 12'", "'0.1'", "'.1'", "'NaN'", "'a' || chr(10)",
	"repeat('0', 3000) || '1'", "repeat('0', 3000) || '13'", "repeat('x', 3000) || 'y'", "repeat('x', 3000) || 'Y'",
}

// TestRowwiseInDuckDB compares counts of columns of all types with the row reader.
func TestRowwiseInDuckDB(t *testing.T) {
	location := withDuckDB(t, func(*sql.DB) {})
	inDuckDB(t, location, func(db *sql.DB) {
		e := newRowwise(location, func(t testing.TB, statements ...string) { execute(t, db, statements...) })
		e.db = db
		e.hold(t, duckTypes)
	})
}

// TestHostileDuckDB replaces functions and operators of DuckDB by macros. The database must then be refused. Queries may
// use macros with other names.
func TestHostileDuckDB(t *testing.T) {
	for _, own := range []string{
		"ltrim(a, b)", `"LTRIM"(a, b)`, "isfinite(a)", `"+"(a, b)`, `"*"(a, b)`, `"||"(a, b)`, "count(a)", "count_star()", "sum(a)", "strpos(a, b)", "octet_length(a)", "sha256(a)", "row_number()", "lower(a)", "duckdb_functions()",
	} {
		location := withDuckDB(t, func(db *sql.DB) {
			execute(t, db, "CREATE TABLE people (v VARCHAR, z INTEGER)", "INSERT INTO people VALUES ('12', 1), ('x', 2)", "CREATE MACRO twice(a) AS 2 * a", "CREATE SCHEMA aside")
		})
		s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\ncuts = [1, 5]\nother = \"none\"\n[[attribute]]\ncolumn = \"z\"\ncuts = [2]")
		o := source.Options{Query: "SELECT v, twice(z) AS z FROM people"}
		if got, err := source.Read(context.Background(), location, s, o); err != nil || got.Len() != 2 {
			t.Fatalf("%v, %v", got, err)
		}
		for _, statement := range []string{"CREATE MACRO " + own + " AS (SELECT 7)", "CREATE MACRO " + own + " AS TABLE SELECT 7 AS x"} {
			inDuckDB(t, location, func(db *sql.DB) { execute(t, db, statement) })
			_, err := source.Read(context.Background(), location, s, o)
			each := source.Records(context.Background(), location, s, o, func(source.Row) error { return nil })
			for _, err := range []error{err, each} {
				if err == nil || !strings.Contains(err.Error(), "replaces a function of DuckDB, which would change the counts; drop the macro, or copy the tables into another database") {
					t.Errorf("%s: %v", statement, err)
				}
			}
			name, _, _ := strings.Cut(own, "(")
			inDuckDB(t, location, func(db *sql.DB) { db.Exec("DROP MACRO " + name); db.Exec("DROP MACRO TABLE " + name) })
		}
	}
}

// TestTypesOfDuckDB creates a column of each type that DuckDB lists.
func TestTypesOfDuckDB(t *testing.T) {
	given := map[string]string{ // parameters of types
		"ARRAY": "INTEGER[3]", "LIST": "DECIMAL(10,2)[]", "MAP": "MAP(VARCHAR, INTEGER)", "STRUCT": "STRUCT(a INTEGER)", "UNION": "UNION(a INTEGER)", "ENUM": "ENUM('a', 'b')", "NULL": `"NULL"`,
	}
	var held []string
	columns := make(map[string]string)
	location := withDuckDB(t, func(db *sql.DB) {
		for i, c := range duckTypes {
			execute(t, db, fmt.Sprintf("CREATE TABLE held%d (%s)", i, c.columns))
		}
		held = textsOf(t, db, "SELECT DISTINCT split_part(data_type, '(', 1) FROM duckdb_columns() WHERE column_name = 'v' UNION SELECT 'NULL'")
		for _, name := range textsOf(t, db, "SELECT DISTINCT logical_type FROM duckdb_types() WHERE internal UNION SELECT 'JSON'") {
			declared := name
			if of := given[name]; of != "" {
				declared = of
			}
			columns[name] = "SELECT CAST(NULL AS " + declared + ") AS v"
		}
	})
	typesKnown(t, location, columns, func(name string) bool { return slices.Contains(held, name) })
}
