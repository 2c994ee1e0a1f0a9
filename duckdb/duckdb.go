// Package duckdb links DuckDB's driver, which is in C++ and takes 70 MB, into a program, so
// that package source reads duckdb URLs. It is a module of its own, so that no other program
// takes the driver over. The command with DuckDB, from a checkout, with a C compiler:
//
//	cd duckdb
//	go build -overlay overlay.json -o ../sibyl github.com/sibyl-dp/sibyl/cmd/sibyl
package duckdb

import _ "github.com/duckdb/duckdb-go/v2"
