package drivers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// postgresObjects are statements that create the types and the collation of the columns below.
var postgresObjects = []string{
	"CREATE EXTENSION citext",
	"CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
	"CREATE TYPE mood AS ENUM ('a', 'A', 'a ', '12')",
	"CREATE DOMAIN alias AS text COLLATE anycase",
	"CREATE DOMAIN code AS char(4)",
	"CREATE DOMAIN price AS numeric CHECK (VALUE < 1000)",
	"CREATE DOMAIN feeling AS mood",
}

// quoted returns SQL literals of texts.
func quoted(texts ...string) (all []string) {
	for _, text := range texts {
		all = append(all, "'"+strings.ReplaceAll(text, "'", "''")+"'")
	}
	return all
}

// alike are texts of which some are equal by a collation or in a type with padding.
var alike = quoted("", " ", "a", "A", "a ", "a\t", "á", "a\u0301", "ａ", "ß", "ss", "SS", "ﬁ", "fi", "1", "１", "１２", "12", "+12", "12.0", "-0", "0", "a\u200b", "é", "e\u0301", "E", "Ann", "ann", "ANN", "\\", "%s", "it's")

// floats are texts of floating-point numbers.
var floats = quoted("0", "-0", "NaN", "Infinity", "-Infinity", "1e-40", "-1e-40", "0.1", "0.10000000149011612", "12", "11.999999", "16777217", "1e30")

// postgresColumns returns columns of all supported types.
func postgresColumns() []columnType {
	plain := quoted("a", "A", "b", "12")
	return []columnType{
		typed("smallint", "0", "-1", "12", "32767", "-32768"), typed("integer", "0", "-1", "12", "2147483647"), typed("bigint", "0", "12", "9007199254740993", "9007199254740992", "-9223372036854775808"),
		typed("numeric", "1.0", "1.00", "1", "-0.0", "'NaN'", "'Infinity'", "'-Infinity'", "0.1", "0.10", "1e100", "12", "11.9999999999999999999999"), typed("numeric(8,2)", "1", "1.001", "0.1", "'NaN'", "12"), typed("price", "1.0", "1.00", "12"),
		typed("real", floats...), typed("double precision", append(floats, quoted("5e-324", "-5e-324", "1e300", "0.1000000000000000055", "9007199254740993")...)...),
		typed("boolean", "true", "false"), typed("bytea", quoted(`\x`, `\x61`, `\x41`, `\x6120`, `\x00`, `\xff`, `\x3132`)...),
		typed("text", alike...), typed("text COLLATE anycase", alike...), typed("varchar(40) COLLATE anycase", alike...), typed("varchar(40)", alike...), typed("alias", alike...),
		typed("char(4)", quoted("a", "A", "a ", "", "ab", "12", "ａ")...), typed("char(4) COLLATE anycase", quoted("a", "A", "a ", "ａ", "12")...), typed("code", quoted("a", "A", "12")...),
		typed("citext", alike...), typed("name", append(plain, quoted("a ", "á")...)...), typed(`"char"`, plain[:3]...), typed("mood", quoted("a", "A", "a ", "12")...), typed("feeling", quoted("a", "A")...),
		typed("date", quoted("2024-02-29", "0001-01-01", "infinity", "-infinity", "0044-03-15 BC")...), typed("time", quoted("12:30", "24:00", "00:00:00.000001")...),
		typed("timestamp", quoted("2024-02-29 12:00", "infinity", "2024-02-29 12:00:00.000001")...), typed("timestamptz", quoted("2024-02-29 12:00+00", "2024-02-29 13:00+01", "-infinity")...),
		typed("interval", quoted("1 day", "24 hours", "30 days", "1 month", "0", "-1 day +24:00")...),
		typed("bit(3)", "B'101'", "B'000'"), typed("bit varying", "B'1'", "B'10'", "B'100'", "B''"), typed("uuid", quoted("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11")...), typed("oid", "0", "12", "4294967295"),
		typed("inet", quoted("10.0.0.1", "10.0.0.1/32", "10.0.0.1/8", "::1")...), typed("cidr", quoted("10.0.0.0/8", "10.0.0.0/16")...), typed("macaddr", quoted("08:00:2b:01:02:03", "08-00-2B-01-02-03")...), typed("macaddr8", quoted("08:00:2b:01:02:03:04:05")...),
		typed("json", quoted(`{"a": 1}`, `{"a":1}`, `{"a": 1.0}`, "12", `"12"`)...), typed("jsonb", quoted(`1.0`, `1.00`, `1`, `{"a": 1, "a": 2}`, `{"a": 2}`, "12")...),
		{"made text COLLATE anycase, v text COLLATE anycase GENERATED ALWAYS AS (upper(made)) STORED", "made", alike},
	}
}

