package drivers

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const numberSchema = "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]"

// refuses checks that reading by each query fails with the given message.
func refuses(t *testing.T, location string, queries map[string]string) {
	t.Helper()
	s := tabletest.Schema(t, numberSchema)
	for query, want := range queries {
		o := source.Options{Query: query}
		_, err := source.Read(context.Background(), location, s, o)
		each := source.Records(context.Background(), location, s, o, func(source.Row) error { return nil })
		for _, err := range []error{err, each} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s\n got  %v\n want %s", query, err, want)
			}
		}
	}
}

// TestSQLiteIsOnlyRead runs queries that try to write to the database and to other files.
func TestSQLiteIsOnlyRead(t *testing.T) {
	inDirectory(t)
	db, err := sql.Open("sqlite", "people.db")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE people (a INT); INSERT INTO people VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile("people.db")
	if err != nil {
		t.Fatal(err)
	}
	one := ": the query must be one SELECT statement, but it contains a semicolon; within a text write char(59) instead"
	refuses(t, "sqlite:people.db", map[string]string{
		"SELECT a FROM people; ATTACH 'new.db' AS n; CREATE TABLE n.p AS SELECT * FROM people":                                     one,
		"SELECT a FROM people) AS t; ATTACH 'new.db' AS n; CREATE TABLE n.p AS SELECT * FROM people; SELECT * FROM (SELECT 1 AS a": one,
		"SELECT a FROM people; SELECT a FROM people":                                                                               one,
		"ATTACH 'new.db' AS n":                                                   ": the query is refused: ",
		"VACUUM INTO 'new.db'":                                                   ": the query is refused: ",
		"CREATE TABLE q AS SELECT a FROM people":                                 ": the query is refused: ",
		"DELETE FROM people RETURNING a":                                         ": the query is refused: ",
		"PRAGMA journal_mode = wal":                                              ": the query is refused: ",
		"EXPLAIN SELECT a FROM people":                                           ": the query is refused: ",
		"SELECT a FROM people) AS t UNION ALL SELECT * FROM (SELECT 1 AS a":      ": the query is refused: ",
		"WITH x AS (SELECT 1 AS a) INSERT INTO people SELECT a FROM x":           ": the query is refused: ",
		"SELECT load_extension('x') AS a":                                        "the query ",
		"SELECT writefile('new.db', 'x') AS a":                                   "the query ",
		"SELECT a FROM people, pragma_query_only(0), pragma_journal_mode('wal')": "the query ",
	})
	after, err := os.ReadFile("people.db")
	if err != nil || string(after) != string(before) {
		t.Errorf("the database has changed: %v", err)
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestPostgreSQLIsOnlyRead runs queries that try to write, including calls of functions with side effects.
func TestPostgreSQLIsOnlyRead(t *testing.T) {
	location, db := openPostgres(t)
	for _, statement := range []string{
		"DROP TABLE IF EXISTS only_read", "CREATE TABLE only_read (a INT)", "INSERT INTO only_read VALUES (1)",
		"DROP SEQUENCE IF EXISTS only_read_next", "CREATE SEQUENCE only_read_next",
		"CREATE OR REPLACE FUNCTION only_read_add() RETURNS INT LANGUAGE plpgsql AS $$ BEGIN INSERT INTO only_read VALUES (2); RETURN 1; END $$",
		"CREATE FUNCTION only_read_stable() RETURNS INT STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN only_read_add(); END $$", // which is wrong
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	one := ": the query must be one SELECT statement, but it contains a semicolon; within a text write chr(59) instead"
	file := filepath.Join(t.TempDir(), "copy")
	refuses(t, location, map[string]string{
		"SELECT a FROM only_read; DELETE FROM only_read":                                             one,
		"SELECT a FROM only_read) AS t; COMMIT; DELETE FROM only_read; SELECT * FROM (SELECT 1 AS a": one,
		"DELETE FROM only_read RETURNING a":                                                          ": the query is refused: ",
		"WITH x AS (DELETE FROM only_read RETURNING a) SELECT a FROM x":                              ": the query is refused: ",
		"COPY only_read TO '" + file + "'":                                                           ": the query is refused: ",
		"COPY only_read TO PROGRAM 'cat > " + file + "'":                                             ": the query is refused: ",
		"SELECT a INTO only_read_too FROM only_read":                                                 ": the query is refused: ",
		"SELECT only_read_add() AS a":                                                                "volatile function",
		"SELECT only_read_stable() AS a":                                                             "SQLSTATE 25006",
		"SELECT nextval('only_read_next')::int AS a":                                                 "volatile function",
		"SELECT set_config('transaction_read_only', 'off', false)::int AS a, only_read_add() AS b":   "volatile function",
	})
	refuses(t, location+"&default_query_exec_mode=simple_protocol", map[string]string{
		"SELECT a FROM only_read": "the database's URL must not have default_query_exec_mode=simple_protocol, which allows a query of several statements; remove this parameter",
	})
	rows := 0
	if err := db.QueryRow("SELECT COUNT(*) FROM only_read").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the table has %d rows, %v", rows, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

// TestMySQLIsOnlyRead runs queries that try to write. In MySQL, SELECT can also write files and acquire locks.
func TestMySQLIsOnlyRead(t *testing.T) {
	location, db := openMySQL(t)
	execute(t, db,
		"DROP TABLE IF EXISTS only_read", "CREATE TABLE only_read (a INT) ENGINE=InnoDB", "INSERT INTO only_read VALUES (1)",
		"DROP TABLE IF EXISTS only_read_too", "CREATE TABLE only_read_too (a INT) ENGINE=MyISAM",
		"DROP FUNCTION IF EXISTS only_read_add", "CREATE FUNCTION only_read_add() RETURNS INT BEGIN INSERT INTO only_read VALUES (2); RETURN 1; END",
		"DROP FUNCTION IF EXISTS only_read_add_too", "CREATE FUNCTION only_read_add_too() RETURNS INT BEGIN INSERT INTO only_read_too VALUES (2); RETURN 1; END",
	)
	one := ": the query must be one SELECT statement, but it contains a semicolon; within a text write char(59) instead"
	file := filepath.Join(t.TempDir(), "copy")
	refuses(t, location, map[string]string{
		"SELECT a FROM only_read; DELETE FROM only_read":                                             one,
		"SELECT a FROM only_read) AS t; COMMIT; DELETE FROM only_read; SELECT * FROM (SELECT 1 AS a": one,
		"DELETE FROM only_read RETURNING a":                                                          ": the query is refused: ",
		"DELETE FROM only_read":                                                                      ": the query is refused: ",
		"SELECT a FROM only_read INTO OUTFILE '" + file + "'":                                        ": the query is refused: ",
		"SELECT a INTO OUTFILE '" + file + "' FROM only_read":                                        ": the query is refused: ",
		"SELECT a INTO @a FROM only_read":                                                            ": the query is refused: ",
		"CREATE TABLE only_read_new AS SELECT a FROM only_read":                                      ": the query is refused: ",
		"COMMIT":                          ": the query is refused: ",
		"SELECT only_read_add() AS a":     "READ ONLY transaction",
		"SELECT only_read_add_too() AS a": "READ ONLY transaction",
	})
	rows := 0
	if err := db.QueryRow("SELECT (SELECT COUNT(*) FROM only_read) + (SELECT COUNT(*) FROM only_read_too)").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the tables have %d rows, %v", rows, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

// TestVolatileQueryIsRefused checks that queries whose rows may differ between runs are refused.
func TestVolatileQueryIsRefused(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	execute(t, db, "CREATE TABLE people (a INT)", "INSERT INTO people VALUES (1), (1)")
	why, end := ": the query may return other rows when it runs again, because it has ", "; remove that part, or store the rows in a table and select them from it"
	refuses(t, "sqlite:counted.db", map[string]string{
		"SELECT a FROM people WHERE random() > 0":                     why + "random()" + end,
		"SELECT a FROM people LIMIT 1":                                why + "LIMIT without ORDER BY" + end,
		"SELECT a FROM people WHERE CURRENT_TIMESTAMP > '2020-01-01'": why + "CURRENT_TIMESTAMP" + end,
	})
}

// TestLongValueIsRefused checks that a value longer than 1 MiB is refused. This is also the limit for a field of a file.
func TestLongValueIsRefused(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	execute(t, db, "CREATE TABLE people (a)", "INSERT INTO people VALUES (1), (zeroblob(1048576))")
	s := tabletest.Schema(t, numberSchema)
	read := func() error {
		return source.Records(context.Background(), "sqlite:counted.db", s, source.Options{Query: "SELECT a FROM people"}, func(source.Row) error { return nil })
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	execute(t, db, "UPDATE people SET a = zeroblob(1048577) WHERE a = 1")
	if err := read(); err == nil || err.Error() != `sqlite:counted.db: column "a" contains a value longer than 1 MiB; shorten it in the query` {
		t.Error(err)
	}
}
