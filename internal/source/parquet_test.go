package source_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	"github.com/sibyl-dp/sibyl/internal/testing/visits"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

func TestParquetEqualsText(t *testing.T) {
	for _, options := range [][]parquet.WriterOption{
		{parquet.MaxRowsPerRowGroup(700)},
		{parquet.PageBufferSize(500), parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)},
	} {
		path := filepath.Join(t.TempDir(), "visits.parquet")
		writeVisits(t, path, options...)
		visits.Check(t, path, source.Options{})
		report, err := source.Check(context.Background(), path, tabletest.Schema(t, "[[attribute]]\ncolumn = \"small\"\ncuts = [1]"), source.Options{})
		if err != nil || !slices.Contains(report.Columns, "nested") {
			t.Errorf("the columns are %v: %v", report, err)
		}
		for schema, want := range map[string]string{
			"[[attribute]]\ncolumn = \"nested\"\nvalues = [\"x\"]": `: column "nested" is nested; write a file in which it contains single values`,
			"[[attribute]]\ncolumn = \"absent\"\nvalues = [\"x\"]": `: the file lacks column "absent"; add this column to the file, or remove it from the schema`,
		} {
			_, err := source.Read(context.Background(), path, tabletest.Schema(t, schema), source.Options{})
			if err == nil || err.Error() != path+want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// Each number is stored twice in a row, once as text.
type numbers struct {
	Whole, WholeKept   int64
	Few, FewKept       int32
	Maybe, MaybeKept   *int64
	Real, RealKept     float64
	Single, SingleKept *float32
	Day, DayKept       int32 `parquet:",date"`
}

// TestParquetNumbers compares the codes of numbers without a dictionary with the codes of their
// texts. There are more numbers than the cache holds, some of them frequent and some missing.
func TestParquetNumbers(t *testing.T) {
	inDirectory(t)
	file, err := os.Create("numbers.parquet")
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[numbers](file, parquet.MaxRowsPerRowGroup(15000), parquet.PageBufferSize(3000))
	r := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		var n numbers
		n.Whole = []int64{r.Int64N(20_000) - 10_000, r.Int64() - r.Int64(), r.Int64N(5) - 2}[r.IntN(3)]
		n.Few = int32(n.Whole)
		n.Real = []float64{float64(n.Whole) / 8, math.Copysign(0, -1), 0, math.Inf(1), math.NaN()}[r.IntN(5)]
		n.Day = int32(r.IntN(9000))
		if r.IntN(3) > 0 {
			single := float32(n.Whole) / 3
			n.Maybe, n.Single = &n.Whole, &single
		}
		n.WholeKept, n.FewKept, n.MaybeKept, n.RealKept, n.SingleKept, n.DayKept = n.Whole, n.Few, n.Maybe, n.Real, n.Single, n.Day
		if _, err := w.Write([]numbers{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for column, domain := range map[string]string{
		"Whole": "cuts = [-3000, -1, 0, 1, 2, 7000.5]", "Few": "cuts = [0, 10, 5000]", "Maybe": "cuts = [0, 5]\nother = \"none\"",
		"Real": "cuts = [-5, -0.25, 0, 0.125, 900.5]", "Single": "values = [\"0\", \"0.6666667\", \"-0.33333334\"]", "Day": "values = [\"1970-01-01\", \"1970-12-31\"]\nother = \"later\"",
	} {
		s := tabletest.Schema(t, "[[attribute]]\ncolumn = \""+column+"\"\n"+domain)
		coder, codes, outside := s.Attributes[0].Coder(nil), map[int]int{}, 0
		err := source.Records(context.Background(), "numbers.parquet", s, source.Options{Keep: column + "Kept"}, func(row source.Row) error {
			code, ok := coder.Code(row.Kept)
			if row.Null == ok || ok && int(row.Record[0]) != code {
				t.Fatalf("%s: %q has the code %v, null %v, not %d, %v", column, row.Kept, row.Record, row.Null, code, ok)
			}
			if ok {
				codes[code]++
			} else {
				outside++
			}
			return nil
		})
		if err != nil || len(codes) != s.Attributes[0].Len() {
			t.Errorf("%s: %v, %v", column, codes, err)
		}
		// Columnwise and rowwise counting agree.
		if got, err := source.Read(context.Background(), "numbers.parquet", s, source.Options{}); err != nil || got.Nulls() != int64(outside) || got.Len() != len(codes) {
			t.Errorf("%s: %d records, %d null ones, %v", column, got.Len(), got.Nulls(), err)
		}
	}
}

// decimal, thousands and unit are refused for Parquet columns of text.
func TestSpelledParquet(t *testing.T) {
	inDirectory(t)
	type row struct {
		Text string
		Real float64
	}
	if err := parquet.WriteFile("spelled.parquet", []row{{"1,234", 1234}}); err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{
		"Text": `spelled.parquet: the schema has thousands for column "Text", but this is supported for delimited text and workbooks only; convert the column to a number, and delete these keys`,
		"Real": "",
	} {
		s := tabletest.Schema(t, "[[attribute]]\ncolumn = \""+column+"\"\ncuts = [1000]\nthousands = \",\"")
		got, err := source.Read(context.Background(), "spelled.parquet", s, source.Options{})
		if want == "" && (err != nil || got.Nulls() > 0) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// TestStatedRows checks that Ready compares the stated number of rows with the metadata of a file, but not if the
// stated number is one of persons.
func TestStatedRows(t *testing.T) {
	inDirectory(t)
	if err := made.People().WriteParquet("people.parquet", 30); err != nil {
		t.Fatal(err)
	}
	rows := made.People().Schema()
	persons := "[person]\ncolumn = \"id\"\nmost = 2\n[[attribute]]\ncolumn = \"age\"\ncuts = [40]\n"
	for _, c := range []struct {
		schema string
		stated int64
		want   string
	}{
		{rows, 0, ""}, {rows, 30, ""}, {persons, 29, ""},
		{rows, 29, "--rows is 29, but the data has 30 rows, including those with values outside the schema; state that number"},
	} {
		err := source.Ready(t.Context(), "people.parquet", tabletest.Schema(t, c.schema), table.Queries{Records: true, Stated: c.stated}, source.Options{})
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%d: %v", c.stated, err)
		}
	}
}

// TestDamagedParquet flips bytes. Reading returns a table or an error of one sentence, and never
// panics.
func TestDamagedParquet(t *testing.T) {
	inDirectory(t)
	if err := made.People().WriteParquet("people.parquet", 500); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile("people.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s := tabletest.Schema(t, made.People().Schema())
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
