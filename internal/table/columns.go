package table

import "fmt"

// batchRows is the number of rows that AddColumns packs at a time.
const batchRows = 512

// AddColumns adds rows that are given as columns of equal length: the codes of each attribute, and then the
// outcomes. A row with a code or an outcome out of range is added as a null record. The columns may be reused
// after the call. If the number of columns or their lengths are wrong, or if there would be too many rows,
// AddColumns returns an error and changes nothing.
func (b *Builder) AddColumns(columns [][]uint16) error {
	if len(columns) != len(b.fields) {
		return fmt.Errorf("table: there are %d columns of codes; there must be one for each of %d attributes and one for the outcome", len(columns), len(b.sizes))
	}
	n := len(columns[0])
	for _, column := range columns {
		if len(column) != n {
			return fmt.Errorf("table: the columns have different lengths, %d and %d", n, len(column))
		}
	}
	if err := b.grow(int64(n)); err != nil {
		return err
	}
	for from := 0; from < n; from += batchRows {
		b.addBatch(columns, from, min(from+batchRows, n))
	}
	return nil
}

// addBatch adds the rows whose indices are at least from and less than to. There must be at most batchRows of
// them.
func (b *Builder) addBatch(columns [][]uint16, from, to int) {
	n := to - from
	if b.batch == nil {
		b.batch = make([]uint64, batchRows*b.words)
	}
	words := b.batch[:n*b.words]
	clear(words)
	var slack [batchRows]int32 // negative if a code of the row is out of range
	for j, f := range b.fields {
		f.setAll(words, b.words, columns[j][from:to], slack[:n])
	}
	for i := range n {
		if slack[i] < 0 {
			b.nulls++
		} else {
			b.add(words[i*b.words:][:b.words], 1)
		}
	}
}

// setAll packs one column into rows: it stores the code of each row in the bits of field f. The slice words holds
// the packed rows one after another, with the given number of 64-bit words (width) for each row; the bits of the
// field must be zero before the call. If the code of a row is too large for the field, setAll makes the element of
// slack for this row negative.
func (f field) setAll(words []uint64, width int, codes []uint16, slack []int32) {
	last := int32(f.size - 1)
	for i, code := range codes {
		slack[i] |= last - int32(code)
	}
	switch {
	case width == 1:
		words = words[:len(codes)]
		for i, code := range codes {
			words[i] |= uint64(code) << (f.up & 63)
		}
	case f.up >= 0:
		for i, code := range codes {
			words[i*width+f.word] |= uint64(code) << (f.up & 63)
		}
	default:
		for i, code := range codes {
			words[i*width+f.word] |= uint64(code) >> -f.up
			words[i*width+f.word+1] |= uint64(code) << (64 + f.up)
		}
	}
}
