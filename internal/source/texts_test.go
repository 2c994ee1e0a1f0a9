package source_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const textSchema = `
[[attribute]]
column = "age"
cuts = [30]
other = "missing"

[[attribute]]
column = "job"
values = ["placeholder"]
other = "rest"
missing = ["NA"]

[[attribute]]
column = "town"
values = ["placeholder"]
other = "other"
`

// A laborer is a row with texts in a dictionary and without one.
type laborer struct {
	Age  int64   `parquet:"age"`
	Job  *string `parquet:"job,optional,dict"`
	Town string  `parquet:"town"`
	ID   string  `parquet:"id"`
}

// Every source counts texts exactly as they are read. Texts that cannot be categories are left out.
func TestTexts(t *testing.T) {
	inDirectory(t)
	header := []string{"age", "job", "town", "id"}
	long := strings.Repeat("x", source.LongestText)
	rows := [][]string{
		{"20", "a", "Bonn", "1"}, {"40", "b", " Bonn", "1"}, {"50", "a", "Bönn", "2"}, {"", "", "other", "3"}, {"10", "NA", "rest", "4"},
		{"20", "rest", long, "5"}, {"20", "A", long + "x", "6"}, {"20", "placeholder", "b", "7"}, {"20", "a", "a, \"b\"", "8"},
	}
	wantJob := map[string]int64{"a": 3, "b": 1, "A": 1, "placeholder": 1}
	wantTown := map[string]int64{"Bonn": 1, " Bonn": 1, "Bönn": 1, "rest": 1, long: 1, "b": 1, "a, \"b\"": 1}
	check := func(name string, got *source.Texts, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if !maps.Equal(got.Units[0], wantJob) || !maps.Equal(got.Units[1], wantTown) || got.Rows() != int64(len(rows)) || got.Nulls() != 0 {
			t.Errorf("%s: %v", name, got.Units)
		}
	}
	s := tabletest.Schema(t, textSchema)
	ctx := context.Background()
	texts, err := source.Memory{Header: header, Rows: source.Sure(slices.Values(rows))}.Texts(ctx, s, []int{1, 2})
	check("memory", texts, err)

	var csv strings.Builder
	csv.WriteString("id,job,age,town\n")
	for _, row := range rows {
		fmt.Fprintf(&csv, "%s,%s,%s,\"%s\"\n", row[3], row[1], row[0], strings.ReplaceAll(row[2], `"`, `""`))
	}
	write(t, "rows.csv", csv.String())
	texts, err = source.ReadTexts(ctx, "rows.csv", s, []int{1, 2}, source.Options{})
	check("text", texts, err)

	file, err := os.Create("rows.parquet")
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[laborer](file, parquet.MaxRowsPerRowGroup(4))
	for _, row := range rows {
		of := laborer{Town: row[2], ID: row[3]}
		fmt.Sscan(row[0], &of.Age)
		if row[1] != "" {
			of.Job = &row[1]
		}
		if _, err := w.Write([]laborer{of}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	texts, err = source.ReadTexts(ctx, "rows.parquet", s, []int{1, 2}, source.Options{})
	check("Parquet", texts, err)

	if _, err := source.ReadTexts(ctx, "none.csv", s, []int{1}, source.Options{}); err == nil {
		t.Error("a missing file is read")
	}
	if _, err := (source.Memory{Header: header[:2], Rows: source.Sure(slices.Values(rows))}).Texts(ctx, s, []int{1}); err == nil {
		t.Error("a missing column is read")
	}
}

// The units of a person's rows add up to the units of one person. Which of these rows are counted depends only on the
// person's rows. It does not depend on their order or on the rows of other persons.
func TestTextsOfPersons(t *testing.T) {
	s := tabletest.Schema(t, textSchema+"[person]\ncolumn = \"id\"\nmost = 2\n")
	read := func(rows [][]string) *source.Texts {
		t.Helper()
		got, err := source.Memory{Header: []string{"age", "job", "town", "id"}, Rows: source.Sure(slices.Values(rows))}.Texts(context.Background(), s, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var others, all [][]string
	for i := range 40 {
		for k := range 1 + i%5 {
			others = append(others, []string{fmt.Sprint(i), fmt.Sprint("job ", (i*k+3)%17), "x", fmt.Sprint("person ", i)})
		}
	}
	want := read(others)
	total := int64(0)
	for _, n := range want.Units[0] {
		total += n
	}
	if total != 40*table.Weight(2) || want.Rows() != 40 {
		t.Errorf("%d units of %d persons", total, want.Rows())
	}
	for i := range 9 { // the first rows number the texts
		all = append(all, []string{"1", fmt.Sprint("job ", 9-i), "x", "new"})
	}
	reversed := slices.Clone(others)
	slices.Reverse(reversed)
	got := read(append(all, reversed...))
	source.SetPersonsMemory(t, 3000) // rows are sorted in files
	if again := read(append(all, reversed...)); !maps.Equal(again.Units[0], got.Units[0]) || again.Rows() != got.Rows() {
		t.Errorf("rows sorted in files: %v, want %v", again.Units, got.Units)
	}
	more := int64(0)
	for text, n := range got.Units[0] {
		if n < want.Units[0][text] {
			t.Errorf("%s: %d units, but %d without the new person", text, n, want.Units[0][text])
		}
		more += n - want.Units[0][text]
	}
	if more != table.Weight(2) {
		t.Errorf("the new person has %d units", more)
	}
}

// The texts of typed cells in a workbook, such as booleans and numbers, are counted like those of text cells.
func TestTextsOfTypedCells(t *testing.T) {
	inDirectory(t)
	write(t, "d.xlsx", workbookOf([]string{"age", "job", "town"}, []string{"20", "TRUE", "1"}, []string{"20", "TRUE", "Bonn"}, []string{"40", "FALSE", "1"}, []string{"40", "#N/A", "2"}))
	got, err := source.ReadTexts(context.Background(), "d.xlsx", tabletest.Schema(t, textSchema), []int{1, 2}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int64{"TRUE": 2, "FALSE": 1}; !maps.Equal(got.Units[0], want) {
		t.Errorf("%v, not %v", got.Units[0], want)
	}
	if want := map[string]int64{"1": 2, "Bonn": 1, "2": 1}; !maps.Equal(got.Units[1], want) {
		t.Errorf("%v, not %v", got.Units[1], want)
	}
}
