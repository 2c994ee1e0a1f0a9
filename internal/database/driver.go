package database

import (
	"database/sql/driver"
	"reflect"
)

// drivers are the packages of the drivers that Sibyl is tested with, for databases that a program
// opened. MySQL's is not among them: statements for it take settings of the session, which are the
// program's there.
var drivers = map[string]*Dialect{
	"modernc.org/sqlite":             SQLite,
	"github.com/jackc/pgx/v5/stdlib": PostgreSQL,
	"github.com/duckdb/duckdb-go/v2": DuckDB,
}

// DialectOf returns the dialect of a driver, or nil for one that is not known.
func DialectOf(d driver.Driver) *Dialect {
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return drivers[t.PkgPath()]
}
