package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// A result holds the time and the memory that a process needed for one task.
type result struct {
	Rows    int64
	Sum     uint64 // a hash of all counts, or of the model
	Seconds float64
	CPU     float64 // CPU time of the process and its children, in seconds
	Peak    float64 // maximum resident memory, in MiB
}

// tasks maps the name of each task to its function. The function returns the number of rows, and the complete result,
// of which a hash is compared between engines.
var tasks = map[string]func(location, query string, s domain, rows int64) (int64, any, error){
	"read":  read,
	"pairs": pairs,
	"learn": learn,
}

// A domain is a schema in two types: that of package table and that of the public package sibyl.
type domain struct {
	*table.Schema
	public *sibyl.Schema
}

// runOne runs a task and prints its result as JSON. If beam is not "", it is the path of the program sibyl-beam:
// runOne first runs this program, which reads the table at the given location and writes a file of counts, and then
// runs the task on this file.
func runOne(task, location, query, schemaPath string, first int, rows int64, beam string) error {
	text, err := os.ReadFile(schemaPath)
	if err != nil {
		return err
	}
	s, err := table.ParseSchema(schemaPath, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	public, err := sibyl.ParseSchema(schemaPath, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	if task == "read" {
		s.Attributes = s.Attributes[:min(first, len(s.Attributes))]
	}
	start := time.Now()
	if beam != "" {
		counted := location + ".counts.parquet"
		defer os.Remove(counted)
		pipeline := exec.Command(beam, "count", "--data", location, "--schema", schemaPath, "--order", "2", "--out", counted)
		if said, err := pipeline.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, said)
		}
		location = counted
	}
	n, found, err := tasks[task](location, query, domain{s, public}, rows)
	if err != nil {
		return err
	}
	r := result{Rows: n, Seconds: time.Since(start).Seconds()}
	h := fnv.New64a()
	fmt.Fprint(h, found)
	r.Sum = h.Sum64()
	if r.Peak, err = peak(); err != nil {
		return err
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return err
		}
		r.CPU += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
		if who == syscall.RUSAGE_CHILDREN {
			r.Peak = max(r.Peak, float64(u.Maxrss)/1024)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// learn releases a model with default options and a fixed seed.
func learn(location, query string, s domain, rows int64) (int64, any, error) {
	data := sibyl.File(location)
	if query != "" {
		data = sibyl.Database(location, query)
	}
	m, err := sibyl.Learn(context.Background(), data, s.public, sibyl.Chosen{}, sibyl.Settings{Epsilon: "1", Rows: rows, InsecureSeed: new(uint64(1))})
	if err != nil {
		return 0, nil, err
	}
	var text strings.Builder
	err = m.Encode(&text)
	return rows, text.String(), err
}

// read reads the table at the location, and groups its rows into distinct records.
func read(location, query string, s domain, _ int64) (int64, any, error) {
	t, err := source.Read(context.Background(), location, s.Schema, source.Options{Query: query})
	if err != nil {
		return 0, nil, err
	}
	counts := [][]int64{{t.Nulls()}}
	for i := range t.Len() {
		counts = append(counts, []int64{t.Count(i), int64(t.Outcome(i))})
	}
	return t.Rows(), counts, nil
}

// pairs counts the marginals of all pairs of columns, including the label. A database counts them itself.
func pairs(location, query string, s domain, _ int64) (int64, any, error) {
	c, closeCounts, err := source.Counts(context.Background(), location, s.Schema, table.Queries{}, source.Options{Query: query})
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
