package release

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var errUnlabelled = errors.New("the schema has no [label], so there is nothing to learn; name the column and its positive and negative values")

// ReadSchema reads a schema with a label from a file. Its error is one sentence, which says what is wrong and where.
func ReadSchema(path string) (*table.Schema, error) {
	s, err := ReadDomain(path)
	if err == nil && s.Label == nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(path), errUnlabelled)
	}
	return s, err
}

// ReadDomain reads a schema from a file like ReadSchema, but the schema need not have a label.
func ReadDomain(path string) (*table.Schema, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema cannot be read: %w", source.FileName(path), publish.Inner(err))
	}
	defer file.Close()
	return table.ParseSchema(path, file)
}

// ReadOpen reads a schema from a file like ReadDomain, but attributes may be open (see table.ParseOpenSchema): they
// need not list cuts or values. The result open says, for each attribute, whether it is open. In the
// schema s, an open attribute has provisional categories, which suffice to read its column. Numbers, and dates with a
// format, have one cut; other attributes have one value and the category named by the key "other".
func ReadOpen(path string) (s *table.Schema, open []bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the schema cannot be read: %w", source.FileName(path), publish.Inner(err))
	}
	defer file.Close()
	if s, err = table.ParseOpenSchema(path, file); err != nil {
		return nil, nil, err
	}
	open, err = Provisional(path, s)
	return s, open, err
}

// Provisional gives each open attribute of the schema s provisional categories, so that source.Check can read its
// values. It returns, for each attribute, whether it was open. If the label is open, it returns an error that begins
// with name, the name of the schema.
func Provisional(name string, s *table.Schema) (open []bool, err error) {
	if s.Label != nil && s.Label.Open() {
		return nil, fmt.Errorf("%s: [label] has no outcomes; write them from public knowledge", quote.Name(name))
	}
	open = make([]bool, len(s.Attributes))
	for j := range s.Attributes {
		a := &s.Attributes[j]
		switch open[j] = a.Open(); {
		case !open[j]:
		case a.Kind == table.NumberKind || a.IsDate():
			a.Cuts = []table.Decimal{"0"}
		default:
			a.Values, a.Other = []string{noValue}, cmp.Or(a.Other, otherName)
		}
	}
	return open, nil
}
