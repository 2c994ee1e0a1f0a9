package database

import (
	"database/sql/driver"
	"reflect"
)

// drivers maps the Go packages of database drivers to dialects, for databases that the calling program has
// opened. MySQL's driver is missing on purpose: statements for MySQL need session settings, and the session
// belongs to the program.
var drivers = map[string]*Dialect{
	"modernc.org/sqlite":             SQLite,
	"github.com/jackc/pgx/v5/stdlib": PostgreSQL,
	"github.com/duckdb/duckdb-go/v2": DuckDB,
}

// DialectOf returns the SQL dialect of a database driver, or nil if the driver is unknown.
func DialectOf(d driver.Driver) *Dialect {
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return drivers[t.PkgPath()]
}
