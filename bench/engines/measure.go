package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// A result is what one process found.
type result struct {
	Rows    int64
	Sum     uint64 // of all counts
	Seconds float64
	Peak    float64 // MiB of resident memory
}

func runOne(task, location, query, schemaPath string, first int) error {
	text, err := os.ReadFile(schemaPath)
	if err != nil {
		return err
	}
	s, err := table.ParseSchema(schemaPath, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	if task == "read" {
		s.Attributes = s.Attributes[:min(first, len(s.Attributes))]
	}
	start := time.Now()
	rows, counts, err := map[string]func(string, *table.Schema, source.Options) (int64, [][]int64, error){"read": read, "pairs": pairs}[task](location, s, source.Options{Query: query})
	if err != nil {
		return err
	}
	r := result{Rows: rows, Seconds: time.Since(start).Seconds()}
	h := fnv.New64a()
	fmt.Fprint(h, counts)
	r.Sum = h.Sum64()
	if r.Peak, err = peak(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// read collapses the table.
func read(location string, s *table.Schema, o source.Options) (int64, [][]int64, error) {
	t, err := source.Read(context.Background(), location, s, o)
	if err != nil {
		return 0, nil, err
	}
	counts := [][]int64{{t.Nulls()}}
	for i := range t.Len() {
		counts = append(counts, []int64{t.Count(i), int64(t.Outcome(i))})
	}
	return t.Rows(), counts, nil
}

// pairs counts all pairs of columns, the outcome among them.
func pairs(location string, s *table.Schema, o source.Options) (int64, [][]int64, error) {
	c, closeCounts, err := source.Counts(context.Background(), location, s, o)
	if err != nil {
		return 0, nil, err
	}
	defer closeCounts()
	sizes := append(append([]int{}, c.Sizes()...), c.Outcomes())
	var of [][]table.Axis
	for i := range sizes {
		for j := range i {
			of = append(of, []table.Axis{{Column: j, Size: sizes[j]}, {Column: i, Size: sizes[i]}})
		}
	}
	counts, err := c.Marginals(context.Background(), of)
	return c.Rows(), append(counts, []int64{c.Nulls()}), err
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
