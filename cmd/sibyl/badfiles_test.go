//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// This file makes binary files for the tables of bad input (bad_test.go).

// A client is a row like those of d.csv in shared.txtar, with a private cell.
type client struct {
	Age    int64  `parquet:"age"`
	Home   string `parquet:"home"`
	Job    string `parquet:"job"`
	Repaid string `parquet:"repaid"`
	Note   string `parquet:"note"`
}

// A nest is a row whose age is a list.
type nest struct {
	Age    []int64 `parquet:"age"`
	Home   string  `parquet:"home"`
	Job    string  `parquet:"job"`
	Repaid string  `parquet:"repaid"`
}

// A stub is a row that lacks a column.
type stub struct {
	Age  int64  `parquet:"age"`
	Home string `parquet:"home"`
}

var clients = []client{
	{25, "rent", "clerk", "no", canary}, {35, "own", "boss", "yes", canary}, {55, "own", "smith", "yes", canary},
	{28, "rent", "none", "no", canary}, {61, "rent", "smith", "yes", canary}, {44, "own", "clerk", "yes", canary},
}

func parquetOf[Row any](t *testing.T, rows ...Row) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// writeBadFiles writes the files that the table names to the working directory.
func writeBadFiles(t *testing.T, lines string) {
	t.Helper()
	table := "age,home,job,repaid,note\n" + strings.Repeat("25,rent,clerk,no,"+canary+"\n", 1000)
	whole, packed := parquetOf(t, clients...), zipped(table)
	broken := []byte(packed)
	broken[len(broken)-6]++ // makes the checksum wrong
	middle := []byte(whole)
	for i := 8; i < len(middle)/3; i++ {
		middle[i] ^= 0x55
	}
	for name, text := range map[string]string{
		"whole.parquet":    whole,
		"cut.parquet":      whole[:len(whole)/2],
		"head.parquet":     "PAR1",
		"tail.parquet":     whole[len(whole)/2:],
		"middle.parquet":   string(middle),
		"text.parquet":     "PAR1" + strings.Repeat(canary, 100) + "PAR1",
		"csv.parquet":      table,
		"empty.parquet":    "",
		"longfoot.parquet": whole[:len(whole)-8] + "\xff\xff\xff\x7fPAR1",
		"nested.parquet":   parquetOf(t, nest{[]int64{1}, "own", canary, "no"}),
		"short.parquet":    parquetOf(t, stub{1, canary}),
		"cut.gz":           packed[:len(packed)/2],
		"head.gz":          packed[:5],
		"broken.gz":        string(broken),
		"twice.gz":         zipped(packed),
		"empty.gz":         zipped(""),
		"parquet.gz":       zipped(whole),
		"trailing.gz":      packed + canary,
		"utf16.csv":        "\xff\xfea\x00g\x00e\x00,\x00",
		"utf16be.csv":      "\xfe\xff\x00a\x00g\x00e\x00,",
		"utf32.csv":        "\xff\xfe\x00\x00a\x00\x00\x00",
		"latin1.csv":       "age,home,job,repaid\n25,rent,B\xe4cker " + canary + ",no\n",
		"nul.csv":          "age,home,job,repaid\n25,rent,\x00" + canary + ",no\n",
		"zeros.csv":        strings.Repeat("\x00", 4096),
		"random.csv":       "\x8f\x01\x02\xfe" + canary + "\x00\x1b]0;title\x07\n,,\"",
		"zip.xlsx":         "PK\x03\x04\x14\x00\x06\x00" + canary + "\xff\n",
		"dir/in.csv":       table,
		"not.db":           strings.Repeat(canary, 200),
		"strange\x1b[31m":  table,
		"line\nbreak":      table,
		"turned\u202efdp":  table,
	} {
		first, _, _ := strings.Cut(name, "/")
		if quoted := strconv.Quote(first); strings.Contains(lines, first) || strings.Contains(lines, quoted) {
			put(t, name, text)
		}
	}
	for name, text := range badWorkbooks() {
		if strings.Contains(lines, name) {
			put(t, name, text)
		}
	}
	for name, to := range map[string]string{"loop": "loop", "dangling": "nowhere", "link.toml": "s.toml", "link.json": "m.json"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lines, "people.db") {
		return
	}
	db, err := sql.Open("sqlite", "people.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE people (age INT, home TEXT, job TEXT, repaid TEXT, note TEXT)",
		"INSERT INTO people VALUES (25, 'rent', 'clerk', 'no', '" + canary + "'), (35, 'own', 'boss', 'yes', '" + canary + "')",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// streams are endless standard inputs.
var streams = map[string]func() io.Reader{
	"line":      func() io.Reader { return &repeating{"age,home,job,repaid\n", canary} },
	"quote":     func() io.Reader { return &repeating{"age,home,job,repaid\n25,\"", canary + "\n"} },
	"header":    func() io.Reader { return &repeating{"age,home,", canary + ","} },
	"zeros":     func() io.Reader { return &repeating{"", "\x00"} },
	"columns":   func() io.Reader { return &repeating{"age,home,job,repaid\n", ","} },
	"quotes":    func() io.Reader { return &repeating{"age,home,job,repaid\n", "\"\"\""} },
	"gzip":      func() io.Reader { return strings.NewReader(zipped(strings.Repeat(canary, 1<<18))) },
	"broken":    func() io.Reader { return io.MultiReader(strings.NewReader("age,home,job,repaid\n25,"), failing{}) },
	"very wide": func() io.Reader { return strings.NewReader(strings.Repeat("a,", 1<<21) + "\n") },
}

// A repeating is a reader that returns its start, and then endless copies of its part.
type repeating struct{ start, part string }

func (e *repeating) Read(p []byte) (int, error) {
	if e.start != "" {
		n := copy(p, e.start)
		e.start = e.start[n:]
		return n, nil
	}
	n := copy(p, e.part)
	for n < len(p) {
		n += copy(p[n:], p[:n])
	}
	e.part = e.part[n%len(e.part):] + e.part[:n%len(e.part)]
	return n, nil
}

// A failing is a reader that simulates a faulty disk.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.EIO }
