package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
		"mysql://ann:s%40cret@host:1/db?tls=true":      "mysql://ann@host:1/db",
		"MariaDB://:secret@host/db?timeout=3s":         "mariadb://host/db",
		"mysql://ann@/db?socket=%2Frun%2Fsocket":       "mysql://ann@/db",
		"duckdb:///path/a b.duckdb":                    "duckdb:///path/a b.duckdb",
		"duckdb:":                                      "duckdb:",
		"duckdb:a.db?threads=2":                        "duckdb:a.db",
	} {
		d, err := Parse(location)
		if err != nil || d.shown != want {
			t.Errorf("%s\n got  %+v, %v\n want %s", location, d, err, want)
		}
	}
}

// TestMySQLParameters checks that a URL does not reach the driver's own parameters, and
// that user, password and name do not become others.
// TestPostgresTimeout checks that a connection to PostgreSQL is not waited for without end.
func TestPostgresTimeout(t *testing.T) {
	t.Setenv("PGCONNECT_TIMEOUT", "")
	for location, want := range map[string]string{
		"postgres://ann@host/db":                   "postgres://ann@host/db?connect_timeout=30",
		"postgres://ann@host/db?":                  "postgres://ann@host/db?&connect_timeout=30",
		"postgres://ann@host/db?sslmode=disable":   "postgres://ann@host/db?sslmode=disable&connect_timeout=30",
		"postgres://ann@host/db?connect_timeout=5": "postgres://ann@host/db?connect_timeout=5",
	} {
		u, err := Parse(location)
		if err != nil || u.dsn != want {
			t.Errorf("%s: %v, %v", location, u, err)
		}
	}
	t.Setenv("PGCONNECT_TIMEOUT", "7")
	if u, err := Parse("postgres://ann@host/db"); err != nil || u.dsn != "postgres://ann@host/db" {
		t.Errorf("%v, %v", u, err)
	}
}

func TestMySQLParameters(t *testing.T) {
	for location, want := range map[string][2]string{
		"mysql://ann:p%40%2F%3As%28@host:3307/d%2Fb?tls=true": {"ann:p@/:s(@tcp(host:3307)/d%2Fb?", "true"},
		"mariadb://host":                          {":@tcp(host)/?", "preferred"},
		"mysql://ann@[::1]:3307/db?timeout=1s":    {"ann:@tcp([::1]:3307)/db?", "preferred"},
		"mysql://ann:p@/db?socket=%2Frun%2Fx%3Fy": {"ann:p@unix(/run/x?y)/db?", "false"},
	} {
		d, err := Parse(location)
		if err != nil || !strings.HasPrefix(d.dsn, want[0]+"charset=utf8mb4&") || !strings.HasSuffix(d.dsn, "&tls="+want[1]) {
			t.Errorf("%s\n got  %+v, %v\n want %s", location, d, err, want)
		}
	}
	for _, location := range []string{
		"mysql:ann:s3cret@h/d", "mysql://ann:s3cret@h/d#x", "mysql://ann:s3/cret@h/d", "mysql://ann%3As3cret@h/d", "mysql://ann:s3cret@h)(/d",
		"mysql://h/d?password=s3cret", "mysql://h/d?multiStatements=true&s3cret=x", "mysql://h/d?allowAllFiles=true", "mysql://h/d?sql_mode=x", "mysql://h/d?tls=s3cret",
		"mysql://h/d?timeout=s3cret", "mysql://h/d?timeout=-1s", "mysql://h/d?socket=s3cret", "mysql://h/d?socket=/a)/", "mysql://h/d?a;b=s3cret",
	} {
		if d, err := Parse(location); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %+v, %v", location, d, err)
		}
	}
}

