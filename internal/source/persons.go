package source

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If rows belong to persons, they are sorted by person. The contribution of each person to the table is computed
// separately: which rows are used, and with which weight, depends only on the rows of this person
// (docs/explanation/proofs/persons.md). Rows are sorted in memory. If they exceed a limit, sorted sequences of rows,
// called runs, are written to disk and merged at the end.

// personsMemory is the approximate number of bytes of rows that are held in memory before they are sorted by person
// and written to a temporary file.
var personsMemory = 256 << 20

// errSpill is the error for any failure to write or read the temporary file of sorted rows. It omits the cause.
var errSpill = errors.New("the rows could not be sorted by person: the directory for temporary files is full or cannot be written; free space in it, or name another directory in TMPDIR")

// A row of a person is encoded as the length of the person's text, the text, and the codes, two bytes each. No
// encoding of a length is a prefix of another. So if rows are sorted as byte strings, the rows of each person are
// adjacent, and so are equal rows.

// personRows collects rows and sorts them by person, so that the rows of each person are adjacent. When the rows in
// memory reach a number of bytes (limit), they are written to a temporary file as a sorted run. If the limit is 0,
// all rows stay in memory.
type personRows struct {
	codes int // the number of codes of a row, including that of the label
	limit int
	text  []byte
	ends  []int    // by row, the offset of its end in text
	spill *os.File // the file with the sorted runs; nil if there are none
	name  string   // the name of the file; "" if the name was removed
	runs  []int64  // by run, the offset of its end in the file
}

// add adds a copy of a row, which consists of the text that identifies the person and the codes. Rows whose text is
// empty are ignored.
func (p *personRows) add(person []byte, codes []uint16) error {
	if len(person) == 0 {
		return nil
	}
	p.text = binary.AppendUvarint(p.text, uint64(len(person)))
	p.text = append(p.text, person...)
	for _, code := range codes {
		p.text = binary.BigEndian.AppendUint16(p.text, code)
	}
	p.ends = append(p.ends, len(p.text))
	if p.limit > 0 && len(p.text)+8*len(p.ends) >= p.limit {
		return p.write()
	}
	return nil
}

// sorted returns the rows that are in memory, encoded as byte strings and sorted.
func (p *personRows) sorted() [][]byte {
	rows := make([][]byte, len(p.ends))
	start := 0
	for i, end := range p.ends {
		rows[i] = p.text[start:end]
		start = end
	}
	slices.SortFunc(rows, bytes.Compare)
	return rows
}

// write sorts the rows in memory and moves them to the temporary file, as a sorted run.
func (p *personRows) write() error {
	start := int64(0)
	if p.spill == nil {
		file, err := os.CreateTemp("", "sibyl-rows-")
		if err != nil {
			return errSpill
		}
		// If the system allows removing the name of an open file, nothing remains on disk, however the process ends.
		if os.Remove(file.Name()) != nil {
			p.name = file.Name()
		}
		p.spill = file
	} else {
		start = p.runs[len(p.runs)-1]
	}
	w := bufio.NewWriterSize(p.spill, min(len(p.text), 1<<20))
	for _, row := range p.sorted() {
		w.Write(row)
	}
	if w.Flush() != nil {
		return errSpill
	}
	p.runs = append(p.runs, start+int64(len(p.text)))
	p.text, p.ends = p.text[:0], p.ends[:0]
	return nil
}

// close deletes the temporary file of sorted rows, if there is one.
func (p *personRows) close() {
	if p.spill != nil {
		p.spill.Close()
	}
	if p.name != "" {
		os.Remove(p.name)
	}
}

// A run is a sequence of rows in sorted order, either in memory or in the temporary file. Its first remaining row is
// always in memory.
type run struct {
	row  []byte
	next func() ([]byte, error) // io.EOF after the last; valid until the next call
}

