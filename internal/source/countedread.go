package source

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A countedFile is a file of counts that has been opened, but whose cells have not been read yet.
type countedFile struct {
	name    string
	file    randomAccess
	columns Columnar
	header  *countedHeader
	schema  *table.Schema
	found   []int // the numbers of its columns: list, codes, outcome, count
}

// openCounted checks the header and the columns of a file of counts. It does not read the cells.
func openCounted(name string, file randomAccess, columns Columnar, header string, s *table.Schema) (input, error) {
	h, err := readCountedHeader(name, header, s)
	if err != nil {
		return nil, err
	}
	c := &countedFile{name: name, file: file, columns: columns, header: h, schema: s}
	for _, column := range h.columns() {
		found, err := columns.Find(column.Name)
		if err != nil {
			return nil, damagedCounts(name)
		}
		c.found = append(c.found, found)
	}
	return c, nil
}

func (c *countedFile) coding() *coding { return &coding{} }

func (c *countedFile) close() { c.file.Close() }

func (c *countedFile) each(context.Context, func([]uint16, int64) error) error {
	return rowless(c.name)
}

func (c *countedFile) collapse(ctx context.Context) (*table.Table, error) {
	counts, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	return counts.whole()
}

// read reads all cells of the file of counts. It returns an error if the cells are not in the order in which Cells
// visits them, or if the counts of a marginal do not sum to the total number of units (see table.Counts) of the
// records, without null records, that the header states.
func (c *countedFile) read(ctx context.Context) (counts *Counted, err error) {
	defer recoverDamage(c.name, &err)
	r := countedReader{countedFile: c, sums: make([]int64, len(c.header.Lists)), list: -1}
	for _, list := range c.header.Lists {
		r.builders = append(r.builders, c.schema.Project(list).Builder())
	}
	for group, rows := range c.columns.Rows() {
		if err := r.group(ctx, group, rows); err != nil {
			return nil, err
		}
	}
	units := c.header.Rows*c.header.Weight - c.header.Nulls
	counts = &Counted{header: c.header, name: c.name, schema: c.schema}
	for list, b := range r.builders {
		if r.sums[list] != units || b.AddNull(c.header.Nulls) != nil {
			return nil, damagedCounts(c.name)
		}
		counts.tables = append(counts.tables, b.Table())
		counts.order = append(counts.order, list)
		r.builders[list] = nil
	}
	slices.SortStableFunc(counts.order, func(a, b int) int {
		return cmp.Compare(counts.tables[a].Len(), counts.tables[b].Len())
	})
	return counts, nil
}

// A countedReader reads the cells of a file of counts, and collects the cells of each marginal.
type countedReader struct {
	*countedFile
	builders []*table.Builder // one builder for each list of attributes
	sums     []int64          // by list, the units so far

	list int      // the list of the last cell
	last []uint16 // the codes of the last cell
}

// group reads all cells in one row group of the Parquet file. The parameter rows is the number of cells in the row
// group.
func (r *countedReader) group(ctx context.Context, group int, rows int64) error {
	n := len(r.found)
	batch := make([][]uint16, n)
	readers := make([]ColumnReader, 0, n)
	defer func() {
		for _, reader := range readers {
			reader.Close()
		}
	}()
	for k, found := range r.found {
		batch[k] = make([]uint16, parquetBatch)
		readers = append(readers, r.columns.Column(group, found, []Coder{smallNumber}))
	}
	lists, counts := make([][]byte, parquetBatch), make([][]byte, parquetBatch)
	codes := make([]uint16, n-2)
	for left := rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := int(min(left, parquetBatch))
		for k, reader := range readers {
			var texts [][]byte
			switch k {
			case 0:
				texts = lists[:some]
			case n - 1:
				texts = counts[:some]
			}
			if reader.Fill(some, [][]uint16{batch[k][:some]}, texts) != nil {
				return damagedCounts(r.name)
			}
		}
		for i := range some {
			for k := range codes {
				codes[k] = batch[k+1][i]
			}
			if !r.add(string(lists[i]), codes, string(counts[i])) {
				return damagedCounts(r.name)
			}
		}
		left -= int64(some)
	}
	return nil
}

// smallNumber parses a category code. For a text that is not a code, it returns the code for values outside the
// domain.
func smallNumber(text []byte) uint16 {
	n, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil {
		return outside
	}
	return uint16(n)
}

// add adds a cell of a marginal, given the texts of its fields and its codes. There is one code for each attribute
// of the longest list, and then the code of the outcome. add returns false if the cell is invalid, or does not
// follow the previous cell in the order in which Cells visits them.
func (r *countedReader) add(listText string, codes []uint16, countText string) bool {
	list, err := strconv.Atoi(listText)
	units, wrong := strconv.ParseInt(countText, 10, 64)
	if err != nil || wrong != nil || list < 0 || list >= len(r.builders) || units < 1 {
		return false
	}
	if cmp.Or(cmp.Compare(list, r.list), slices.Compare(codes, r.last)) <= 0 {
		return false
	}
	r.list, r.last = list, append(r.last[:0], codes...)
	k, last := len(r.header.Lists[list]), len(codes)-1
	if slices.ContainsFunc(codes[k:last], func(code uint16) bool { return code != outside }) {
		return false
	}
	r.sums[list] += units // no overflow: AddOutcome fails before the sum exceeds int64
	return r.builders[list].AddOutcome(codes[:k], int(codes[last]), units) == nil
}
