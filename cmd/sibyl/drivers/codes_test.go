package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// awkward are texts that resemble numbers, or numbers that are hard to compare.
var awkward = []string{
	"", " ", "0", "-0", "+0", "00", "0.0", ".0", "0.", ".", "-", "+", "+-1", "--1", "-+1", "1-", "1.5.2", "1e3", "0x1", "NaN", "Infinity",
	"12", "+12", "012", "12.0", "12.000000000000000000000000000000001", "-12.000000000000000000000000000000001", "11.999999999999999999", "-.5", "-0.50",
	" 12", "12 ", "12\n", "1 2", "1,2", "a", "A", "a ", "ä", "A\\'\"", "\\", "'", "%s", "true", "9007199254740993", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "-99999999999999999999999999", strings.Repeat("9", 400), "-" + strings.Repeat("0", 400) + "7.25",
	"2024-02-29", "2024-02-29T12:30:00Z", "١٢",
}

// numbers returns floating-point numbers that are hard to compare.
func numbers(random *rand.Rand) []float64 {
	all := []float64{0, math.Copysign(0, -1), 0.1, 0.2, 0.30000000000000004, 1e21, 1e23, 1 << 53, 1<<53 + 2, 1 << 60, -1 << 63, 1e300, -1e-300, 5e-324, math.MaxFloat64, math.SmallestNonzeroFloat32, 12, -12, 12.5}
	for range 60 {
		all = append(all, math.Ldexp(random.Float64()-.5, random.IntN(80)-20), float64(random.IntN(40)-20)/10)
	}
	return all
}

// numerals are texts of numbers for several column types: 64-bit and 32-bit floats, integers small
// enough for any type, short decimals, and non-negative numbers.
type numerals struct{ floats, singles, wholes, decimals, natural []string }

func drawNumerals() numerals {
	random := rand.New(rand.NewPCG(1, 2))
	n := numerals{wholes: []string{"0", "1", "-1"}, natural: []string{"0", "7", "12", "200"}}
	for _, x := range numbers(random) {
		n.floats = append(n.floats, strconv.FormatFloat(x, 'g', -1, 64))
		if y := float32(x); y != 0 && !math.IsInf(float64(y), 0) || x == 0 {
			n.singles = append(n.singles, strconv.FormatFloat(float64(y), 'g', -1, 32))
		}
	}
	for range 60 {
		n.wholes = append(n.wholes, fmt.Sprint(random.IntN(40)-20))
		n.decimals = append(n.decimals, strconv.FormatFloat(float64(random.IntN(400)-200)/10, 'f', random.IntN(4), 64))
	}
	return n
}

