// Groupby measures how fast the rows of a generated file are grouped into distinct records, and the peak memory. It
// compares Sibyl with the same GROUP BY in DuckDB and SQLite:
//
//	go run . -rows 10000000
//
// Every measurement runs in a process of its own, and all must find the same number of groups and rows. With
// -columns, the files have the given number of columns, and nearly all rows differ. SQLite is then omitted:
//
//	go run . -rows 10000000 -columns 20
//
// The program prints wall-clock time and CPU time; other programs disturb only the wall-clock time. It reads the
// memory from /proc, so it needs Linux.
//
// The SQLite table has only a tenth of the rows, and the time for writing it is not measured. From SQLite, Sibyl
// reads the result of a GROUP BY statement. This statement groups by values instead of categories.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// A result holds the time and the memory that a process needed for one query.
type result struct {
	Rows, Groups int64
	Seconds      float64
	CPU          float64 // CPU time of all threads, in seconds
	Peak         float64 // maximum resident memory, in MiB
}

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 10_000_000, "rows of the generated files")
	repeats := flag.Int("repeats", 3, "runs of each measurement, of which the fastest counts")
	one := flag.String("one", "", "run one measurement and print it as JSON")
	path := flag.String("path", "", "the file of -one")
	columns := flag.Int("columns", 0, "columns of wide files; 0 for people")
	flag.Parse()
	of := data{*rows, *columns}
	if *one != "" {
		measureOne(*one, *path, of)
		return
	}
	directory, err := os.MkdirTemp("", "groupby")
	if err != nil {
		log.Fatal(err)
	}
	err = compare(directory, of, *repeats)
	os.RemoveAll(directory)
	if err != nil {
		log.Fatal(err)
	}
}

// data describes the generated files: their number of rows, and the number of columns that the flag -columns
// states, or 0 without this flag.
type data struct{ rows, columns int }

func (d data) table() made.Table {
	if d.columns > 0 {
		return made.Wide(d.columns)
	}
	return made.People()
}

func compare(directory string, of data, repeats int) error {
	csv, parquet, db := filepath.Join(directory, "rows.csv"), filepath.Join(directory, "rows.parquet"), filepath.Join(directory, "rows.db")
	if err := errors.Join(of.table().WriteCSV(csv, of.rows), of.table().WriteParquet(parquet, of.rows)); err != nil {
		return err
	}
	type set struct {
		path    string
		rows    int
		engines []string
	}
	sets := []set{{csv, of.rows, []string{"sibyl", "duckdb"}}, {parquet, of.rows, []string{"sibyl", "duckdb"}}}
	if of.columns == 0 {
		if err := load(db, of.rows/10); err != nil {
			return err
		}
		sets = append(sets, set{db, of.rows / 10, []string{"sibyl", "sqlite"}})
	}
	fmt.Printf("%-16s %12s %10s %10s %10s %10s %10s %10s\n", "", "rows/s", "seconds", "CPU s", "peak MiB", "time ×", "CPU ×", "memory ×")
	for _, set := range sets {
		var base result
		for _, engine := range set.engines {
			best, err := fastest(engine, set.path, of, repeats)
			if err != nil {
				return err
			}
			if base.Rows == 0 {
				base = best
			}
			if best.Rows != int64(set.rows) || best.Groups != base.Groups {
				return fmt.Errorf("%s finds %d groups and %d rows, but must find %d groups and %d rows", engine, best.Groups, best.Rows, base.Groups, set.rows)
			}
			name := engine + " " + strings.TrimPrefix(filepath.Ext(set.path), ".")
			fmt.Printf("%-16s %12.0f %10.2f %10.2f %10.0f %10.2f %10.2f %10.2f\n", name, float64(set.rows)/best.Seconds,
				best.Seconds, best.CPU, best.Peak, best.Seconds/base.Seconds, best.CPU/base.CPU, best.Peak/base.Peak)
		}
	}
	return nil
}

func fastest(engine, path string, of data, repeats int) (result, error) {
	var all []result
	for range repeats {
		command := exec.Command(os.Args[0], "-one", engine, "-path", path, "-columns", strconv.Itoa(of.columns))
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

func measureOne(engine, path string, of data) {
	engines := map[string]func(path string, of data) (rows, groups int64, err error){"sibyl": runSibyl, "duckdb": runDuckDB, "sqlite": runSQLite}
	start := time.Now()
	rows, groups, err := engines[engine](path, of)
	if err != nil {
		log.Fatal(err)
	}
	r := result{Rows: rows, Groups: groups, Seconds: time.Since(start).Seconds()}
	if r.CPU, err = cpu(); err != nil {
		log.Fatal(err)
	}
	if r.Peak, err = peak(); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

// peak returns the maximum resident memory of this process so far, in MiB.
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

// cpu returns the CPU time that this process has used so far, in seconds.
func cpu() (float64, error) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9, err
}

func runSibyl(path string, of data) (rows, groups int64, err error) {
	s, err := table.ParseSchema("rows.toml", strings.NewReader(of.table().Schema()))
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

func runDuckDB(path string, of data) (rows, groups int64, err error) {
	return runSQL("duckdb", "", of.query("'"+path+"'"))
}

func runSQLite(path string, of data) (rows, groups int64, err error) {
	return runSQL("sqlite", path, of.query("people"))
}

func runSQL(driver, name, query string) (rows, groups int64, err error) {
	db, err := sql.Open(driver, name)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRow("SELECT CAST(SUM(n) AS BIGINT), COUNT(*) FROM ("+query+") AS t").Scan(&rows, &groups)
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
	values := make([]any, 9)
	for row := range made.People().Rows(n) {
		for j, text := range row {
			values[j] = text
		}
		if _, err := insert.Exec(values...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
