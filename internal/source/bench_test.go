package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// benchRows returns the number of rows of the generated files: SIBYL_BENCH_ROWS, or a small
// default.
func benchRows() int {
	if n, err := strconv.Atoi(os.Getenv("SIBYL_BENCH_ROWS")); err == nil {
		return n
	}
	return 100_000
}

func BenchmarkReadCSV(b *testing.B) {
	benchmarkRead(b, made.People(), "people.csv", made.Table.WriteCSV)
}

func BenchmarkReadParquet(b *testing.B) {
	benchmarkRead(b, made.People(), "people.parquet", made.Table.WriteParquet)
}

func BenchmarkReadWideCSV(b *testing.B) {
	benchmarkRead(b, made.Wide(20), "wide.csv", made.Table.WriteCSV)
}

func BenchmarkReadWideParquet(b *testing.B) {
	benchmarkRead(b, made.Wide(20), "wide.parquet", made.Table.WriteParquet)
}

func benchmarkRead(b *testing.B, rows made.Table, name string, write func(rows made.Table, path string, n int) error) {
	s := tabletest.Schema(b, rows.Schema())
	path, n := filepath.Join(b.TempDir(), name), benchRows()
	if err := write(rows, path, n); err != nil {
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
