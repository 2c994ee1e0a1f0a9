package table

import "fmt"

// batchRows is how many rows are packed at a time.
const batchRows = 512

// AddColumns counts rows given by columns of equal lengths: the codes of each attribute, and
// last the outcomes. A row of which some code is not below its size, or the outcome is none, is
// a null record. The columns are not kept. It returns an error, and changes nothing, where the
// columns are not as many as that or the rows become too many.
func (b *Builder) AddColumns(columns [][]uint16) error {
	if len(columns) != len(b.fields) {
		return fmt.Errorf("table: %d columns of codes for %d attributes and the outcome", len(columns), len(b.sizes))
	}
	n := len(columns[0])
	for _, column := range columns {
		if len(column) != n {
			return fmt.Errorf("table: columns of %d and of %d rows", n, len(column))
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

// addBatch counts the rows from..to-1.
func (b *Builder) addBatch(columns [][]uint16, from, to int) {
	n := to - from
	if b.batch == nil {
		b.batch = make([]uint64, batchRows*b.words)
	}
	words := b.batch[:n*b.words]
	clear(words)
	var room [batchRows]int32 // negative where a code is not below its size
	for j, f := range b.fields {
		f.setAll(words, b.words, columns[j][from:to], room[:n])
	}
	for i := range n {
		if room[i] < 0 {
			b.nulls++
		} else {
			b.add(words[i*b.words:][:b.words], 1)
		}
	}
}

// setAll enters a code for each row of so many words, where it is zero so far.
func (f field) setAll(words []uint64, width int, codes []uint16, room []int32) {
	last := int32(f.size - 1)
	for i, code := range codes {
		room[i] |= last - int32(code)
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
