package synthetic

import (
	"bytes"
	"compress/flate"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// randomRows returns n random rows over columns with the given numbers of values.
func randomRows(r *rand.Rand, n int, sizes ...int) (d synth.Domain, rows [][]uint16) {
	for _, size := range sizes {
		d.Columns = append(d.Columns, synth.Column{Size: size})
		column := make([]uint16, n)
		for i := range column {
			column[i] = uint16(r.IntN(size))
		}
		rows = append(rows, column)
	}
	return d, rows
}

// sorted returns the rows of the columns in lexicographic order.
func sorted(columns [][]uint16) (rows [][]uint16) {
	for i := range columns[0] {
		var row []uint16
		for _, column := range columns {
			row = append(row, column[i])
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, slices.Compare[[]uint16])
	return rows
}

// Records contain the rows from which they are made. They are the same after packing and unpacking, for any columns.
// Codes that pack does not write are refused.
func TestRecordsArePacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, sizes := range [][]int{{1}, {2, 1, 3}, {256, 257, 2}, {65536, 4, 300, 255}} {
		for _, n := range []int{1, 2, 500} {
			d, rows := randomRows(r, n, sizes...)
			records := NewRecords(d, rows)
			if !reflect.DeepEqual(sorted(records.columns), sorted(rows)) {
				t.Fatalf("%v: records are other rows", sizes)
			}
			packed, err := records.pack()
			if err != nil {
				t.Fatal(err)
			}
			read, err := unpack(d, n, packed)
			if err != nil || !reflect.DeepEqual(read, records) {
				t.Fatalf("%v: %d records are read as others: %v", sizes, n, err)
			}
			for name, wrong := range map[string]struct {
				n      int
				packed []byte
			}{
				"one more":  {n + 1, packed},
				"one less":  {n - 1, packed},
				"half":      {n, packed[:len(packed)/2]},
				"a tail":    {n, append(slices.Clone(packed), 0)},
				"a preface": {n, append([]byte{0}, packed...)},
			} {
				if wrong.n == 0 {
					continue
				}
				if _, err := unpack(d, wrong.n, wrong.packed); err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, %d: %s: %v", sizes, n, name, err)
				}
			}
		}
	}
	d := synth.Domain{Columns: []synth.Column{{Size: 2}, {Size: 3}}}
	for text, says := range map[string]string{
		"\x01\x00\x00\x00": "not sorted",
		"\x00\x00\x01\x00": "not sorted",
		"\x00\x01\x02\x03": "has the code 3 in column 2",
		"\x00\x02\x02\x00": "has the code 2 in column 1",
		"\x00\x01\x02\x00": "",
	} {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, 1)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
		w.Close()
		if _, err := unpack(d, 2, packed.Bytes()); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, not %s", text, err, says)
		}
	}
}

// Among n rows of m records, each record occurs n/m times, rounded down or up. Any consecutive rows have nearly the same
// marginals as all rows. Another seed gives another order.
func TestRowsAreEquallySpaced(t *testing.T) {
	l, err := NewLayout(tabletest.Schema(t, towns))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 8))
	for _, m := range []int{1, 2, 7, 1000} {
		_, drawn := randomRows(r, m, 2, 2)
		records := NewRecords(l.Domain, drawn)
		columns := records.columns
		records.columns = [][]uint16{make([]uint16, m), make([]uint16, m)}
		for i := range m {
			records.columns[0][i] = uint16(i) // so that a row shows its record
		}
		for _, n := range []int{0, 1, 2, 3, 8, 610, 1000, 1001, 2500, 10_000} {
			rows := newRows(l, records, nil, nil, n, 5)
			times := make([]int, m)
			for i := range rows.Len() {
				times[rows.Record(i, nil)[0]]++
			}
			if rows.Len() != n || slices.Min(times) < n/m || slices.Max(times) > (n+m-1)/m {
				t.Errorf("%d rows of %d records: each %d to %d times", n, m, slices.Min(times), slices.Max(times))
			}
			if other := newRows(l, records, nil, nil, n, 6); n > 100 && other.first == rows.first {
				t.Errorf("%d rows: two seeds have one order", n)
			}
		}
		records.columns = columns
	}
	_, drawn := randomRows(r, 1000, 2, 2)
	rows := newRows(l, NewRecords(l.Domain, drawn), nil, nil, 1000, 1)
	count := func(from, to int) (ones float64) {
		for i := from; i < to; i++ {
			ones += float64(rows.Record(i, nil)[0])
		}
		return ones
	}
	share := count(0, 1000) / 1000
	for from := 0; from+100 <= 1000; from += 50 {
		if ones := count(from, from+100); math.Abs(ones-100*share) > 4 {
			t.Errorf("rows %d to %d have %v ones of %v", from, from+99, ones, 100*share)
		}
	}
}

// The memory for writing rows does not grow with their number. Writing stops when its context is canceled.
func TestRowsAreWrittenOneAtATime(t *testing.T) {
	m := released(t, "2")
	rows, err := m.Draw(t.Context(), MostRows, Drawing{Seed: 2})
	if err != nil || rows.Len() != MostRows {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, MostRows / 2, MostRows - 1} {
		if record := rows.Record(i, nil); !m.Layout.constraints.Allows(record) {
			t.Errorf("row %d is %v", i, record)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var b bytes.Buffer
	done := int64(0)
	err = rows.Write(ctx, &b, "x.csv", "", func(n, of int64) {
		if done = n; n > 0 {
			cancel()
		}
	})
	if err != context.Canceled || done == 0 || int64(strings.Count(b.String(), "\n")) > 2*done+1 {
		t.Errorf("after %d rows: %v", done, err)
	}
}

// A model in the first file format gives the same rows as when it was released.
func TestFirstFormat(t *testing.T) {
	text, err := os.ReadFile("testdata/first.json")
	if err != nil {
		t.Fatal(err)
	}
	released, err := os.ReadFile("testdata/first.csv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Text()
	if err != nil || !strings.HasPrefix(string(again), `{"format":"sibyl-synthetic/2"`) {
		t.Fatalf("%.40s, %v", again, err)
	}
	if m, err = Parse(again); err != nil {
		t.Fatal(err)
	}
	// The values of home and repaid in the file are the names of their categories.
	flat := m.Layout.Flat
	var got, want []string
	for i := range m.Records.Len() {
		record := m.Layout.complete(m.Records, i, nil)
		got = append(got, flat.Attributes[2].Categories()[record[2]]+","+flat.Attributes[3].Categories()[record[3]]+","+flat.Attributes[4].Categories()[record[4]])
	}
	for _, line := range strings.Split(strings.TrimSpace(string(released)), "\n")[1:] {
		fields := strings.Split(line, ",")
		want = append(want, strings.Join(fields[2:5], ","))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("its rows are %v, not %v", got, want)
	}
	for _, c := range []struct{ old, by, says string }{
		{`"total":`, `"total":1`, "the model's total"},
		{`"total":`, `"total":1e300,"other":`, "unknown key"},
		{`"rows":48,`, ``, "does not state the number of rows"},
		{`"rows":48,`, `"rows":-1,`, "the number of rows is outside"},
		{`"fitted":`, `"records":{"number":48,"codes":""},"fitted":`, "a key that its format does not define"},
		{`sibyl-synthetic/1`, `sibyl-synthetic/2`, "a key that its format does not define"},
	} {
		changed := strings.Replace(string(text), c.old, c.by, 1)
		if _, err := Parse([]byte(changed)); changed == string(text) || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s instead of %s: %v", c.by, c.old, err)
		}
	}
}
