package source_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

func stdin(text string) source.Options { return source.Options{Stdin: strings.NewReader(text)} }

const numericSchema = `
[file]
delimiter = ";"
decimal = ","
[label]
column = "charges"
at_least = "10000.5"
[[attribute]]
column = "city"
values = ["Rome"]
`

// show prints each distinct record of a table of smallSchema on a line.
func show(t *table.Table) string {
	var b strings.Builder
	for i := range t.Len() {
		fmt.Fprintf(&b, "%v%v×%d ", t.Record(i, nil), t.Label(i), t.Count(i))
	}
	fmt.Fprintf(&b, "%d rows, %d null", t.Rows(), t.Nulls())
	return b.String()
}

func TestReadText(t *testing.T) {
	for _, test := range []struct{ schema, text, want string }{
		{smallSchema, "age,city,y\n", "0 rows, 0 null"},
		{smallSchema, "y,age,more,city\n1,18,z,Rome\n0,17.999,,Bern\n1,+18.0,z,Rome", "[0 1]false×1 [1 0]true×2 3 rows, 0 null"},
		{smallSchema, "\ufeffage,city,y\r\n1,Rome,1\r\n\r\n1,Rome,1\r\n", "[0 0]true×2 2 rows, 0 null"},
		{smallSchema, "age,city,y\n,Rome,1\ninf,Rome,1\n1,Paris,1\n1,rome,1\n1,Rome,2\n1, Rome,1\n", "6 rows, 6 null"},
		{smallSchema, "age,city,y\n\"1\",\"Ro\"\"me\",1\n\"20\",\"Rome\",\"0\"\n", "[1 0]false×1 2 rows, 1 null"},
		{smallSchema, zipped("age,city,y\n1,Rome,1\n"), "[0 0]true×1 1 rows, 0 null"},
		{headerlessSchema, "", "0 rows, 0 null"},
		{headerlessSchema, "# \"comment\n1,Rome,1\n#,\n\n20,Bern,0\n", "[0 0]true×1 [1 1]false×1 2 rows, 0 null"},
		{"[file]\ntrim = true\ndelimiter = \";\"\n" + smallSchema, " age ;city; y\n 1 ;\tRome\t; 1\n  \n\" 1\";\"Rome\" ;1\n", "[0 0]true×1 2 rows, 1 null"},
		{numericSchema, "city;charges\nRome;10000,50\nRome;10000,49\nRome;-1\nRome;\nRome;high\nRome;10000.50\n", "[0]false×2 [0]true×1 6 rows, 3 null"},
		{"[file]\ndelimiter = \"\\t\"\n" + smallSchema, "age\tcity\ty\n1\tRome\t1\n", "[0 0]true×1 1 rows, 0 null"},
	} {
		got, err := source.Read(context.Background(), "-", tabletest.Schema(t, test.schema), stdin(test.text))
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
		} else if show(got) != test.want {
			t.Errorf("%q\n got  %s\n want %s", test.text, show(got), test.want)
		}
	}
}

func TestUnlabelled(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"city\"\nvalues = [\"Rome\"]\nother = \"else\"\n[[attribute]]\ncolumn = \"city\"\nname = \"length\"\ncuts = [3]\nother = \"word\"")
	got, err := source.Read(context.Background(), "-", s, stdin("city\nRome\n2\nRome\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "[0 2]false×2 [1 0]false×1 3 rows, 0 null"; show(got) != want {
		t.Errorf("got %s, want %s", show(got), want)
	}
}

