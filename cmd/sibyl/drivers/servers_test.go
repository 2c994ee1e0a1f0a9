package drivers

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// postgresServer returns the URL of the server, or skips the test.
func postgresServer(t testing.TB) string {
	t.Helper()
	location := os.Getenv("SIBYL_TEST_POSTGRES")
	if location == "" {
		shareddata.Missing(t, "SIBYL_TEST_POSTGRES does not name a PostgreSQL server; .ci/postgres starts one")
	}
	return location
}

// openPostgres creates a database for the test, or skips the test.
func openPostgres(t testing.TB) (location string, db *sql.DB) {
	t.Helper()
	return ownDatabase(t, postgresServer(t), "")
}

// openMySQL creates a database for the test, or skips the test.
func openMySQL(t testing.TB) (location string, db *sql.DB) {
	t.Helper()
	location = os.Getenv("SIBYL_TEST_MYSQL")
	if location == "" {
		shareddata.Missing(t, "SIBYL_TEST_MYSQL does not name a MySQL or MariaDB server; .ci/mariadb starts one")
	}
	return ownDatabase(t, location, "")
}

var databases atomic.Int64

// ownDatabase creates a database with the given options for this test, because other processes may use the same server. It
// drops the database when the test has ended.
func ownDatabase(t testing.TB, server, options string) (location string, db *sql.DB) {
	t.Helper()
	name, force := fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1)), ""
	if strings.HasPrefix(server, "postgres") {
		force = " WITH (FORCE)" // also if there are connections
	}
	admin := openURL(t, server)
	execute(t, admin, "CREATE DATABASE "+name+options)
	t.Cleanup(func() { execute(t, admin, "DROP DATABASE "+name+force); admin.Close() })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	db = openURL(t, u.String())
	t.Cleanup(func() { db.Close() })
	return u.String(), db
}

func openURL(t testing.TB, location string) *sql.DB {
	t.Helper()
	u, err := database.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	db, err := u.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// openReadOnly opens a PostgreSQL database as the command does for reading, for tests with many queries: the server starts
// a process for each connection, which takes longer than most queries. It closes the database when the test has ended.
func openReadOnly(t testing.TB, location string) *sql.DB {
	t.Helper()
	u, err := database.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	db, err := u.OpenReadOnly()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// execute executes statements, which must succeed.
func execute(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%.200s: %v", statement, err)
		}
	}
}
