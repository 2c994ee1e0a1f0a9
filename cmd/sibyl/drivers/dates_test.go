package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// dateSchema reads dates in columns of dates, of instants, of texts and of numbers.
const dateSchema = `
[person]
column = "who"
most = 2
[[attribute]]
column = "day"
format = "iso"
cuts = ["1969-12-31", "2024-02-29", "2024-03-01"]
other = "none"
[[attribute]]
column = "day"
format = "d.m.y"
part = "weekday"
groups = { weekend = ["6", "7"] }
other = "else"
[[attribute]]
column = "instant"
format = "iso"
part = "month"
cuts = [2, 3]
other = "none"
[[attribute]]
column = "written"
format = "d.m.y"
age_at = "2026-01-01"
cuts = [0, 18, 18.5]
missing = ["1.1.1900", "unknown"]
other = "none"
[[attribute]]
column = "seconds"
format = "epoch"
cuts = ["1970-01-01", "2024-02-29"]
other = "none"
[[attribute]]
column = "seconds"
name = "number"
cuts = [0, 1000]
other = "none"
`

// dateRows are rows of the columns who, day, instant, written and seconds.
var dateRows = [][]string{
	{"a", "1969-12-30", "2024-01-31", "31.12.2007", "-1"}, {"b", "1969-12-31", "2024-02-01", "1.1.2008", "0"}, {"b", "2024-02-28", "2024-02-29", "01/01/2008 10:00", "1709164799"},
	{"c", "2024-02-29", "2024-03-01", "30.2.2008", "1709164800"}, {"d", "2024-03-02", "1999-12-31", "1.1.1900", "999"}, {"d", "", "", "", ""}, {"e", "2024-03-03", "2000-01-01", "unknown", "99999999"},
	{"f", "0001-01-01", "2024-12-31", "2007-12-31", "5"}, {"g", "9999-12-31", "2024-01-01", "2.1.2026", "-86400"}, {"g", "2024-03-04", "2024-06-30", "x", "-86401"},
}

// checkDates fills a table with dateRows. It compares the records of the database with those of a file with the same
// texts.
func checkDates(t *testing.T, location string, db *sql.DB, columns string) {
	t.Helper()
	execute(t, db, "CREATE TABLE visits ("+columns+")")
	file := "who,day,instant,written,seconds\n"
	for _, row := range dateRows {
		file += strings.Join(row, ",") + "\n"
		values := make([]string, len(row))
		for i, text := range row {
			if values[i] = "NULL"; text != "" {
				values[i] = "'" + text + "'"
			}
		}
		if row[4] != "" {
			values[4] = row[4]
		}
		execute(t, db, "INSERT INTO visits VALUES ("+strings.Join(values, ", ")+")")
	}
	for _, s := range []*table.Schema{tabletest.Schema(t, dateSchema), tabletest.Schema(t, strings.SplitN(dateSchema, "most = 2\n", 2)[1])} {
		want, err := source.Read(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(file)})
		if err != nil {
			t.Fatal(err)
		}
		o := source.Options{Query: "SELECT * FROM visits"}
		got, err := source.Read(context.Background(), location, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) {
			t.Errorf("the table of the database has %d distinct records of %d rows, that of the file %d of %d", got.Len(), got.Rows(), want.Len(), want.Rows())
		}
		records := func(location string, o source.Options) string {
			counts := make(map[string]int)
			if err := source.Records(context.Background(), location, s, o, func(r source.Row) error {
				counts[fmt.Sprint(r.Record)]++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(counts)
		}
		if got, want := records(location, o), records("-", source.Options{Stdin: strings.NewReader(file)}); got != want {
			t.Errorf("records %s, not %s", got, want)
		}
	}
}

func TestDatesInSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dates.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkDates(t, "sqlite://"+path, db, "who TEXT, day DATE, instant TIMESTAMP, written TEXT, seconds INTEGER")
}

func TestDatesInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	checkDates(t, location, db, "who TEXT, day DATE, instant TIMESTAMPTZ, written TEXT, seconds BIGINT")
}

func TestDatesInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	checkDates(t, location, db, "who VARCHAR(9), day DATE, instant DATETIME(6), written TEXT, seconds BIGINT")
}
