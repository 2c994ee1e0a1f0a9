package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// panicOf runs f and returns its panic value.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// A faultyCoder panics at one value.
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

// schemaOf returns a schema of one attribute, with or without [person].
func schemaOf(t *testing.T, persons bool) *table.Schema {
	text := "[[attribute]]\ncolumn = \"id\"\nvalues = [\"r1\"]\nother = \"else\""
	if persons {
		text = "[person]\ncolumn = \"who\"\nmost = 1\n" + text
	}
	return tabletest.Schema(t, text)
}

// If coding any record of delimited text panics, in any block and thread, the panic reaches the
// caller.
func TestPanicsOverRecords(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const rows = 24
	var file bytes.Buffer
	file.WriteString("id,who\n")
	for i := range rows {
		fmt.Fprintf(&file, "r%d,%s\n", i, bytes.Repeat([]byte("x"), blockSize/7))
	}
	for _, persons := range []bool{false, true} {
		for i := 0; i < rows; i += heavy.Pick(3, 1) {
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

// A columnar is a Parquet file with one row in each group. Reading one group panics at a chosen
// place.
type columnar struct {
	groups, faulty int
	place          string
}

// The places of the panic: calls of the library, or a coder that the library calls.
const (
	inMetadata = "metadata"
	inFind     = "find"
	inRows     = "rows"
	inColumn   = "column"
	inFill     = "fill"
	inClose    = "close"
	inCoder    = "coder"
)

func (c columnar) panics(place string) {
	if c.place == place {
		panic("secret")
	}
}

func (c columnar) Metadata(string) (string, bool) { c.panics(inMetadata); return "", false }
func (c columnar) Columns() []ColumnType          { return nil }
func (c columnar) Find(string) (int, error)       { c.panics(inFind); return 0, nil }

func (c columnar) Rows() []int64 {
	c.panics(inRows)
	rows := make([]int64, c.groups)
	for i := range rows {
		rows[i] = 1
	}
	return rows
}

func (c columnar) Column(group, _ int, coders []Coder) ColumnReader {
	if group != c.faulty {
		c.place = ""
	}
	c.panics(inColumn)
	return filler{c, coders}
}

type filler struct {
	columnar
	coders []Coder
}

func (f filler) Fill(int, [][]uint16, [][]byte) error {
	for _, code := range f.coders {
		code([]byte("a value"))
		if f.place == inCoder {
			code([]byte("secret"))
		}
	}
	f.panics(inFill)
	return nil
}

func (f filler) Close() error { f.panics(inClose); return nil }

// openFaulty opens a columnar with a coder that panics at one value.
func openFaulty(t *testing.T, c columnar, persons bool) (input, error) {
	RegisterParquet(func(io.ReaderAt, int64) (Columnar, error) { return c, nil })
	in, err := openParquet("rows.parquet", nil, 0, schemaOf(t, persons), Options{})
	if err == nil {
		r := &in.coding().readers[0][0]
		r.coder = faultyCoder{r.coder, "secret"}
	}
	return in, err
}

// A panic of our own code in any group of a Parquet file reaches the caller, also if the library called that code.
// A panic of the library itself is reported as a damaged file.
func TestPanicsOverGroups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer RegisterParquet(parquetOpener)
	const groups = 24
	for place, want := range map[string]any{inClose: "secret", inCoder: "secret secret", inColumn: nil, inFill: nil} {
		for _, persons := range []bool{false, true} {
			for i := range groups {
				in, err := openFaulty(t, columnar{groups, i, place}, persons)
				if err != nil {
					t.Fatal(err)
				}
				p := panicOf(func() { _, err = in.collapse(context.Background()) })
				if p != want || p == nil && (err == nil || err.Error() != damaged("rows.parquet").Error()) {
					t.Errorf("%s, group %d, persons %t: the caller sees %v, %v", place, i, persons, p, err)
				}
			}
		}
	}
	for _, place := range []string{inMetadata, inFind, inRows} {
		if _, err := openFaulty(t, columnar{groups, 0, place}, false); err == nil || err.Error() != damaged("rows.parquet").Error() {
			t.Errorf("%s: %v", place, err)
		}
	}
}
