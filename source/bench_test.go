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

func BenchmarkReadCSV(b *testing.B)     { benchmarkRead(b, "people.csv", people.WriteCSV) }
func BenchmarkReadParquet(b *testing.B) { benchmarkRead(b, "people.parquet", people.WriteParquet) }

func benchmarkRead(b *testing.B, name string, write func(path string, n int) error) {
	s := mustParse(b, people.Schema)
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