// Reading counts the records of each class of a multiclass label, from a file, from rows and from
// memory.
func TestOutcomes(t *testing.T) {
	s := tabletest.Schema(t, "[label]\ncolumn = \"y\"\ncuts = [1, 2.5]\n[[attribute]]\ncolumn = \"city\"\nvalues = [\"Rome\", \"Bern\"]")
	text := "city,y\nRome,0\nRome,2.5\nBern,1\nBern,2.4\nBern,\nOslo,1\n"
	want := "[0]0×1 [0]2×1 [1]1×2 6 rows, 2 null"
	told := func(d *table.Table, err error) string {
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for i := range d.Len() {
			fmt.Fprintf(&b, "%v%d×%d ", d.Record(i, nil), d.Outcome(i), d.Count(i))
		}
		fmt.Fprintf(&b, "%d rows, %d null", d.Rows(), d.Nulls())
		return b.String()
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	memory := source.Memory{Header: strings.Split(lines[0], ","), Rows: source.Sure(func(yield func([]string) bool) {
		for _, line := range lines[1:] {
			if !yield(strings.Split(line, ",")) {
				return
			}
		}
	})}
	if got := told(source.Read(context.Background(), "-", s, stdin(text))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := told(memory.Table(context.Background(), s)); got != want {
		t.Errorf("in memory got %s, want %s", got, want)
	}
	rows := ""
	visit := func(r source.Row) error {
		rows += fmt.Sprintf("%d%v%v%v ", r.Outcome, r.Label, r.Labelled, r.Null)
		return nil
	}
	if err := source.Records(context.Background(), "-", s, stdin(text), visit); err != nil {
		t.Error(err)
	}
	of := rows
	rows = ""
	if err := memory.Records(context.Background(), s, visit); err != nil {
		t.Error(err)
	}
	if want := "0falsetruefalse 2falsetruefalse 1truetruefalse 1truetruefalse 0falsefalsetrue 1truetruetrue "; of != want || rows != want {
		t.Errorf("got  %s\nand  %s\nwant %s", of, rows, want)
	}
}

func TestRecords(t *testing.T) {
	visit := func(schema, text string, optional bool) string {
		var b strings.Builder
		o := stdin(text)
		o.LabelOptional = optional
		err := source.Records(context.Background(), "-", tabletest.Schema(t, schema), o, func(r source.Row) error {
			switch {
			case r.Null:
				fmt.Fprintf(&b, "%d:null ", r.Place)
			case r.Labelled:
				fmt.Fprintf(&b, "%d:%v%v ", r.Place, r.Record, r.Label)
			default:
				fmt.Fprintf(&b, "%d:%v ", r.Place, r.Record)
			}
			return nil
		})
		if err != nil {
			return err.Error()
		}
		return b.String()
	}
	for _, test := range []struct {
		schema, text string
		optional     bool
		want         string
	}{
		{smallSchema, "age,city,y\n1,Rome,1\n\n1,Paris,1\n20,Bern,?\n", false, "2:[0 0]true 4:null 5:null "},
		{smallSchema, "age,city,y\n1,Rome,1\n\n1,Paris,1\n20,Bern,?\n", true, "2:[0 0]true 4:null 5:[1 1] "},
		{smallSchema, "city,age\nRome,1\nParis,1\n", true, "2:[0 0] 3:null "},
		{headerlessSchema, "1,Rome\n20,Bern\n", true, "1:[0 0] 2:[1 1] "},
		{headerlessSchema, "1,Rome,1\n20,Bern,0\n", true, "1:[0 0]true 2:[1 1]false "},
		{headerlessSchema, "1,Rome\n20,Bern\n", false, "standard input:1: the record has 2 fields instead of 3; add the missing fields"},
	} {
		if got := visit(test.schema, test.text, test.optional); got != test.want {
			t.Errorf("%q\n got  %s\n want %s", test.text, got, test.want)
		}
	}
	stop := errors.New("stop")
	err := source.Records(context.Background(), "-", tabletest.Schema(t, smallSchema), stdin("age,city,y\n1,Rome,1\n"), func(source.Row) error { return stop })
	if err != stop {
		t.Errorf("got %v, want the visitor's error", err)
	}
}

func TestCheck(t *testing.T) {
	s := tabletest.Schema(t, smallSchema+"other = \"else\"")
	got, err := source.Check(context.Background(), "-", s, stdin("age,city,y\n1,Rome,1\n?,Oslo,1\n1,Bern,9\n?,Bern,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &source.Report{
		Rows: 4, Nulls: 3, Columns: []string{"age", "city", "y"}, Lines: true,
		Attributes: []source.Field{
			{Name: "age", Column: "age", Outside: 2, FirstOutside: 3, Unreadable: []source.UnreadableNumbers{{Why: table.NotNumber, Count: 2, First: 3}}},
			{Name: "city", Column: "city", Other: 1, FirstOther: 3},
		},
		Label: &source.Field{Name: "y", Column: "y", Outside: 1, FirstOutside: 4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A canceller is a reader that cancels the context at its second block.
type canceller struct {
	text   io.Reader
	cancel func()
	blocks int
}

func (c *canceller) Read(p []byte) (int, error) {
	if c.blocks++; c.blocks > 1 {
		c.cancel()
	}
	return c.text.Read(p)
}

// After a cancellation no worker blocks forever.
func TestCancelledWhileReading(t *testing.T) {
	line := "a,1\n"
	schema := tabletest.Schema(t, "name = \"x\"\n[[attribute]]\ncolumn = \"x\"\nvalues = [\"a\"]\n")
	for range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		text := strings.NewReader("x,y\n" + strings.Repeat(line, 1<<19))
		_, err := source.Read(ctx, "-", schema, source.Options{Stdin: &canceller{text: text, cancel: cancel}})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
	}
}

func TestCancelled(t *testing.T) {
	inDirectory(t)
	if err := made.People().WriteParquet("people.parquet", 100); err != nil {
		t.Fatal(err)
	}
	if err := made.People().WriteCSV("people.csv", 100); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, path := range []string{"people.csv", "people.parquet"} {
		if _, err := source.Read(ctx, path, tabletest.Schema(t, made.People().Schema()), source.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Read %s: %v", path, err)
		}
		if _, err := source.Check(ctx, path, tabletest.Schema(t, made.People().Schema()), source.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Check %s: %v", path, err)
		}
	}
}

func ExampleRead() {
	schema, err := table.ParseSchema("schema.toml", strings.NewReader(smallSchema))
	if err != nil {
		fmt.Println(err)
		return
	}
	data := strings.NewReader("age,city,y\n17,Rome,1\n40,Bern,0\n16,Rome,1\n40,Oslo,0\n")
	t, err := source.Read(context.Background(), "-", schema, source.Options{Stdin: data})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Rows(), "rows,", t.Nulls(), "null,", t.Len(), "distinct")
	for i := range t.Len() {
		fmt.Println(t.Record(i, nil), t.Label(i), t.Count(i))
	}
	// Output:
	// 4 rows, 1 null, 2 distinct
	// [0 0] true 2
	// [1 1] false 1
}

// A byte-order mark does not change how the text is read, for short and long files and any first
// line, such as a comment with an unpaired quote.
func TestByteOrderMark(t *testing.T) {
	for _, rows := range []int{0, 3, 70_000} {
		body := strings.Repeat("1,\"Ro\nme\",1\n20,Bern,0\n", rows)
		for k, head := range []string{"", "# 5\" wide\n", "# \"\n# \"x\"\n#\"\n", "\n\n# it\"s\n"} {
			if rows > 3 && k != 1 && !heavy.On() {
				continue // a quote that is not one, before several blocks
			}
			var want string
			for i, mark := range []string{"", "\ufeff"} {
				got, err := source.Read(t.Context(), "-", tabletest.Schema(t, headerlessSchema), stdin(mark+head+body))
				if err != nil {
					t.Errorf("%d rows after %q, mark %q: %v", 2*rows, head, mark, err)
					continue
				}
				if i == 0 {
					want = show(got)
				}
				if show(got) != want {
					t.Errorf("%d rows after %q, mark %q: %s, without a mark %s", 2*rows, head, mark, show(got), want)
				}
			}
		}
	}
}
