package drivers

import (
	"bytes"
	"database/sql"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var updateCatalogs = flag.Bool("update-catalogs", false, "write the drafted schemas into testdata/catalog")

// defined executes the statements of a file in testdata/catalog.
func defined(t *testing.T, db *sql.DB, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "catalog", name+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if strings.TrimSpace(statement) != "" {
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
}

// checkCatalog drafts a schema from the catalog of a database and compares it with the named golden file. The rows of the
// tables contain the word secret, which must not occur in the schema.
func checkCatalog(t *testing.T, location, tableName, name string) {
	t.Helper()
	d, err := schema.Import{Location: location, Table: tableName, Lookups: []string{"ward=wards:code:title"}}.Draft(t.Context(), schema.Known{Person: "patient", MostRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	d.Source = name // hides the name of the server
	got, err := d.TOML()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "catalog", name+".toml")
	if *updateCatalogs {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s differs: %v\n%s", path, err, got)
	}
	if strings.Contains(string(got), "secret") {
		t.Errorf("the schema has a value of a row:\n%s", got)
	}
	s, err := table.ParseOpenSchema(name, bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	// All engines describe these columns identically.
	for _, a := range s.Attributes {
		want := map[string]string{"age": "0..120", "grade": "good poor fair", "sex": "f m", "ward": "Medicine Surgery"}[a.Name]
		is := strings.Join(a.Categories()[:max(0, a.Len()-1)], " ")
		switch {
		case a.Open():
			is = string(a.Least) + ".." + string(a.Most)
		case a.Other == "":
			is = strings.Join(a.Categories(), " ")
		}
		if want != "" && is != want {
			t.Errorf("%s: attribute %s is %q, want %q", name, a.Name, is, want)
		}
	}
	if _, err := (schema.Import{Location: location, Table: "no such table"}).Draft(t.Context(), schema.Known{}); err == nil || !strings.Contains(err.Error(), `--table: the database has no table "no such table"`) {
		t.Error(err)
	}
	for lookup, says := range map[string]string{
		"ward=wards": "write COLUMN=TABLE:CODE", "nothing=wards:code": `no column "nothing"`, "ward=nowhere:code": `no table "nowhere"`,
		"ward=wards:nocolumn": "the database's catalog cannot be read", "ward": "write COLUMN", "ward=wards::title": "write COLUMN", "ward=visits_of_none:code": "the table lists no codes",
		"ward=visits:ward": "names the table with the data",
	} {
		if _, err := (schema.Import{Location: location, Table: tableName, Lookups: []string{lookup}}).Draft(t.Context(), schema.Known{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", lookup, err)
		}
	}
}

func TestCatalogSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defined(t, db, "sqlite")
	checkCatalog(t, "sqlite://"+path, "visits", "sqlite")
}

func TestCatalogPostgreSQL(t *testing.T) {
	location, db := openPostgres(t)
	defined(t, db, "postgresql")
	checkCatalog(t, location, "catalog.visits", "postgresql")
}

func TestCatalogMySQL(t *testing.T) {
	location, db := openMySQL(t)
	defined(t, db, "mariadb")
	checkCatalog(t, location, "visits", "mariadb")
}

// TestDateAsLabel drafts a schema whose label has a type of dates. The label lists texts, so it has no format of dates.
func TestDateAsLabel(t *testing.T) {
	directory, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Skip("the Go command does not find the Parquet library: ", err)
	}
	path := filepath.Join(strings.TrimSpace(string(directory)), "testdata", "cluster_test_table_1.snappy.parquet")
	d, err := schema.Import{Location: path}.Draft(t.Context(), schema.Known{Label: "timestamp_tz", Outcomes: []string{"2020-01-01", "2020-01-02"}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Label.Format != "" || d.Columns[0].Name != "timestamp_ltz" || d.Columns[0].Format != "iso" {
		t.Errorf("%+v, %+v", d.Label, d.Columns[0])
	}
	if _, err := d.TOML(); err != nil {
		t.Error(err)
	}
}

// TestCatalogParquet drafts schemas from the test files of the Parquet library, which were written by many programs
// (Apache-2.0 licence, github.com/parquet-go/parquet-go/testdata). Each file gives a schema, unless all its columns are
// nested.
func TestCatalogParquet(t *testing.T) {
	directory, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Skip("the Go command does not find the Parquet library: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(directory)), "testdata", "*.parquet"))
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	kinds := map[string]string{
		"alltypes_plain.parquet":              "id number, bool_col closed, tinyint_col number, smallint_col number, int_col number, bigint_col number, float_col number, double_col number, date_string_col ?, string_col ?, timestamp_col date",
		"int64_decimal.parquet":               "value number",
		"rle_boolean_encoding.parquet":        "datatype_boolean closed",
		"cluster_test_table_1.snappy.parquet": "timestamp_tz date, timestamp_ltz date, timestamp_ntz date, varchar text, boolean closed, int number",
	}
	for _, path := range files {
		d, err := schema.Import{Location: path}.Draft(t.Context(), schema.Known{})
		if err != nil {
			if !strings.Contains(err.Error(), "values are of type nested") {
				t.Error(err)
			}
			continue
		}
		text, err := d.TOML()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		s, err := table.ParseOpenSchema(path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var is []string
		for _, a := range s.Attributes {
			if a.Open() {
				is = append(is, a.Name+" "+a.Kind)
			} else {
				is = append(is, a.Name+" closed")
			}
		}
		if want := kinds[filepath.Base(path)]; want != "" && strings.Join(is, ", ") != want {
			t.Errorf("%s: %s\nwant %s", path, strings.Join(is, ", "), want)
		}
	}
}
