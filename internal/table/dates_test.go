package table_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// dated returns a schema with an attribute of dates in column a.
func dated(t *testing.T, text string) *table.Schema {
	t.Helper()
	return tabletest.Schema(t, attribute(text))
}

func TestReadDates(t *testing.T) {
	const before, after, none, wrong = 0, 1, -1, -2 // relative to 2020-01-01; none: other text; wrong: no such date
	for _, c := range []struct {
		format, text string
		want         int
	}{
		{"iso", "2020-01-01", after}, {"iso", "2019-12-31", before}, {"iso", "2020-01-01T00:00:00Z", after}, {"iso", "2019-12-31 23:59:59.999+02:00", before},
		{"iso", "2020-1-1", none}, {"iso", "20200101", none}, {"iso", "2020-01-01x", none}, {"iso", "2020-01-01T", none}, {"iso", " 2020-01-01", none},
		{"iso", "2020/01/01", none}, {"iso", "01.01.2020", none}, {"iso", "0", none}, {"iso", "-2020-01-01", none}, {"iso", "20200-01-01", none}, {"iso", "x", none},
		{"iso", "2020-02-29", after}, {"iso", "2019-02-29", wrong}, {"iso", "2020-02-30", wrong}, {"iso", "2020-13-01", wrong}, {"iso", "2020-00-01", wrong},
		{"iso", "2020-01-00", wrong}, {"iso", "2020-04-31", wrong}, {"iso", "0000-01-01", wrong}, {"iso", "0001-01-01", before}, {"iso", "9999-12-31", after}, {"iso", "1900-02-29", wrong}, {"iso", "2000-02-29", before},
		{"d.m.y", "1.1.2020", after}, {"d.m.y", "31.12.2019", before}, {"d.m.y", "31/12/2019", before}, {"d.m.y", "31-12-2019 8:05", before}, {"d.m.y", "01.01.2020, 08:05", after},
		{"d.m.y", "31.2.2020", wrong}, {"d.m.y", "12.31.2019", wrong}, {"d.m.y", "1.1.20", none}, {"d.m.y", "1.1/2020", none}, {"d.m.y", "001.1.2020", none}, {"d.m.y", "2020-01-01", after}, {"d.m.y", "1.1.20200", none},
		{"m/d/y", "12/31/2019", before}, {"m/d/y", "1/1/2020 8:05 PM", after}, {"m/d/y", "31/12/2019", wrong}, {"m/d/y", "1/1", none},
		{"epoch", "1577836800", after}, {"epoch", "1577836799", before}, {"epoch", "1577836799.999", before}, {"epoch", "-1", before}, {"epoch", "1577836800000", wrong}, {"epoch", "1e9", none},
		{"epoch", "", none}, {"epoch", "-", none}, {"epoch", "1.", none}, {"epoch", "--1", none}, {"epoch", "99999999999999999999", none}, {"epoch", "2020-01-01", after},
	} {
		s := dated(t, fmt.Sprintf("format = %q\ncuts = [\"2020-01-01\"]", c.format))
		coder := s.Attributes[0].Coder(&s.File)
		code, ok := coder.Code([]byte(c.text))
		want := table.Readable
		switch {
		case c.want == none && c.text != "":
			want = table.NotDate
		case c.want == wrong:
			want = table.NoSuchDate
		}
		if ok != (c.want >= 0) || ok && code != c.want || coder.NumberFault([]byte(c.text)) != want {
			t.Errorf("%s %q: %d, %v, fault %d", c.format, c.text, code, ok, coder.NumberFault([]byte(c.text)))
		}
		again, ok2 := s.Attributes[0].Code(c.text)
		if again != code && ok || ok != ok2 {
			t.Errorf("%q: Attribute.Code returns %d, %v", c.text, again, ok2)
		}
	}
}

