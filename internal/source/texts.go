package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Texts is a Table that also has the frequencies of the texts in some columns: for each distinct text, the number
// of units (see table.Counts) of the rows with this text.
type Texts struct {
	*table.Table                    // the table of the schema's records
	Units        []map[string]int64 // by listed attribute, the units of each text
}

// LongestText is the maximum length, in bytes, of a text that ReadTexts counts.
const LongestText = 256

// ReadTexts is like Read, and also counts the distinct texts of the given attributes. The following texts are not
// counted:
//   - those that are empty, longer than LongestText, not valid UTF-8, or contain a NUL byte,
//   - those that mean a missing value according to the schema, or equal the name of the category Other.
//
// If the schema has a Person, at most Most rows of each person are used. Which rows are used depends only on the rows
// of this person, including their texts: the rows are ordered by digests of the texts
// (docs/explanation/proofs/profile.md, section 5).
//
// From a database, all rows are read. A file of counts is an error. The memory depends on the number of distinct
// texts.
func ReadTexts(ctx context.Context, location string, s *table.Schema, attributes []int, o Options) (*Texts, error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return countTexts(ctx, s, attributes, in.coding(), func(visit func(codes []uint16) error) error {
		return in.each(ctx, func(codes []uint16, _ int64) error { return visit(codes) })
	})
}

// Texts is like ReadTexts, but reads rows that are in memory.
func (m Memory) Texts(ctx context.Context, s *table.Schema, attributes []int) (*Texts, error) {
	c := m.coding(s, s.PersonColumn())
	return countTexts(ctx, s, attributes, c, func(visit func(codes []uint16) error) error { return m.visit(ctx, c, visit) })
}

// countTexts implements ReadTexts. To read the source, it calls the function in the parameter each, which must call
// visit for every row, with the codes that the coding c computes.
func countTexts(ctx context.Context, s *table.Schema, attributes []int, c *coding, each func(visit func(codes []uint16) error) error) (*Texts, error) {
	columns := make([]*textColumn, len(attributes))
	width := c.width
	for i, j := range attributes {
		columns[i] = newTextColumn(&s.Attributes[j])
		if k := slices.Index(c.columns, s.Attributes[j].Column); k >= 0 { // a file of counts has no columns
			c.also(k, reader{c.width, high{columns[i]}}, reader{c.width + 1, low{columns[i]}})
		}
		c.width += 2
	}
	out := &Texts{}
	builder := s.Builder()
	for range attributes {
		out.Units = append(out.Units, make(map[string]int64))
	}
	enter := func(codes []uint16, numbers []int, units int64) error {
		for i, number := range numbers {
			if number > 0 {
				out.Units[i][columns[i].texts[number]] += units
			}
		}
		return count(builder, codes, units)
	}
	numbers := make([]int, len(attributes))
	numbered := func(codes []uint16) {
		for i := range numbers {
			numbers[i] = int(codes[width+2*i])*digit + int(codes[width+2*i+1])
		}
	}
	if s.Person == nil {
		err := each(func(codes []uint16) error {
			numbered(codes)
			return enter(codes[:width], numbers, 1)
		})
		out.Table = builder.Table()
		return out, err
	}

	total := width + digestCodes*len(attributes)
	rows := &personRows{codes: total, limit: personsMemory}
	defer rows.close()
	row := make([]uint16, total)
	if err := each(func(codes []uint16) error {
		numbered(codes)
		copy(row, codes[:width])
		for i, number := range numbers {
			putDigest(row[width+digestCodes*i:], columns[i].digests[number])
		}
		return rows.add(c.text, row)
	}); err != nil {
		return nil, err
	}
	k := newKeeper(s, nil)
	k.width, k.codes = total, make([]uint16, total)
	k.enter = func(codes []uint16, units int64) error {
		for i := range numbers {
			numbers[i] = columns[i].byDigest[digestOf(codes[width+digestCodes*i:])]
		}
		return enter(codes[:width], numbers, units)
	}
	err := keepRows(ctx, k, []*personRows{rows})
	out.Table = builder.Table()
	return out, err
}

// A textColumn numbers the distinct texts of a column 1, 2, …, in the order in which they are first read. Texts that
// are not counted have the number 0.
type textColumn struct {
	excluded []string
	numbers  map[string]int
	texts    []string
	digests  [][sha256.Size]byte
	byDigest map[[sha256.Size]byte]int
}

func newTextColumn(a *table.Attribute) *textColumn {
	c := &textColumn{excluded: append(slices.Clone(a.Missing), a.Other), numbers: make(map[string]int), byDigest: make(map[[sha256.Size]byte]int)}
	c.add("") // stands for the texts that are left out
	return c
}

func (c *textColumn) add(text string) int {
	number, digest := len(c.texts), sha256.Sum256([]byte(text))
	c.numbers[text], c.byDigest[digest] = number, number
	c.texts, c.digests = append(c.texts, text), append(c.digests, digest)
	return number
}

// number returns the number of a text in its column. A new text receives the next number.
func (c *textColumn) number(text []byte) int {
	if number, found := c.numbers[string(text)]; found {
		return number
	}
	if len(text) > LongestText || !utf8.Valid(text) || slices.Contains(text, 0) || slices.Contains(c.excluded, string(text)) {
		return 0
	}
	return c.add(string(text))
}

// digit is the base in which the number of a text is stored as two codes, because the number may exceed 16 bits. Each
// code is less than outside, the code of a value outside the domain.
const digit = outside

type (
	high struct{ *textColumn }
	low  struct{ *textColumn }
)

func (c high) Code(text []byte) (int, bool) { return c.number(text) / digit, true }
func (c low) Code(text []byte) (int, bool)  { return c.number(text) % digit, true }

// digestCodes is the number of 16-bit codes that store a SHA-256 digest.
const digestCodes = sha256.Size / 2

func putDigest(codes []uint16, digest [sha256.Size]byte) {
	for i := range digestCodes {
		codes[i] = binary.BigEndian.Uint16(digest[2*i:])
	}
}

func digestOf(codes []uint16) (digest [sha256.Size]byte) {
	for i := range digestCodes {
		binary.BigEndian.PutUint16(digest[2*i:], codes[i])
	}
	return digest
}