// TestDuckDBParameters checks that a URL sets what DuckDB may take of the machine, and
// nothing else.
func TestDuckDBParameters(t *testing.T) {
	const kept = "autoinstall_known_extensions=false"
	for location, want := range map[string]string{
		"duckdb:///a%20b.db": "/a b.db?access_mode=READ_ONLY&" + kept,
		"duckdb:":            "?" + kept,
		"duckdb:?threads=12": "?" + kept + "&threads=12",
		"duckdb:a.db?threads=1&memory_limit=100MB": "a.db?access_mode=READ_ONLY&" + kept + "&memory_limit=100MB&threads=1",
		"duckdb:a.db?memory_limit=2GiB":            "a.db?access_mode=READ_ONLY&" + kept + "&memory_limit=2GiB",
	} {
		if d, err := Parse(location); err != nil || d.dsn != want {
			t.Errorf("%s\n got  %+v, %v\n want %s", location, d, err, want)
		}
	}
	for _, location := range []string{
		"duckdb:a.db?access_mode=READ_WRITE", "duckdb:a.db%3Faccess_mode=READ_WRITE", "duckdb:md:s3cret", "duckdb:a%2541", "duckdb:a%zz",
		"duckdb:a#b.db", "duckdb:a%23b.db", "duckdb:a.db?s3cret", "duckdb:a.db?a;b=s3cret", "duckdb:a.db?threads=0", "duckdb:a.db?threads=2s3cret",
		"duckdb:a.db?memory_limit=100", "duckdb:a.db?memory_limit=-1GB", "duckdb:a.db?memory_limit=80%25", "duckdb:a.db?memory_limit=1GB&memory_limit=2GB",
		"duckdb:a.db?memory_limit=1GB&temp_directory=s3cret", "duckdb:a.db?threads=2#threads=s3cret",
	} {
		if d, err := Parse(location); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %+v, %v", location, d, err)
		}
	}
}

func TestScrub(t *testing.T) {
	d, err := Parse("postgres://ann:s%40cret@host/db?sslpassword=p%2Fw+d")
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("cannot connect\nwith s@cret, s%40cret, p/w d, p%2Fw%20d or `postgres://ann:se%63ret@h/?x=y` or mysql://ann:se%63ret@h")
	if got := d.Scrub(cause); got.Error() != "cannot connect with ***, ***, ***, *** or `the URL` or the URL" || !errors.Is(got, cause) {
		t.Errorf("got %v", got)
	}
}

// TestCause checks that the text of a failed connection has the cause and what to check, but not the texts in which
// drivers wrap it.
func TestCause(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5432}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	plain := errors.New("server refused TLS connection")
	for want, err := range map[string]error{
		"127.0.0.1:5432: connection refused; check the host and the port in the URL, and whether the server runs":       refused,
		"the host nohost is unknown; check the host in the URL":                                                         &net.DNSError{Name: "nohost", IsNotFound: true},
		"the server did not answer in time; check the host and the port in the URL, and whether a firewall blocks them": context.DeadlineExceeded,
		"FATAL: password authentication failed (SQLSTATE 28P01); check the user and the password":                       errors.Join(plain, sqlError{"FATAL: password authentication failed", "28P01"}),
		"FATAL: database \"d\" does not exist (SQLSTATE 3D000); check the name of the database in the URL":              sqlError{`FATAL: database "d" does not exist`, "3D000"},
		"ERROR: division by zero (SQLSTATE 22012)":                                                                      sqlError{"ERROR: division by zero", "22012"},
		"server refused TLS connection": plain,
	} {
		chain := fmt.Errorf("failed to connect to `user=ann database=d`: %w", errors.Join(fmt.Errorf("127.0.0.1:5432 (h): dial error: %w", err), err))
		if got := new(URL).Scrub(chain); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// A sqlError is an error of a server.
type sqlError struct{ text, state string }

func (e sqlError) Error() string    { return e.text + " (SQLSTATE " + e.state + ")" }
func (e sqlError) SQLState() string { return e.state }

// TestFileName checks that a message does not contain a password that was given as a file's name.
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
		"postgres://h/d": true, "postgres:u:p@h": true, "sqlite:people.db": true, "SQLite:///p": true, "duckdb://x": true, "duckdb:": true, "mariadb:u:p@h": true,
		"people.csv": false, "-": false, "a:b.csv": false, `C:\people.csv`: false, "/tmp/x": false,
	} {
		if got := IsURL(location); got != want {
			t.Errorf("%s: %v", location, got)
		}
	}
}
