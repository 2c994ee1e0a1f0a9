package release

import (
	"errors"
	"fmt"
	"os"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var errUnlabelled = errors.New("the schema has no [label], so there is nothing to learn; name the column and its positive and negative values")

// ReadSchema reads a schema with a label from a file. Its error states in one sentence what is wrong and where.
func ReadSchema(path string) (*table.Schema, error) {
	s, err := ReadDomain(path)
	if err == nil && s.Label == nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(path), errUnlabelled)
	}
	return s, err
}

// ReadDomain is like ReadSchema, but the schema need not have a label.
func ReadDomain(path string) (*table.Schema, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema cannot be read: %w", source.FileName(path), publish.Inner(err))
	}
	defer file.Close()
	return table.ParseSchema(path, file)
}
