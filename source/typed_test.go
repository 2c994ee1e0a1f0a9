package source_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/parquet-go/parquet-go"
	_ "modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl/internal/people"
	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// A visit is a row with a column of every type.
type visit struct {
	Whole   *int64     `parquet:"whole,optional"`
	Small   int32      `parquet:"small"`
	Price   int64      `parquet:"price,decimal(2:10)"`
	Ratio   *float64   `parquet:"ratio,optional"`
	Single  float32    `parquet:"single"`
	Member  bool       `parquet:"member"`
	Day     int32      `parquet:"day,date"`
	Instant time.Time  `parquet:"instant,timestamp(microsecond)"`
	City    *string    `parquet:"city,optional,dict"`
	Order   string     `parquet:"order"`
	Raw     []byte     `parquet:"raw"`
	Nested  *[]visitor `parquet:"nested,optional"`
	Label   string     `parquet:"y,dict"`
}

type visitor struct {
	Name string `parquet:"name"`
}

var visitNames = []string{"whole", "small", "price", "ratio", "single", "member", "day", "instant", "city", "order", "raw", "y"}

const visitSchema = `
[label]
column = "y"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "whole"
cuts = [-5, 0, 1000000000000]
other = "none"
[[attribute]]
column = "whole"
name = "whole too"
values = ["-7", "0", "9007199254740993"]
other = "else"
[[attribute]]
column = "small"
values = ["0", "1", "2"]
[[attribute]]
column = "price"
values = ["0.05", "12.50", "-3.00"]
[[attribute]]
column = "ratio"
values = ["0.1", "100000000000000000000000", "0", "5"]
other = "NaN or none"
[[attribute]]
column = "single"
values = ["0.1", "-2"]
[[attribute]]
column = "member"
values = ["true", "false"]
[[attribute]]
column = "day"
values = ["2024-02-29", "1969-12-31"]
[[attribute]]
column = "instant"
values = ["2024-02-29T12:30:00Z", "1969-12-31T23:59:59.5Z"]
[[attribute]]
column = "city"
groups = { south = ["Rome", "Napoli \"bella\", Italia"], north = ["Bern"] }
[[attribute]]
column = "order"
values = ["a", "A", "b"]
[[attribute]]
column = "raw"
values = ["bytes"]
`

func visits() []visit {
	whole := []int64{-7, 0, 9007199254740993, 3}
	ratio := []float64{0.1, 1e23, 0, 5}
	cities := []string{"Rome", "Napoli \"bella\", Italia", "Bern", "Oslo"}
	days := []time.Time{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)}
	instants := []time.Time{time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 500_000_000, time.UTC)}
	var all []visit
	for i := range 2000 {
		v := visit{
			Small: int32(i % 3), Price: []int64{5, 1250, -300}[i%3], Single: []float32{0.1, -2}[i/2%2], Member: i%5 == 0,
			Day: int32(days[i%2].Unix() / 86400), Instant: instants[i/3%2], Order: []string{"a", "A", "b"}[i/5%3],
			Raw: []byte("bytes"), Label: []string{"yes", "no"}[i%7%2],
		}
		if i%50 == 0 {
			v.Label = "unknown"
		}
		if i%4 > 0 {
			v.Whole, v.Ratio, v.City = &whole[i/4%4], &ratio[i/7%4], &cities[i%9/3]
		}
		if i%40 == 1 {
			v.City = &cities[3]
		}
		if i%4 == 0 && i%3 > 0 {
			v.City = &cities[0]
		}
		all = append(all, v)
	}
	return all
}

// texts are the fields of the visit in delimited text, and values those that
// a driver is given.
func (v visit) texts() []string {
	optional := func(present bool, text func() string) string {
		if !present {
			return ""
		}
		return text()
	}
	return []string{
		optional(v.Whole != nil, func() string { return fmt.Sprint(*v.Whole) }), fmt.Sprint(v.Small), v.price(),
		optional(v.Ratio != nil, func() string { return strconv.FormatFloat(*v.Ratio, 'f', -1, 64) }),
		fmt.Sprint(v.Single), fmt.Sprint(v.Member), v.day().Format(time.DateOnly), v.Instant.Format(time.RFC3339Nano),
		optional(v.City != nil, func() string { return *v.City }), v.Order, string(v.Raw), v.Label,
	}
}

func (v visit) price() string {
	sign, p := "", v.Price
	if p < 0 {
		sign, p = "-", -p
	}
	return fmt.Sprintf("%s%d.%02d", sign, p/100, p%100)
}

func (v visit) day() time.Time { return time.Unix(int64(v.Day)*86400, 0).UTC() }

func (v visit) values() []any {
	return []any{v.Whole, v.Small, v.price(), v.Ratio, v.Single, v.Member, v.day(), v.Instant, v.City, v.Order, v.Raw, v.Label}
}

