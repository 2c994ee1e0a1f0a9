package source_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

const staysSchema = `
[person]
column = "patient"
most = %d
[label]
column = "back"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "ward"
values = ["a", "b", "c"]
[[attribute]]
column = "age"
cuts = [18, 65]
`

func staysOf(t testing.TB, most int) *table.Schema {
	return tabletest.Schema(t, fmt.Sprintf(staysSchema, most))
}

// A stay is a row: patient, ward, age, whether the patient came back.
type stay [4]string

// stays returns the rows of the given number of patients, 1 to 9 each, shuffled, with null rows and
// copies. Some patients' names are prefixes of others.
func stays(patients int, random *rand.Rand) []stay {
	var rows []stay
	for i := range patients {
		for range 1 + random.IntN(9) {
			rows = append(rows, stay{
				strings.Repeat("p", i%40) + fmt.Sprint(i), []string{"a", "b", "c", "elsewhere"}[random.IntN(4)],
				[]string{"7", "30", "80"}[random.IntN(3)], []string{"yes", "no"}[random.IntN(2)],
			})
		}
	}
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

func csvOf(rows []stay) string {
	b := []byte("ward,patient,age,back\n")
	for _, v := range rows {
		b = fmt.Appendf(b, "%s,%s,%s,%s\n", v[1], v[0], v[2], v[3])
	}
	return string(b)
}

func readStays(t testing.TB, s *table.Schema, rows []stay) *table.Table {
	t.Helper()
	got, err := source.Read(context.Background(), "-", s, stdin(csvOf(rows)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// codesOf returns the codes of a stay. A null row has 0xffff for the ward.
func codesOf(v stay) []uint16 {
	ward := map[string]uint16{"a": 0, "b": 1, "c": 2, "elsewhere": 0xffff}[v[1]]
	return []uint16{ward, map[string]uint16{"7": 0, "30": 1, "80": 2}[v[2]], map[string]uint16{"no": 0, "yes": 1}[v[3]]}
}

// naive computes the table by sorting all rows of each person.
func naive(t testing.TB, s *table.Schema, rows []stay) *table.Table {
	t.Helper()
	people := map[string][]stay{}
	for _, v := range rows {
		if v[0] != "" {
			people[v[0]] = append(people[v[0]], v)
		}
	}
	b := s.Builder()
	for name, own := range people {
		type ranked struct {
			v    stay
			rank []byte
		}
		var all []ranked
		copies := map[string]uint64{}
		for _, v := range own {
			key := fmt.Sprint(codesOf(v))
			copies[key]++
			text := binary.AppendUvarint([]byte("sibyl/rows-of-a-person/1\x00"), uint64(len(name)))
			text = append(text, name...)
			for _, c := range codesOf(v) {
				text = binary.BigEndian.AppendUint16(text, c)
			}
			h := sha256.Sum256(binary.BigEndian.AppendUint64(text, copies[key]))
			all = append(all, ranked{v, h[:]})
		}
		slices.SortFunc(all, func(x, y ranked) int { return bytes.Compare(x.rank, y.rank) })
		all = all[:min(len(all), s.Person.Most)]
		for _, r := range all {
			codes, weight := codesOf(r.v), s.Weight()/int64(len(all))
			var err error
			if codes[0] == 0xffff {
				err = b.AddNull(weight)
			} else {
				err = b.Add(codes[:2], codes[2] == 1, weight)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Table()
}

// TestPersons compares the table with that of naive, both with rows in memory and with runs on
// disk.
func TestPersons(t *testing.T) {
	patients := heavy.Pick(100, 300)
	for most := 1; most <= table.MostOfPerson; most++ {
		if !heavy.On() && most > 4 && most != 8 && most != table.MostOfPerson {
			continue
		}
		s := staysOf(t, most)
		rows := stays(patients, rand.New(rand.NewPCG(1, uint64(most))))
		rows = append(rows, stay{"", "a", "7", "yes"}, stay{"", "a", "7", "yes"})
		want := naive(t, s, rows)
		if want.Rows() != int64(patients) || want.Weight() != table.Weight(most) {
			t.Fatalf("a poor test: %d persons, of weight %d", want.Rows(), want.Weight())
		}
		for _, memory := range []int{1 << 28, 5000, 1} {
			source.SetPersonsMemory(t, memory)
			if got := readStays(t, s, rows); !got.Equal(want) {
				t.Errorf("most %d, memory %d:\n got  %s\n want %s", most, memory, show(got), show(want))
			}
		}
	}
}

// A person's contribution to the table does not depend on other persons or on the order of rows,
// and every person has the same weight.
func TestPersonsAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for most := 1; most <= 5; most++ {
		s := staysOf(t, most)
		rows := stays(40, random)
		all := readStays(t, s, rows)
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		people := map[string][]stay{}
		for _, v := range rows {
			people[v[0]] = append(people[v[0]], v)
		}
		sum := map[string]int64{}
		for _, name := range slices.Sorted(maps.Keys(people)) {
			own := readStays(t, s, people[name])
			units := own.Nulls()
			sum["null"] += own.Nulls()
			for i := range own.Len() {
				units += own.Count(i)
				sum[fmt.Sprint(own.Record(i, nil), own.Label(i))] += own.Count(i)
			}
			if units != s.Weight() || own.Rows() != 1 {
				t.Errorf("most %d: %s weighs %d units of %d, as %d persons", most, name, units, s.Weight(), own.Rows())
			}
		}
		if sum["null"] != all.Nulls() {
			t.Errorf("most %d: %d null units apart, %d together", most, sum["null"], all.Nulls())
		}
		for i := range all.Len() {
			if key := fmt.Sprint(all.Record(i, nil), all.Label(i)); sum[key] != all.Count(i) {
				t.Errorf("most %d, %s: %d units apart, %d together", most, key, sum[key], all.Count(i))
			}
		}
	}
}

// The kept rows look like a random sample. Of three copies of one row and a fourth row, the fourth is kept about a
// quarter of the time. One of two rows is kept half of the time. The order is a fixed hash, so this test cannot fail
// by chance.
func TestPersonsDraw(t *testing.T) {
	for most, want := range map[int]int64{1: 2500, 2: 5000} {
		var rows []stay
		for i := range 10_000 {
			name := fmt.Sprint("person ", i)
			rows = append(rows, stay{name, "b", "30", "no"}, stay{name, "a", "7", "no"}, stay{name, "a", "7", "no"}, stay{name, "a", "7", "no"})
		}
		s := staysOf(t, most)
		got := readStays(t, s, rows)
		if got.Len() != 2 {
			t.Fatalf("%s", show(got))
		}
		if kept := got.Count(1) * int64(most) / s.Weight(); kept < want-200 || kept > want+200 {
			t.Errorf("most %d: the single row is kept %d times in 10000, want about %d", most, kept, want)
		}
	}
}

// TestPersonsOfMemory compares rows in memory with a file.
func TestPersonsOfMemory(t *testing.T) {
	s := staysOf(t, 3)
	rows := stays(50, rand.New(rand.NewPCG(3, 0)))
	m := source.Memory{Header: []string{"patient", "ward", "age", "back"}, Rows: source.Sure(func(yield func([]string) bool) {
		for _, v := range rows {
			if !yield(v[:]) {
				return
			}
		}
	})}
	got, err := m.Table(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if want := naive(t, s, rows); !got.Equal(want) {
		t.Errorf("got  %s\nwant %s", show(got), show(want))
	}
}

// No temporary files remain. If they cannot be written, the error reveals nothing about the data.
func TestPersonsSpill(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("TMPDIR", directory)
	source.SetPersonsMemory(t, 100)
	s, rows := staysOf(t, 3), stays(100, rand.New(rand.NewPCG(4, 0)))
	readStays(t, s, rows)
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	t.Setenv("TMPDIR", directory+"/nowhere")
	_, err := source.Read(context.Background(), "-", s, stdin(csvOf(rows)))
	const want = "the rows could not be sorted by person: the directory for temporary files is full or cannot be written; free space in it, or name another directory in TMPDIR"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// The person column must exist.
func TestPersonsColumn(t *testing.T) {
	_, err := source.Read(context.Background(), "-", staysOf(t, 3), stdin("ward,age,back\na,7,yes\n"))
	if err == nil || !strings.Contains(err.Error(), "the header lacks column \"patient\"") {
		t.Errorf("%v", err)
	}
}

// TestCheckPersons counts persons and rows without a person.
func TestCheckPersons(t *testing.T) {
	r, err := source.Check(context.Background(), "-", staysOf(t, 3), stdin("ward,patient,age,back\na,1,7,yes\na,,7,yes\nb,,7,no\nb,2,7,no\na,1,8,no\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Person == nil || !reflect.DeepEqual(*r.Person, source.Field{Name: "patient", Column: "patient", Outside: 2, FirstOutside: 3}) {
		t.Errorf("%+v", r.Person)
	}
	if r.Persons != 2 {
		t.Errorf("%d persons instead of 2", r.Persons)
	}
	var many strings.Builder
	many.WriteString("ward,patient,age,back\n")
	for i := range 1<<20 + 1 {
		fmt.Fprintf(&many, "a,%d,7,yes\n", i)
	}
	if r, err := source.Check(context.Background(), "-", staysOf(t, 3), stdin(many.String())); err != nil || r.Persons != 0 {
		t.Errorf("%+v, %v: too many persons are counted", r, err)
	}
}

// TestPersonsOfParquet compares several row groups with a text file.
func TestPersonsOfParquet(t *testing.T) {
	inDirectory(t)
	type row struct {
		Ward    string `parquet:"ward,dict"`
		Patient string `parquet:"patient"`
		Age     string `parquet:"age"`
		Back    string `parquet:"back,dict"`
	}
	file, err := os.Create("stays.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s, rows := staysOf(t, 3), stays(2000, rand.New(rand.NewPCG(5, 0)))
	w := parquet.NewGenericWriter[row](file, parquet.MaxRowsPerRowGroup(900))
	for _, v := range rows {
		if _, err := w.Write([]row{{v[1], v[0], v[2], v[3]}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := source.Read(context.Background(), "stays.parquet", s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := readStays(t, s, rows); !got.Equal(want) || got.Rows() != 2000 {
		t.Errorf("got  %s\nwant %s", show(got), show(want))
	}
}

// Attributes may share a column. Rows in memory and rows on disk give the same table.
func TestPersonsOfSharedColumns(t *testing.T) {
	shared := staysSchema + "[[attribute]]\nname = \"old\"\ncolumn = \"age\"\ncuts = [40]\n[[attribute]]\nname = \"where\"\ncolumn = \"ward\"\nvalues = [\"a\", \"b\", \"c\"]\n"
	s, rows := tabletest.Schema(t, fmt.Sprintf(shared, 3)), stays(60, rand.New(rand.NewPCG(6, 0)))
	want := readStays(t, s, rows)
	for _, memory := range []int{2000, 1} {
		source.SetPersonsMemory(t, memory)
		if got := readStays(t, s, rows); !got.Equal(want) || got.Rows() != 60 {
			t.Errorf("memory %d:\n got  %s\n want %s", memory, show(got), show(want))
		}
	}
}
