// Package drivers links what package source reads by the help of others into the
// command: Parquet files, and the databases that package database names. A
// build can leave each out by a tag, and is quicker and smaller:
//
//	go build -tags noparquet,nomysql,nopostgres,nosqlite ./cmd/sibyl
package drivers