// runs is a heap of sorted runs. On top is the run whose next row comes first in sorted order.
type runs []*run

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return bytes.Compare(r[i].row, r[j].row) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// open returns all collected rows as sorted runs: one run of the rows in memory, and the runs in the temporary file.
func (p *personRows) open() []*run {
	rows := p.sorted()
	all := []*run{{next: func() ([]byte, error) {
		if len(rows) == 0 {
			return nil, io.EOF
		}
		row := rows[0]
		rows = rows[1:]
		return row, nil
	}}}
	start := int64(0)
	for _, end := range p.runs {
		file := bufio.NewReaderSize(io.NewSectionReader(p.spill, start, end-start), 64<<10)
		var row []byte
		all = append(all, &run{next: func() (_ []byte, err error) {
			row, err = readRow(file, row[:0], 2*p.codes)
			return row, err
		}})
		start = end
	}
	return all
}

// readRow reads an encoded row and appends it to the slice row. The parameter codeBytes is the number of bytes of
// the row's codes.
func readRow(r *bufio.Reader, row []byte, codeBytes int) ([]byte, error) {
	length, err := binary.ReadUvarint(r)
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil || length > maxRecord {
		return nil, errSpill
	}
	row = binary.AppendUvarint(row, length)
	start, rest := len(row), int(length)+codeBytes
	row = slices.Grow(row, rest)[:start+rest]
	if _, err := io.ReadFull(r, row[start:]); err != nil {
		return nil, errSpill
	}
	return row, nil
}

const workerBatch = 512 // the number of rows that are counted at a time

// A worker reads a part of a source in one goroutine, and counts equal records.
type worker struct {
	codes   *coding // the worker's own copy of the coding
	builder *table.Builder
	batch   [][]uint16  // by column, the codes of rows that are not counted yet
	rows    int         // the number of these rows
	persons *personRows // the collected rows if the schema has a Person, otherwise nil
	block   int         // the number of the last block that it read
	err     error
}

// newWorkers returns n workers that together read one source. The parameter c is the coding of the source, of which
// each worker receives a copy.
func newWorkers(n int, s *table.Schema, c *coding) []worker {
	workers := make([]worker, n)
	for i, b := range s.Builders(n) {
		own := *c
		workers[i] = worker{codes: &own, builder: b}
		if s.Person != nil {
			workers[i].persons = &personRows{codes: c.width, limit: max(personsMemory/n, 1)}
			continue
		}
		for range c.width {
			workers[i].batch = append(workers[i].batch, make([]uint16, workerBatch))
		}
	}
	return workers
}

func (w *worker) visit(codes []uint16, _ int64) error {
	if w.persons != nil {
		return w.persons.add(w.codes.text, codes)
	}
	for j, code := range codes {
		w.batch[j][w.rows] = code
	}
	if w.rows++; w.rows < workerBatch {
		return nil
	}
	return w.flush()
}

// flush adds the rows of the worker's batch to the builder of the worker's table, and empties the batch.
func (w *worker) flush() error {
	part := make([][]uint16, len(w.batch))
	for j := range part {
		part[j] = w.batch[j][:w.rows]
	}
	w.rows = 0
	return w.builder.AddColumns(part)
}

// merged combines the rows of all workers into one table.
func merged(ctx context.Context, s *table.Schema, workers []worker) (*table.Table, error) {
	if s.Person != nil {
		var all []*personRows
		for _, w := range workers {
			all = append(all, w.persons)
		}
		return bounded(ctx, s, all)
	}
	for i := range workers {
		if err := workers[i].flush(); err != nil {
			return nil, err
		}
	}
	all := workers[0].builder
	for i := 1; i < len(workers); i++ {
		if err := all.Merge(workers[i].builder); err != nil {
			return nil, err
		}
		workers[i].builder = nil
	}
	return all.Table(), nil
}

// closeAll removes the temporary files of the workers.
func closeAll(workers []worker) {
	for _, w := range workers {
		if w.persons != nil {
			w.persons.close()
		}
	}
}

// bounded returns the table of the collected rows, of which at most Person.Most rows of each person are used.
func bounded(ctx context.Context, s *table.Schema, all []*personRows) (*table.Table, error) {
	b := s.Builder()
	if err := keepRows(ctx, newKeeper(s, b), all); err != nil {
		return nil, err
	}
	return b.Table(), nil
}

