// Engines compares where the counting may be done: the same table as a file, which is counted
// in memory, and in SQLite, DuckDB, PostgreSQL, MariaDB, parted over three PostgreSQL servers,
// and by a pipeline of Beam:
//
//	go run . -rows 1000000 -postgres URL -mysql URL -sharded "URL URL URL" -beam ./sibyl-beam
//	go run . -csv adult.csv -schema adult.toml -postgres URL …
//
// Servers are started by .ci/postgres, .ci/mariadb and .ci/sharded of the checkout, and run on
// this machine; one that is not given is left out. What is measured runs in a process of its own:
// a table of the first attributes of the schema is read; the counts of all pairs of columns are
// asked for, as synthetic data does; and a model is learned by default, always with the same
// coins. All must find the same, bit for bit. Seconds are those of the clock, with the servers on
// the same processors; CPU is what our process took of these, with SQLite, DuckDB or Beam in it,
// and what the servers did; memory is the peak of our process; and bytes are those that servers
// send, to us and to each other. Loading is not measured. Memory is read from /proc, so the
// program needs Linux.
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
