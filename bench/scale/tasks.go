package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// A task is a computation on a file. It returns how long its measured part took.
type task struct {
	private bool // whether the task depends on ε
	run     func(path string, s string, rows int64, epsilon string) (time.Duration, error)
}

var tasks = map[string]task{
	"read":        {false, read},
	"pairs":       {false, pairs},
	"naive-bayes": {true, naiveBayes},
	"learn":       {true, learn},
	"synth":       {true, synth},
}

func taskNames() []string { return slices.Sorted(maps.Keys(tasks)) }

// runOne runs the task with the given name on the file at path, and prints its duration in seconds.
func runOne(name, path, epsilon string) error {
	t, known := tasks[name]
	if !known {
		return fmt.Errorf("scale: the task %q is unknown; it must be one of %s", name, strings.Join(taskNames(), ", "))
	}
	s, rows, err := schema(path)
	if err != nil {
		return err
	}
	taken, err := t.run(path, s, rows, epsilon)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(taken.Seconds())
}

// schema returns the text of the schema for a file, and the number of rows of the file.
func schema(path string) (string, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	opened, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return "", 0, err
	}
	return made.Kinds(len(opened.Root().Columns()) - 1).Schema(), opened.NumRows(), nil
}

func parsed(text string) *table.Schema {
	s, err := table.ParseSchema("rows.toml", strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return s
}

// public parses a schema as a value of the public package sibyl.
func public(text string) *sibyl.Schema {
	s, err := sibyl.ParseSchema("rows.toml", strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return s
}

// read measures reading the file and grouping its rows into distinct records.
func read(path string, s string, _ int64, _ string) (time.Duration, error) {
	domain := parsed(s)
	start := time.Now()
	_, err := source.Read(context.Background(), path, domain, source.Options{})
	return time.Since(start), err
}

// pairs measures counting all pairs of columns, including pairs with the label, of a table in memory.
func pairs(path string, s string, _ int64, _ string) (time.Duration, error) {
	ctx := context.Background()
	t, err := source.Read(ctx, path, parsed(s), source.Options{})
	if err != nil {
		return 0, err
	}
	columns := append(slices.Clone(t.Sizes()), t.Outcomes())
	var all [][]table.Axis
	for j, n := range columns {
		for i, m := range columns[:j] {
			all = append(all, []table.Axis{{Column: i, Size: m}, {Column: j, Size: n}})
		}
	}
	start := time.Now()
	_, err = t.Marginals(ctx, all)
	return time.Since(start), err
}

// naiveBayes measures the release of a naive Bayes model, for which only the pairs of an attribute and the
// label are counted.
func naiveBayes(path string, s string, rows int64, epsilon string) (time.Duration, error) {
	domain := public(s)
	start := time.Now()
	_, err := sibyl.Learn(context.Background(), sibyl.File(path), domain, sibyl.NaiveBayes{}, sibyl.Settings{Epsilon: epsilon, Rows: rows})
	return time.Since(start), err
}

// learn measures the release of a model with default options.
func learn(path string, s string, rows int64, epsilon string) (time.Duration, error) {
	domain := public(s)
	start := time.Now()
	_, err := sibyl.Learn(context.Background(), sibyl.File(path), domain, sibyl.Chosen{}, sibyl.Settings{Epsilon: epsilon, Rows: rows})
	return time.Since(start), err
}

// synth measures the release of synthetic data.
func synth(path string, s string, rows int64, epsilon string) (time.Duration, error) {
	domain := public(s)
	start := time.Now()
	_, err := sibyl.Synthesize(context.Background(), sibyl.File(path), domain, sibyl.Synthesis{}, sibyl.Settings{Epsilon: epsilon, Delta: "1e-9", Rows: rows})
	return time.Since(start), err
}
