package drivers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/visits"
)

// inDirectory runs the test in a directory of its own.
func inDirectory(t testing.TB) { t.Chdir(t.TempDir()) }

func TestReadSQL(t *testing.T) {
	inDirectory(t)
	db, err := sql.Open("sqlite", "file:people.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE people (age REAL, "city" TEXT, y INTEGER)`,
		`INSERT INTO people VALUES (17, 'Rome', 1), (17.0, 'Rome', 1), (18, 'Bern', 0), (NULL, 'Rome', 1), (20, 'Oslo', 0)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	s := tabletest.Schema(t, `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "age"
cuts = [18]
[[attribute]]
column = "city"
values = ["Rome", "Bern"]
`)
	text := strings.NewReader("age,city,y\n17,Rome,1\n17,Rome,1\n18,Bern,0\n,Rome,1\n20,Oslo,0\n")
	want, err := source.Read(context.Background(), "-", s, source.Options{Stdin: text})
	if err != nil || want.Len() != 2 || want.Nulls() != 2 {
		t.Fatalf("got %v, %v", want, err)
	}
	got, err := source.Read(context.Background(), "", s, source.Options{DB: db, Query: "SELECT * FROM people ORDER BY age;"})
	if err != nil || !got.Equal(want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
	got, err = source.Read(context.Background(), "sqlite:people.db", s, source.Options{Query: "WITH p AS (SELECT * FROM people) SELECT * FROM p"})
	if err != nil || !got.Equal(want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
	if _, err := source.Read(context.Background(), "sqlite:none.db", s, source.Options{Query: "SELECT 1"}); err == nil || err.Error() != "sqlite:none.db: the database file does not exist; check its path" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := source.Read(ctx, "", s, source.Options{DB: db, Query: "SELECT * FROM people"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNoPasswordInMessages checks the messages of every kind of failure before a connection is made.
func TestNoPasswordInMessages(t *testing.T) {
	schema := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]")
	for _, location := range []string{
		"postgres://ann:s3cret@127.0.0.1:1/db?connect_timeout=1",
		"postgres://ann:s3cret@127.0.0.1:port/db",
		"postgres://ann:s3cret@[::1/db",
		"postgres://ann:s3cret%zz@127.0.0.1/db",
		"postgres://127.0.0.1:1/db?password=s3cret&connect_timeout=1",
		"mysql://ann:s3cret@127.0.0.1:1/db",
		"mysql://ann:s3cret@127.0.0.1:port/db",
		"mariadb://127.0.0.1/db?password=s3cret",
		"mysql:ann:s3cret@127.0.0.1/db",
		"duckdb:people.duckdb?password=s3cret",
		"oracle://ann:s3cret@127.0.0.1/db",
		"postgres://127.0.0.1:1/db?x=1;password=s3cret",
		"postgres://127.0.0.1:1/db?%70assword=s%33cret&connect_timeout=1",
		"postgres://127.0.0.1:1/db?%70assword=s%33cret&connect_timeout=s3cret",
		"postgres:/ann:s3cret@127.0.0.1/db",
		"postgres:ann:s3cret@127.0.0.1/db",
		"POSTGRES:ann:s3cret@127.0.0.1/db",
		"postgres://ann:1/s3cret@127.0.0.1/db",
		"postgres://ann:1?s3cret@127.0.0.1/db",
		"postgres://ann:1#s3cret@127.0.0.1/db",
		"postgres:s3cret",
		"host=127.0.0.1 user=ann password=s3cret",
		"ann:s3cret@127.0.0.1/db",
		"sqlite:people.db?password=s3cret",
		"sqlite:people.db#s3cret",
		"sqlite:%zzs3cret",
	} {
		for _, query := range []string{"", "SELECT 1"} {
			_, err := source.Read(context.Background(), location, schema, source.Options{Query: query})
			if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "s%33cret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", location, err)
			}
			t.Log(err)
		}
	}
}

func TestSQLiteEqualsText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20?.db")
	db, err := sql.Open("sqlite", path[:len(path)-len("a b%20?.db")]+"plain.db")
	if err != nil {
		t.Fatal(err)
	}
	fillVisits(t, db, `CREATE TABLE visits (whole INTEGER, small INT, price TEXT, ratio DOUBLE, single TEXT,
		member BOOLEAN, day DATE, instant TIMESTAMP, city TEXT, "order" TEXT COLLATE NOCASE, raw BLOB, y TEXT)`, "?")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(filepath.Dir(path), "plain.db"), path); err != nil {
		t.Fatal(err)
	}
	location := "sqlite://" + strings.NewReplacer("%", "%25", "?", "%3F", " ", "%20").Replace(path)
	visits.Check(t, location, source.Options{Query: "SELECT * FROM visits -- all;"})
	checkSQLMessages(t, location)
}

func TestPostgreSQLEqualsText(t *testing.T) {
	location, db := openPostgres(t)
	fillVisits(t, db, `CREATE TABLE visits (whole BIGINT, small SMALLINT, price NUMERIC(10,2), ratio DOUBLE PRECISION, single REAL,
		member BOOLEAN, day DATE, instant TIMESTAMPTZ, city TEXT, "order" VARCHAR(5), raw BYTEA, y TEXT)`, "$")
	visits.Check(t, location, source.Options{Query: "SELECT * FROM visits;\n"})
	checkSQLMessages(t, location)
	for query, want := range map[string]string{
		"SELECT whole, whole FROM visits":           `: the query's result has column "whole" twice; select it once`,
		"SELECT city::integer AS whole FROM visits": "SQLSTATE 22P02; run it in the database's own shell to see why",
		"SELECT whole FROM visits FOR UPDATE":       "SQLSTATE 25006; it must only read, so remove what changes or locks rows, such as FOR UPDATE",
	} {
		s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"whole\"\nvalues = [\"1\"]")
		_, err := source.Read(context.Background(), location, s, source.Options{Query: query})
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "Rome") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func fillVisits(t *testing.T, db *sql.DB, create, mark string) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS visits", create} {
		if _, err := tx.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	marks := make([]string, len(visits.Names))
	for i := range marks {
		if marks[i] = mark; mark == "$" {
			marks[i] = fmt.Sprint("$", i+1)
		}
	}
	insert, err := tx.Prepare("INSERT INTO visits VALUES (" + strings.Join(marks, ", ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range visits.All() {
		values := v.Values()
		if mark == "?" {
			values[4] = fmt.Sprint(v.Single)
		}
		if _, err := insert.Exec(values...); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func checkSQLMessages(t *testing.T, location string) {
	t.Helper()
	s := tabletest.Schema(t, visits.Schema)
	for query, want := range map[string]string{
		"":                                  ": to read a database, give --query, a SELECT that returns the rows, one per person unless the schema has [person]",
		"SELECT 1 AS whole":                 `: the query's result lacks column "small"; select that column, or give a column that name with AS`,
		"SELECT 1 AS whole, 2 AS \"Small\"": `: the query's result lacks column "small", but has this name with other capital letters, blanks or Unicode forms; write it as in the result`,
		"SELECT * FROM nowhere":             ": the query is refused: ",
		"SELEKT * FROM visits":              ": the query is refused: ",
	} {
		_, err := source.Read(context.Background(), location, s, source.Options{Query: query})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got  %v\n want %s", query, err, want)
		} else {
			t.Log(err)
		}
	}
}