// keepRows passes all collected rows to the keeper, in sorted order.
func keepRows(ctx context.Context, k *keeper, all []*personRows) error {
	var merge runs
	for _, p := range all {
		for _, r := range p.open() {
			var err error
			if r.row, err = r.next(); err == nil {
				merge = append(merge, r)
			} else if err != io.EOF {
				return err
			}
		}
	}
	heap.Init(&merge)
	for n := 0; len(merge) > 0; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := merge[0]
		if err := k.see(first.row); err != nil {
			return err
		}
		var err error
		switch first.row, err = first.next(); {
		case err == io.EOF:
			heap.Pop(&merge)
		case err != nil:
			return err
		default:
			heap.Fix(&merge, 0)
		}
	}
	return k.end()
}

// A keeper selects at most a fixed number of rows of each person, and divides the person's weight equally among
// them. It receives all rows in sorted order, and passes the selected rows with their weight to the function enter.
type keeper struct {
	enter  func(codes []uint16, units int64) error
	most   int
	weight int64
	width  int // the number of codes of a row

	person []byte // the encoded text of the current person
	last   []byte // the last row
	copies int64  // the number of copies of the last row so far
	kept   []keptRow
	more   bool // whether the person has more rows than are kept; only then is order computed
	codes  []uint16
}

// A keptRow is a row of the current person that the keeper has selected so far, unless later rows replace it.
type keptRow struct {
	row   []byte
	copy  int64 // its number among equal rows of the person, from 1
	order [sha256.Size]byte
}

func newKeeper(s *table.Schema, b *table.Builder) *keeper {
	width := len(s.Attributes) + 1
	enter := func(codes []uint16, units int64) error { return count(b, codes, units) }
	return &keeper{enter: enter, most: s.Person.Most, weight: s.Weight(), width: width, codes: make([]uint16, width)}
}

// ordered returns the row r with its sort key, stored in the field order. The key is a hash, under a fixed public
// key, of the person, the codes and the copy number, and the keeper selects the rows with the smallest hashes.
// Copies of one row have different copy numbers, and so different hashes. Therefore, the selected rows are
// distributed like a sample without replacement.
func ordered(r keptRow) keptRow {
	text := append([]byte(pushdown.OrderKey), r.row...)
	r.order = sha256.Sum256(binary.BigEndian.AppendUint64(text, uint64(r.copy)))
	return r
}

// compareRows compares two rows of a person by their sort keys, which are hashes. Rows with equal hashes are
// compared by their encodings and then by their copy numbers, so the result is 0 only for the same copy of the same
// row.
func compareRows(a, b keptRow) int {
	return cmp.Or(bytes.Compare(a.order[:], b.order[:]), bytes.Compare(a.row, b.row), cmp.Compare(a.copy, b.copy))
}

// see processes the next row in sorted order. It keeps the row if, among the rows of the person so far, the row is
// one of those to select.
func (k *keeper) see(row []byte) error {
	if person := row[:len(row)-2*k.width]; !bytes.Equal(person, k.person) {
		if err := k.end(); err != nil {
			return err
		}
		k.person = append(k.person[:0], person...)
	}
	if !bytes.Equal(row, k.last) {
		k.last, k.copies = append(k.last[:0], row...), 0
	}
	k.copies++
	r := keptRow{row: row, copy: k.copies}
	if len(k.kept) < k.most {
		r.row = slices.Clone(row)
		k.kept = append(k.kept, r)
		return nil
	}
	if !k.more {
		k.more = true
		for i := range k.kept {
			k.kept[i] = ordered(k.kept[i])
		}
		slices.SortFunc(k.kept, compareRows)
	}
	if r = ordered(r); compareRows(r, k.kept[k.most-1]) < 0 {
		r.row = slices.Clone(row)
		at, _ := slices.BinarySearchFunc(k.kept, r, compareRows)
		k.kept = slices.Insert(k.kept[:k.most-1], at, r)
	}
	return nil
}

// end passes the selected rows of the current person, if there is one, to the function enter.
func (k *keeper) end() error {
	for _, r := range k.kept {
		text := r.row[len(r.row)-2*k.width:]
		for i := range k.codes {
			k.codes[i] = binary.BigEndian.Uint16(text[2*i:])
		}
		if err := k.enter(k.codes, k.weight/int64(len(k.kept))); err != nil {
			return err
		}
	}
	k.kept, k.more = k.kept[:0], false
	return nil
}
