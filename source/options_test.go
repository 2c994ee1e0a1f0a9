package source_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/people"
	"github.com/sibyl-dp/sibyl/source"
)

// slowReader gives little at a time, so that reading takes longer than the
// time between two reports.
type slowReader struct{ file *os.File }

func (r slowReader) Read(p []byte) (int, error) { return r.file.Read(p[:min(len(p), 200)]) }

func TestProgress(t *testing.T) {
	inDirectory(t)
	if err := people.WriteCSV("people.csv", 300_000); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("people.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	progress := func(done, total int64) {
		if done <= last || done > info.Size() || total != 0 {
			t.Errorf("%d of %d bytes after %d", done, total, last)
		}
		last = done
	}
	o := source.Options{Stdin: slowReader{file}, Progress: progress}
	if _, err := source.Read(context.Background(), "-", mustParse(t, people.Schema), o); err != nil {
		t.Fatal(err)
	}
}

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
	s := mustParse(t, smallSchema)
	want := "[0 0]true×2 [1 1]false×1 5 rows, 2 null"
	got, err := source.ReadSQL(context.Background(), db, source.SQLite, "SELECT * FROM people ORDER BY age;", s)
	if err != nil || show(got) != want {
		t.Fatalf("got %v, %v; want %s", got, err, want)
	}
	got, err = source.Read(context.Background(), "sqlite:people.db", s, source.Options{Query: "WITH p AS (SELECT * FROM people) SELECT * FROM p"})
	if err != nil || show(got) != want {
		t.Fatalf("got %v, %v; want %s", got, err, want)
	}
	if _, err := source.Read(context.Background(), "sqlite:none.db", s, source.Options{Query: "SELECT 1"}); err == nil || err.Error() != "sqlite:none.db: there is no such database file" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := source.ReadSQL(ctx, db, source.SQLite, "SELECT * FROM people", s); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
