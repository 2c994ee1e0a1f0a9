package source

import (
	"errors"
	"testing"
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
