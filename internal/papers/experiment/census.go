package experiment

import (
	"context"
	"path/filepath"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// CensusFiles returns the paths of the files that Census reads from the given directory.
func CensusFiles(directory string) []string {
	groups, data := censusFiles(directory)
	return []string{groups, data}
}

func censusFiles(directory string) (groups, data string) {
	return filepath.Join(directory, "adult-7.toml"), filepath.Join(directory, "adult-balanced.data")
}

// Census reads the two instances of Figure 1 from the files in a directory. Both contain the rows of the balanced
// census data. The first instance has seven attributes with grouped values, each category of which is a column of
// linear models. The second instance has the seven attributes of the papers, and each binary digit of a category's
// code is a column.
func Census(ctx context.Context, directory string) ([]*Instance, error) {
	groupsFile, data := censusFiles(directory)
	groups, err := release.ReadSchema(groupsFile)
	if err != nil {
		return nil, err
	}
	categories, err := ownSchema("adult-categories")
	if err != nil {
		return nil, err
	}
	read := func(s *table.Schema) (*table.Table, error) {
		return source.Read(ctx, data, s, source.Options{})
	}
	grouped, err := read(groups)
	if err != nil {
		return nil, err
	}
	raw, err := read(categories)
	if err != nil {
		return nil, err
	}
	return []*Instance{
		OneHot("seven attributes", grouped),
		BinaryDigits("the papers' attributes", raw),
	}, nil
}
