package database

import (
	"database/sql/driver"
	"reflect"
)

// drivers are the supported drivers for databases that the calling program has opened, by package. MySQL's
// driver is not supported there, because statements for it need session settings, which belong to the program.
var drivers = map[string]*Dialect{
	"modernc.org/sqlite":             SQLite,
	"github.com/jackc/pgx/v5/stdlib": PostgreSQL,
	"github.com/duckdb/duckdb-go/v2": DuckDB,
}

// DialectOf returns the dialect of a driver, or nil if the driver is unknown.
func DialectOf(d driver.Driver) *Dialect {
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return drivers[t.PkgPath()]
}
