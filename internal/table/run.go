package table

import (
	"bytes"
	"encoding/binary"
)

// A run is a sorted list of distinct rows with counts. Its rows are never modified. Its memory may be reused
// when all rows have been read and no Table uses the run.
type run struct {
	*layout
	chunks []chunk // all chunks except the last are full
	length int     // the number of rows
	shared bool    // whether a Table uses the run, too
}

// A chunk holds consecutive rows of a run, with their counts.
type chunk struct {
	rows   []byte // followed by padding
	counts tally
}

// A tally holds the counts of a chunk's rows. To save memory, each count is stored in as few bytes as the
// greatest count needs.
type tally struct {
	width int // bytes per count; 0 if all counts are 1
	bytes []byte
}

func newTally(of []int64) tally {
	most := int64(1)
	for _, n := range of {
		most = max(most, n)
	}
	var c tally
	switch {
	case most == 1:
		return c
	case most < 1<<8:
		c.width = 1
	case most < 1<<16:
		c.width = 2
	case most < 1<<32:
		c.width = 4
	default:
		c.width = 8
	}
	var text [8]byte
	c.bytes = make([]byte, 0, c.width*len(of))
	for _, n := range of {
		binary.LittleEndian.PutUint64(text[:], uint64(n))
		c.bytes = append(c.bytes, text[:c.width]...)
	}
	return c
}

func (c tally) at(i int) int64 {
	switch c.width {
	case 0:
		return 1
	case 1:
		return int64(c.bytes[i])
	case 2:
		return int64(binary.LittleEndian.Uint16(c.bytes[2*i:]))
	case 4:
		return int64(binary.LittleEndian.Uint32(c.bytes[4*i:]))
	}
	return int64(binary.LittleEndian.Uint64(c.bytes[8*i:]))
}

// find returns the chunk that contains the row with index i of the run, and the index of the row in that chunk.
func (r *run) find(i int) (*chunk, int) {
	return &r.chunks[i>>r.shift], i & (1<<r.shift - 1)
}

// code returns the code of one attribute in the row with index i, or the row's outcome if the parameter field
// equals the number of attributes.
func (r *run) code(i, field int) uint16 {
	c, at := r.find(i)
	return r.fields[field].get(c.rows, at*r.stride)
}

// count returns the count of the row with index i.
func (r *run) count(i int) int64 {
	c, at := r.find(i)
	return c.counts.at(at)
}

// equal reports whether two runs with the same layout contain the same rows and counts.
func (r *run) equal(o *run) bool {
	if r.length != o.length {
		return false
	}
	for i := range r.chunks {
		a, b := &r.chunks[i], &o.chunks[i]
		if a.counts.width != b.counts.width || !bytes.Equal(a.counts.bytes, b.counts.bytes) || !bytes.Equal(a.rows, b.rows) {
			return false
		}
	}
	return true
}

// A runWriter builds a run from rows that are added in sorted order. Equal rows become one row with the sum of
// their counts.
type runWriter struct {
	run
	most   int       // the maximum number of rows
	spare  *[][]byte // memory of full chunks to reuse
	rows   []byte    // the rows of the current chunk
	counts []int64   // the counts of the current chunk
}

func newRunWriter(l *layout, most int, spare *[][]byte) *runWriter {
	return &runWriter{run: run{layout: l}, most: most, spare: spare}
}

// add appends a row the given number of times. If the row equals the last one, only the count of that row
// increases.
func (w *runWriter) add(row []byte, count int64) {
	if n := len(w.counts); n > 0 {
		if bytes.Equal(w.rows[len(w.rows)-w.stride:], row) {
			w.counts[n-1] += count
			return
		}
		if n == 1<<w.shift {
			w.cut()
		}
	}
	if len(w.counts) == 0 {
		w.begin()
	}
	w.rows = append(w.rows, row...)
	w.counts = append(w.counts, count)
}

// begin prepares a new chunk of rows: it allocates memory, or reuses that of a released chunk.
func (w *runWriter) begin() {
	full := 1 << w.shift
	n := min(full, w.most-w.length)
	if last := len(*w.spare) - 1; n == full && last >= 0 {
		w.rows, *w.spare = (*w.spare)[last], (*w.spare)[:last]
	} else {
		w.rows = make([]byte, 0, n*w.stride+padding)
	}
	if w.counts == nil {
		w.counts = make([]int64, 0, n)
	}
}

// cut ends the current chunk of rows and appends it to the run.
func (w *runWriter) cut() {
	w.length += len(w.counts)
	w.chunks = append(w.chunks, chunk{append(w.rows, make([]byte, padding)...), newTally(w.counts)})
	w.rows, w.counts = nil, w.counts[:0]
}

// end ends the last chunk and returns the complete run.
func (w *runWriter) end() run {
	if len(w.counts) > 0 {
		w.cut()
	}
	return w.run
}

// A runReader reads the rows of a run in order. It releases the memory of each chunk after reading it, unless a
// Table uses the run.
type runReader struct {
	run
	spare *[][]byte // receives the memory of full chunks
	chunk int       // the index of the current chunk
	at    int       // the index of the next row in the chunk
	rows  []byte    // the unread rows of the chunk
}

func newRunReader(r run, spare *[][]byte) *runReader {
	reader := &runReader{run: r, spare: spare}
	reader.load()
	return reader
}

// load makes the rows of the current chunk, if there is one, available for reading.
func (r *runReader) load() {
	if r.at, r.rows = 0, nil; r.chunk < len(r.chunks) {
		rows := r.chunks[r.chunk].rows
		r.rows = rows[:len(rows)-padding]
	}
}

// next returns the next row without advancing, or nil after the last row.
func (r *runReader) next() []byte {
	if len(r.rows) == 0 {
		return nil
	}
	return r.rows[:r.stride]
}

// pass appends the next row with its count to a runWriter, and advances to the row after it.
func (r *runReader) pass(w *runWriter) {
	w.add(r.rows[:r.stride], r.chunks[r.chunk].counts.at(r.at))
	r.at++
	if r.rows = r.rows[r.stride:]; len(r.rows) > 0 {
		return
	}
	if !r.shared {
		if rows := r.chunks[r.chunk].rows; cap(rows) == r.stride<<r.shift+padding {
			*r.spare = append(*r.spare, rows[:0])
		}
		r.chunks[r.chunk] = chunk{}
	}
	r.chunk++
	r.load()
}

// merge returns a run that contains the rows of the runs a and b. It may reuse their memory, unless a Table
// uses them.
func merge(a, b run, spare *[][]byte) run {
	w := newRunWriter(a.layout, a.length+b.length, spare)
	x, y := newRunReader(a, spare), newRunReader(b, spare)
	for {
		switch p, q := x.next(), y.next(); {
		case p == nil && q == nil:
			return w.end()
		case q == nil || p != nil && bytes.Compare(p, q) <= 0:
			x.pass(w)
		default:
			y.pass(w)
		}
	}
}
