package source

import (
	"bytes"
	"io"
	"slices"
)

const (
	blockSize   = 1 << 20
	firstBuffer = 64 << 10 // the maximum initial capacity of the buffer of a block
	maxField    = 1 << 20
	maxRecord   = 16 << 20
	maxFields   = 1 << 20
)

// A block is a part of a delimited text that consists of complete records, so that different goroutines can process
// different blocks.
type block struct {
	number int
	text   []byte
	line   int64 // the line of its first byte, from 1
	quotes bool  // whether it contains a quote
	cut    bool  // whether its only record is longer than maxRecord bytes, which is an error
}

// A blockReader divides delimited text into blocks of complete records.
//
// In well-formed records, quotes come in pairs. A line break therefore ends a record if and only if the number of
// quotes since the beginning of the record is even. After a malformed record, blocks may begin or end within a
// record, but these blocks are never used, because the splitter returns an error for the malformed record.
type blockReader struct {
	r       io.Reader
	size    int // the number of bytes that the method next reads at once
	comment []byte
	number  int
	line    int64
	carry   []byte // text that was read already and begins the next block
	end     bool
}

// next returns the next block, or io.EOF after the last one. It stores the block's text in the buffer, or in new
// memory if the buffer's capacity is too small.
func (r *blockReader) next(buffer []byte) (block, error) {
	if r.end && len(r.carry) == 0 {
		return block{}, io.EOF
	}
	size := len(r.carry) + r.size
	if buffer == nil {
		buffer = make([]byte, 0, min(size, firstBuffer))
	}
	buffer = append(buffer[:0], r.carry...)
	r.carry = r.carry[:0]
	for {
		if err := r.fill(&buffer, size); err != nil {
			return block{}, err
		}
		quotes := bytes.IndexByte(buffer, '"') >= 0
		n := len(buffer)
		switch {
		case r.end:
		case quotes:
			n = r.lastEnd(buffer)
		default:
			n = bytes.LastIndexByte(buffer, '\n') + 1
		}
		cut := n == 0 && len(buffer) >= maxRecord
		if n == 0 && !cut && !r.end {
			size *= 2
			continue
		}
		if cut {
			n, r.end = len(buffer), true
		}
		r.carry = append(r.carry, buffer[n:]...)
		b := block{number: r.number, text: buffer[:n], line: r.line, quotes: quotes, cut: cut}
		r.number++
		r.line += int64(bytes.Count(b.text, []byte{'\n'}))
		return b, nil
	}
}

// fill reads until the buffer holds the given number of bytes (size) or the text ends. It enlarges the buffer as
// needed.
func (r *blockReader) fill(buffer *[]byte, size int) error {
	b := *buffer
	for len(b) < size && !r.end {
		if len(b) == cap(b) {
			b = slices.Grow(b, min(len(b), size-len(b)))
		}
		n, err := r.r.Read(b[len(b):min(cap(b), size)])
		b = b[:len(b)+n]
		if err == io.EOF {
			r.end = true
		} else if err != nil {
			return err
		}
	}
	*buffer = b
	return nil
}

// lastEnd returns the offset at which the last complete record of the text ends, or 0 if the text contains no
// complete record.
func (r *blockReader) lastEnd(text []byte) int {
	end := 0
	for {
		n := r.recordEnd(text[end:])
		if n == 0 {
			return end
		}
		end += n
	}
}

// recordEnd returns the offset at which the first record, blank line or comment of the text ends, or 0 if the text
// does not contain its end.
func (r *blockReader) recordEnd(text []byte) int {
	comment := len(r.comment) > 0 && bytes.HasPrefix(text, r.comment)
	quotes, end := 0, 0
	for {
		n := bytes.IndexByte(text[end:], '\n') + 1
		if n == 0 {
			return 0
		}
		quotes += bytes.Count(text[end:end+n], []byte{'"'})
		end += n
		if comment || quotes%2 == 0 {
			return end
		}
	}
}
