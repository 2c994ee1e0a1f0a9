package schema_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var update = flag.Bool("update", false, "write the drafted schemas into testdata")

// golden compares a draft with the file of that name.
func golden(t *testing.T, d *schema.Draft, path string) {
	t.Helper()
	got, _ := text(t, d)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s differs: %v\n%s", path, err, got)
	}
}

// The drafts from the files in testdata/metadata are those beside them.
func TestImport(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		known schema.Known
	}{
		"clinic.csv":       {known: schema.Known{Label: "sex", Public: "the study's web page"}},
		"api.csv":          {known: schema.Known{Label: "died", Outcomes: []string{"yes", "no"}, Person: "id", MostRows: 1}},
		"package.json":     {table: "visits", known: schema.Known{Person: "patient", MostRows: 2, Label: "alive", Outcomes: []string{"yes", "no"}, Number: []string{"extra"}}},
		"tableschema.json": {},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "metadata", name)
			d, err := schema.Import{Location: path, Table: c.table}.Draft(context.Background(), c.known)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, d, strings.TrimSuffix(path, filepath.Ext(path))+".toml")
		})
	}
}

// The codes of a file's categories are those of its labels: a label is given by code or by name.
func TestOutcomesByName(t *testing.T) {
	for _, outcomes := range [][]string{{"1", "2"}, {"Female", "Male"}} {
		d, err := schema.Import{Location: "testdata/metadata/clinic.csv"}.Draft(context.Background(), schema.Known{Label: "sex", Outcomes: outcomes, Drop: []string{"record_id"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, s := text(t, d); len(s.Label.Positive) != 1 || s.Label.Positive[0] != "1" || s.Label.Negative[0] != "2" || s.Person != nil {
			t.Errorf("%q: %+v", outcomes, s.Label)
		}
	}
	_, err := schema.Import{Location: "testdata/metadata/clinic.csv"}.Draft(context.Background(), schema.Known{Label: "sex", Outcomes: []string{"1", "3"}})
	if err == nil || err.Error() != `--label: the metadata lists no value "3" for column "sex"; name a value that it lists` {
		t.Error(err)
	}
}

// Damaged metadata gives an error or a draft that can be read, and never a panic.
func TestDamagedMetadata(t *testing.T) {
	var files [][]byte
	for _, name := range []string{"clinic.csv", "api.csv", "package.json", "tableschema.json"} {
		file, err := os.ReadFile(filepath.Join("testdata", "metadata", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	path := filepath.Join(t.TempDir(), "damaged")
	rapid.Check(t, func(t *rapid.T) {
		file := bytes.Clone(rapid.SampledFrom(files).Draw(t, "file"))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(file)-1).Draw(t, "at")
			end := min(len(file), at+rapid.IntRange(0, 20).Draw(t, "length"))
			put := rapid.SampledFrom([]string{"", "\"", "\x00", "\xff", "|", "1e999", "null", "[]", "{}", "-1", ",", "\n", "\u202e", "true", ";"}).Draw(t, "put")
			file = append(append(bytes.Clone(file[:at]), put...), file[end:]...)
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "visits"} {
			d, err := schema.Import{Location: path, Table: name}.Draft(context.Background(), schema.Known{})
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\x00\u202e") {
					t.Fatalf("%q", err)
				}
				continue
			}
			out, err := d.TOML()
			if err != nil {
				t.Fatalf("%v\n%s", err, file)
			}
			if _, err := table.ParseOpenSchema("o", bytes.NewReader(out)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
