// Package drivers links the readers of package source that need other libraries: Parquet files, and
// the databases of package database. Build tags leave each out, for faster builds and smaller
// programs:
//
//	go build -tags noparquet,nomysql,nopostgres,nosqlite ./cmd/sibyl
package drivers
