package made

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// TestFiles checks that the CSV file and the Parquet file of a table have the same rows, that these are in the domain,
// and that they do not change: measurements in the documentation depend on them.
func TestFiles(t *testing.T) {
	for name, c := range map[string]struct {
		table      Table
		attributes int
		sum        uint64 // the hash of the CSV file
	}{
		"people": {People(), 6, 0xdb3396d5c9d21},
		"wide":   {Wide(20), 20, 0x5ac801de70c1f572},
		"kinds":  {Kinds(20), 20, 0x9de4f9c80aaa0118},
		"mixed":  {Mixed(), 20, 0xc8510ff951186c16},
	} {
		const rows = 5000
		s, err := table.ParseSchema(name, strings.NewReader(c.table.Schema()))
		if err != nil || len(s.Attributes) != c.attributes {
			t.Fatalf("%s: %v, %v", name, s, err)
		}
		read := func(file string, write func(Table, string, int) error) (path string, got *table.Table) {
			path = filepath.Join(t.TempDir(), file)
			if err := write(c.table, path, rows); err != nil {
				t.Fatal(err)
			}
			got, err := source.Read(context.Background(), path, s, source.Options{})
			if err != nil || got.Rows() != rows {
				t.Fatalf("%s: %d rows, %v", path, got.Rows(), err)
			}
			return path, got
		}
		path, csv := read(name+".csv", Table.WriteCSV)
		if _, parquet := read(name+".parquet", Table.WriteParquet); !parquet.Equal(csv) {
			t.Errorf("%s: Parquet holds other rows than CSV", name)
		}
		if csv.Nulls() > 0 {
			t.Errorf("%s: %d rows outside of the domain", name, csv.Nulls())
		}
		text, err := os.ReadFile(path)
		h := fnv.New64a()
		h.Write(text)
		if err != nil || h.Sum64() != c.sum {
			t.Errorf("%s: other rows, of sum %#x, %v", name, h.Sum64(), err)
		}
	}
}