// plain returns the plain texts of the column v, row by row. SQL does not compute codes for this.
func plain(t *testing.T, location string, o source.Options) []string {
	t.Helper()
	o.Keep = "v"
	var all []string
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"x\"]\nother = \"y\"")
	err := source.Records(context.Background(), location, s, o, func(r source.Row) error {
		all = append(all, string(r.Kept))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// drawSchema samples a domain of the column. Its categories and cuts are some of the texts and similar texts.
func drawSchema(t *testing.T, texts []string, random *rand.Rand) *table.Schema {
	t.Helper()
	values := []string{"12", "x"}
	cuts := []float64{0}
	var exact []table.Decimal
	for range 1 + random.IntN(60) {
		v := texts[random.IntN(len(texts))]
		if d, ok := table.ParseDecimal(v); ok && len(v) < 50 {
			exact = append(exact, d)
			f, _ := strconv.ParseFloat(v, 64)
			cuts = append(cuts, f)
		}
		switch random.IntN(8) {
		case 0:
			v += "0"
		case 1:
			v = "0" + v
		case 2:
			v = strings.ToUpper(v)
		case 3:
			v += " "
		}
		values = append(values, v)
	}
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" || !utf8.ValidString(v) || strings.Contains(v, "\x00") })
	random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	codes := slices.Clone(exact)
	a := table.Attribute{Column: "v"}
	switch random.IntN(4) {
	case 0:
		a.Values = values
	case 1:
		for g := range slices.Chunk(values, 1+random.IntN(len(values))) {
			a.Groups = append(a.Groups, table.Group{Name: fmt.Sprint("group ", len(a.Groups)), Values: g})
		}
	case 2:
		for range 5 {
			exact = append(exact, table.Decimal(strconv.FormatFloat(cuts[random.IntN(len(cuts))]+random.Float64()-.5, 'f', random.IntN(20), 64)))
		}
		a.Cuts = increasing(exact)
	default: // few cuts with few digits
		for range 1 + random.IntN(3) {
			a.Cuts = append(a.Cuts, table.Decimal(strconv.FormatFloat(float64(random.IntN(400)-200)/10, 'f', random.IntN(3), 64)))
		}
		a.Cuts = increasing(a.Cuts)
	}
	if random.IntN(2) == 0 {
		a.Other = "the rest"
	}
	if a.Cuts != nil && random.IntN(2) == 0 {
		for _, d := range increasing(codes) {
			if random.IntN(2) == 0 && len(a.Missing) < 10 && len(d) < 12 {
				a.Missing = append(a.Missing, string(d))
			}
		}
	}
	s, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{a}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// increasing returns the distinct numbers in increasing order.
func increasing(all []table.Decimal) []table.Decimal {
	for i, d := range all {
		all[i], _ = table.ParseDecimal(string(d))
	}
	slices.SortFunc(all, func(a, b table.Decimal) int { return a.Rat().Cmp(b.Rat()) })
	return slices.Compact(all)
}

// coded is the name of a table that only this process uses.
var coded = fmt.Sprint("coded_", os.Getpid())

// domains have cuts such that common mistakes change a code.
var domains = []string{
	"cuts = [-12, -7.25, 0, 12]", "cuts = [-12, 12]\nother = \"none\"",
	"cuts = [0.09999999999999999999, 0.10000000000000000001, 12.000000000000000000001]",
	"cuts = [-12.5, 0, 12]\nmissing = [\"-12\", \"12\", \"0.10\", \"-1.5\"]", "cuts = [0]\nmissing = [\"x\", \"0\", \"-9223372036854775808\", \"12.5\"]\nother = \"none\"",
	"values = [\"12\", \"a\", \"A\", \"true\"]", "values = [\"012\", \"12.0\", \"NaN\"]\nother = \"none\"",
}

// codesAgree compares the codes that the database computes for a column with the codes of its plain texts, for random
// domains of the column. It reads from db, or from the location if db is nil.
func codesAgree(t *testing.T, location string, db *sql.DB, seed uint64) {
	t.Helper()
	o := source.Options{DB: db, Query: "SELECT v FROM " + coded}
	texts := plain(t, location, o)
	random := rand.New(rand.NewPCG(seed, 7))
	for i := range heavy.Pick(4, 12) + len(domains) {
		var s *table.Schema
		if i < len(domains) {
			s = tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\n"+domains[i])
		} else {
			s = drawSchema(t, texts, random)
		}
		want := s.Builder()
		err := source.Records(context.Background(), location, s, o, func(r source.Row) error {
			if r.Null {
				return want.AddNull(1)
			}
			return want.Add(r.Record, false, 1)
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.Read(context.Background(), location, s, o)
		if err != nil {
			t.Fatalf("%+v: %v", s.Attributes, err)
		}
		if !got.Equal(want.Table()) {
			counts := make(map[uint16]int64)
			for i := range got.Len() {
				counts[got.Record(i, nil)[0]] += got.Count(i)
			}
			for i, w := range texts {
				code, ok := s.Attributes[0].Code(w)
				if ok {
					counts[uint16(code)]--
				}
				if i == len(texts)-1 {
					t.Fatalf("%+v\n%d null, not %d; too many of codes %v", s.Attributes, got.Nulls(), want.Table().Nulls(), counts)
				}
			}
		}
	}
}

// TestCodesInPostgres compares codes that PostgreSQL computes with codes that package table computes.
func TestCodesInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	read := openReadOnly(t, location)
	n := drawNumerals()
	nots := []string{"NaN", "Infinity", "-Infinity"}
	days := []string{"2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31", "10000-01-01", "0044-03-15 BC", "infinity", "-infinity"}
	var moments []string
	for _, d := range days {
		moments = append(moments, d)
		if d < "9" && !strings.Contains(d, "BC") {
			moments = append(moments, d+" 12:30:00", d+" 23:59:59.5", d+" 00:00:00.000001")
		}
	}
	text := slices.DeleteFunc(slices.Clone(awkward), func(s string) bool { return s == "" })
	for name, values := range map[string][]string{
		"smallint": slices.Concat(n.wholes, []string{"-32768", "32767"}), "integer": n.wholes,
		"bigint":           slices.Concat(n.wholes, []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"}),
		"numeric":          slices.Concat(n.decimals, nots, []string{"1e100", "-1e-100", "9007199254740993.5"}),
		"numeric(8,2)":     slices.Concat(n.decimals, []string{"NaN"}),
		"double precision": slices.Concat(n.floats, nots), "real": slices.Concat(n.singles, nots),
		"boolean": {"true", "false"}, "date": days, "timestamp": moments, "timestamptz": moments,
		"time": {"12:30:00", "00:00:00.5", "24:00:00"}, "interval": {"1 day", "12:00"},
		"text": append(text, ""), "varchar(500)": text, "char(4)": {"a", "A", "12", "-1.5", "ä"}, "bytea": {"12", `\x3132ff`, `\x`, `\\`, "-1.5"},
		"uuid": {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, "jsonb": {`{"a": 1}`, "12", `"12"`}, "json": {"12", "1.50"}, "inet": {"10.0.0.1", "10.0.0.0/8"},
		"oid": {"12", "4294967295"}, `"char"`: {"a", "1"}, "name": {"a", "12"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, db, "DROP TABLE IF EXISTS "+coded, "CREATE TABLE "+coded+" (v "+name+")")
			fill(t, db, "INSERT INTO "+coded+" VALUES (CAST($1::text AS "+name+"))", append(given(values), nil))
			codesAgree(t, location, read, 3)
		})
	}
}

// fill inserts the values, one by one.
func fill(t testing.TB, db *sql.DB, insert string, values []any) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		if _, err := tx.Exec(insert, v); err != nil {
			t.Fatal(v, err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// given converts texts to arguments for a driver.
func given(texts []string) []any {
	var all []any
	for _, v := range texts {
		all = append(all, v)
	}
	return all
}

// TestCodesInSQLite compares codes that SQLite computes with codes that package table computes, for values of all types in
// columns of every declared type.
func TestCodesInSQLite(t *testing.T) {
	inDirectory(t)
	db, err := sql.Open("sqlite", "file:coded.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	random := rand.New(rand.NewPCG(4, 5))
	values := []any{nil, true, false, math.Inf(1), math.Inf(-1), []byte{}, []byte("12"), []byte("a"), []byte{0xff, 0}, []byte("-1.50"), "with a\x00 in it", "1\x00", int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53 + 1), int64(1 << 60)}
	values = append(values, given(awkward)...)
	for _, x := range numbers(random) {
		values = append(values, x, int64(random.IntN(40)-20))
	}
	for _, name := range []string{"", "INTEGER", "REAL", "TEXT", "TEXT COLLATE NOCASE", "NUMERIC", "BLOB", "BOOLEAN", "DATE", "DATETIME", "VARCHAR(20)"} {
		t.Run(name, func(t *testing.T) {
			execute(t, db, "DROP TABLE IF EXISTS "+coded, "CREATE TABLE "+coded+" (v "+name+")")
			fill(t, db, "INSERT INTO "+coded+" VALUES (?)", values)
			codesAgree(t, "sqlite:coded.db", nil, 6)
		})
	}
}