// All days of 5 centuries have the parts and the age that package time computes in another way.
func TestDateParts(t *testing.T) {
	schemas := map[string]*table.Schema{}
	for part, most := range map[string]int{"month": 12, "weekday": 7, "day": 31} {
		var values []string
		for v := 1; v <= most; v++ {
			values = append(values, fmt.Sprintf("%q", fmt.Sprint(v)))
		}
		schemas[part] = dated(t, "format = \"iso\"\npart = \""+part+"\"\nvalues = ["+strings.Join(values, ", ")+"]")
	}
	schemas["year"] = dated(t, "format = \"iso\"\npart = \"year\"\ncuts = [1900, 2000, 2000.5]")
	schemas["age"] = dated(t, "format = \"iso\"\nage_at = \"2026-03-01\"\ncuts = [0, 18, 65]")
	code := func(name, text string) int {
		code, ok := schemas[name].Attributes[0].Coder(nil).Code([]byte(text))
		if !ok {
			t.Fatalf("%s of %s", name, text)
		}
		return code
	}
	for at := time.Date(1760, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2260; at = at.AddDate(0, 0, 11) {
		text := at.Format(time.DateOnly)
		weekday := (int(at.Weekday()) + 6) % 7
		year := 0
		for _, from := range []int{1900, 2000, 2001} {
			if at.Year() >= from {
				year++
			}
		}
		age := 0
		for i, years := range []int{0, 18, 65} {
			if !at.AddDate(years, 0, 0).After(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
				age = i + 1
			}
		}
		got := []int{code("month", text), code("weekday", text), code("day", text), code("year", text), code("age", text)}
		if want := []int{int(at.Month()) - 1, weekday, at.Day() - 1, year, age}; !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestDateSchema(t *testing.T) {
	s := dated(t, "kind = \"date\"\nformat = \"d.m.y\"\ncuts = [\"1960-02-29\", 2020-01-01]\nmissing = [\"1.1.1900\", \"?\"]")
	a := &s.Attributes[0]
	if got, want := a.Categories(), []string{"<1960-02-29", "[1960-02-29,2020-01-01)", "≥2020-01-01"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"?", "1.1.1900", "01/01/1900", "1900-01-01", ""} {
		if _, ok := a.Code(text); ok {
			t.Errorf("%q is not missing", text)
		}
	}
	json, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"cuts":["1960-02-29","2020-01-01"],"format":"d.m.y"`; !strings.Contains(string(json), want) {
		t.Errorf("%s", json)
	}
	var again table.Schema
	if err := again.UnmarshalJSON(json); err != nil || again.Digest() != s.Digest() || again.Attributes[0].CutText(1) != "2020-01-01" {
		t.Errorf("%v", err)
	}
	digests := map[string]bool{s.Digest(): true}
	for _, text := range []string{
		"format = \"iso\"\ncuts = [\"1960-02-29\", \"2020-01-01\"]", "format = \"m/d/y\"\ncuts = [\"1960-02-29\", \"2020-01-01\"]", "format = \"iso\"\npart = \"year\"\ncuts = [1960, 2020]",
		"format = \"iso\"\nage_at = \"2020-01-01\"\ncuts = [1960, 2020]", "format = \"iso\"\nage_at = \"2020-01-02\"\ncuts = [1960, 2020]", "format = \"iso\"\ncuts = [\"1960-02-29\", \"2020-01-01\"]\nmissing = \"1900-01-01\"",
	} {
		digests[dated(t, text).Digest()] = true
	}
	if len(digests) != 7 {
		t.Errorf("%d digests", len(digests))
	}
	if a, b := dated(t, "format = \"d.m.y\"\ncuts = [\"1960-02-29\"]\nmissing = \"1.1.1900\""), dated(t, "format = \"d.m.y\"\ncuts = [\"1960-02-29\"]\nmissing = \"01/01/1900\""); a.Digest() != b.Digest() {
		t.Error("equal domains have different digests")
	}
	if got := dated(t, "format = \"iso\"\npart = \"weekday\"\ngroups = { weekend = [\"6\", \"7\"] }\nother = \"else\"").Attributes[0]; got.Name != "a weekday" {
		t.Errorf("name %q", got.Name)
	}
}

// Every date that a Drawer writes, in every format, has the category of the record, lies in the range and obeys the
// rules; the JSON form of the schema has the same range.
func TestDatesAreWritten(t *testing.T) {
	shapes := map[string]string{"iso": time.DateOnly, "d.m.y": "02.01.2006", "m/d/y": "01/02/2006", "epoch": ""}
	random := rand.New(rand.NewPCG(1, 2))
	for format, shape := range shapes {
		for range 20 {
			day := func(n int) string { return time.Unix(int64(n)*86400, 0).UTC().Format(time.DateOnly) }
			numbers := random.Perm(40000)[:5]
			slices.Sort(numbers)
			for i := range numbers {
				numbers[i] -= 25000
			}
			column := fmt.Sprintf("format = %q\ncuts = [%s, %s, %q]\ndraw = \"day\"\nleast = %s\nmost = %q\nother = \"none\"",
				format, day(numbers[1]), day(numbers[2]), day(numbers[3]), day(numbers[0]), day(numbers[4]))
			s := dated(t, column+"\n[[attribute]]\ncolumn = \"b\"\n"+column+"\n[[rule]]\nat_most = [\"a\", \"b\"]")
			text, err := s.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var again table.Schema
			if err := again.UnmarshalJSON(text); err != nil || !reflect.DeepEqual(&again, s) {
				t.Fatalf("%v\n%s", err, text)
			}
			f := flat(t, s)
			d, err := table.NewDrawer(f, random.Uint64(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 40 {
				record := []uint16{uint16(random.IntN(5)), uint16(random.IntN(5)), 0}
				if record[0] < 4 && record[1] < 4 && record[0] > record[1] {
					record[0], record[1] = record[1], record[0]
				}
				fields := d.Draw(nil, record, nil)
				var days [2]int64
				for j := range 2 {
					a := &f.Attributes[j]
					if code, ok := a.Code(fields[j]); !ok || code != int(record[j]) {
						t.Fatalf("%s %q: category %d, want %d\n%s", format, fields[j], code, record[j], column)
					}
					if record[j] == 4 {
						continue
					}
					number, ok := a.ParseNumber(fields[j])
					n, err := strconv.ParseInt(string(number), 10, 64)
					days[j] = n
					if !ok || err != nil || n < int64(numbers[0]) || n > int64(numbers[4]) {
						t.Fatalf("%s %q is not between %s and %s", format, fields[j], day(numbers[0]), day(numbers[4]))
					}
					if shape != "" && time.Unix(n*86400, 0).UTC().Format(shape) != fields[j] {
						t.Fatalf("%s: %q", format, fields[j])
					}
				}
				if record[0] < 4 && record[1] < 4 && days[0] > days[1] {
					t.Fatalf("%q is after %q", fields[0], fields[1])
				}
			}
		}
	}
}

// Dates are drawn only between a first and a last date, and compared only with dates.
func TestDatesRefused(t *testing.T) {
	const needs = "has draw = \"day\", so it needs \"least\" and \"most\", the first and the last possible date"
	const number = "\n[[attribute]]\ncolumn = \"n\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 9\n[[rule]]\nat_most = "
	const whole = "cuts = [\"2020-01-01\"]\ndraw = \"day\"\nleast = \"2000-01-01\"\nmost = \"2030-01-01\""
	for text, want := range map[string]string{
		"cuts = [\"2020-01-01\"]\ndraw = \"day\"\nleast = \"2000-01-01\"": needs,
		"cuts = [\"2020-01-01\"]\ndraw = \"day\"\nmost = \"2030-01-01\"":  needs,
		"cuts = [\"2020-01-01\"]\ndraw = \"day\"":                         needs,
		whole + number + "[\"a\", \"n\"]":                                 "\"at_most\" of [[rule]] compares \"a\" with \"n\", but only one of them has dates",
		whole + number + "[\"n\", \"a\"]":                                 "\"at_most\" of [[rule]] compares \"n\" with \"a\", but only one of them has dates",
	} {
		_, err := table.ParseSchema("s", strings.NewReader("[[attribute]]\ncolumn = \"a\"\nformat = \"iso\"\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
