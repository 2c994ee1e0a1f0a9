package rows

import (
	"context"
	"fmt"
	"os"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

// TestWritable checks that Writable refuses outputs that would overwrite inputs or existing files.
func TestWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"a.csv", "c.parquet"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		out   string
		force bool
		want  string
	}{
		{"d.parquet", false, ""},
		{"c.parquet", true, ""},
		{"gs://bucket/c.parquet", false, ""},
		{"c.parquet", false, "c.parquet: the file exists already; name another file, or give --force to replace it"},
		{"a.csv", true, "a.csv: the file is an input of this command and would be overwritten; name another file"},
	} {
		if err := Writable(context.Background(), c.out, []string{"a.csv", "gs://bucket/b.csv"}, c.force); fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: %v, not %s", c.out, err, c.want)
		}
	}
}
