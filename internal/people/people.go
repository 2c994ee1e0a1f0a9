// Package people makes files of random people, for tests and benchmarks of
// reading.
package people

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/parquet-go/parquet-go"
)

// A Person is a row. The schema reads all columns but the id and the score.
type Person struct {
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

// Schema is a public domain of the files.
const Schema = `
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

// Generate visits n people, always the same ones.
func Generate(n int, visit func(Person) error) error {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		err := visit(Person{
			ID: int64(i), Age: int64(17 + r.IntN(74)), Hours: int64(1 + r.IntN(99)),
			Work: works[r.IntN(len(works))], Status: statuses[r.IntN(len(statuses))],
			Region: regions[r.IntN(len(regions))], Sex: sexes[r.IntN(len(sexes))],
			Score:   fmt.Sprintf("%d.%02d", r.IntN(100), r.IntN(100)),
			Outcome: outcomes[r.IntN(len(outcomes))],
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes n people to a new file of comma-separated text with a header.
func WriteCSV(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(w, "id,age,hours,work,status,region,sex,score,outcome")
	err = Generate(n, func(p Person) error {
		_, err := fmt.Fprintf(w, "%d,%d,%d,%s,%s,%s,%s,%s,%s\n", p.ID, p.Age, p.Hours, p.Work, p.Status, p.Region, p.Sex, p.Score, p.Outcome)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// WriteParquet writes n people to a new Parquet file, a million to a row group.
func WriteParquet(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[Person](file, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1_000_000))
	batch := make([]Person, 0, 1000)
	flush := func() error {
		_, err := w.Write(batch)
		batch = batch[:0]
		return err
	}
	err = Generate(n, func(p Person) error {
		if batch = append(batch, p); len(batch) < cap(batch) {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}
