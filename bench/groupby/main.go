// Groupby compares Sibyl's collapse of a generated file with the same GROUP BY
// in DuckDB and SQLite, in time and peak memory:
//
//	go run . -rows 10000000
//
// Every measurement runs in a process of its own, and all must find the same
// number of groups and rows. SQLite reads a table of a tenth of the rows, which
// is loaded beforehand; the loading is not counted. Sibyl's part there is the
// GROUP BY that it pushes down, by values instead of categories. Memory is read
// from /proc, so the program needs Linux.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl/internal/people"
	"github.com/sibyl-dp/sibyl/source"
	_ "github.com/sibyl-dp/sibyl/source/parquet"
	"github.com/sibyl-dp/sibyl/table"
)

// A result is what one process found.
type result struct {
	Rows, Groups int64
	Seconds      float64
	Peak         float64 // MiB of resident memory
}

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 10_000_000, "rows of the generated files")
	repeats := flag.Int("repeats", 3, "runs of each measurement, of which the fastest counts")
	one := flag.String("one", "", "run one measurement and print it as JSON")
	path := flag.String("path", "", "the file of -one")
	flag.Parse()
	if *one != "" {
		measureOne(*one, *path)
		return
	}
	directory, err := os.MkdirTemp("", "groupby")
	if err != nil {
		log.Fatal(err)
	}
	err = compare(directory, *rows, *repeats)
	os.RemoveAll(directory)
	if err != nil {
		log.Fatal(err)
	}
}

func compare(directory string, rows, repeats int) error {
	csv, parquet, db := filepath.Join(directory, "people.csv"), filepath.Join(directory, "people.parquet"), filepath.Join(directory, "people.db")
	if err := people.WriteCSV(csv, rows); err != nil {
		return err
	}
	if err := people.WriteParquet(parquet, rows); err != nil {
		return err
	}
	if err := load(db, rows/10); err != nil {
		return err
	}
	fmt.Printf("%-16s %12s %10s %10s %10s %10s\n", "", "rows/s", "seconds", "peak MiB", "time ×", "memory ×")
	for _, set := range []struct {
		path    string
		rows    int
		engines []string
	}{{csv, rows, []string{"sibyl", "duckdb"}}, {parquet, rows, []string{"sibyl", "duckdb"}}, {db, rows / 10, []string{"sibyl", "sqlite"}}} {
		var base result
		for _, engine := range set.engines {
			best, err := fastest(engine, set.path, repeats)
			if err != nil {
				return err
			}
			if base.Rows == 0 {
				base = best
			}
			if best.Rows != int64(set.rows) || best.Groups != base.Groups {
				return fmt.Errorf("%s finds %d groups of %d rows, not %d of %d", engine, best.Groups, best.Rows, base.Groups, set.rows)
			}
			name := engine + " " + strings.TrimPrefix(filepath.Ext(set.path), ".")
			fmt.Printf("%-16s %12.0f %10.2f %10.0f %10.2f %10.2f\n", name, float64(set.rows)/best.Seconds,
				best.Seconds, best.Peak, best.Seconds/base.Seconds, best.Peak/base.Peak)
		}
	}
	return nil
}

func fastest(engine, path string, repeats int) (result, error) {
	var all []result
	for range repeats {
		command := exec.Command(os.Args[0], "-one", engine, "-path", path)
		command.Stderr = os.Stderr
		output, err := command.Output()
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", engine, err)
		}
		var r result
		if err := json.Unmarshal(output, &r); err != nil {
			return result{}, err
		}
		all = append(all, r)
	}
	return slices.MinFunc(all, func(a, b result) int { return int((a.Seconds - b.Seconds) * 1e6) }), nil
}

func measureOne(engine, path string) {
	engines := map[string]func(path string) (rows, groups int64, err error){"sibyl": runSibyl, "duckdb": runDuckDB, "sqlite": runSQLite}
	start := time.Now()
	rows, groups, err := engines[engine](path)
	if err != nil {
		log.Fatal(err)
	}
	r := result{Rows: rows, Groups: groups, Seconds: time.Since(start).Seconds()}
	if r.Peak, err = peak(); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

// peak is the most resident memory, in MiB, that the process has had.
func peak() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes / 1024, err
}

func runSibyl(path string) (rows, groups int64, err error) {
	s, err := table.ParseSchema("people.toml", strings.NewReader(people.Schema))
	if err != nil {
		return 0, 0, err
	}
	var o source.Options
	if filepath.Ext(path) == ".db" {
		path, o.Query = "sqlite://"+path, "SELECT * FROM people"
	}
	t, err := source.Read(context.Background(), path, s, o)
	if err != nil {
		return 0, 0, err
	}
	return t.Rows(), int64(t.Len()), nil
}

func runDuckDB(path string) (rows, groups int64, err error) {
	return runSQL("duckdb", "", "'"+path+"'")
}

func runSQLite(path string) (rows, groups int64, err error) {
	return runSQL("sqlite", path, "people")
}

func runSQL(driver, name, from string) (rows, groups int64, err error) {
	db, err := sql.Open(driver, name)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRow("SELECT CAST(SUM(n) AS BIGINT), COUNT(*) FROM ("+strings.Replace(fmt.Sprintf(selection, from), "COUNT(*)", "COUNT(*) AS n", 1)+") AS t").Scan(&rows, &groups)
	return rows, groups, err
}

func load(path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE people (id INTEGER, age INTEGER, hours INTEGER, work TEXT, status TEXT, region TEXT, sex TEXT, score TEXT, outcome TEXT)"); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	insert, err := tx.Prepare("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	err = people.Generate(n, func(p people.Person) error {
		_, err := insert.Exec(p.ID, p.Age, p.Hours, p.Work, p.Status, p.Region, p.Sex, p.Score, p.Outcome)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}
