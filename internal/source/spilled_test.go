package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// Rows that were written to a run are read back, for any length of the person's text up to the maximum. Malformed
// bytes are an error.
func TestReadRow(t *testing.T) {
	written := func(length int) []byte {
		row := binary.AppendUvarint(nil, uint64(length))
		row = append(row, bytes.Repeat([]byte("p"), length)...)
		return append(row, 0, 1, 0, 2)
	}
	for _, length := range []int{0, 1, 127, 128, maxRecord / 2, maxRecord/2 + 1, maxRecord - 1, maxRecord} {
		row, err := readRow(bufio.NewReader(bytes.NewReader(written(length))), nil, 4)
		if err != nil || !bytes.Equal(row, written(length)) {
			t.Errorf("a text of %d bytes: %d bytes are read, %v", length, len(row), err)
		}
	}
	whole := written(9)
	for name, damaged := range map[string][]byte{
		"too long a text": written(maxRecord + 1), "cut": whole[:len(whole)-1], "without codes": whole[:10], "a length alone": whole[:1],
		"half a length": {0x80}, "no length": append(bytes.Repeat([]byte{0xff}, 11), whole...),
	} {
		if _, err := readRow(bufio.NewReader(bytes.NewReader(damaged)), nil, 4); err != errSpill {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readRow(bufio.NewReader(bytes.NewReader(nil)), nil, 4); err != io.EOF {
		t.Errorf("the end: %v", err)
	}
}

// A watched context counts the calls of Err, and ends at a chosen one.
type watched struct {
	context.Context
	asked, ends int
}

func (w *watched) Err() error {
	if w.asked++; w.ends > 0 && w.asked >= w.ends {
		return context.Canceled
	}
	return nil
}

// Merging checks the context at the first row and at every 4096th. Damaged rows on disk are an error and are never
// skipped.
func TestMergeStops(t *testing.T) {
	s := tabletest.Schema(t, `
[person]
column = "patient"
most = 2
[label]
column = "back"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "ward"
values = ["a", "b"]
`)
	gather := func(rows, limit int) *personRows {
		p := &personRows{codes: 2, limit: limit}
		t.Cleanup(p.close)
		for i := range rows {
			if err := p.add(binary.BigEndian.AppendUint32(nil, uint32(i)), []uint16{uint16(i % 2), 1}); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	for rows, asked := range map[int]int{1: 1, 4096: 1, 4097: 2, 10_000: 3} {
		for ends := range asked + 2 {
			w := &watched{Context: context.Background(), ends: ends}
			got, err := bounded(w, s, []*personRows{gather(rows, 0)})
			if stopped := 1 <= ends && ends <= asked; stopped != errors.Is(err, context.Canceled) || !stopped && (err != nil || w.asked != asked || got.Rows() != int64(rows)) {
				t.Errorf("%d rows, ending at question %d: %v, after %d", rows, ends, err, w.asked)
			}
		}
	}
	for _, cut := range []int64{1, 3, 12} {
		p := gather(20, 100)
		if len(p.runs) < 2 {
			t.Fatal("nothing is on disk")
		}
		if err := p.spill.Truncate(p.runs[0] + cut); err != nil {
			t.Fatal(err)
		}
		if _, err := bounded(context.Background(), s, []*personRows{p}); err != errSpill {
			t.Errorf("a second run cut after %d bytes: %v", cut, err)
		}
	}
}

// Rows are written to a file only if they reach the limit, and never without a limit.
func TestPersonsInMemory(t *testing.T) {
	const size = 1 + 3 + 2*2 + 8 // of a row of a person with a name of three bytes and two codes
	for _, c := range []struct{ limit, rows, runs int }{{0, 100, 0}, {5 * size, 4, 0}, {5 * size, 5, 1}, {5 * size, 14, 2}} {
		p := personRows{codes: 2, limit: c.limit}
		for range c.rows {
			if err := p.add([]byte("ann"), []uint16{1, 2}); err != nil {
				t.Fatal(err)
			}
		}
		if len(p.runs) != c.runs || len(p.ends) != c.rows-5*c.runs {
			t.Errorf("limit %d: %d rows give %d runs and leave %d rows in memory", c.limit, c.rows, len(p.runs), len(p.ends))
		}
		p.close()
	}
}
