package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// Every task runs on generated rows, and the measurements are drawn.
func TestTasks(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "rows.parquet")
	var all []measurement
	for _, rows := range []int{1000, 1001} {
		if err := made.Kinds(usualAttributes).WriteParquet(path, rows); err != nil {
			t.Fatal(err)
		}
		s, n, err := schema(path)
		if err != nil || n != int64(rows) || len(parsed(s).Attributes) != usualAttributes {
			t.Fatalf("%d rows, %v", n, err)
		}
		for name, task := range tasks {
			seconds, err := task.run(path, s, n, usualEpsilon)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, measurement{Task: name, Rows: rows, Attributes: usualAttributes, Epsilon: usualEpsilon, Seconds: seconds.Seconds(), Peak: 1})
		}
	}
	if err := drawAll(directory, all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"seconds-by-rows.svg", "memory-by-rows.svg"} {
		if info, err := os.Stat(filepath.Join(directory, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	if all, err := numbers("1e4,20"); err != nil || len(all) != 2 || all[0] != 10_000 || all[1] != 20 {
		t.Errorf("%v, %v", all, err)
	}
	for _, text := range []string{"", "0", "1.5", "x", "1e10"} {
		if _, err := numbers(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
