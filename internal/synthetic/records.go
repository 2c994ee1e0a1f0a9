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
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Records are the fitted rows of a model. They contain the free columns of its layout, and each record represents the
// same fraction of the table. Released rows and answers to questions are computed from them.
//
// The records are sorted lexicographically, and the columns with the fewest values are compared first. So a sample of
// equally spaced records has nearly the same marginals as all records.
type Records struct {
	domain  synth.Domain
	columns [][]uint16 // by column, then record
	n       int
}

// NewRecords sorts rows over the domain d and returns them as records. The parameter rows is indexed by
// column, then by row. There must be at least one row.
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

// precedence lists the columns in the order in which they are compared when records are sorted.
func (r *Records) precedence() []int {
	columns := make([]int, len(r.domain.Columns))
	for c := range columns {
		columns[c] = c
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(r.domain.Columns[a].Size, r.domain.Columns[b].Size) })
	return columns
}

// Len returns the number of records.
func (r *Records) Len() int { return r.n }

// pack returns the codes of all records, compressed by DEFLATE (RFC 1951). The codes are stored column by column,
// with one byte for each code. For a column with more than 256 values, the high bytes of all codes come first, and
// then the low bytes.
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

// unpack parses the output of pack for n records over the domain d. It fails if a code is invalid, if the records are
// not sorted, or if there are bytes after the last code.
func unpack(d synth.Domain, n int, packed []byte) (*Records, error) {
	in := bytes.NewReader(packed)
	codes := flate.NewReader(in)
	r := &Records{domain: d, n: n}
	plane := make([]byte, n)
	for c, of := range d.Columns {
		column := make([]uint16, n)
		for range of.Bytes() {
			if _, err := io.ReadFull(codes, plane); err != nil {
				return nil, fmt.Errorf("the model's records cannot be decompressed to the codes of %d records", n)
			}
			for i, b := range plane {
				column[i] = column[i]<<8 | uint16(b)
			}
		}
		if v := slices.Max(column); int(v) >= of.Size {
			return nil, fmt.Errorf("a record of the model has the code %d in column %d, but the codes of this column are 0 to %d", v, c+1, of.Size-1)
		}
		r.columns = append(r.columns, column)
	}
	if _, err := io.ReadFull(codes, plane[:1]); err != io.EOF || in.Len() > 0 {
		return nil, fmt.Errorf("the model file contains the codes of more records than the %d that it states", n)
	}
	return r, r.checkOrder()
}

// checkOrder returns an error if the records are not sorted.
func (r *Records) checkOrder() error {
	order := r.precedence()
	for i := 1; i < r.n; i++ {
		for _, c := range order {
			if before, v := r.columns[c][i-1], r.columns[c][i]; before < v {
				break
			} else if before > v {
				return errors.New("the model's records are not sorted")
			}
		}
	}
	return nil
}

// Rows are n rows sampled from the m records of a model. Each row is computed when it is read. If there is no
// condition, each record occurs n/m times, rounded down or up.
type Rows struct {
	layout  *Layout
	records *Records
	seed    uint64

	densities [][]*table.Density // by column of the flat schema, as table.NewDrawer requires
	places    *places            // of the records in their intervals; nil if numbers are independent within intervals
	condition *condition         // the condition that the rows satisfy; nil if there is none

	// Row i is record ⌊(k·m + shift)/n⌋, where k = (first + i·step) mod n and shift < m. The step is
	// coprime to n, so k takes each value below n once, and all rows together are equally spaced
	// records. The step is about n divided by the golden ratio, so the records of any consecutive
	// rows are nearly equally spaced too.
	n, first, step, shift uint64
}

// newRows returns n rows sampled from the records r. The seed determines which records are sampled, and the order of
// the rows. The parameter l is the layout of the columns, densities has the distributions of numbers within
// categories, and p has the places of the records in their intervals.
func newRows(l *Layout, r *Records, densities [][]*table.Density, p *places, n int, seed uint64) Rows {
	rows := Rows{layout: l, records: r, densities: densities, places: p, seed: seed, n: uint64(n)}
	if p != nil {
		rows.densities = slices.Clone(densities)
		for j, of := range p.densities {
			if of != nil {
				rows.densities[j] = of
			}
		}
	}
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

// Len returns the number of rows.
func (r Rows) Len() int { return int(r.n) }

// Record returns the codes of row i for all columns of the flat schema. The result reuses the memory of the slice
// record.
func (r Rows) Record(i int, record []uint16) []uint16 {
	return r.layout.complete(r.records, r.index(i), record)
}

// index returns the index of the record from which row i is sampled.
func (r Rows) index(i int) int {
	at := (r.first + uint64(i)*r.step) % r.n
	if r.condition != nil {
		return r.condition.at(r, at)
	}
	return int((at*uint64(r.records.n) + r.shift) / r.n)
}

// quantiles returns, for each column, the range of quantiles of its density from which the number of a row is
// sampled. The parameter i is the index of the row's record, and codes has the record's codes. The result reuses the
// memory of the slice of. It is nil if all numbers are independent within intervals.
func (r Rows) quantiles(i int, codes []uint16, of [][2]float64) [][2]float64 {
	if r.places == nil {
		return nil
	}
	of = of[:0]
	for j, v := range codes {
		of = append(of, r.places.quantiles(i, j, v))
	}
	if r.condition == nil {
		return of
	}
	q := r.condition.question
	for k, j := range q.columns {
		if share := q.shares[k][codes[j]]; share > 0 && share < 1 && of[j] != [2]float64{0, 1} {
			part := r.places.inside(q, k, i, codes[j])
			of[j] = [2]float64{part[0] / share, part[1] / share}
		}
	}
	return of
}
