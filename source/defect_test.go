package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/table"
)

// panicOf returns what f panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// A faultyCoder panics over one value.
type faultyCoder struct {
	coder
	value string
}

func (c faultyCoder) Code(field []byte) (int, bool) {
	if string(field) == c.value {
		panic("secret " + c.value)
	}
	return c.coder.Code(field)
}

// schemaOf is a schema of one attribute, of rows or of persons.
func schemaOf(t *testing.T, persons bool) *table.Schema {
	text := "[[attribute]]\ncolumn = \"id\"\nvalues = [\"r1\"]\nother = \"else\""
	if persons {
		text = "[person]\ncolumn = \"who\"\nmost = 1\n" + text
	}
	s, err := table.ParseSchema("s", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A panic over any record of delimited text reaches the caller, who can recover from it,
// whichever block and thread it comes up in.
func TestPanicsOverRecords(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const rows = 24
	var file bytes.Buffer
	file.WriteString("id,who\n")
	for i := range rows {
		fmt.Fprintf(&file, "r%d,%s\n", i, bytes.Repeat([]byte("x"), blockSize/7))
	}
	for _, persons := range []bool{false, true} {
		for i := range rows {
			in, err := openText("rows.csv", bytes.NewReader(file.Bytes()), nil, 0, schemaOf(t, persons), Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, value := &in.coding().readers[0][0], fmt.Sprintf("r%d", i)
			r.coder = faultyCoder{r.coder, value}
			if p := panicOf(func() { in.collapse(context.Background()) }); p != "secret "+value {
				t.Errorf("record %d, persons %t: the caller sees %v", i, persons, p)
			}
		}
	}
}

// A columnar is a file of groups of one row, of which one panics when it is closed.
type columnar struct{ groups, faulty int }

func (c columnar) Metadata(string) (string, bool) { return "", false }
func (c columnar) Find(string) (int, error)       { return 0, nil }

func (c columnar) Rows() []int64 {
	rows := make([]int64, c.groups)
	for i := range rows {
		rows[i] = 1
	}
	return rows
}

func (c columnar) Column(group, _ int, _ []Coder) ColumnReader { return closer{group == c.faulty} }

type closer struct{ faulty bool }

func (closer) Fill(int, [][]uint16, [][]byte) error { return nil }

func (c closer) Close() error {
	if c.faulty {
		panic("secret")
	}
	return nil
}

// So does a panic over any group of a Parquet file.
func TestPanicsOverGroups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer RegisterParquet(parquetOpener)
	const groups = 24
	for _, persons := range []bool{false, true} {
		for i := range groups {
			RegisterParquet(func(io.ReaderAt, int64) (Columnar, error) { return columnar{groups, i}, nil })
			in, err := openParquet("rows.parquet", nil, 0, schemaOf(t, persons), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if p := panicOf(func() { in.collapse(context.Background()) }); p != "secret" {
				t.Errorf("group %d, persons %t: the caller sees %v", i, persons, p)
			}
		}
	}
}
