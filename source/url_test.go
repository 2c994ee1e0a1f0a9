package source

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/table"
)

func TestSecrets(t *testing.T) {
	for location, want := range map[string]string{
		"postgres://ann@host/db":                       "postgres://ann@host/db",
		"postgres://ann:secret@host:5432/db?a=b":       "postgres://ann:***@host:5432/db?a=b",
		"postgres://ann:sec@ret/?#@host/db":            "postgres://ann:***@host/db",
		"postgres://:secret@host/db":                   "postgres://:***@host/db",
		"postgres://host/db?password=secret&x=y":       "postgres://host/db?password=***&x=y",
		"postgres://host/db?x=y&sslPassword=secret":    "postgres://host/db?x=y&sslPassword=***",
		"postgres://ann:secret@host/?password=secret2": "postgres://ann:***@host/?password=***",
		"sqlite:///path/a:b@c.db":                      "sqlite:///path/a:b@c.db",
	} {
		if got := secretsOf(location); got.location != want {
			t.Errorf("%s\n got  %s\n want %s", location, got.location, want)
		}
	}
	s := secretsOf("postgres://ann:s%40cret@host/db")
	cause := errors.New("cannot connect\nwith s@cret or s%40cret")
	if got := s.scrub(cause); got.Error() != "cannot connect with *** or ***" || !errors.Is(got, cause) {
		t.Errorf("got %v", got)
	}
}

// TestNoPasswordInMessages drives every way to fail before a connection.
func TestNoPasswordInMessages(t *testing.T) {
	schema, err := table.ParseSchema("s.toml", strings.NewReader("[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{
		"postgres://ann:s3cret@127.0.0.1:1/db?connect_timeout=1",
		"postgres://ann:s3cret@127.0.0.1:port/db",
		"postgres://ann:s3cret@[::1/db",
		"postgres://ann:s3cret%zz@127.0.0.1/db",
		"postgres://127.0.0.1:1/db?password=s3cret&connect_timeout=1",
		"mysql://ann:s3cret@127.0.0.1/db",
	} {
		for _, query := range []string{"", "SELECT 1"} {
			_, err := Read(context.Background(), location, schema, Options{Query: query})
			if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", location, err)
			}
			t.Log(err)
		}
	}
}

func TestIsURL(t *testing.T) {
	for location, want := range map[string]bool{
		"postgres://h/d": true, "sqlite:people.db": true, "SQLite:///p": true, "duckdb://x": true,
		"people.csv": false, "-": false, "a:b.csv": false, `C:\people.csv`: false, "/tmp/x": false,
	} {
		if got := isURL(location); got != want {
			t.Errorf("%s: %v", location, got)
		}
	}
}
