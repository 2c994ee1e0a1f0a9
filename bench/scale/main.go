// Scale measures how the time and memory of Sibyl grow with the number of rows, the number of attributes and ε, on
// generated tables. It also draws the results:
//
//	go run . -out DIR
//
// Every measurement runs in a process of its own, on all processors. Each line of DIR/scale.jsonl gives the wall-clock
// time, the CPU time and the maximum resident memory of one measurement. Plots in DIR show these against the number of
// rows, the number of attributes and ε. If a task takes longer than -limit, it is not run on larger tables. With -grid,
// every number of rows is combined with every number of attributes. The program needs Linux, and space for files: 1e8
// rows with 20 attributes take about 1.3 GB.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// A measurement is the result of one task on one table.
type measurement struct {
	Task       string  `json:"task"`
	Rows       int     `json:"rows"`
	Attributes int     `json:"attributes"`
	Epsilon    string  `json:"epsilon"`
	Seconds    float64 `json:"seconds"`
	Processor  float64 `json:"processor_seconds"` // the CPU time of all threads, including that of reading
	Peak       float64 `json:"peak_mib"`          // the maximum resident memory of the process
}

// A plan describes the measurements to make.
type plan struct {
	rows       []int // numbers of rows, with usualAttributes and usualEpsilon
	attributes []int // numbers of attributes, with usualRows and usualEpsilon
	epsilons   []string
	tasks      []string
	limit      time.Duration
	grid       bool // measure each of rows with each of attributes, and nothing else
}

const (
	usualRows       = 100_000
	usualAttributes = 20
	usualEpsilon    = "1"
)

func main() {
	log.SetFlags(0)
	rows := flag.String("rows", "1e4,1e5,1e6,1e7,1e8", "numbers of rows, of tables of 20 attributes")
	attributes := flag.String("attributes", "10,20,50,100", "numbers of attributes, of tables of 100,000 rows")
	epsilons := flag.String("epsilons", "0.1,0.3,1,3,10", "values of ε, on a table of 100,000 rows of 20 attributes")
	names := flag.String("tasks", strings.Join(taskNames(), ","), "what is measured")
	limit := flag.Duration("limit", 5*time.Minute, "a task that takes longer is not tried on larger tables")
	grid := flag.Bool("grid", false, "measure every number of rows with every number of attributes, at the usual ε, and nothing else")
	out := flag.String("out", "", "the directory of the results")
	one := flag.String("one", "", "run one task on the file, and print it as JSON")
	path := flag.String("path", "", "the file of -one")
	epsilon := flag.String("epsilon", usualEpsilon, "the ε of -one")
	flag.Parse()
	if *one != "" {
		if err := runOne(*one, *path, *epsilon); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *out == "" {
		log.Fatal("scale: -out names the directory of the results")
	}
	p := plan{epsilons: strings.Split(*epsilons, ","), tasks: strings.Split(*names, ","), limit: *limit, grid: *grid}
	var err error
	if p.rows, err = numbers(*rows); err != nil {
		log.Fatal(err)
	}
	if p.attributes, err = numbers(*attributes); err != nil {
		log.Fatal(err)
	}
	if err := p.run(*out); err != nil {
		log.Fatal(err)
	}
}

// numbers parses a comma-separated list of integers, such as "1e4,1e6".
func numbers(text string) ([]int, error) {
	var all []int
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || n < 1 || n > 1e9 || n != float64(int(n)) {
			return nil, fmt.Errorf("scale: %q must be an integer from 1 to 1e9", word)
		}
		all = append(all, int(n))
	}
	return all, nil
}

// run makes all measurements, writes them to files in the directory out, and draws the plots.
func (p plan) run(out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	lines, err := os.Create(filepath.Join(out, "scale.jsonl"))
	if err != nil {
		return err
	}
	all, err := p.measure(directory, lines)
	if err := errors.Join(err, lines.Close()); err != nil {
		return err
	}
	return drawAll(out, all)
}

// measure makes all measurements of the plan, and writes each of them as a line of JSON to lines. It stores the
// generated files in the given directory.
func (p plan) measure(directory string, lines io.Writer) (all []measurement, err error) {
	encoder := json.NewEncoder(lines)
	slow := map[string]bool{} // tasks that took longer than the limit, in the current series of growing tables
	try := func(path string, m measurement) error {
		if slow[m.Task] || known(all, m) {
			return nil
		}
		if err := fork(path, &m); err != nil {
			return err
		}
		slow[m.Task] = m.Seconds > p.limit.Seconds()
		all = append(all, m)
		fmt.Printf("%-12s %10d × %-4d ε = %-5s %9.2f s %9.2f CPU s %8.0f MiB\n", m.Task, m.Rows, m.Attributes, m.Epsilon, m.Seconds, m.Processor, m.Peak)
		return encoder.Encode(m)
	}
	on := func(rows, attributes int, epsilons ...string) error {
		path := filepath.Join(directory, "rows.parquet")
		if err := made.Kinds(attributes).WriteParquet(path, rows); err != nil {
			return err
		}
		defer os.Remove(path)
		for _, task := range p.tasks {
			for _, e := range epsilons {
				if err := try(path, measurement{Task: task, Rows: rows, Attributes: attributes, Epsilon: e}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if p.grid {
		for _, d := range p.attributes {
			clear(slow)
			for _, n := range p.rows {
				if err := on(n, d, usualEpsilon); err != nil {
					return all, err
				}
			}
		}
		return all, nil
	}
	for _, n := range p.rows {
		if err := on(n, usualAttributes, usualEpsilon); err != nil {
			return all, err
		}
	}
	clear(slow)
	for _, d := range p.attributes {
		if err := on(usualRows, d, usualEpsilon); err != nil {
			return all, err
		}
	}
	clear(slow)
	return all, on(usualRows, usualAttributes, p.epsilons...)
}

// known reports whether the slice all contains the measurement m already. If the task of m does not depend on ε, a
// measurement with another ε counts too.
func known(all []measurement, m measurement) bool {
	for _, o := range all {
		if o.Task == m.Task && o.Rows == m.Rows && o.Attributes == m.Attributes && (o.Epsilon == m.Epsilon || !tasks[m.Task].private) {
			return true
		}
	}
	return false
}

// fork runs the task of m on the file at path in a new process, and stores the time and memory in m.
func fork(path string, m *measurement) error {
	command := exec.Command(os.Args[0], "-one", m.Task, "-path", path, "-epsilon", m.Epsilon)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("task %s on %d rows with %d attributes: %w", m.Task, m.Rows, m.Attributes, err)
	}
	if err := json.Unmarshal(output, &m.Seconds); err != nil {
		return err
	}
	m.Processor = (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	m.Peak = float64(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	return nil
}
