// Package duckdb links DuckDB's driver into a program, so that it can read duckdb URLs. The driver
// is written in C++ and adds 70 MB to a program. Therefore this package is a separate module, which
// other programs do not download. With a C compiler, the following commands build the command sibyl
// with DuckDB from a checkout:
//
//	cd duckdb
//	go build -overlay overlay.json -o ../sibyl github.com/sibyl-dp/sibyl/cmd/sibyl
package duckdb

import _ "github.com/duckdb/duckdb-go/v2"
