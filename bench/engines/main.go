// Engines compares where the counting may be done: the same table as a file, which is counted
// in memory, and in SQLite, DuckDB, PostgreSQL, MariaDB, and parted over three PostgreSQL
// servers:
//
//	go run . -rows 1000000 -postgres URL -mysql URL -sharded "URL URL URL"
//	go run . -csv adult.csv -schema adult.toml -postgres URL …
//
// Servers are started by .ci/postgres, .ci/mariadb and .ci/sharded of the checkout; one that is
// not given is left out. What is measured runs in a process of its own: a table of the first
// attributes of the schema is read, as a learner does, and the counts of all pairs of columns
// are asked for, as synthetic data does. All must get the same numbers. Seconds are those of
// the clock, with the servers on the same processors; memory is the peak of our process, with
// SQLite or DuckDB in it; and bytes are those that servers send, to us and to each other.
// Loading is not measured. Memory is read from /proc, so the program needs Linux.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 1_000_000, "rows of a made-up table of 20 attributes")
	csvPath := flag.String("csv", "", "a file of comma-separated text with a header, in place of a made-up table")
	schemaPath := flag.String("schema", "", "its schema")
	first := flag.Int("first", 5, "how many attributes the table has that is read")
	postgres := flag.String("postgres", "", "a PostgreSQL server")
	mysql := flag.String("mysql", "", "a MySQL or MariaDB server")
	sharded := flag.String("sharded", "", "three PostgreSQL servers, separated by blanks")
	one := flag.String("one", "", "do one task, and print what it took as JSON")
	location := flag.String("location", "", "the data of -one")
	query := flag.String("query", "", "the query of -one")
	flag.Parse()
	if *one != "" {
		if err := runOne(*one, *location, *query, *schemaPath, *first); err != nil {
			log.Fatal(err)
		}
		return
	}
	directory, err := os.MkdirTemp("", "engines")
	if err != nil {
		log.Fatal(err)
	}
	err = compare(directory, *rows, *csvPath, *schemaPath, *first, *postgres, *mysql, strings.Fields(*sharded))
	os.RemoveAll(directory)
	if err != nil {
		log.Fatal(err)
	}
}

func compare(directory string, rows int, csvPath, schemaPath string, first int, postgres, mysql string, sharded []string) error {
	if csvPath == "" {
		csvPath, schemaPath = filepath.Join(directory, "made.csv"), filepath.Join(directory, "made.toml")
		if err := os.WriteFile(schemaPath, []byte(madeSchema()), 0o600); err != nil {
			return err
		}
		if err := writeMade(csvPath, rows); err != nil {
			return err
		}
	}
	columns, err := columnsOf(csvPath, schemaPath)
	if err != nil {
		return err
	}
	type engine struct {
		name, location string
		wires          []*wire // over which its servers send
	}
	engines := []engine{{name: "file", location: csvPath}}
	add := func(name, location string, wires []*wire, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		engines = append(engines, engine{name, location, wires})
		return nil
	}
	location, err := loadSQLite(filepath.Join(directory, "t.db"), csvPath, columns)
	if err := add("SQLite", location, nil, err); err != nil {
		return err
	}
	location, err = loadDuckDB(filepath.Join(directory, "t.duckdb"), csvPath, columns)
	if err := add("DuckDB", location, nil, err); err != nil {
		return err
	}
	for _, server := range []struct {
		name, url string
		load      func(url, csvPath string, columns []column) error
	}{{"PostgreSQL", postgres, loadPostgres}, {"MariaDB", mysql, loadMySQL}} {
		if server.url == "" {
			continue
		}
		err := server.load(server.url, csvPath, columns)
		if err != nil {
			return fmt.Errorf("%s: %w", server.name, err)
		}
		w, through, err := wireTo(server.url)
		if err := add(server.name, through, []*wire{w}, err); err != nil {
			return err
		}
	}
	if len(sharded) > 0 {
		through, wires, err := loadSharded(sharded, csvPath, columns)
		if err := add("3 PostgreSQL", through, wires, err); err != nil {
			return err
		}
	}
	fmt.Printf("%-13s %-6s %12s %9s %9s %12s %13s\n", "", "", "rows/s", "seconds", "peak MiB", "MB to us", "MB between")
	for _, task := range []string{"read", "pairs"} {
		var base *result
		for _, e := range engines {
			for _, w := range e.wires {
				w.reset()
			}
			r, err := measure(task, e.location, schemaPath, first)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", e.name, task, err)
			}
			if base == nil {
				base = r
			}
			if r.Sum != base.Sum || r.Rows != base.Rows {
				return errors.New(e.name + " has other counts")
			}
			to, between := "", ""
			for i, w := range e.wires {
				text := fmt.Sprintf("%.3f", float64(w.reset())/1e6)
				if i == 0 {
					to = text
				} else {
					between += " " + text
				}
			}
			fmt.Printf("%-13s %-6s %12.0f %9.2f %9.0f %12s %13s\n", e.name, task, float64(r.Rows)/r.Seconds, r.Seconds, r.Peak, to, between)
		}
	}
	return nil
}

// measure does a task in a process of its own.
func measure(task, location, schemaPath string, first int) (*result, error) {
	query := ""
	if strings.Contains(location, ":") {
		query = "SELECT * FROM " + tableName
	}
	command := exec.Command(os.Args[0], "-one", task, "-location", location, "-query", query, "-schema", schemaPath, "-first", fmt.Sprint(first))
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	var r result
	return &r, json.Unmarshal(output, &r)
}
