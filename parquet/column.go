package parquet

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
)

// A column converts the values of one column to category codes, page by page, within a row group of a Parquet file.
// In a page with a dictionary, each entry of the dictionary is coded only once. In a page of numbers without a
// dictionary, the codes of numbers are cached in a memo, unless the caller also needs the texts of the values.
type column struct {
	pages  parquet.Pages
	append appender
	coders []source.Coder
	kind   parquet.Kind
	memo   *memo // nil before the first page of numbers without a dictionary

	page       parquet.Page // nil before the first page and after each page
	values     parquet.ValueReader
	levels     []byte  // by value of the page, 0 if the value is null; empty if no value is null
	indexes    []int32 // for each value that is not null, the index of its entry in the dictionary
	dictionary parquet.Dictionary
	entries    [][]uint16 // by coder, the codes of the dictionary's entries, and at last the code of a missing value
	remembered bool       // whether the memo is used for the page
	keys       []uint64   // the keys of the page's numbers that are not yet coded
	space      []uint64   // the memory of keys

	buffer [256]parquet.Value
	text   []byte
}

var errColumnEnds = errors.New("a column has fewer values than its row group has rows; write the file again")

func (c *column) Close() error { return c.pages.Close() }

func (c *column) Fill(n int, into [][]uint16, texts [][]byte) error {
	for done := 0; done < n; {
		if c.page == nil {
			if err := c.nextPage(texts == nil); err != nil {
				return err
			}
		}
		var got int
		var err error
		switch {
		case c.dictionary != nil:
			got = c.lookUp(into, texts, done, n)
		case c.remembered:
			got = c.remember(into, done, n)
		default:
			got, err = c.code(into, texts, done, n)
		}
		if err != nil {
			return err
		}
		if got == 0 {
			parquet.Release(c.page)
			c.page = nil
		}
		done += got
	}
	return nil
}

// nextPage reads the next page of the column. If remembered is true, the memo may be used for its values.
func (c *column) nextPage(remembered bool) error {
	page, err := c.pages.ReadPage()
	if err == io.EOF {
		return errColumnEnds
	}
	if err != nil {
		return err
	}
	c.page = page
	c.levels = nil
	if page.NumNulls() > 0 {
		c.levels = page.DefinitionLevels()
	}
	dictionary := page.Dictionary()
	c.remembered = dictionary == nil && remembered && isNumber(c.kind)
	switch {
	case c.remembered:
		if c.memo == nil {
			c.memo = newMemo(c.kind, c.append, c.coders)
		}
		c.space = c.memo.read(c.space[:0], page.Data())
		c.keys = c.space
	case dictionary == nil:
		c.values = page.Values()
	default:
		data := page.Data()
		c.indexes = data.Int32()
	}
	if dictionary != nil && dictionary != c.dictionary {
		c.dictionary = dictionary
		c.codeEntries()
	}
	c.dictionary = dictionary
	return nil
}

// codeEntries computes the codes of all entries in the dictionary of the current page, and stores them in
// c.entries.
func (c *column) codeEntries() {
	n := c.dictionary.Len()
	c.entries = c.entries[:0]
	for _, code := range c.coders {
		codes := make([]uint16, n+1)
		for i := range n {
			c.text = c.append(c.text[:0], c.dictionary.Index(int32(i)))
			codes[i] = code(c.text)
		}
		codes[n] = code(nil)
		c.entries = append(c.entries, codes)
	}
}

// lookUp codes the next values of a page with a dictionary: those of the rows whose indices are at least from and
// less than to, or of fewer rows at the end of the page. It stores the codes in into and, unless texts is nil, the
// texts of the values in texts. It returns the number of rows.
func (c *column) lookUp(into [][]uint16, texts [][]byte, from, to int) int {
	if len(c.levels) == 0 {
		n := min(to-from, len(c.indexes))
		for k, codes := range c.entries {
			out := into[k][from : from+n]
			for i, index := range c.indexes[:n] {
				out[i] = codes[index]
			}
		}
		if texts != nil {
			for i, index := range c.indexes[:n] {
				c.entry(index)
				c.keep(texts, from+i)
			}
		}
		c.indexes = c.indexes[n:]
		return n
	}
	n := min(to-from, len(c.levels))
	missing := int32(c.dictionary.Len())
	for i := range n {
		index := missing
		if c.levels[i] != 0 {
			index = c.indexes[0]
			c.indexes = c.indexes[1:]
		}
		for k, codes := range c.entries {
			into[k][from+i] = codes[index]
		}
		if texts != nil {
			c.entry(index)
			c.keep(texts, from+i)
		}
	}
	c.levels = c.levels[n:]
	return n
}

// remember codes the next values of a page of numbers without a dictionary, and looks up their codes in the memo.
// Its parameters and its result are those of lookUp.
func (c *column) remember(into [][]uint16, from, to int) int {
	n := min(to-from, len(c.keys))
	if len(c.levels) > 0 {
		n = min(to-from, len(c.levels))
	}
	for i := range n {
		slot := c.memo.missing()
		if len(c.levels) == 0 || c.levels[i] != 0 {
			slot = c.memo.slot(c.keys[0])
			c.keys = c.keys[1:]
		}
		for k, codes := range c.memo.codes {
			into[k][from+i] = codes[slot]
		}
	}
	if len(c.levels) > 0 {
		c.levels = c.levels[n:]
	}
	return n
}

// entry sets c.text to the text of the dictionary's entry with the given index. If the index is the number of
// entries, the value is missing and its text is empty.
func (c *column) entry(index int32) {
	if c.text = c.text[:0]; int(index) < c.dictionary.Len() {
		c.text = c.append(c.text, c.dictionary.Index(index))
	}
}

// keep stores a copy of the current value's text, c.text, in the slice texts at the index row.
func (c *column) keep(texts [][]byte, row int) {
	texts[row] = append(texts[row][:0], c.text...)
}

// code codes the next values of a page without a dictionary, without using the memo. Its parameters and its result
// are those of lookUp.
func (c *column) code(into [][]uint16, texts [][]byte, from, to int) (int, error) {
	n, err := c.values.ReadValues(c.buffer[:min(to-from, len(c.buffer))])
	if err != nil && err != io.EOF {
		return 0, err
	}
	for i, v := range c.buffer[:n] {
		c.text = c.text[:0]
		if !v.IsNull() {
			c.text = c.append(c.text, v)
		}
		for k, code := range c.coders {
			into[k][from+i] = code(c.text)
		}
		if texts != nil {
			c.keep(texts, from+i)
		}
	}
	return n, nil
}