// TestRowwiseInPostgres compares counts of columns of each type with the row reader.
func TestRowwiseInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	execute(t, db, postgresObjects...)
	newRowwise(location, onOneConnection(db)).connected(t).hold(t, postgresColumns())
}

// TestTypesOfPostgres lists all types of a server. Each must be supported, or refused before data is read, with an error
// that names the type.
func TestTypesOfPostgres(t *testing.T) {
	location, db := openPostgres(t)
	execute(t, db, postgresObjects...)
	execute(t, db, "CREATE TYPE pair AS (a integer, b text)", "CREATE TYPE span AS RANGE (subtype = integer)", "CREATE DOMAIN list AS integer[]", "CREATE TABLE kinds (a integer)")
	mapped := make(map[string]bool)
	for _, c := range postgresColumns() {
		var name string
		if err := db.QueryRow("SELECT format_type(CAST(pg_typeof(CAST(NULL AS " + strings.Split(strings.TrimPrefix(strings.TrimPrefix(c.columns, "made "), "v "), " COLLATE")[0] + ")) AS oid), NULL)").Scan(&name); err != nil {
			t.Fatal(err)
		}
		mapped[name] = true
	}
	rows, err := db.Query("SELECT format_type(oid, NULL), format_type(CASE WHEN typtype = 'd' THEN typbasetype ELSE oid END, NULL) FROM pg_type " +
		// Array types and row types are numerous, so only some are tested.
		"WHERE typtype IN ('b', 'd', 'e', 'r', 'm') AND (typcategory <> 'A' OR typname IN ('_int4', '_text', '_mood')) OR typname IN ('pair', 'kinds', 'pg_class') ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	read := openReadOnly(t, location)
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"12\"]\nother = \"other\"")
	held, refused := make(map[string]bool), 0
	for rows.Next() {
		var name, base string
		if err := rows.Scan(&name, &base); err != nil {
			t.Fatal(err)
		}
		err := source.Ready(context.Background(), location, s, table.Queries{}, source.Options{DB: read, Query: "SELECT CAST(NULL AS " + name + ") AS v"})
		switch {
		case err == nil && (mapped[name] || mapped[base]):
			held[name] = true
		case err != nil && strings.Contains(err.Error(), `column "v" has the type `) && strings.HasSuffix(err.Error(), "cast the column to another type in the query, such as text") && !mapped[name]:
			refused++
		default:
			t.Errorf("%s: mapped %v, %v", name, mapped[name], err)
		}
	}
	for name := range mapped {
		if !held[name] {
			t.Errorf("%s is no type of the server", name)
		}
	}
	if rows.Err() != nil || refused < 40 {
		t.Errorf("%d types are mapped, %d refused, %v", len(held), refused, rows.Err())
	}
	t.Logf("%d types are mapped, %d refused", len(held), refused)
}

// attacked are the columns that the short form of TestHostileCatalog tests.
var attacked = []string{"v integer", "v numeric", "v real", "v bytea", "v text", "v varchar(40) COLLATE anycase", "v char(4)", "v citext", "v mood", "v date", "v timestamptz", "v uuid", "v jsonb"}