func visitsCSV(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "visits.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(file)
	w.Write(visitNames)
	for _, v := range visits() {
		w.Write(v.texts())
	}
	w.Flush()
	if err := w.Error(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func readVisits(t testing.TB, location string, o source.Options) *table.Table {
	t.Helper()
	got, err := source.Read(context.Background(), location, mustParse(t, visitSchema), o)
	if err != nil {
		t.Fatal(err)
	}
	byRow := table.NewBuilder(got.Sizes())
	err = source.Records(context.Background(), location, mustParse(t, visitSchema), o, func(r source.Row) error {
		if r.Null {
			return byRow.AddNull(1)
		}
		return byRow.Add(r.Record, r.Label, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !byRow.Table().Equal(got) {
		t.Errorf("%s: Records and Read differ", location)
	}
	return got
}

// checkVisits compares a source with the same data as text.
func checkVisits(t *testing.T, location string, o source.Options) {
	t.Helper()
	want, got := readVisits(t, visitsCSV(t), source.Options{}), readVisits(t, location, o)
	if want.Len() < 100 || want.Nulls() < 50 || want.Nulls() > want.Rows()/2 {
		t.Fatalf("a poor test: %d distinct records, %d of %d rows null", want.Len(), want.Nulls(), want.Rows())
	}
	if !got.Equal(want) {
		t.Errorf("%d distinct records, %d null rows, unlike the text's %d and %d", got.Len(), got.Nulls(), want.Len(), want.Nulls())
		report, err := source.Check(context.Background(), location, mustParse(t, visitSchema), o)
		t.Logf("%+v, %v", report, err)
	}
}

func TestParquetEqualsText(t *testing.T) {
	for _, options := range [][]parquet.WriterOption{
		{parquet.MaxRowsPerRowGroup(700)},
		{parquet.PageBufferSize(500), parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)},
	} {
		path := filepath.Join(t.TempDir(), "visits.parquet")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.NewGenericWriter[visit](file, options...)
		if _, err := w.Write(visits()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		checkVisits(t, path, source.Options{})
		for schema, want := range map[string]string{
			"[[attribute]]\ncolumn = \"nested\"\nvalues = [\"x\"]": `: column "nested" is nested; write a file where it holds single values`,
			"[[attribute]]\ncolumn = \"absent\"\nvalues = [\"x\"]": `: the file lacks column "absent"; name it there or change the schema`,
		} {
			_, err := source.Read(context.Background(), path, mustParse(t, schema), source.Options{})
			if err == nil || err.Error() != path+want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// TestDamagedParquet flips bytes: a table or one sentence, never a panic.
func TestDamagedParquet(t *testing.T) {
	inDirectory(t)
	if err := people.WriteParquet("people.parquet", 500); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile("people.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s := mustParse(t, people.Schema)
	for i := 4; i < len(sound); i += 1 + len(sound)/300 {
		torn := append([]byte(nil), sound...)
		torn[i] ^= 0x5a
		write(t, "torn.parquet", string(torn))
		got, err := source.Read(context.Background(), "torn.parquet", s, source.Options{})
		if (got == nil) == (err == nil) {
			t.Fatalf("byte %d: table %v and error %v", i, got, err)
		}
	}
}

func TestSQLiteEqualsText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20?.db")
	db, err := sql.Open("sqlite", path[:len(path)-len("a b%20?.db")]+"plain.db")
	if err != nil {
		t.Fatal(err)
	}
	fillVisits(t, db, `CREATE TABLE visits (whole INTEGER, small INT, price TEXT, ratio DOUBLE, single TEXT,
		member BOOLEAN, day DATE, instant TIMESTAMP, city TEXT, "order" TEXT COLLATE NOCASE, raw BLOB, y TEXT)`, "?")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(filepath.Dir(path), "plain.db"), path); err != nil {
		t.Fatal(err)
	}
	location := "sqlite://" + strings.NewReplacer("%", "%25", "?", "%3F", " ", "%20").Replace(path)
	checkVisits(t, location, source.Options{Query: "SELECT * FROM visits -- all;"})
	checkSQLMessages(t, location)
}

func TestPostgreSQLEqualsText(t *testing.T) {
	location := os.Getenv("SIBYL_TEST_POSTGRES")
	if location == "" {
		shareddata.Missing(t, "SIBYL_TEST_POSTGRES does not name a PostgreSQL database; .ci/postgres starts one")
	}
	db, err := sql.Open("pgx", location)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fillVisits(t, db, `CREATE TABLE visits (whole BIGINT, small SMALLINT, price NUMERIC(10,2), ratio DOUBLE PRECISION, single REAL,
		member BOOLEAN, day DATE, instant TIMESTAMPTZ, city TEXT, "order" VARCHAR(5), raw BYTEA, y TEXT)`, "$")
	checkVisits(t, location, source.Options{Query: "SELECT * FROM visits;\n"})
	checkSQLMessages(t, location)
	for query, want := range map[string]string{
		"SELECT whole, whole FROM visits":           `: the query's result has column "whole" twice; select it once`,
		"SELECT city::integer AS whole FROM visits": "SQLSTATE 22P02; run it in the database's own shell to see why",
	} {
		s := mustParse(t, "[[attribute]]\ncolumn = \"whole\"\nvalues = [\"1\"]")
		_, err := source.Read(context.Background(), location, s, source.Options{Query: query})
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "Rome") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func fillVisits(t *testing.T, db *sql.DB, create, mark string) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS visits", create} {
		if _, err := tx.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	marks := make([]string, len(visitNames))
	for i := range marks {
		if marks[i] = mark; mark == "$" {
			marks[i] = fmt.Sprint("$", i+1)
		}
	}
	insert, err := tx.Prepare("INSERT INTO visits VALUES (" + strings.Join(marks, ", ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range visits() {
		values := v.values()
		if mark == "?" {
			values[4] = fmt.Sprint(v.Single)
		}
		if _, err := insert.Exec(values...); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func checkSQLMessages(t *testing.T, location string) {
	t.Helper()
	s := mustParse(t, visitSchema)
	for query, want := range map[string]string{
		"":                      ": a database needs a query that gives one row per person",
		"SELECT 1 AS whole":     `: the query's result lacks column "small"; select it or name it so with AS`,
		"SELECT * FROM nowhere": ": the query is refused: ",
		"SELEKT * FROM visits":  ": the query is refused: ",
	} {
		_, err := source.Read(context.Background(), location, s, source.Options{Query: query})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got  %v\n want %s", query, err, want)
		} else {
			t.Log(err)
		}
	}
}
