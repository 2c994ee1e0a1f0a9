package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/people"
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

func BenchmarkReadCSV(b *testing.B) {
	benchmarkRead(b, people.Schema, "people.csv", people.WriteCSV)
}

func BenchmarkReadParquet(b *testing.B) {
	benchmarkRead(b, people.Schema, "people.parquet", people.WriteParquet)
}

const wideColumns = 20

func BenchmarkReadWideCSV(b *testing.B) {
	benchmarkRead(b, people.WideSchema(wideColumns), "wide.csv", func(path string, n int) error {
		return people.WriteWideCSV(path, wideColumns, n)
	})
}

func BenchmarkReadWideParquet(b *testing.B) {
	benchmarkRead(b, people.WideSchema(wideColumns), "wide.parquet", func(path string, n int) error {
		return people.WriteWideParquet(path, wideColumns, n)
	})
}

func benchmarkRead(b *testing.B, schema, name string, write func(path string, n int) error) {
	s := mustParse(b, schema)
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
