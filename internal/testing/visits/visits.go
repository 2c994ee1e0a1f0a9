// Package visits generates a table with a column of every type, for tests that compare a typed source with a text
// file of the same data.
package visits

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// A Visit is a row of a generated table that has a column of every type. The table is used to test that all kinds of
// sources are read in the same way.
type Visit struct {
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
	Nested  *[]Visitor `parquet:"nested,optional"`
	Label   string     `parquet:"y,dict"`
}

// A Visitor is a group of columns of a Visit, which Parquet stores as a nested record.
type Visitor struct {
	Name string `parquet:"name"`
}

// Names are the names of the columns of visits in a text file and in a database.
var Names = []string{"whole", "small", "price", "ratio", "single", "member", "day", "instant", "city", "order", "raw", "y"}

// Schema is the text of a schema for the columns of visits.
const Schema = `
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

// All returns all visits: the rows of the generated table.
func All() []Visit {
	whole := []int64{-7, 0, 9007199254740993, 3}
	ratio := []float64{0.1, 1e23, 0, 5}
	cities := []string{"Rome", "Napoli \"bella\", Italia", "Bern", "Oslo"}
	days := []time.Time{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)}
	instants := []time.Time{time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 500_000_000, time.UTC)}
	var all []Visit
	for i := range 2000 {
		v := Visit{
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

// texts returns the values of the visit as fields of a text file.
func (v Visit) texts() []string {
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

func (v Visit) price() string {
	sign, p := "", v.Price
	if p < 0 {
		sign, p = "-", -p
	}
	return fmt.Sprintf("%s%d.%02d", sign, p/100, p%100)
}

func (v Visit) day() time.Time { return time.Unix(int64(v.Day)*86400, 0).UTC() }

// Values returns the values of the visit as arguments for a database driver.
func (v Visit) Values() []any {
	return []any{v.Whole, v.Small, v.price(), v.Ratio, v.Single, v.Member, v.day(), v.Instant, v.City, v.Order, v.Raw, v.Label}
}

// writeCSV writes the visits to a temporary text file and returns its path.
func writeCSV(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "visits.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(file)
	w.Write(Names)
	for _, v := range All() {
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

func parse(t testing.TB) *table.Schema {
	t.Helper()
	return tabletest.Schema(t, Schema)
}

// read returns the table that source.Read reads from a location. It also checks that reading the same source record by
// record gives an equal table.
func read(t testing.TB, location string, o source.Options) *table.Table {
	t.Helper()
	got, err := source.Read(context.Background(), location, parse(t), o)
	if err != nil {
		t.Fatal(err)
	}
	byRow := table.NewBuilder(got.Sizes())
	err = source.Records(context.Background(), location, parse(t), o, func(r source.Row) error {
		if r.Null {
			return byRow.AddNull(1)
		}
		return byRow.Add(r.Record, r.Label, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !byRow.Table().Equal(got) {
		t.Errorf("%s: the tables of Records and of Read differ", location)
	}
	return got
}

// Check reads a source that contains the generated visits, and fails the test unless its table equals that of a text
// file with the same visits.
func Check(t testing.TB, location string, o source.Options) {
	t.Helper()
	want, got := read(t, writeCSV(t), source.Options{}), read(t, location, o)
	if want.Len() < 100 || want.Nulls() < 50 || want.Nulls() > want.Rows()/2 {
		t.Fatalf("unsuitable test data: %d distinct records, %d of %d rows null", want.Len(), want.Nulls(), want.Rows())
	}
	if !got.Equal(want) {
		t.Errorf("the source has %d distinct records and %d null rows, but the text file has %d and %d", got.Len(), got.Nulls(), want.Len(), want.Nulls())
		report, err := source.Check(context.Background(), location, parse(t), o)
		t.Logf("%+v, %v", report, err)
	}
}