// TestHostileCatalog simulates a user who may create objects in a schema that is searched before the system catalog.
// This user redefines all operators and functions that the generated statements could use, and types and a collation.
// Counts must not change.
func TestHostileCatalog(t *testing.T) {
	location, db := openPostgres(t)
	execute(t, db, postgresObjects...)
	types := "'{int2,int4,int8,numeric,float4,float8,text,bpchar,varchar,name,bytea,date,timestamp,timestamptz,bool,uuid,interval,bit,mood,alias,citext,jsonb,\"\\\"char\\\"\"}'::regtype[]"
	execute(t, db,
		"CREATE FUNCTION hostile(l regtype, r regtype, result regtype, name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN "+
			"EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s IMMUTABLE LANGUAGE sql AS $a$ SELECT CAST(NULL AS %3$s) $a$', name, concat_ws(', ', l, r), result); "+
			"EXCEPTION WHEN OTHERS THEN NULL; END $$",
		// Operators between two of the types, including pairs of types for which the server has an operator only after
		// a conversion.
		"DO $$ DECLARE o record; n int := 0; BEGIN "+
			"FOR o IN SELECT op, l, r, CASE WHEN op IN ('=', '<>', '<', '>', '<=', '>=') THEN 'bool' WHEN op = '||' THEN l::text ELSE 'int8' END AS result "+
			"FROM unnest('{=,<>,<,>,<=,>=,+,-,*,/,%,||}'::text[]) AS op, unnest("+types+") AS l, unnest("+types+") AS r WHERE l = r OR op IN ('=', '<') "+
			"LOOP BEGIN n := n + 1; EXECUTE format('CREATE FUNCTION public.op%s(%s, %s) RETURNS %s IMMUTABLE LANGUAGE sql AS $a$ SELECT CAST(NULL AS %4$s) $a$', n, o.l, o.r, o.result); "+
			"EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.op%s)', o.op, o.l, o.r, n); "+
			"EXCEPTION WHEN duplicate_function THEN NULL; END; END LOOP; END $$", // citext has some operators

		// Functions with an argument of one of the types, and with a second argument that is a text or a number.
		"SELECT hostile(l, NULL, 'text', f) FROM unnest('{concat,lower,octet_length,sha256,to_hex,textin,encode,decode,convert_to}'::text[]) AS f, unnest("+types+") AS l",
		"SELECT hostile(l, r, 'text', f) FROM unnest('{ltrim,rtrim,strpos,substr,convert_to,encode,decode,lpad}'::text[]) AS f, unnest("+types+") AS l, unnest('{text,int4,int8,name}'::regtype[]) AS r",
		"CREATE FUNCTION public.row_number() RETURNS int8 IMMUTABLE LANGUAGE sql AS 'SELECT 1::int8'",
		"CREATE AGGREGATE public.count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '7')", "CREATE AGGREGATE public.count(\"any\") (SFUNC = int8inc_any, STYPE = int8, INITCOND = '7')",
		"CREATE AGGREGATE public.sum(int8) (SFUNC = int8larger, STYPE = int8)", "CREATE AGGREGATE public.sum(int4) (SFUNC = int4larger, STYPE = int4)",
		"CREATE FUNCTION public.anything(mood) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT 'a'::text $$", "CREATE CAST (mood AS text) WITH FUNCTION public.anything(mood) AS IMPLICIT",
		`CREATE COLLATION public."C" (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
		"CREATE TYPE public.text AS ENUM ('a')", "CREATE TYPE public.int8 AS ENUM ('a')", "CREATE TYPE public.int2 AS ENUM ('a')", "CREATE TYPE public.bytea AS ENUM ('a')", "CREATE TYPE public.float8 AS ENUM ('a')", "CREATE TYPE public.float4 AS ENUM ('a')", "CREATE TYPE public.date AS ENUM ('a')",
		"CREATE TABLE public.pg_type (oid oid, typname name, typtype \"char\")", "CREATE TABLE public.pg_settings (name text)",
	)
	var operators, functions int
	err := db.QueryRow("SELECT (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'public'::regnamespace), (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace)").Scan(&operators, &functions)
	if err != nil || operators < 1000 || functions < 1500 {
		t.Fatalf("%d operators and %d functions, %v", operators, functions, err)
	}
	t.Logf("%d operators and %d functions", operators, functions)
	hostile := newRowwise(location+"&search_path=public,pg_catalog", onOneConnection(db)).connected(t)
	hostile.hold(t, slices.DeleteFunc(postgresColumns(), func(c columnType) bool { return !heavy.On() && !slices.Contains(attacked, c.columns) }))
}

// TestForeignTypes reads rows through a foreign table. The column types on the other server differ from the declared
// types, so that the other server would compare values differently.
func TestForeignTypes(t *testing.T) {
	location, db := openPostgres(t)
	execute(t, db, postgresObjects...)
	loopback(t, db)
	for _, c := range []struct {
		far  columnType
		here string
	}{
		{typed("char(4)", quoted("a", "A", "a ", "", "ab", "12")...), "text"},
		{typed("text COLLATE anycase", alike...), "text"},
		{typed("citext", alike...), "text"},
		{typed("citext", quoted("a", "A", "12")...), "mood"},
		{typed("numeric", "1.0", "1.00", "12"), "text"},
		{typed("real", floats...), "double precision"},
		{typed("interval", quoted("1 day", "24 hours")...), "text"},
		{typed("varchar(9)", quoted("a", "A", "a ", "12")...), "char(4)"},
		{typed("jsonb", "'1.0'", "'1.00'"), "numeric"},
	} {
		e := newRowwise(location, onOneConnection(db)).connected(t)
		e.from = rowsTable + "_far"
		t.Run(c.far.columns, func(t *testing.T) {
			execute(t, db, "DROP FOREIGN TABLE IF EXISTS "+e.from, "CREATE FOREIGN TABLE "+e.from+" (id integer, z integer, y varchar(3), v "+c.here+") SERVER again OPTIONS (table_name '"+rowsTable+"')")
			e.holdType(t, c.far)
		})
	}
}

// The settings of the role and the database do not change the results of the transaction: neither texts that the query
// computes nor texts of columns.
func TestSettings(t *testing.T) {
	location, db := openPostgres(t)
	const query = "SELECT concat_ws(' ', chr(233), f, i, b, d, z, m, to_char(1234.5, 'L9G999D9'), to_char(d, 'TMMonth'), NULL = NULL) AS v, i AS w FROM (VALUES (0.1::float8, interval '1 day 2:00', '\\x61ff'::bytea, date '2024-02-29', timestamptz '2024-02-29 12:00+00', 12.5::money)) AS t (f, i, b, d, z, m)"
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"w\"\nvalues = [\"1 day 02:00:00\"]")
	read := func() (text string) {
		t.Helper()
		err := source.Records(context.Background(), location, s, source.Options{Query: query, Keep: "v"}, func(r source.Row) error {
			text = fmt.Sprint(string(r.Kept), r.Null)
			return nil
		})
		got, failed := source.Read(context.Background(), location, s, source.Options{Query: query})
		if err != nil || failed != nil || got.Nulls() != 0 {
			t.Error(err, failed, got)
		}
		return text
	}
	want := read()
	for setting, value := range map[string]string{"TimeZone": "'Asia/Tokyo'", "DateStyle": "'German'", "IntervalStyle": "'sql_standard'", "extra_float_digits": "-14", "bytea_output": "'escape'", "transform_null_equals": "on", "client_encoding": "'LATIN1'"} {
		execute(t, db, "ALTER ROLE CURRENT_USER SET "+setting+" = "+value)
		t.Cleanup(func() { execute(t, db, "ALTER ROLE CURRENT_USER RESET "+setting) })
	}
	if got := read(); got != want || !strings.Contains(got, "false") {
		t.Errorf("%s became %s", want, got)
	}
}

// TestEncodings compares counts with the row reader in databases whose texts are not stored in UTF-8. The schemas, the
// query, and the catalog contain texts that have other bytes there.
func TestEncodings(t *testing.T) {
	server := postgresServer(t)
	for encoding, texts := range map[string][]string{
		"LATIN1":  {"a", "A", "é", "É", "é ", "Ã©", "12", "ß"},
		"WIN1252": {"a", "é", "€", "12", "ß"},
		"EUC_JP":  {"a", "12", "１２", "ア", "あ"},
	} {
		t.Run(encoding, func(t *testing.T) {
			location, db := ownDatabase(t, server, " ENCODING '"+encoding+"' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
			e := newRowwise(location, onOneConnection(db, "SET client_encoding = 'UTF8'")).connected(t)
			e.hold(t, []columnType{typed("text", quoted(texts...)...), typed("char(4)", quoted(texts...)...), typed("bytea", `'\xe9'`)})
			last := texts[len(texts)-1]
			onOneConnection(db, "SET client_encoding = 'UTF8'")(t, `CREATE TABLE named ("`+last+`" integer)`, `INSERT INTO named VALUES (12)`)
			d, err := schema.Import{Location: location, Table: "named"}.Draft(t.Context(), schema.Known{})
			if err != nil || len(d.Columns) != 1 || d.Columns[0].Name != last {
				t.Errorf("%+v, %v", d, err)
			}
			if got := plain(t, location, source.Options{Query: `SELECT concat("` + last + `", '` + last + `') AS v FROM named`}); len(got) != 1 || got[0] != "12"+last {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestUnstableQueries refuses queries whose rows may differ between runs, before they run.
func TestUnstableQueries(t *testing.T) {
	location, db := openPostgres(t)
	execute(t, db,
		"CREATE TABLE people (a integer)", "INSERT INTO people VALUES (1)", "CREATE VIEW lucky AS SELECT a FROM people WHERE random() < 0.5",
		"CREATE VIEW sampled AS SELECT a FROM people TABLESAMPLE SYSTEM (50)", "CREATE FUNCTION any_a() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
		"CREATE FUNCTION one() RETURNS integer STABLE LANGUAGE sql AS 'SELECT 1'", "CREATE TABLE guarded (a integer)", "INSERT INTO guarded VALUES (1)", "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY", "ALTER TABLE guarded FORCE ROW LEVEL SECURITY",
		"CREATE POLICY few ON guarded USING (random() < 0.5)")
	role := fmt.Sprint("reader_", os.Getpid())
	execute(t, db, "CREATE ROLE "+role+" LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
	t.Cleanup(func() { execute(t, db, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	reader := strings.Replace(location, "sibyl:unused@", role+":unused@", 1)
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\nother = \"other\"")
	for query, want := range map[string]string{
		"SELECT a FROM people WHERE random() < 0.5":                                                    "volatile",
		"SELECT (random() * 9)::int AS a FROM people":                                                  "volatile",
		"SELECT a FROM people ORDER BY random()":                                                       "volatile",
		"SELECT a FROM people ORDER BY a LIMIT (random() * 9)::int":                                    "volatile",
		"SELECT a FROM people WHERE clock_timestamp() > '2000-01-01'":                                  "volatile",
		"SELECT any_a() AS a FROM people":                                                              "volatile",
		"SELECT a FROM lucky":                                                                          "volatile",
		"SELECT a FROM guarded":                                                                        "volatile",
		"SELECT p.a FROM people AS p JOIN (SELECT random() AS x) AS r ON r.x < 0.5":                    "volatile",
		"WITH r AS (SELECT random() AS x) SELECT a FROM people WHERE (SELECT x FROM r) < 0.5":          "volatile",
		"SELECT a FROM people UNION ALL SELECT (random() * 9)::int":                                    "volatile",
		"SELECT a FROM people TABLESAMPLE BERNOULLI (50)":                                              "TABLESAMPLE",
		"SELECT a FROM people TABLESAMPLE BERNOULLI (50) REPEATABLE (1)":                               "TABLESAMPLE",
		"SELECT a FROM (SELECT * FROM sampled OFFSET 0) AS s -- not random()":                          "TABLESAMPLE",
		"SELECT a FROM people":                                                                         "",
		"SELECT a FROM people WHERE now() > '2000-01-01' AND current_date > '2000-01-01'":              "",
		"WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 9) SELECT a FROM n": "",
		"WITH p AS MATERIALIZED (SELECT a FROM people) SELECT x.a FROM p AS x, p AS y":                 "",
		"SELECT a, 'CTE Scan random() Sample Scan' AS b, one() FROM people -- TABLESAMPLE":             "",
	} {
		err := source.Ready(context.Background(), reader, s, table.Queries{}, source.Options{Query: query})
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%s: %v", query, err)
		case err != nil && (!strings.Contains(err.Error(), "the query may return other rows when it runs again, because it ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestRowSecurity changes row security policies during a release. All queries of the release must see the rows that the
// role could see at a single point in time.
func TestRowSecurity(t *testing.T) {
	location, db := openPostgres(t)
	c := drawCounted(200, 0, rand.New(rand.NewPCG(3, 3)))
	c.enter(t, db, "NUMERIC(9,2)", "BOOLEAN")
	role := fmt.Sprint("guarded_", os.Getpid())
	execute(t, db, "CREATE TABLE wards (ward text)", "INSERT INTO wards VALUES ('a'), ('b'), ('c')",
		"ALTER TABLE "+countedTable+" ENABLE ROW LEVEL SECURITY", "CREATE POLICY own ON "+countedTable+" USING (ward IN (SELECT w.ward FROM wards AS w))",
		"CREATE ROLE "+role+" LOGIN", "GRANT SELECT ON "+countedTable+", wards TO "+role)
	t.Cleanup(func() { execute(t, db, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	reader := strings.Replace(location, "sibyl:unused@", role+":unused@", 1)
	query := "SELECT * FROM " + countedTable
	got, end := openCounts(t, reader, c.schema, query)
	want, err := source.Read(context.Background(), location, tabletest.Schema(t, c.schema), source.Options{Query: query + " WHERE ward IN ('a', 'b', 'c')"})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(c.lines)) == want.Rows() {
		t.Fatal("all rows are in the wards")
	}
	execute(t, db, "DELETE FROM wards WHERE ward = 'a'", "UPDATE "+countedTable+" SET ward = 'b'")
	tabletest.Agree(t, got, tabletest.Scan{Table: want}, 5, 1)
	// A statement that changes the policy itself waits for the release.
	for _, statement := range []string{"ALTER TABLE " + countedTable + " DISABLE ROW LEVEL SECURITY", "DROP POLICY own ON " + countedTable} {
		if _, err := db.Exec("SET lock_timeout = '50ms'; " + statement); err == nil || !strings.Contains(err.Error(), "55P03") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	tabletest.Agree(t, got, tabletest.Scan{Table: want}, 5, 2)
	end()
	if got, _ := openCounts(t, reader, c.schema, query); got.Rows() != int64(len(c.lines)) {
		t.Errorf("%d rows of ward b, of %d", got.Rows(), len(c.lines))
	}
}

// TestSilentServer connects to a server that accepts connections and sends nothing.
func TestSilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]")
	_, err = source.Read(context.Background(), fmt.Sprintf("postgres://ann:s3cret@%s/db?connect_timeout=1", listener.Addr()), s, source.Options{Query: "SELECT 1 AS a"})
	if err == nil || !strings.Contains(err.Error(), ": the database cannot be reached: ") || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}

// TestIdleTransaction waits between two queries of a release, for longer than the server permits a transaction
// to be idle.
func TestIdleTransaction(t *testing.T) {
	location, db := openPostgres(t)
	c := drawCounted(50, 0, rand.New(rand.NewPCG(4, 4)))
	c.enter(t, db, "NUMERIC(9,2)", "BOOLEAN")
	var name string
	if err := db.QueryRow("SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	execute(t, db, "ALTER DATABASE "+name+" SET idle_in_transaction_session_timeout = '2s'")
	got, _ := openCounts(t, location, c.schema, "SELECT * FROM "+countedTable)
	time.Sleep(3 * time.Second)
	tabletest.Agree(t, got, tabletest.Scan{Table: c.inMemory(t)}, 2, 1)
}
