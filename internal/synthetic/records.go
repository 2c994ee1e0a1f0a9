package synthetic

import (
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth"
)

// Records are what a release says of a table: rows over the free columns, each of which stands
// for the same share of the table. Released rows, further rows and answers are functions of
// them. They are in lexicographic order, columns of fewer values first, so that equally spaced
// ones have nearly the marginals of all.
type Records struct {
	domain  synth.Domain
	columns [][]uint16 // by column, then record
	n       int
}

// NewRecords returns rows over a domain, by column, as records. There is at least one row.
func NewRecords(d synth.Domain, rows [][]uint16) *Records {
	r := &Records{domain: d, n: len(rows[0])}
	order, sorted := make([]int32, r.n), make([]int32, r.n)
	for i := range order {
		order[i] = int32(i)
	}
	for _, c := range slices.Backward(r.precedence()) { // each sort is stable
		next := make([]int32, d.Columns[c].Size+1)
		for _, v := range rows[c] {
			next[v+1]++
		}
		for v := range d.Columns[c].Size {
			next[v+1] += next[v]
		}
		for _, i := range order {
			v := rows[c][i]
			sorted[next[v]] = i
			next[v]++
		}
		order, sorted = sorted, order
	}
	for _, column := range rows {
		to := make([]uint16, r.n)
		for i, from := range order {
			to[i] = column[from]
		}
		r.columns = append(r.columns, to)
	}
	return r
}

// precedence lists the columns by which records are sorted.
func (r *Records) precedence() []int {
	columns := make([]int, len(r.domain.Columns))
	for c := range columns {
		columns[c] = c
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(r.domain.Columns[a].Size, r.domain.Columns[b].Size) })
	return columns
}

// Len is the number of records.
func (r *Records) Len() int { return r.n }

// pack returns the codes in bytes, compressed (DEFLATE, RFC 1951): one column after the other; of
// a column of more than 256 values first the high byte of each code.
func (r *Records) pack() ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	plane := make([]byte, r.n)
	for c, column := range r.columns {
		for b := r.domain.Columns[c].Bytes() - 1; b >= 0; b-- {
			for i, v := range column {
				plane[i] = byte(v >> (8 * b))
			}
			if _, err := w.Write(plane); err != nil {
				return nil, err
			}
		}
	}
	err = w.Close()
	return packed.Bytes(), err
}

// unpack returns n records of a domain from what pack returned. It refuses everything else.
func unpack(d synth.Domain, n int, packed []byte) (*Records, error) {
	in := bytes.NewReader(packed)
	codes := flate.NewReader(in)
	r := &Records{domain: d, n: n}
	plane := make([]byte, n)
	for c, of := range d.Columns {
		column := make([]uint16, n)
		for range of.Bytes() {
			if _, err := io.ReadFull(codes, plane); err != nil {
				return nil, fmt.Errorf("the model's records are not the compressed codes of %d records", n)
			}
			for i, b := range plane {
				column[i] = column[i]<<8 | uint16(b)
			}
		}
		if v := slices.Max(column); int(v) >= of.Size {
			return nil, fmt.Errorf("a record of the model has the value %d of column %d, which has %d", v, c+1, of.Size)
		}
		r.columns = append(r.columns, column)
	}
	if _, err := io.ReadFull(codes, plane[:1]); err != io.EOF || in.Len() > 0 {
		return nil, fmt.Errorf("the model has codes of more than %d records", n)
	}
	return r, r.checkOrder()
}

// checkOrder refuses records that are not sorted.
func (r *Records) checkOrder() error {
	order := r.precedence()
	for i := 1; i < r.n; i++ {
		for _, c := range order {
			if before, v := r.columns[c][i-1], r.columns[c][i]; before < v {
				break
			} else if before > v {
				return errors.New("the model's records are out of order")
			}
		}
	}
	return nil
}

// Rows are n rows of a model, made one at a time: each record stands for n/m of them, rounded down
// or up, where there are m records.
type Rows struct {
	layout  *Layout
	records *Records
	seed    uint64

	// Row i is number k = (first + i·step) mod n of n equally spaced ones: record ⌊(k·m + shift)/n⌋, shift
	// below m. The step is coprime to n, and n divided by the golden ratio, about: so each stretch
	// of rows, too, is nearly equally spaced.
	n, first, step, shift uint64
}

// newRows returns so many rows of the records, in an order that follows from the seed.
func newRows(l *Layout, r *Records, n int, seed uint64) Rows {
	rows := Rows{layout: l, records: r, seed: seed, n: uint64(n)}
	if n == 0 {
		return rows
	}
	random := rand.New(rand.NewPCG(seed, rows.n))
	rows.first, rows.shift = random.Uint64N(rows.n), random.Uint64N(uint64(r.n))
	rows.step = max(1, rows.n*1_618_033_989/1_000_000_000-rows.n)
	for gcd(rows.step, rows.n) > 1 {
		rows.step++
	}
	return rows
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Len is the number of rows.
func (r Rows) Len() int { return int(r.n) }

// Record puts the codes of a row over the flat schema into a record, which it returns.
func (r Rows) Record(i int, record []uint16) []uint16 {
	at := (r.first + uint64(i)*r.step) % r.n
	return r.layout.complete(r.records, int((at*uint64(r.records.n)+r.shift)/r.n), record)
}
