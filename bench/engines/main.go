// Engines compares the engines that can count the rows of a table: a program that reads a CSV file, SQLite, DuckDB,
// PostgreSQL, MariaDB, a table that is partitioned over three PostgreSQL servers, and a pipeline of Beam. All engines
// have the same table:
//
//	go run . -rows 1000000 -postgres URL -mysql URL -sharded "URL URL URL" -beam ./sibyl-beam
//	go run . -csv adult.csv -schema adult.toml -postgres URL …
//
// The scripts .ci/postgres, .ci/mariadb and .ci/sharded of the checkout start servers on this machine. An engine is
// omitted if its flag is missing. There are three tasks, each of which runs in a process of its own:
//
//   - read reads a table with the first attributes of the schema.
//   - pairs counts all pairs of columns, as a release of synthetic data does.
//   - learn releases a model with default options, always with the same random source.
//
// The results of all engines must be equal, bit for bit. The program prints these measurements:
//
//   - seconds: the wall-clock time. The servers run on the same processors as the task.
//   - our CPU: the CPU time of the task's process. SQLite, DuckDB and Beam run in this process.
//   - their CPU: the CPU time of the servers.
//   - peak: the maximum memory of the task's process. It is read from /proc, so the program needs Linux.
//   - MB to us and MB between: the amount of data that the servers send to the task's process, and to each other.
//
// The time for copying the rows to the engines is not measured.
package main

import (
	"flag"
	"log"
	"os"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 1_000_000, "rows of a made-up table of 20 attributes")
	csvPath := flag.String("csv", "", "a file of comma-separated text with a header, and no carriage returns, in place of a made-up table")
	schemaPath := flag.String("schema", "", "its schema")
	first := flag.Int("first", 5, "how many attributes the table has that is read")
	postgres := flag.String("postgres", "", "a PostgreSQL server")
	mysql := flag.String("mysql", "", "a MySQL or MariaDB server")
	sharded := flag.String("sharded", "", "three PostgreSQL servers, separated by blanks")
	beam := flag.String("beam", "", "sibyl-beam, the program")
	without := flag.String("without", "", "engines to leave out, such as SQLite, separated by blanks")
	one := flag.String("one", "", "do one task, and print what it took as JSON")
	location := flag.String("location", "", "the data of -one")
	query := flag.String("query", "", "the query of -one")
	flag.Parse()
	if *one != "" {
		if err := runOne(*one, *location, *query, *schemaPath, *first, int64(*rows), *beam); err != nil {
			log.Fatal(err)
		}
		return
	}
	directory, err := os.MkdirTemp("", "engines")
	if err != nil {
		log.Fatal(err)
	}
	c := comparison{directory: directory, rows: *rows, csvPath: *csvPath, schemaPath: *schemaPath, first: *first,
		without: strings.Fields(*without), postgres: *postgres, mysql: *mysql, sharded: strings.Fields(*sharded), beam: *beam}
	err = c.run()
	os.RemoveAll(directory)
	if err != nil {
		log.Fatal(err)
	}
}
