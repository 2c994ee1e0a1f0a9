// Package drivers links the libraries that package source needs to read Parquet files and the databases of
// package database. Each library can be left out by a build tag, for faster builds and smaller programs:
//
//	go build -tags noparquet,nomysql,nopostgres,nosqlite ./cmd/sibyl
package drivers
