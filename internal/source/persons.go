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

// If rows belong to persons, they are sorted by person, and each person's contribution to the table
// is computed separately: which rows count, and with which weight, depends only on this person's
// rows (docs/explanation/proofs/persons.md). Rows are sorted in memory and, beyond a limit, in runs
// on disk that are merged.

// personsMemory is how many bytes of rows are sorted in memory, about.
var personsMemory = 256 << 20

// errSpill reports every failure of the runs on disk, whatever its cause.
var errSpill = errors.New("the rows could not be sorted by person: the directory for temporary files is full or cannot be written; free space in it, or name another directory in TMPDIR")

// A row of a person is written as the length of the person's text, the text, and the
// codes, two bytes each. As no length is the beginning of another, rows in the order of
// their bytes have each person's rows together, and equal ones among them.

// personRows gathers rows and sorts them. The zero value of limit sorts all in memory.
type personRows struct {
	codes int // of a row, the label's included
	limit int
	text  []byte
	ends  []int    // of the rows in text
	spill *os.File // of sorted runs, nil for none
	name  string   // of the file, where it has one still
	runs  []int64  // where the runs in it end
}

// add adds a row. It ignores a row without a person.
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

// sorted returns the rows in memory in their order.
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

// write writes the rows in memory to disk, as a run.
func (p *personRows) write() error {
	start := int64(0)
	if p.spill == nil {
		file, err := os.CreateTemp("", "sibyl-rows-")
		if err != nil {
			return errSpill
		}
		// Without a name, where the system allows that, nothing is left of the file however
		// the process ends.
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

// close removes the runs on disk.
func (p *personRows) close() {
	if p.spill != nil {
		p.spill.Close()
	}
	if p.name != "" {
		os.Remove(p.name)
	}
}

// A run is a sequence of sorted rows with the next row in memory.
type run struct {
	row  []byte
	next func() ([]byte, error) // io.EOF after the last; valid until the next call
}

// runs are a heap of runs by their rows.
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

// open returns the runs of the rows.
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

// readRow appends a row to the buffer. codes is the number of bytes of its codes.
func readRow(r *bufio.Reader, row []byte, codes int) ([]byte, error) {
	length, err := binary.ReadUvarint(r)
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil || length > maxRecord {
		return nil, errSpill
	}
	row = binary.AppendUvarint(row, length)
	start, rest := len(row), int(length)+codes
	row = slices.Grow(row, rest)[:start+rest]
	if _, err := io.ReadFull(r, row[start:]); err != nil {
		return nil, errSpill
	}
	return row, nil
}

const workerBatch = 512 // rows that are counted at a time

// A worker collapses its share of a source.
type worker struct {
	codes   *coding // of its own
	builder *table.Builder
	batch   [][]uint16  // codes of rows that are not counted yet, by column
	rows    int         // of them
	persons *personRows // nil where rows have none
	block   int         // the number of the last one
	err     error
}

// newWorkers returns n workers for a source with the given coding.
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

// flush counts the rows of the batch.
func (w *worker) flush() error {
	part := make([][]uint16, len(w.batch))
	for j := range part {
		part[j] = w.batch[j][:w.rows]
	}
	w.rows = 0
	return w.builder.AddColumns(part)
}

// merged returns the table of all that the workers saw.
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

// closeAll removes the workers' runs on disk.
func closeAll(workers []worker) {
	for _, w := range workers {
		if w.persons != nil {
			w.persons.close()
		}
	}
}

// bounded returns the table of all rows that were gathered.
func bounded(ctx context.Context, s *table.Schema, all []*personRows) (*table.Table, error) {
	b := s.Builder()
	if err := keepRows(ctx, newKeeper(s, b), all); err != nil {
		return nil, err
	}
	return b.Table(), nil
}

// keepRows shows the keeper all rows that were gathered, in their order.
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

// A keeper is shown rows in their order, and enters those that count.
type keeper struct {
	enter  func(codes []uint16, units int64) error
	most   int
	weight int64
	width  int // codes of a row

	person []byte // of the rows that are shown, as they are written
	last   []byte // row
	copies int64  // the copies of it so far
	kept   []keptRow
	more   bool // whether there are more rows than are kept; only then do rows have an order
	codes  []uint16
}

// A keptRow is a row of the current person that is kept so far.
type keptRow struct {
	row   []byte
	copy  int64 // of equal rows of the person, from 1
	order [sha256.Size]byte
}

func newKeeper(s *table.Schema, b *table.Builder) *keeper {
	width := len(s.Attributes) + 1
	enter := func(codes []uint16, units int64) error { return count(b, codes, units) }
	return &keeper{enter: enter, most: s.Person.Most, weight: s.Weight(), width: width, codes: make([]uint16, width)}
}

// ordered returns the row with its order among its person's rows, a keyed hash of person, codes and
// copy. The kept rows, which may be copies of one row, are then distributed like a sample without
// replacement.
func ordered(r keptRow) keptRow {
	text := append([]byte(pushdown.OrderKey), r.row...)
	r.order = sha256.Sum256(binary.BigEndian.AppendUint64(text, uint64(r.copy)))
	return r
}

// compareRows orders the rows of a person, and has rows as equal that are.
func compareRows(a, b keptRow) int {
	return cmp.Or(bytes.Compare(a.order[:], b.order[:]), bytes.Compare(a.row, b.row), cmp.Compare(a.copy, b.copy))
}

// see shows the next row.
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

// end enters the person whose rows were shown, if there is one.
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
