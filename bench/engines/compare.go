package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// A comparison measures how long several engines take for the same tasks on the same rows.
type comparison struct {
	directory           string // the directory of generated files
	rows                int    // the number of rows of a generated table
	csvPath, schemaPath string
	first               int
	without             []string
	postgres, mysql     string
	sharded             []string
	beam                string

	engines []engine
}

// An engine is a file, a database or a program that can count the rows of a table.
type engine struct {
	name, location string
	beam           string    // the path of the program sibyl-beam if it counts the file; "" if the task reads the file itself
	wires          []*wire   // the connections over which its servers send
	servers        []process // the processes of its servers
}

func (c *comparison) run() error {
	if c.csvPath == "" {
		c.csvPath, c.schemaPath = filepath.Join(c.directory, "made.csv"), filepath.Join(c.directory, "made.toml")
		if err := os.WriteFile(c.schemaPath, []byte(made.Mixed().Schema()), 0o600); err != nil {
			return err
		}
		if err := made.Mixed().WriteCSV(c.csvPath, c.rows); err != nil {
			return err
		}
	}
	if err := c.load(); err != nil {
		return err
	}
	fmt.Printf("%-13s %-6s %9s %9s %9s %9s %9s %13s\n", "", "", "seconds", "our CPU", "their CPU", "peak MiB", "MB to us", "MB between")
	for _, task := range []string{"read", "pairs", "learn"} {
		var base *result
		for _, e := range c.engines {
			if e.beam != "" && task != "pairs" {
				continue
			}
			r, line, err := c.measure(task, e)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", e.name, task, err)
			}
			if base == nil {
				base = r
				c.rows = int(r.Rows)
			}
			if r.Sum != base.Sum || r.Rows != base.Rows {
				return errors.New(e.name + " has another result than the engine before it")
			}
			fmt.Println(line)
		}
	}
	return nil
}

// load copies the rows of the comparison to all engines.
func (c *comparison) load() error {
	columns, err := columnsOf(c.csvPath, c.schemaPath)
	if err != nil {
		return err
	}
	for _, known := range []struct {
		name  string
		given bool
		load  func(e *engine) error
	}{
		{"file", true, func(e *engine) error { e.location = c.csvPath; return nil }},
		{"SQLite", true, func(e *engine) (err error) {
			e.location, err = loadSQLite(filepath.Join(c.directory, "t.db"), c.csvPath, columns)
			return err
		}},
		{"DuckDB", true, func(e *engine) (err error) {
			e.location, err = loadDuckDB(filepath.Join(c.directory, "t.duckdb"), c.csvPath, columns)
			return err
		}},
		{"PostgreSQL", c.postgres != "", func(e *engine) error { return e.server(c.postgres, loadPostgres(c.postgres, c.csvPath, columns)) }},
		{"MariaDB", c.mysql != "", func(e *engine) error { return e.server(c.mysql, loadMySQL(c.mysql, c.csvPath, columns)) }},
		{"3 PostgreSQL", len(c.sharded) > 0, func(e *engine) (err error) {
			if e.location, e.wires, err = loadSharded(c.sharded, c.csvPath, columns); err != nil {
				return err
			}
			e.servers, err = processesOf(c.sharded...)
			return err
		}},
		{"Beam", c.beam != "", func(e *engine) error { e.location, e.beam = c.csvPath, c.beam; return nil }},
	} {
		if !known.given || slices.Contains(c.without, known.name) {
			continue
		}
		e := engine{name: known.name}
		if err := known.load(&e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		c.engines = append(c.engines, e)
	}
	return nil
}

// server makes e the engine of a database server at the given location. It routes the connections through a proxy
// that counts the bytes. If loadError is not nil, the rows could not be copied to the server, and server returns
// this error.
func (e *engine) server(location string, loadError error) error {
	if loadError != nil {
		return loadError
	}
	w, through, err := wireTo(location)
	if err != nil {
		return err
	}
	e.location, e.wires = through, []*wire{w}
	e.servers, err = processesOf(location)
	return err
}

// measure runs a task on an engine in a separate process. It returns the result and the line to print.
func (c *comparison) measure(task string, e engine) (r *result, line string, err error) {
	query := ""
	if strings.Contains(e.location, ":") {
		query = "SELECT * FROM " + tableName
	}
	for _, w := range e.wires {
		w.reset()
	}
	before, err := seconds(e.servers)
	if err != nil {
		return nil, "", err
	}
	command := exec.Command(os.Args[0], "-one", task, "-location", e.location, "-query", query, "-schema", c.schemaPath,
		"-first", fmt.Sprint(c.first), "-rows", fmt.Sprint(c.rows), "-beam", e.beam)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(output, &r); err != nil {
		return nil, "", err
	}
	theirs, to, between := "", "", ""
	if len(e.servers) > 0 {
		time.Sleep(time.Second) // PostgreSQL adds the CPU time of a connection after the connection has ended
		after, err := seconds(e.servers)
		if err != nil {
			return nil, "", err
		}
		theirs = fmt.Sprintf("%.1f", after-before)
	}
	for i, w := range e.wires {
		text := fmt.Sprintf("%.3f", float64(w.reset())/1e6)
		if i == 0 {
			to = text
		} else {
			between += " " + text
		}
	}
	return r, fmt.Sprintf("%-13s %-6s %9.1f %9.1f %9s %9.0f %9s %13s", e.name, task, r.Seconds, r.CPU, theirs, r.Peak, to, between), nil
}
