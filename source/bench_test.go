package source_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/source"
)

// benchRows is the number of rows of the generated files: SIBYL_BENCH_ROWS, or
// a number that takes no time.
func benchRows() int {
	if n, err := strconv.Atoi(os.Getenv("SIBYL_BENCH_ROWS")); err == nil {
		return n
	}
	return 100_000
}

// A person is a row of the generated files.
type person struct {
	ID      int64  `parquet:"id"`
	Age     int64  `parquet:"age"`
	Hours   int64  `parquet:"hours"`
	Work    string `parquet:"work,dict"`
	Status  string `parquet:"status,dict"`
	Region  string `parquet:"region,dict"`
	Sex     string `parquet:"sex,dict"`
	Score   string `parquet:"score"`
	Outcome string `parquet:"outcome,dict"`
}

var (
	works    = []string{"Private", "Self-emp-inc", "Self-emp-not-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay"}
	statuses = []string{"Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed"}
	regions  = []string{"north", "south", "east", "west", "centre"}
	sexes    = []string{"Female", "Male"}
	outcomes = []string{"no", "yes"}
)

func randomPerson(r *rand.Rand, id int) person {
	return person{
		ID: int64(id), Age: int64(17 + r.IntN(74)), Hours: int64(1 + r.IntN(99)),
		Work: works[r.IntN(len(works))], Status: statuses[r.IntN(len(statuses))],
		Region: regions[r.IntN(len(regions))], Sex: sexes[r.IntN(len(sexes))],
		Score:   fmt.Sprintf("%d.%02d", r.IntN(100), r.IntN(100)),
		Outcome: outcomes[r.IntN(len(outcomes))],
	}
}

const personSchema = `
[label]
column = "outcome"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [26, 36, 46, 61]
[[attribute]]
column = "hours"
cuts = [35, 41]
[[attribute]]
column = "work"
values = ["Private", "Self-emp-inc", "Self-emp-not-inc"]
other = "other"
[[attribute]]
column = "status"
values = ["Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed"]
[[attribute]]
column = "region"
values = ["north", "south", "east", "west", "centre"]
[[attribute]]
column = "sex"
values = ["Female", "Male"]
`

func writePersonCSV(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(w, "id,age,hours,work,status,region,sex,score,outcome")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		p := randomPerson(r, i)
		fmt.Fprintf(w, "%d,%d,%d,%s,%s,%s,%s,%s,%s\n", p.ID, p.Age, p.Hours, p.Work, p.Status, p.Region, p.Sex, p.Score, p.Outcome)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func writePersonParquet(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[person](file, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1_000_000))
	r := rand.New(rand.NewPCG(1, 2))
	batch := make([]person, 0, 1000)
	for i := range n {
		batch = append(batch, randomPerson(r, i))
		if len(batch) == cap(batch) || i == n-1 {
			if _, err := w.Write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

func BenchmarkReadCSV(b *testing.B)     { benchmarkRead(b, "people.csv", writePersonCSV) }
func BenchmarkReadParquet(b *testing.B) { benchmarkRead(b, "people.parquet", writePersonParquet) }

func benchmarkRead(b *testing.B, name string, write func(path string, n int) error) {
	s := mustParse(b, personSchema)
	path, n := filepath.Join(b.TempDir(), name), benchRows()
	if err := write(path, n); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		t, err := source.Read(context.Background(), path, s, source.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if t.Rows() != int64(n) {
			b.Fatal("wrong number of rows")
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
