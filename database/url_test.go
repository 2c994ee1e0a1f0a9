package database

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for location, want := range map[string]string{
		"postgres://ann@host/db":                       "postgres://ann@host/db",
		"postgres://ann:secret@host:5432/db?a=b":       "postgres://ann@host:5432/db",
		"PostgreSQL://ann:sec@ret@host/db":             "postgresql://ann@host/db",
		"postgres://:secret@host/db":                   "postgres://host/db",
		"postgres://host/db?password=secret&x=y":       "postgres://host/db",
		"postgres://host/db?x=y&sslPassword=secret":    "postgres://host/db",
		"postgres://host/db?x=y&%70assword=secret":     "postgres://host/db",
		"postgres://ann:secret@host/?password=secret2": "postgres://ann@host/",
		"sqlite:///path/a:b@c.db":                      "sqlite:///path/a:b@c.db",
		"sqlite:a%3Fb.db":                              "sqlite:a%3Fb.db",
	} {
		d, err := Parse(location)
		if err != nil || d.shown != want {
			t.Errorf("%s\n got  %+v, %v\n want %s", location, d, err, want)
		}
	}
}

func TestScrub(t *testing.T) {
	d, err := Parse("postgres://ann:s%40cret@host/db?sslpassword=p%2Fw+d")
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("cannot connect\nwith s@cret, s%40cret, p/w d, p%2Fw%20d or `postgres://ann:se%63ret@h/?x=y`")
	if got := d.Scrub(cause); got.Error() != "cannot connect with ***, ***, ***, *** or `the URL`" || !errors.Is(got, cause) {
		t.Errorf("got %v", got)
	}
}

// TestFileName checks that a password is not told where it was given as a file's name.
func TestFileName(t *testing.T) {
	there := filepath.Join(t.TempDir(), "year=2024@home.csv")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, plain := range []string{there, "people.csv", "nowhere/a b.csv", `C:\people.csv`} {
		if got := FileName(plain); got != plain {
			t.Errorf("%s: %s", plain, got)
		}
	}
	for _, secret := range []string{"host=h password=s3cret", "ann:s3cret@h/db", "postgres:s3cret", "http://s3cret/"} {
		if got := FileName(secret); strings.Contains(got, "s3cret") {
			t.Errorf("%s: %s", secret, got)
		}
	}
}

func TestIsURL(t *testing.T) {
	for location, want := range map[string]bool{
		"postgres://h/d": true, "postgres:u:p@h": true, "sqlite:people.db": true, "SQLite:///p": true, "duckdb://x": true,
		"people.csv": false, "-": false, "a:b.csv": false, `C:\people.csv`: false, "/tmp/x": false,
	} {
		if got := IsURL(location); got != want {
			t.Errorf("%s: %v", location, got)
		}
	}
}
