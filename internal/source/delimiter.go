package source

import "fmt"

// otherDelimiter returns an error that suggests another delimiter for the schema, or nil if no other delimiter is
// likely. It divides the first record at each usual delimiter, and suggests the first one for which the function
// fits accepts the fields. If there is none, and the schema's delimiter yields only a single field, it suggests
// the delimiter that yields the most fields. A typical cause is a spreadsheet program, which writes semicolons if
// the decimal mark is a comma.
func (t *text) otherDelimiter(single bool, fits func(fields [][]byte) bool) error {
	best, most, place := byte(0), 1, int64(0)
	for _, mark := range []byte(",;\t|") {
		s := newSplitter(t.name, t.schema.File)
		if s.delimiter = mark; s.trim && mark == '\t' {
			continue
		}
		fields, line, _, err := t.firstRecord(s)
		if err != nil {
			continue
		}
		if fits(fields) {
			best, place = mark, line
			break
		}
		if single && len(fields) > most {
			best, most, place = mark, len(fields), line
		}
	}
	if best == 0 {
		return nil
	}
	return fmt.Errorf("%s:%d: the file seems to be divided by %q, not by %q; set delimiter = %[3]q in the schema's [file], or save the file with %[4]q",
		t.name, place, string(rune(best)), string(rune(t.schema.File.Delimiter)))
}
